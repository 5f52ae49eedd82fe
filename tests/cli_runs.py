"""One run of the command line in a test: its exit code and what it said."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple


class Ran(NamedTuple):
    """Exit code, stdout and stderr."""

    code: int
    out: str
    err: str

    @property
    def refused(self) -> bool:
        """Nothing was done, and one sentence on stderr says why."""
        one_line = self.err.count("\n") == 1 and self.err.endswith("\n")
        return (self.code, self.out, one_line) == (2, "", True) and "Traceback" not in self.err


Run = Callable[..., Ran]
