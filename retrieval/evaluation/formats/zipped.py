"""Archives of a few text files: bounded when they are read, the same bytes for the same content when they are written."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Mapping
from pathlib import Path
from zlib import error as ZlibError

from retrieval.evaluation.formats.preview import unusable

LARGEST = 64 * 1024 * 1024
"""Bytes of all files of an archive together, unpacked."""
_EPOCH = (1980, 1, 1, 0, 0, 0)


def is_archive(data: bytes) -> bool:
    """Whether these bytes begin like a zip archive."""
    return data[:4] in (b"PK\x03\x04", b"PK\x05\x06")


def members(data: bytes, name: str = "") -> dict[str, bytes]:
    """The files of an archive by their paths, in its order. Raises BadInput for no archive, an encrypted one, and one that is too large."""
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            infos = [info for info in archive.infolist() if not info.is_dir()]
            found: dict[str, bytes] = {}
            room = LARGEST
            for info in infos:
                with archive.open(info) as stream:  # the size in the directory may lie, so the stream itself is bounded
                    content = stream.read(room + 1)
                room -= len(content)
                if room < 0:
                    raise unusable(name, f"an archive that unpacks to more than {LARGEST} bytes", "a set of questions", "Split it.")
                found[info.filename] = content
            return found
    except (zipfile.BadZipFile, EOFError, ZlibError, OSError, RuntimeError, NotImplementedError) as cause:
        raise unusable(name, f"no readable archive ({cause})", "a zip file without password", "Save or pack it again.") from cause


def packed(files: Mapping[str, str | bytes]) -> bytes:
    """An archive of these files, in their order."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for path, content in files.items():
            info = zipfile.ZipInfo(path, _EPOCH)
            info.compress_type = zipfile.ZIP_DEFLATED
            archive.writestr(info, content)
    return out.getvalue()


def folder(path: Path) -> bytes:
    """A folder as the archive of its files, by their paths inside it, hidden ones left out. Raises BadInput for one that is too large."""
    files = [file for file in sorted(path.rglob("*")) if file.is_file() and not file.name.startswith(".")]
    size = sum(file.stat().st_size for file in files)
    if size > LARGEST:
        raise unusable(path.name, f"a folder of {size} bytes", f"at most {LARGEST}", "Leave out what is no question set.")
    return packed({file.relative_to(path).as_posix(): file.read_bytes() for file in files})
