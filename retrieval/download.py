"""Fetches a law from the official site of the federal laws; nothing is kept that is not the one XML file of a law."""

from __future__ import annotations

import io
import re
import urllib.error
import urllib.request
import zipfile
import zlib
from http.client import HTTPException
from pathlib import Path

from retrieval.errors import DownloadFailed
from retrieval.manifest import replace_file

OFFICIAL = "https://www.gesetze-im-internet.de"
LARGEST = 50 * 1024 * 1024
"""Bytes; the largest federal law is packed into less than two million."""
_TIMEOUT = 30.0
_UMLAUTS = str.maketrans({"ä": "_", "ö": "_", "ü": "_", "ß": "_", "Ä": "_", "Ö": "_", "Ü": "_", " ": "_", "-": "_"})
_BOOK = re.compile(r"sgb[ _]?([ivx]+)", re.IGNORECASE)
_ROMAN = ("i", "ii", "iii", "iv", "v", "vi", "vii", "viii", "ix", "x", "xi", "xii", "xiii", "xiv")


def slug(kuerzel: str) -> str:
    """The name of a law in the site's addresses: ``SGB V`` is ``sgb_5``, ``ApoG`` is ``apog``. Raises DownloadFailed for no name."""
    name = kuerzel.strip()
    book = _BOOK.fullmatch(name)
    if book and book[1].lower() in _ROMAN:
        return f"sgb_{_ROMAN.index(book[1].lower()) + 1}"
    name = name.translate(_UMLAUTS).lower()
    if not re.fullmatch(r"[a-z0-9_.]*[a-z0-9][a-z0-9_.]*", name) or ".." in name:
        raise DownloadFailed(f"Found {kuerzel[:40]!r}; expected the abbreviation of a federal law, such as SGB V or ApoG.")
    return name


def fetch(kuerzel: str, into: Path, base_url: str = OFFICIAL, timeout: float = _TIMEOUT) -> Path:
    """Downloads the law with this abbreviation as ``<slug>.xml.zip`` into a folder; returns the file.

    A file of that name is replaced only by a good one. Raises DownloadFailed when the site is not reached within ``timeout`` seconds,
    has no such law, or sends something else than a zip file with one XML file.
    """
    name = slug(kuerzel)
    url = f"{base_url.rstrip('/')}/{name}/xml.zip"
    content = _received(url, timeout)
    _require_law(content, url)
    into.mkdir(parents=True, exist_ok=True)
    path = into / f"{name}.xml.zip"
    replace_file(path, content)
    return path


def _received(url: str, timeout: float) -> bytes:
    request = urllib.request.Request(url, headers={"User-Agent": "Fundstelle"})
    try:
        with urllib.request.urlopen(request, timeout=timeout) as answer:
            content: bytes = answer.read(LARGEST + 1)
    except urllib.error.HTTPError as cause:
        with cause:
            hint = (
                "Look up the address on the site: some laws carry their year, such as amg_1976."
                if cause.code == 404
                else "Try again later."
            )
            raise DownloadFailed(f"{url} answered {cause.code} ({cause.reason}); expected a law. {hint} The stock is untouched.") from cause
    except (OSError, HTTPException) as cause:
        reason = getattr(cause, "reason", None) or cause or type(cause).__name__
        raise DownloadFailed(
            f"{url} was not reached ({reason}). Check the network, or put the file there by hand. The stock is untouched."
        ) from cause
    if len(content) > LARGEST:
        raise DownloadFailed(
            f"{url} sent more than {LARGEST // 1024 // 1024} MB; a law is smaller. Check the address. The stock is untouched."
        )
    return content


def _require_law(content: bytes, url: str) -> None:
    if not content:
        raise DownloadFailed(f"{url} sent nothing (0 bytes); expected a zip file. Try again later. The stock is untouched.")
    try:
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            found = [name for name in archive.namelist() if name.lower().endswith(".xml")]
            damaged = archive.testzip() if sum(one.file_size for one in archive.infolist()) <= 4 * LARGEST else "too large"
    except (zipfile.BadZipFile, EOFError, NotImplementedError, RuntimeError, OSError, ValueError, zlib.error) as cause:
        kind = "a web page" if content.lstrip()[:1] == b"<" else "something else"
        raise DownloadFailed(f"{url} sent {kind} and no zip file. Check the abbreviation. The stock is untouched.") from cause
    if len(found) != 1 or damaged:
        what = f"a zip file that is damaged ({damaged})" if damaged else f"a zip file with {len(found)} XML files"
        raise DownloadFailed(f"{url} sent {what}; expected exactly one whole XML file. Try again later. The stock is untouched.")
