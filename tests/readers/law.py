"""Small invented laws in the official XML, for tests of the reader."""

from __future__ import annotations

from pathlib import Path

from retrieval.readers import ReadCorpus, ReadNorm, read

HEADER = '<?xml version="1.0" encoding="UTF-8"?>\n<!DOCTYPE dokumente SYSTEM "http://www.gesetze-im-internet.de/dtd/1.01/gii-norm.dtd">\n'
META = (
    "<jurabk>{jurabk}</jurabk><amtabk>{amtabk}</amtabk><kurzue>{kurzue}</kurzue><langue>{langue}</langue>"
    "<standangabe><standtyp>Stand</standtyp><standkommentar>Zuletzt geändert am 1.2.2031</standkommentar></standangabe>"
    "<standangabe><standtyp>Hinweis</standtyp><standkommentar>Änderung noch nicht eingearbeitet</standkommentar></standangabe>"
)


def norm(enbez: str, content: str = "", titel: str = "", footnotes: str = "", notes: str = "") -> str:
    """One <norm> with the given Content, Footnotes (enacted) and fussnoten (of the documentation)."""
    text = f"<text><Content>{content}</Content>{footnotes}</text>" if content or footnotes else "<text/>"
    return (
        f"<norm><metadaten><jurabk>X</jurabk><enbez>{enbez}</enbez><titel>{titel}</titel></metadaten>"
        f"<textdaten>{text}<fussnoten>{notes}</fussnoten></textdaten></norm>"
    )


def unit(key: str, bez: str, titel: str) -> str:
    """One <norm> that is a structure heading."""
    return (
        f"<norm><metadaten><gliederungseinheit><gliederungskennzahl>{key}</gliederungskennzahl><gliederungsbez>{bez}</gliederungsbez>"
        f"<gliederungstitel>{titel}</gliederungstitel></gliederungseinheit></metadaten><textdaten/></norm>"
    )


def law_xml(*norms: str, jurabk: str = "TestG 1999", amtabk: str = "", kurzue: str = "", langue: str = "Gesetz über Tests") -> str:
    """A whole file."""
    meta = META.format(jurabk=jurabk, amtabk=amtabk, kurzue=kurzue, langue=langue)
    head = f"<norm><metadaten>{meta}</metadaten><textdaten/></norm>"
    return f'{HEADER}<dokumente builddate="20310203" doknr="BJNR1">{head}{"".join(norms)}</dokumente>'


def read_law(folder: Path, *norms: str, **names: str) -> ReadCorpus:
    """Writes the law to the folder and reads it."""
    path = folder / "gesetz.xml"
    path.write_text(law_xml(*norms, **names), encoding="utf-8")
    return read(path)


def one(folder: Path, content: str, **parts: str) -> ReadNorm:
    """The one norm of a law with this Content."""
    return read_law(folder, norm("§ 1", content, **parts)).norms[0]


def text_of(folder: Path, content: str, **parts: str) -> str:
    """All text of the one norm of a law with this Content."""
    return "\n".join(paragraph.text for paragraph in one(folder, content, **parts).paragraphs)
