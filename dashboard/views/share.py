"""What a run rests on, for those it is handed to: what has changed since a link was made, and whether it is the same as production."""

from __future__ import annotations

from collections.abc import Iterator

from dashboard.blocks import Block, heading, notice, paragraph, row, table
from retrieval.exports.fingerprints import PARTS, Comparison, Fingerprint, Line, differences
from retrieval.trace import Trace
from retrieval.words import Words


def stamp(trace: Trace) -> str:
    """The fingerprints of a run as they stand in a link."""
    return Fingerprint.of(trace).text()


def changed(seen: str, trace: Trace, words: Words) -> list[Block]:
    """What has changed since a link with the fingerprints ``seen`` was made; nothing for an address without any."""
    if not seen:
        return []
    then, now = Fingerprint.read(seen), Fingerprint.of(trace)
    if then is None:
        return [notice(words.t("export.changed.unreadable_title"), [words.t("export.changed.unreadable")], "warning")]
    found = differences(then, now)
    if not found:
        return [notice(words.t("export.changed.same_title"), [words.t("export.changed.same")])]
    lines = [words.t(f"export.changed.{_code(part, then, now)}") for part in found]
    return [notice(words.t("export.changed.title"), [*lines, words.t("export.changed.list")], "warning")]


def _code(part: str, then: Fingerprint, now: Fingerprint) -> str:
    if part == "anchors" and not then.anchors:
        return "anchors_new"
    return "anchors_gone" if part == "anchors" and not now.anchors else part


def same(comparison: Comparison, trace: Trace, words: Words) -> list[Block]:
    """Whether a run is the same as production, why, and the fingerprints of both; those of the run where there is nothing to compare."""
    found: list[Block] = [heading(words.t(f"export.same.{comparison.answer}"))]
    if comparison.answer == "unreadable":
        details = [(words.t("export.same.error"), comparison.error)]
        text = words.t("export.same.unreadable_text", path=comparison.path)
        found = [notice(words.t("export.same.unreadable"), [text], "fault", details, words.t("export.same.details"))]
    else:
        found.append(paragraph(_sentence(comparison, words)))
    return [*found, _table(comparison, trace, words), paragraph(words.t("export.same.hint"), muted=True)]


def _sentence(comparison: Comparison, words: Words) -> str:
    if comparison.answer == "yes":
        return words.t("export.same.yes_text")
    if comparison.answer == "no":
        return words.t("export.same.no_text", parts=", ".join(_parts(comparison, "different", words)))
    if comparison.lines:
        return words.t("export.same.unknown_text", parts=", ".join(_parts(comparison, "unknown", words)))
    return words.t("export.same.missing_file", path=comparison.path) if comparison.path else words.t("export.same.no_file")


def _parts(comparison: Comparison, verdict: str, words: Words) -> Iterator[str]:
    return (words.t(f"file.part.{line.part}") for line in comparison.lines if line.verdict == verdict)


def _table(comparison: Comparison, trace: Trace, words: Words) -> Block:
    part, there, here, verdict = (words.t(f"export.same.head.{name}") for name in ("part", "there", "here", "verdict"))
    if comparison.lines:
        return table(words.t("export.same.caption"), [part, there, here, verdict], [_line(line, words) for line in comparison.lines])
    now, none = Fingerprint.of(trace), words.t("export.same.none")
    rows = [row([words.t(f"file.part.{name}"), getattr(now, name) or none]) for name in PARTS]
    return table(words.t("export.same.own"), [part, here], rows)


def _line(line: Line, words: Words) -> Block:
    none = words.t("export.same.none")
    cells = [words.t(f"file.part.{line.part}"), line.there or none, line.here or none, words.t(f"export.verdict.{line.verdict}")]
    return row(cells, "strong" if line.verdict == "different" else "")
