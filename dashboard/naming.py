"""How norms and corpora are named on screen."""

from __future__ import annotations

from collections.abc import Mapping

from retrieval.model import Address, Chunk, CorpusSpec, Target

_SHORT = 24


def title_of(corpus_id: str, specs: Mapping[str, CorpusSpec]) -> str:
    """The title of a corpus, its id where it has none."""
    spec = specs.get(corpus_id)
    return spec.title if spec and spec.title else corpus_id


def short_name(corpus_id: str, specs: Mapping[str, CorpusSpec]) -> str:
    """The shortest name that people use for a corpus, else its title, cut to what fits beside a chart."""
    spec = specs.get(corpus_id)
    names = [name for name in (spec.names if spec else ()) if name]
    return shortened(min(names, key=len) if names else title_of(corpus_id, specs))


def shortened(text: str, most: int = _SHORT) -> str:
    """``text`` in at most ``most`` characters, the cut marked by an ellipsis."""
    flat = " ".join(text.split())
    return flat if len(flat) <= most else flat[: most - 1].rstrip() + "…"


def norm(address: Address | Chunk, specs: Mapping[str, CorpusSpec], absatz: str = "Abs.") -> str:
    """An address in words: ``AbgV · Anlage 11 · § 10 Abs. 2``."""
    part = part_name(address.section_id, address.subsection, absatz)
    section = part if "." in address.subsection else f"{address.section_id} {part}".rstrip()
    return " · ".join(part for part in (short_name(address.corpus_id, specs), address.container_id, section) if part)


def part_name(section: str, subsection: str, absatz: str) -> str:
    """An Absatz in words; a numbered part of a Ziffer has the unit of the section: ``Ziffer 4.10.1``."""
    unit = section.partition(" ")[0] if "." in subsection else absatz
    return f"{unit} {subsection}" if subsection else ""


def target_name(target: Target, specs: Mapping[str, CorpusSpec]) -> str:
    """The address that a target asks for, in words."""
    address = Address(target.corpus_id, target.container_id or "", target.section_id, target.subsection or "")
    return norm(address, specs)


def figure_text(text: str, most: int = 44) -> str:
    """Text for a label in a figure, which reads ``<b>``, ``<a>`` and entities: as characters, cut to fit."""
    flat = shortened(text, most)
    return flat.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
