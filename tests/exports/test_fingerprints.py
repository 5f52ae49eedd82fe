"""Fingerprints: what a run rests on, in a link and in the file of production."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from retrieval.decide import decide
from retrieval.errors import BadInput
from retrieval.exports.fingerprints import PARTS, Fingerprint, code_hash, differences, production_of, same_as
from retrieval.settings import Settings
from retrieval.trace import Stamps, Trace
from tests.builders import answer, chunk, pool

STAMPS = Stamps("7", "use", "abc", "1.0")
hashes = st.just("") | st.text("0123456789abcdef", min_size=10, max_size=10)
fingerprints = st.builds(Fingerprint, hashes, hashes, hashes, hashes, hashes)


def run(stamps: Stamps = STAMPS, without: tuple[str, ...] = (), **settings: object) -> Trace:
    gathered = pool([answer("gesetz", {"a": 0.5})], [chunk("a")])
    return decide(replace(gathered, stamps=stamps), Settings.of(settings), without=without)


NOW = Fingerprint.of(run())


@given(fingerprints)
def test_a_fingerprint_comes_back_out_of_a_link(found: Fingerprint) -> None:
    assert Fingerprint.read(found.text()) == found


@given(st.text())
def test_no_text_of_a_link_breaks_the_reading(text: str) -> None:
    found = Fingerprint.read(text)
    assert found is None or found.text().count("=") == len(PARTS)


@pytest.mark.parametrize("text", ["", "c=1", NOW.text().upper(), NOW.text() + ".x=1", NOW.text().replace("s=", "t="), "c=<b>.i=.m=.a=.s="])
def test_what_is_no_fingerprint_is_none(text: str) -> None:
    assert Fingerprint.read(text) is None


def test_the_same_run_has_the_same_fingerprint() -> None:
    assert Fingerprint.of(run()) == NOW
    assert all(getattr(NOW, part) for part in PARTS)


@pytest.mark.parametrize(
    ("other", "part"),
    [
        (run(replace(STAMPS, index="8")), "index"),
        (run(replace(STAMPS, model="other")), "model"),
        (run(replace(STAMPS, anchors="abd")), "anchors"),
        (run(replace(STAMPS, code="1.1")), "code"),
        (run(min_ratio=0.3), "settings"),
        (run(without=("quota",)), "settings"),
        (run(replace(STAMPS, anchors="")), "anchors"),
    ],
)
def test_whatever_changes_is_the_only_difference(other: Trace, part: str) -> None:
    assert differences(NOW, Fingerprint.of(other)) == (part,)


def test_another_limit_is_another_setting() -> None:
    longer = decide(pool([answer("gesetz", {"a": 0.5})], [chunk("a")]), Settings(), limit=None)
    assert differences(Fingerprint.of(replace(longer, stamps=STAMPS)), NOW) == ("settings",)


def test_the_hash_of_the_code_covers_what_decides_and_stays() -> None:
    assert len(code_hash()) == 64
    code_hash.cache_clear()
    assert Fingerprint.of(run()) == NOW


def test_production_with_the_same_fingerprint_is_the_same(tmp_path: Path) -> None:
    file = tmp_path / "production.toml"
    file.write_text(NOW.to_toml(), "utf-8")
    found = same_as(file, NOW)
    assert (found.answer, {line.verdict for line in found.lines}) == ("yes", {"same"})
    assert production_of(file) == NOW


def test_one_other_part_is_a_no_with_its_line(tmp_path: Path) -> None:
    file = tmp_path / "production.toml"
    file.write_text(NOW.to_toml(), "utf-8")
    found = same_as(file, Fingerprint.of(run(fetch_k=10)))
    assert found.answer == "no"
    assert [line.part for line in found.lines if line.verdict == "different"] == ["settings"]


def test_what_one_side_does_not_state_is_not_claimed(tmp_path: Path) -> None:
    file = tmp_path / "production.toml"
    file.write_text(replace(NOW, model="").to_toml(), "utf-8")
    found = same_as(file, NOW)
    assert (found.answer, [line.part for line in found.lines if line.verdict == "unknown"]) == ("not_stated", ["model"])


def test_no_anchor_register_on_both_sides_is_the_same(tmp_path: Path) -> None:
    bare = Fingerprint.of(run(replace(STAMPS, anchors="")))
    file = tmp_path / "production.toml"
    file.write_text(bare.to_toml(), "utf-8")
    assert same_as(file, bare).answer == "yes"


def test_no_file_is_another_answer_than_a_broken_one(tmp_path: Path) -> None:
    broken = tmp_path / "broken.toml"
    broken.write_text("[production]\ncode = 12\n", "utf-8")
    assert same_as(None, NOW).answer == "not_stated"
    assert same_as(tmp_path / "none.toml", NOW).path.endswith("none.toml")
    assert (same_as(broken, NOW).answer, same_as(broken, NOW).lines) == ("unreadable", ())


@pytest.mark.parametrize("text", ["", "[production]", "x = ", "production = 1", '[production]\ncode = "xyz"', "\ufeff["])
def test_a_file_that_is_none_says_how_to_write_one(tmp_path: Path, text: str) -> None:
    file = tmp_path / "production.toml"
    file.write_text(text, "utf-8")
    with pytest.raises(BadInput, match="fundstelle export --kind production"):
        production_of(file)


def test_bytes_that_are_no_text_are_unreadable(tmp_path: Path) -> None:
    file = tmp_path / "production.toml"
    file.write_bytes(b"\xff\xfe\x00")
    assert same_as(file, NOW).answer == "unreadable"
