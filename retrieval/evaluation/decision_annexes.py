"""What stands behind the minutes of a decision: the terms, the settings, the set of questions, and what it can be recognised by."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from retrieval.evaluation.decisions import Decision
from retrieval.evaluation.markdown import bullets, plain, table
from retrieval.evaluation.metrics import METRICS
from retrieval.evaluation.model import Gold, Need, Question
from retrieval.evaluation.protocol_text import left_out, name_of, value_text
from retrieval.evaluation.statistics import LEVEL
from retrieval.exports.fingerprints import PARTS
from retrieval.exports.naming import tied
from retrieval.knobs import Value
from retrieval.model import Address, CorpusSpec
from retrieval.settings import KNOBS
from retrieval.words import NONE, Words

Block = Sequence[str]
_TERMS = ("corpus", "norm", "gold", "list", "rank", "anchor", "verweis", "quota", "range", "chance", "tuned", "held_out")


def annexes(decision: Decision, words: Words) -> Iterator[Block]:
    """The terms and the annexes, each with its heading."""
    yield [f"## {words.t('decision.section.terms')}"]
    yield _terms(decision, words)
    yield [f"## {words.t('decision.section.settings')}"]
    yield [words.t("decision.annex.settings")]
    yield _settings(decision, words)
    if decision.without:
        yield [words.t("decision.annex.without", stages=left_out(decision.without, words))]
    yield [words.t("decision.annex.toml")]
    yield ["```toml", *decision.settings_toml.strip().splitlines(), "```"]
    yield [f"## {words.t('decision.section.set')}"]
    yield from _set(decision, words)
    yield [f"## {words.t('decision.section.marks')}"]
    yield from _marks(decision, words)


def _terms(decision: Decision, words: Words) -> list[str]:
    level = words.percent(LEVEL)
    own = [(words.t(f"decision.term.{name}"), words.t(f"decision.term.{name}_text", level=level)) for name in _TERMS]
    german = words.language == "de"
    metrics = [
        (metric.label_de if german else metric.label_en, (metric.de if german else metric.en).format(k=decision.report.k))
        for name, metric in METRICS.items()
        if decision.part("all").figure(name)
    ]
    return bullets(words.t("decision.term_line", term=term, text=text) for term, text in (*own, *metrics))


# --- settings ------------------------------------------------------------------------------------------------------------


def _settings(decision: Decision, words: Words) -> list[str]:
    head = [words.t(f"decision.head.{name}") for name in ("setting", "value", "default", "meaning")]
    return table(head, [_setting(name, value, words) for name, value in decision.settings.items()], numeric=(1, 2))


def _setting(name: str, value: Value, words: Words) -> list[str]:
    knob = KNOBS.get(name)
    if knob is None:
        return [plain(name), plain(value_text(name, value, words)), NONE, ""]
    meaning = knob.de if words.language == "de" else knob.en
    values = [plain(value_text(name, one, words)) for one in (value, knob.default)]
    return [plain(name_of(name, words)), *values, plain(meaning)]


# --- the set -----------------------------------------------------------------------------------------------------------


def _set(decision: Decision, words: Words) -> Iterator[Block]:
    found = decision.questions
    yield [words.t("decision.annex.set", name=plain(found.name), hash=decision.set_fingerprint)]
    if found.note:
        yield [plain(found.note)]
    held = set(decision.part("held_out").questions)
    for number, question in enumerate(found.questions, start=1):
        yield [words.t("decision.annex.question", number=words.whole(number), text=plain(question.text))]
        yield bullets(_question(question, question.id in held, decision, words))


def _question(question: Question, held: bool, decision: Decision, words: Words) -> Iterator[str]:
    yield words.t("decision.annex.id", id=plain(question.id), half=words.t(f"decision.annex.{'held_out' if held else 'tuned'}"))
    needs = [_need(need, decision, words) for need in question.needs]
    if needs:
        yield words.t(f"decision.annex.{'chain' if question.chain else 'needs'}", needs="; ".join(needs))
    else:
        yield words.t("decision.annex.no_needs")
    about = {"tags": ", ".join(question.tags), "author": question.author, "date": question.date, "note": question.note}
    yield from (words.t(f"decision.annex.{name}", value=plain(text)) for name, text in about.items() if text)


def _need(need: Need, decision: Decision, words: Words) -> str:
    return f" {words.t('decision.annex.or')} ".join(_graded(gold, decision, words) for gold in need.any_of)


def _graded(gold: Gold, decision: Decision, words: Words) -> str:
    text = plain(gold_text(gold, decision))
    return text if gold.grade == 1 else words.t("decision.annex.graded", norm=text, grade=words.t(f"decision.grade.{gold.grade}"))


def gold_text(gold: Gold, decision: Decision) -> str:
    """A known norm as it is cited; as a person wrote it where it names no corpus."""
    specs = {spec.corpus_id: spec for spec in decision.corpora}
    return cited(gold.address, specs) if gold.address.corpus_id else tied(gold.written)


def cited(address: Address, specs: dict[str, CorpusSpec]) -> str:
    """An address as it is cited: ``§ 10 Absatz 2 Anlage 11 Abgabevertrag``; the corpus's main container is not named."""
    spec = specs.get(address.corpus_id)
    numbered = "." in address.subsection
    unit = address.section_id.partition(" ")[0] if numbered else f"{address.section_id} Absatz"
    section = tied(f"{unit} {address.subsection}").replace("Absatz ", "Absatz\u00a0") if address.subsection else tied(address.section_id)
    container = "" if spec and address.container_id == spec.default_container_id else address.container_id
    return " ".join(part for part in (section, container, short(spec, address.corpus_id)) if part)


def short(spec: CorpusSpec | None, corpus_id: str) -> str:
    """The name under which a corpus is cited: the first of the names that people use, else its title."""
    return (spec.names[0] if spec.names else spec.title or corpus_id) if spec else corpus_id


# --- what it can be recognised by ------------------------------------------------------------------------------------------


def _marks(decision: Decision, words: Words) -> Iterator[Block]:
    yield [words.t("decision.annex.corpora")]
    yield bullets(_corpus(spec, words) for spec in decision.corpora)
    yield [words.t("decision.annex.marks")]
    stamps = decision.report.stamps[0] if decision.report.stamps else None
    rows = [(words.t(f"decision.mark.{part}"), getattr(decision.fingerprint, part) or NONE) for part in PARTS]
    rows += [
        (words.t(f"decision.stamp.{name}"), plain(stamps.version(name) if stamps else "") or NONE)
        for name in ("index", "model", "anchors", "code")
    ]
    rows += [(words.t("decision.mark.set"), decision.set_fingerprint)]
    if decision.replaces is not None and decision.replaces.hash:
        rows.append((words.t("decision.mark.former"), plain(decision.replaces.hash)))
    yield table([words.t("decision.head.what"), words.t("decision.head.mark")], rows)


def _corpus(spec: CorpusSpec, words: Words) -> str:
    stand = plain(spec.stand)
    named = {"short": plain(short(spec, spec.corpus_id)), "title": plain(spec.title or spec.corpus_id)}
    line = words.t("decision.annex.corpus", **named)
    return f"{line} {words.t('decision.annex.stand', stand=stand)}" if stand else line
