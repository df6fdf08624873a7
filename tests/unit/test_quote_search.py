"""Where quotes are found in texts."""

from __future__ import annotations

import unicodedata
from time import process_time

import pytest
from hypothesis import given, strategies as st

from relyon.data.quote_search import SearchedText


def distances(quote: str, text: str) -> list[int]:
    """The lowest edit distance of a part of the text that ends at each place, from a table."""
    before = [0] * (len(text) + 1)
    for row, letter in enumerate(quote, 1):
        now = [row]
        for place, other in enumerate(text, 1):
            now.append(min(before[place] + 1, now[-1] + 1, before[place - 1] + (letter != other)))
        before = now
    return before


@given(
    st.text("abc", min_size=1, max_size=9),
    st.text("abcd", max_size=30),
    st.sampled_from([0.5, 0.6, 0.75, 0.8, 0.9, 1.0]),
)
def test_the_nearest_place_has_the_lowest_edit_distance(
    quote: str, text: str, similarity: float
) -> None:
    lowest = min(distances(quote, text))
    found = SearchedText(text).find(quote, similarity=similarity)
    if found is None:
        assert 1 - lowest / len(quote) < similarity
    else:
        assert found.similarity == pytest.approx(1 - lowest / len(quote))
        assert found.similarity >= similarity - 1e-9
        assert distances(quote, text[found.start : found.end])[-1] == lowest
        assert (found.how == "exact") == (quote in text)


@given(st.text("ab é文字　ＡＢ\n각\u0301\u00ad", max_size=30), st.data())
def test_a_part_of_a_text_is_found_in_other_width_and_spacing(
    text: str, data: st.DataObject
) -> None:
    start = data.draw(st.integers(0, len(text)))
    end = data.draw(st.integers(start, len(text)))
    quote = text[start:end]
    found = SearchedText(text).find(quote)
    if not quote.strip():
        assert found is None
        return
    assert found is not None
    assert found.how == "exact"
    assert text[found.start : found.end] == quote


@pytest.mark.parametrize(
    ("text", "quote", "part"),
    [
        ("Free  returns\nwithin 30 days", "returns within 30", "returns\nwithin 30"),
        ("ＡＢＣ　１２３", "ABC 123", "ＡＢＣ　１２３"),
        ("支持\n七天无理由退货", "支持七天无理由", "支持\n七天无理由"),
        ("七天无理由退货", "七天 无理由", "七天无理由"),
        ("cafe\u0301 au lait", "café au", "cafe\u0301 au"),
        ("soft\u00adware", "software", "soft\u00adware"),
        ("½ cup", "1⁄2 cup", "½ cup"),
    ],
)
def test_width_and_white_space_are_normalised(text: str, quote: str, part: str) -> None:
    found = SearchedText(text).find(quote, similarity=1.0)
    assert found is not None
    assert (text[found.start : found.end], found.how) == (part, "normalized")


def test_offsets_are_those_of_the_text_as_it_is() -> None:
    text = "🙂 é" + unicodedata.normalize("NFD", "é") + "\r\n返品は  30日以内。"
    found = SearchedText(text).find("返品は30日以内")
    assert found is not None
    assert text[found.start : found.end] == "返品は  30日以内"


def test_of_several_places_the_first_counts_or_the_nearest() -> None:
    text = SearchedText("one two one two one")
    first = text.find("one")
    assert first is not None
    assert (first.start, first.places) == (0, 3)
    for near, start in ((9, 8), (100, 16), (4, 0)):
        found = text.find("one", near=near)
        assert found is not None
        assert found.start == start
    for after, start in ((1, 8), (8, 8), (17, 0)):
        found = text.find("one", after=after)
        assert found is not None
        assert found.start == start


def test_equally_near_places_are_counted() -> None:
    found = SearchedText("a red shoe, and a red shoe").find("a red shop", similarity=0.9)
    assert found is not None
    assert (found.start, found.how, found.places) == (0, "nearest", 2)


@pytest.mark.parametrize(("similarity", "found"), [(0.9, True), (0.91, False)])
def test_the_similarity_is_a_bound(similarity: float, found: bool) -> None:
    """One edit of ten characters is a similarity of 0.9 exactly."""
    place = SearchedText("xx abcdefghij xx").find("abcdeXghij", similarity=similarity)
    assert (place is not None) == found


def test_blank_quotes_are_nowhere() -> None:
    assert SearchedText("a b").find("  ") is None
    assert SearchedText("a b").find("\u00ad") is None
    assert SearchedText("").find("a") is None


@pytest.mark.parametrize(
    ("text", "quote", "places"),
    [
        ("a" * 100_000, "a" * 100 + "b" + "a" * 100, 497),
        ("ab" * 50_000, "ab" * 100 + "c" + "ab" * 100, 250),
        ("a" * 100_000, ("a" * 9 + "b") * 50, 200),
    ],
    ids=["one-letter", "two-letters", "many-edits"],
)
def test_repetitive_texts_take_time_in_proportion(text: str, quote: str, places: int) -> None:
    """All of it is equally near: each end was measured anew, and each piece kept everywhere."""
    start = process_time()
    found = SearchedText(text).find(quote, similarity=0.9)
    assert found is not None
    assert found.how == "nearest"
    assert found.places == places
    assert process_time() - start < 10
