"""What a rule text says about itself: TOML between ``+++`` lines, a manifest beside it, or a plain head between ``---``."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path
from typing import Any, Literal

import msgspec
from msgspec import Struct

from retrieval.errors import BadSource
from retrieval.model import CorpusKind, CorpusSpec
from retrieval.readers.naming import technical_name, usual_abbreviation
from retrieval.readers.safe_files import contents, decoded

_TOML = re.compile(r"\A\s*\+\+\+[ \t]*\n(.*?)\n\+\+\+[ \t]*(?:\n|\Z)", re.DOTALL)
_OPEN_TOML = re.compile(r"\A\s*\+\+\+[ \t]*\n")
_YAML = re.compile(r"\A\s*---[ \t]*\n(.*?)\n---[ \t]*(?:\n|\Z)", re.DOTALL)
_TERM = re.compile(r"^(\S[^\n:|#]{0,60})\n:[ \t]+((?:[^\n]+\n?)(?:[ \t]+[^\n]+\n?)*)", re.MULTILINE)
_VALIDITY = re.compile(r"geändert|neugefasst|stand|hinweis|änderung", re.IGNORECASE)


class SourceFile(Struct, frozen=True, forbid_unknown_fields=True):
    """One file of a corpus that is spread over several: its path beside the manifest, its container and its title."""

    path: str
    container: str = ""
    title: str = ""


class FrontMatter(Struct, frozen=True, forbid_unknown_fields=True):
    """The keys of the front matter and of a manifest. ``layout = "pdf"`` switches the cleaning of rough conversions on."""

    id: str = ""
    title: str = ""
    kind: CorpusKind = "other"
    names: tuple[str, ...] = ()
    stand: str = ""
    source: str = ""
    default_container: str = ""
    invented: bool = False
    layout: Literal["plain", "pdf"] = "plain"
    files: tuple[SourceFile, ...] = ()

    def spec(self, fallback_title: str) -> CorpusSpec:
        """The spec of the corpus; without a title the file's first heading or its name is the title."""
        title = self.title or fallback_title
        return CorpusSpec(
            corpus_id=technical_name(self.id or title),
            title=title,
            kind=self.kind,
            names=tuple(name for name in dict.fromkeys(self.names) if name != title),
            stand=self.stand,
            source=self.source,
            default_container_id=self.default_container,
            invented=self.invented,
        )


def read_manifest(path: Path) -> FrontMatter:
    """The manifest in this TOML file. Raises BadSource with the line or the key that is wrong."""
    return _from_toml(decoded(contents(path), path.name), path.name)


def split(text: str, name: str) -> tuple[FrontMatter | None, str]:
    """What the text says about itself (None: nothing) and the text without it. Raises BadSource for a faulty head."""
    toml = _TOML.match(text)
    if toml:
        return _from_toml(toml.group(1), name), text[toml.end() :]
    if _OPEN_TOML.match(text):
        raise BadSource(f"{name}: the front matter opens with +++ and never closes; expected a second line of +++ before the rules.")
    yaml = _YAML.match(text)
    if yaml:
        body, stand = _without_terms(text[yaml.end() :])
        return _from_simple_head(yaml.group(1), stand), body
    return None, text


def _from_toml(text: str, name: str) -> FrontMatter:
    try:
        raw: dict[str, Any] = tomllib.loads(text)
        raw["files"] = [{"path": file} if isinstance(file, str) else file for file in raw.get("files", [])]
        return msgspec.convert(raw, FrontMatter)
    except tomllib.TOMLDecodeError as cause:
        raise BadSource(f'{name}: the front matter is not TOML: {cause}. Expected lines such as title = "…". Mend that line.') from cause
    except (msgspec.ValidationError, TypeError) as cause:
        keys = ", ".join(FrontMatter.__struct_fields__)
        raise BadSource(f"{name}: the front matter cannot be used: {cause}. Expected the keys {keys}.") from cause


def _from_simple_head(head: str, stand: str) -> FrontMatter:
    """A head of ``Key: value`` lines, as public collections of law in Markdown carry it."""
    pairs = (line.partition(":") for line in re.sub(r"\n[ \t]+", " ", head).split("\n") if ":" in line)
    values = {key.strip().lower(): value.strip().strip("\"'") for key, _, value in pairs}
    short = values.get("jurabk", "")
    usual = usual_abbreviation(short)
    title = values.get("title", "")
    ordinance = re.search(r"(?i)verordnung$|^verordnung\b", title)
    return FrontMatter(
        id=usual,
        title=title,
        kind=("ordinance" if ordinance else "statute") if short else "other",
        names=tuple(name for name in dict.fromkeys((usual, short)) if name),
        stand=stand,
    )


def _without_terms(body: str) -> tuple[str, str]:
    """The body without the list of terms at its head, and the lines of it that speak of validity."""
    end = re.search(r"^##+ ", body, re.MULTILINE)
    opening, rest = (body[: end.start()], body[end.start() :]) if end else (body, "")
    terms = [(term, " ".join(words.split())) for term, words in _TERM.findall(opening)]
    stand = "\n".join(f"{term} {words}" for term, words in terms if _VALIDITY.search(term))
    return _TERM.sub("", opening) + rest, stand
