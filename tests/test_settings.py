"""Settings: one frozen value; what is not valid never gets in."""

from __future__ import annotations

import pytest
from hypothesis import given

from retrieval.errors import BadSetting
from retrieval.settings import KNOBS, Settings
from tests.strategies import settings


@given(settings())
def test_settings_survive_toml(s: Settings) -> None:
    assert Settings.from_toml(s.to_toml()) == s


def test_the_defaults_are_those_that_the_product_promises() -> None:
    assert Settings().flat() == {
        "max_corpora_per_query": 4,
        "corpus_order": "similarity",
        "fetch_k": 60,
        "reranker": "off",
        "rerank_depth": 50,
        "fusion": "weighted",
        "weight_vector": 0.5,
        "weight_lexical": 0.5,
        "weight_reranker": 0.5,
        "rrf_k": 60,
        "verweis_score": 0.5,
        "max_verweis_normen": 3,
        "max_final_results": 10,
        "list_unit": "subsection",
        "min_hits_per_corpus": 2,
        "min_ratio": 0.25,
    }


@pytest.mark.parametrize("name", KNOBS)
def test_every_knob_says_what_it_is_in_both_languages(name: str) -> None:
    knob = KNOBS[name]
    assert knob.label_de
    assert knob.label_en
    assert knob.de.endswith(".")
    assert knob.en.endswith(".")
    assert knob.read(knob.default) == knob.default


@pytest.mark.parametrize("raw", ["7", "nan", "inf", "-0.3", "abc", "", " ", "1e999", True, None, [0.5]])
def test_a_weight_that_is_none_is_refused_with_what_was_expected(raw: object) -> None:
    with pytest.raises(BadSetting, match=r"expected a number from 0 to 1. The default is 0\.5"):
        Settings.of(weight_vector=raw)


@pytest.mark.parametrize("raw", ["0,7", "0.7", 0.7, " 0,70 "])
def test_a_decimal_comma_is_a_decimal_comma(raw: object) -> None:
    assert Settings.of(weight_vector=raw).fusion.weight_vector == 0.7


def test_all_weights_at_zero_are_refused() -> None:
    with pytest.raises(BadSetting, match="not all of them 0"):
        Settings.of(weight_vector=0, weight_lexical=0)


@pytest.mark.parametrize(
    "text", ["kein TOML", "a = 1", "settings = 3", "[settings]\nunbekannt = 1", "[settings]\nmin_ratio = 'x'", "x = " + "[" * 100_000]
)
def test_a_file_that_is_no_settings_file_is_refused(text: str) -> None:
    with pytest.raises(BadSetting):
        Settings.from_toml(text)
