"""The formats in which question sets come and go; each is a module with ``read`` and, where the format can hold a set, ``write``."""

from __future__ import annotations

from collections.abc import Mapping

from retrieval.errors import BadInput
from retrieval.evaluation.formats import beir, csv_table, opensearch, quepid, ranx_json, table, toml_set, trec, xlsx
from retrieval.evaluation.formats.preview import Format, Preview
from retrieval.evaluation.golds import Golds

_XLSX = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"

FORMATS: dict[str, Format] = {
    csv_table.NAME: Format(csv_table.read, csv_table.write, "csv", "text/csv", table.HOLDS),
    xlsx.NAME: Format(xlsx.read, xlsx.write, "xlsx", _XLSX, table.HOLDS),
    quepid.NAME: Format(quepid.read, quepid.write, "csv", "text/csv", quepid.HOLDS),
    trec.NAME: Format(trec.read, trec.write, "zip", "application/zip", trec.HOLDS),
    beir.NAME: Format(beir.read, beir.write, "zip", "application/zip", beir.HOLDS),
    ranx_json.NAME: Format(ranx_json.read, ranx_json.write, "json", "application/json", ranx_json.HOLDS),
    opensearch.NAME: Format(opensearch.read, opensearch.write, "json", "application/json", opensearch.HOLDS),
    toml_set.NAME: Format(toml_set.read, toml_set.write, "toml", "application/toml", table.HOLDS),
}
"""All formats, by the name that the command line and the page call them."""


def read(format_name: str, data: bytes, golds: Golds, name: str = "", texts: Mapping[str, str] | None = None) -> Preview:
    """What an import of these bytes would take. Raises BadInput for an unknown format, and what its reader raises."""
    if format_name not in FORMATS:
        raise BadInput(f"The format {format_name!r}: not known. Known are {', '.join(FORMATS)}. Name one of them.")
    return FORMATS[format_name].read(data, golds, name, texts)
