"""Opens files from strangers: bounded size, one member of an archive, decoded text; every refusal is a sentence."""

from __future__ import annotations

import zipfile
from pathlib import Path
from zlib import error as ZlibError

from retrieval.errors import BadSource

LARGEST = 64 * 1024 * 1024
"""Bytes of one source of rules, unpacked. The largest federal law has about 4 MB."""


def head(path: Path, size: int = 512) -> bytes:
    """The first bytes of a file. Raises BadSource when there is no such file or it is empty."""
    if not path.is_file():
        raise BadSource(f"{path.name}: there is no such file; expected a file of rules (.xml, .xml.zip, .md, .txt). Check the path.")
    with path.open("rb") as file:
        start = file.read(size)
    if not start.strip():
        raise BadSource(f"{path.name}: the file is empty; expected rules. The download probably failed: fetch it again.")
    return start


def contents(path: Path) -> bytes:
    """All bytes of a file up to LARGEST. Raises BadSource for a larger or missing file."""
    head(path)
    size = path.stat().st_size
    if size > LARGEST:
        raise BadSource(f"{path.name}: {size} bytes; at most {LARGEST} are read. Split the file.")
    return path.read_bytes()


def only_member(path: Path, suffix: str) -> tuple[str, bytes]:
    """Name and bytes of the one member of a zip that ends in ``suffix``; pictures beside it are left alone.

    Raises BadSource for no zip, no or several such members, a damaged or encrypted one, and one that unpacks beyond LARGEST.
    """
    try:
        with zipfile.ZipFile(path) as archive:
            members = [info for info in archive.infolist() if not info.is_dir() and info.filename.lower().endswith(suffix)]
            if len(members) != 1:
                names = ", ".join(info.filename[:60] for info in members[:5]) or "none"
                raise BadSource(
                    f"{path.name}: the archive holds {len(members)} members ending in {suffix} ({names}); expected exactly one. "
                    "Unpack it and read the right file."
                )
            return members[0].filename, _unpacked(archive, members[0], path)
    except (zipfile.BadZipFile, EOFError, ZlibError, OSError) as cause:
        raise BadSource(f"{path.name}: not a readable zip archive ({cause}); expected xml.zip. Fetch the file again.") from cause
    except (RuntimeError, NotImplementedError) as cause:
        raise BadSource(f"{path.name}: the archive cannot be unpacked ({cause}); expected a plain zip without password.") from cause


def _unpacked(archive: zipfile.ZipFile, member: zipfile.ZipInfo, path: Path) -> bytes:
    """The size in the directory may lie, so the stream itself is bounded too."""
    if member.file_size <= LARGEST:
        with archive.open(member) as stream:
            data = stream.read(LARGEST + 1)
        if len(data) <= LARGEST:
            return data
    raise BadSource(
        f"{path.name}: the member {member.filename[:60]} unpacks to more than {LARGEST} bytes; refused. A law has a few million."
    )


def decoded(data: bytes, name: str) -> str:
    """Text from UTF-8 (with or without BOM), else from Windows-1252, with ``\\n`` as line end.

    Raises BadSource with the line number where neither can be read, or where the file holds binary data.
    """
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError:
        text = _western(data, name)
    if "\0" in text:
        line = text[: text.index("\0")].count("\n") + 1
        raise BadSource(f"{name}, line {line}: found binary data; expected text in UTF-8 or Windows-1252. Save the file as plain text.")
    return text.replace("\r\n", "\n").replace("\r", "\n")


def _western(data: bytes, name: str) -> str:
    try:
        return data.decode("cp1252")
    except UnicodeDecodeError as cause:
        line = data[: cause.start].count(b"\n") + 1
        byte = data[cause.start]
        raise BadSource(
            f"{name}, line {line}: found the byte 0x{byte:02X}, which is neither UTF-8 nor Windows-1252. Save the file as UTF-8."
        ) from None
