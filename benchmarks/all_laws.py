"""Counts over all law at hand: what stands in stock after the ingest, against the files and against the index made of them.

    python -m benchmarks.all_laws [--index FOLDER]

For each law: labels of § and Artikel in the file, those that are not in stock as norms, numbered Absätze in the file and in stock. The
files are counted here with a parser of their own, from the stored XML, and checked against ``gesetze.json``. Then the whole stock is
opened in a fresh process and asked one question.
"""

from __future__ import annotations

import json
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from xml.etree.ElementTree import Element

import msgspec
from defusedxml.ElementTree import parse

from benchmarks.law import DATA, LAW_FOLDERS, all_sources, arguments, ensure, index_at, require_law
from retrieval import manifest
from retrieval.manifest import CorpusEntry
from retrieval.model import Chunk

QUESTION = "Welche Preise und Zuschläge gelten für Fertigarzneimittel in der Apotheke?"
_NUMBERED = re.compile(r"\(\d+\s?[a-z]?\)")
_SEVERAL = re.compile(r"\((\d+)\)\s*(?:u\.|und|bis|-|–)\s*\((\d+)\)")


class Counts(msgspec.Struct, frozen=True):
    """One law: what the index of the folder says, what the file holds, what stands in stock."""

    name: str
    listed_norms: int
    file_norms: int
    missing_norms: tuple[str, ...]
    listed_blocks: int
    file_blocks: int
    file_numbered: int
    stored_numbered: int
    chunks: int
    repealed: int

    @property
    def missing(self) -> int:
        """How many labels of the file are not in stock."""
        return len(self.missing_norms)

    @property
    def sound(self) -> bool:
        """Whether nothing is missing: every label in stock, and not fewer numbered Absätze than the file has."""
        return not self.missing_norms and self.file_norms == self.listed_norms and self.stored_numbered >= self.file_numbered


def count(listed: dict[str, Any], path: Path, entry: CorpusEntry, chunks: tuple[Chunk, ...]) -> Counts:
    """The three counts of one law."""
    norms = [(label, norm) for norm in parse(path, forbid_dtd=False).getroot() if (label := norm.findtext("metadaten/enbez") or "")]
    ours = [(label.replace("Art ", "Artikel "), norm) for label, norm in norms if label.startswith(("§", "Art"))]
    blocks = [text for _, norm in ours for text in _blocks(norm)]
    stored = {(chunk.section_id, chunk.subsection) for chunk in chunks if chunk.section_id.startswith(("§", "Artikel"))}
    sections = {section for section, _ in stored}
    return Counts(
        entry.spec.names[0] if entry.spec.names else entry.spec.corpus_id,
        listed["paragraphen_oder_artikel"],
        len(ours),
        tuple(label for label, _ in ours if label not in sections),
        listed["absaetze"],
        len(blocks),
        sum(1 for block in blocks if _NUMBERED.match(block)) + sum(_more(block) for block in blocks),
        sum(1 for _, subsection in stored if subsection),
        len(chunks),
        len({chunk.section_id for chunk in chunks if chunk.repealed}),
    )


def _blocks(norm: Element) -> Iterator[str]:
    found = (" ".join("".join(block.itertext()).split()) for block in norm.iterfind("textdaten/text/Content/P"))
    return (block for block in found if block)


def _more(block: str) -> int:
    several = _SEVERAL.match(block)
    return int(several[2]) - int(several[1]) if several else 0


def counted(folder: Path) -> list[Counts]:
    """The counts of all laws in stock, in the order of the folders."""
    listed = [(DATA / name / one["datei"], one) for name in LAW_FOLDERS for one in json.loads((DATA / name / "gesetze.json").read_text())]
    by_file = {file: entry for entry in manifest.read(folder).corpora for file in entry.sources}
    return [
        count(one, path, by_file[path.name], manifest.load_chunks(manifest.data_folder(folder, by_file[path.name].collection)))
        for path, one in listed
    ]


_COLUMNS = {
    "listed_norms": "§ listed",
    "file_norms": "§ in file",
    "missing": "missing",
    "listed_blocks": "blocks listed",
    "file_blocks": "in file",
    "file_numbered": "numbered",
    "stored_numbered": "in stock",
    "chunks": "chunks",
    "repealed": "repealed",
}


def table(rows: list[Counts]) -> str:
    """The counts as a table, sums last."""
    lines = [f"{'law':<14}" + "".join(f"{title:>15}" for title in _COLUMNS.values())]
    lines += [_line(row.name, [getattr(row, name) for name in _COLUMNS]) + ("" if row.sound else "  ← look") for row in rows]
    lines.append(_line("all", [sum(getattr(row, name) for row in rows) for name in _COLUMNS]))
    return "\n".join(lines)


def _line(name: str, counts: list[int]) -> str:
    return f"{name[:13]:<14}" + "".join(f"{count:>15}" for count in counts)


# --- the whole stock, opened by a fresh process -------------------------------------------------------------------------

_OPEN = """
import json, resource, sys, time
from pathlib import Path
start = time.perf_counter()
from retrieval.assemble import open_federation
imported = time.perf_counter()
federation = open_federation(Path(sys.argv[1]))
opened = time.perf_counter()
first = federation.trace(sys.argv[2])
asked = time.perf_counter()
federation.trace(sys.argv[2] + " Und was gilt im Notdienst?")
again = time.perf_counter()
print(json.dumps({
    "corpora": len(federation.registry.available()), "blocked": len(federation.registry.blocked),
    "consistent": federation.registry.assert_consistent_embedding(),
    "import_s": imported - start, "open_s": opened - imported, "first_question_s": asked - opened, "next_question_s": again - asked,
    "memory_mb": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024, "selected": first.selection.selected,
    "hits": [entry.chunk_id for entry in first.final[:3]],
}))
"""


def opened(folder: Path) -> dict[str, Any]:
    """What it costs to open the stock and ask the first question, in a process that does nothing else."""
    done = subprocess.run([sys.executable, "-c", _OPEN, str(folder), QUESTION], capture_output=True, text=True, check=True)
    found: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return found


def main() -> None:
    """Ingest what is not in stock, print the table, open the stock."""
    args = arguments(__doc__ or "").parse_args()
    require_law()
    with index_at(args.index) as folder:
        ensure(folder, all_sources())
        rows = counted(folder)
        print(table(rows))
        for row in rows:
            if not row.sound:
                print(f"{row.name}: missing {', '.join(row.missing_norms) or 'no norm'}; numbered Absätze {row.file_numbered} in the file")
        cost = opened(folder)
    complete = sum(row.sound for row in rows)
    print(f"\n{complete} of {len(rows)} laws complete; {cost['corpora']} corpora open, {cost['blocked']} blocked")
    print(f"imports {cost['import_s']:.1f} s, opening {cost['open_s']:.1f} s, memory at most {cost['memory_mb']:.0f} MB")
    print(f"first question {cost['first_question_s']:.2f} s (loads the model), next {1000 * cost['next_question_s']:.0f} ms")
    print(f"asked: {', '.join(cost['selected'])}; first hits: {'; '.join(cost['hits'])}")
    if cost["consistent"]:
        print(cost["consistent"])


if __name__ == "__main__":
    main()
