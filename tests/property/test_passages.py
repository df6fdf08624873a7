"""Measures of passages against sets of characters, and what cutting texts anew must not change."""

from __future__ import annotations

import math
from contextlib import nullcontext
from itertools import permutations
from typing import Any

import pytest
from hypothesis import given, strategies as st

import relyon
from relyon import Chunks, Passages
from relyon.data.parts import Covered, Part, by_document, length_of, shared_length

LENGTH = 24
DOCUMENTS = ("d", "é文")
NAMES = ("char_recall", "char_precision", "char_iou", "span_recall", "span_ndcg")
SHARES = (0.5, 0.8, 1.0)

Place = tuple[str, int, int]


@st.composite
def places(draw: st.DrawFn, empty: bool = False) -> Place:
    start = draw(st.integers(0, LENGTH - 1))
    end = draw(st.integers(start + (not empty), LENGTH))
    return draw(st.sampled_from(DOCUMENTS)), start, end


JUDGED = st.dictionaries(
    places(), st.sampled_from([-1.0, 0.0, 0.5, 1.0, 2.0, 3.0]), min_size=1, max_size=5
)
LISTS = st.lists(places(empty=True), max_size=6)
CUTOFFS = st.sampled_from([None, 1, 2, 3, 10])


def values(
    judged: dict[Place, float],
    listed: list[Place],
    k: int | None,
    share: float = 0.5,
    lost: int = 0,
) -> dict[str, float]:
    """What relyon computes for a list of chunks, best first."""
    passages: list[Any] = [(*place, grade) for place, grade in judged.items()]
    passages += [{"document": "d", "quote": "x" * (3 + one)} for one in range(lost)]
    found = Passages.from_dict({"q": passages})
    if lost:
        found = found.resolve({"d": "-" * LENGTH})
    chunks = Chunks.from_dict(
        {f"c{rank}": place for rank, place in enumerate(listed)} | {"_": ("d", 0, 1)}
    )
    run = {"q": {f"c{rank}": float(-rank) for rank in range(len(listed))}}
    at = "" if k is None else f"@{k}"
    named = {name: name + (f"(share={share})" if "span" in name else "") + at for name in NAMES}
    named["each"] = f"char_precision(repeated=each){at}"
    with pytest.warns() if lost else nullcontext():
        results = relyon.evaluate(found.judgments(chunks), run, list(named.values()))
    return {name: results.values_by_query(measure)["q"] for name, measure in named.items()}


def characters(place: Place) -> set[tuple[str, int]]:
    document, start, end = place
    return {(document, one) for one in range(start, end)}


def union(listed: list[Place]) -> set[tuple[str, int]]:
    return {one for place in listed for one in characters(place)}


def slow(
    judged: dict[Place, float], listed: list[Place], k: int | None, share: float, lost: int
) -> dict[str, float]:
    """The definitions, with sets of characters and all orders of passages."""
    top = listed if k is None else listed[:k]
    relevant = [place for place, grade in judged.items() if grade >= 1]
    wanted, got = union(relevant), union(top)
    length = len(wanted) + sum(3 + one for one in range(lost))
    count = len(relevant) + lost
    found = sum(len(characters(one) & got) / len(characters(one)) >= share for one in relevant)
    each = sum(end - start for _, start, end in top)
    both = len(wanted & got)
    gains = [grade for grade in judged.values() if grade > 0] + [1.0] * lost
    ideal = sum(
        gain / math.log2(rank + 1) for rank, gain in enumerate(sorted(gains, reverse=True)[:k], 1)
    )
    return {
        "char_recall": both / length if length else math.nan,
        "char_precision": both / len(got) if got else 0.0,
        "each": both / each if each else 0.0,
        "char_iou": both / (length + len(got) - both) if length else math.nan,
        "span_recall": found / count if count else math.nan,
        "span_ndcg": _best(judged, top, k, share) / ideal if ideal else math.nan,
    }


def _best(judged: dict[Place, float], top: list[Place], k: int | None, share: float) -> float:
    """The highest sum over all ways to give passages positions of their own, none too early."""
    arriving = []
    for place, grade in judged.items():
        seen: set[tuple[str, int]] = set()
        for rank, chunk in enumerate(top, 1):
            seen |= characters(chunk) & characters(place)
            if len(seen) / len(characters(place)) >= share and grade > 0:
                arriving.append((rank, grade))
                break
    best = 0.0
    for order in permutations(arriving):
        total, position = 0.0, 0
        for rank, gain in order:
            position = max(position + 1, rank)
            if k is None or position <= k:
                total += gain / math.log2(position + 1)
        best = max(best, total)
    return best


def same(one: dict[str, float], other: dict[str, float]) -> bool:
    return all(
        (math.isnan(value) and math.isnan(other[name]))
        or math.isclose(value, other[name], abs_tol=1e-12)
        for name, value in one.items()
    )


@given(JUDGED, LISTS, CUTOFFS, st.sampled_from(SHARES), st.integers(0, 2))
def test_measures_are_those_of_sets_of_characters(
    judged: dict[Place, float], listed: list[Place], k: int | None, share: float, lost: int
) -> None:
    found, wanted = values(judged, listed, k, share, lost), slow(judged, listed, k, share, lost)
    assert same(found, wanted), (found, wanted)
    assert all(math.isnan(value) or 0 <= value <= 1 + 1e-12 for value in found.values())


@given(JUDGED, st.sampled_from(SHARES), CUTOFFS)
def test_a_whole_text_that_is_one_chunk_has_recall_1(
    judged: dict[Place, float], share: float, k: int | None
) -> None:
    one = {place: grade for place, grade in judged.items() if place[0] == "d"} or {("d", 3, 9): 1.0}
    found = values(one, [("d", 0, LENGTH)], k, share)
    for name in ("char_recall", "span_recall", "span_ndcg"):
        assert math.isnan(found[name]) or found[name] == pytest.approx(1.0)


@st.composite
def cut(draw: st.DrawFn, place: Place) -> list[Place]:
    """Pieces of a chunk, perhaps with overlap, which together have at most its characters."""
    document, start, end = place
    pieces = draw(
        st.lists(
            st.tuples(st.integers(start, end), st.integers(start, end)), min_size=1, max_size=4
        )
    )
    return [(document, min(pair), max(pair)) for pair in pieces]


@given(JUDGED, LISTS, st.sampled_from(SHARES), CUTOFFS, st.data())
def test_cutting_finer_or_with_overlap_creates_no_gain(
    judged: dict[Place, float],
    listed: list[Place],
    share: float,
    k: int | None,
    data: st.DataObject,
) -> None:
    finer = [piece for place in listed for piece in data.draw(cut(place))]
    before, after = values(judged, listed, k, share), values(judged, finer, k, share)
    for name in ("char_recall", "span_recall", "span_ndcg"):
        assert math.isnan(before[name]) or after[name] <= before[name] + 1e-12, (name, finer)


@given(JUDGED, LISTS, st.data())
def test_the_same_retrieved_characters_have_the_same_measures_of_characters(
    judged: dict[Place, float], listed: list[Place], data: st.DataObject
) -> None:
    pieces: list[Place] = []
    for document, start, end in listed:
        middle = data.draw(st.integers(start, end))
        back = data.draw(st.integers(start, middle))
        pieces += [(document, back, end), (document, start, middle)]
    before, after = values(judged, listed, None), values(judged, pieces, None)
    for name in ("char_recall", "char_precision", "char_iou", "span_recall"):
        assert math.isnan(before[name]) or after[name] == before[name], name


@given(JUDGED, LISTS, st.data())
def test_a_passage_found_earlier_never_lowers_span_ndcg(
    judged: dict[Place, float], listed: list[Place], data: st.DataObject
) -> None:
    if not listed:
        return
    place = data.draw(st.integers(0, len(listed) - 1))
    document, start, end = listed[place]
    wider = [*listed]
    wider[place] = document, data.draw(st.integers(0, start)), data.draw(st.integers(end, LENGTH))
    before, after = (values(judged, one, 5)["span_ndcg"] for one in (listed, wider))
    assert math.isnan(before) or after >= before - 1e-12


@given(
    st.dictionaries(st.sampled_from("abcdef"), st.sampled_from([0.0, 1.0, 2.0]), min_size=1),
    st.lists(st.sampled_from("abcdefgh"), unique=True, max_size=8),
    CUTOFFS,
)
def test_one_passage_per_chunk_is_the_classical_case(
    grades: dict[str, float], listed: list[str], k: int | None
) -> None:
    at = "" if k is None else f"@{k}"
    chunks = Chunks.from_dict({name: (name, 0, 10) for name in "abcdefgh"})
    passages = Passages.from_dict({"q": [(name, 0, 10, grade) for name, grade in grades.items()]})
    run = {"q": {name: float(-rank) for rank, name in enumerate(listed)}}
    whole = "recall@all" if k is None else f"recall{at}"
    pairs = {"span_ndcg": f"ndcg{at}", "span_recall": whole, "char_recall": whole}
    results = relyon.evaluate(
        passages.judgments(chunks), run, [*(name + at for name in pairs), *{*pairs.values()}]
    )
    for ours, theirs in pairs.items():
        mine, other = (results.values_by_query(one)["q"] for one in (ours + at, theirs))
        assert (math.isnan(mine) and math.isnan(other)) or mine == pytest.approx(other)


@given(JUDGED, LISTS, st.lists(st.integers(0, 2), min_size=6, max_size=6))
def test_ties_are_averaged_over_or_ruled(
    judged: dict[Place, float], listed: list[Place], scores: list[int]
) -> None:
    """Under expected, the order in which chunks with equal scores are given does not matter."""
    listed = listed[:4]
    passages = Passages.from_dict({"q": [(*place, grade) for place, grade in judged.items()]})
    parts = {f"c{number}": place for number, place in enumerate(listed)} or {"c0": ("d", 0, 1)}
    judgments = passages.judgments(Chunks.from_dict(parts))
    run = {name: float(score) for name, score in zip(parts, scores, strict=False)}
    names = [f"{name}@2" for name in NAMES]
    for ties in ("expected", "doc-desc", "worst", "best"):
        rules = relyon.Convention(ties=ties)
        one, other = (
            relyon.evaluate(judgments, {"q": lists}, names, convention=rules)
            for lists in (run, dict(reversed(run.items())))
        )
        for name in names:
            first, second = one[name], other[name]
            assert (math.isnan(first) and math.isnan(second)) or math.isclose(first, second)


@given(st.lists(places(empty=True), max_size=8), st.lists(places(empty=True), max_size=8))
def test_unions_of_parts(one: list[Place], other: list[Place]) -> None:
    first, second = (by_document(Part(*place) for place in group) for group in (one, other))
    assert length_of(first) == len(union(one))
    assert shared_length(first, second) == len(union(one) & union(other))
    covered, seen = Covered(), set[tuple[str, int]]()
    for place in one:
        new = covered.add(Part(*place))
        gained = {(place[0], letter) for start, end in new for letter in range(start, end)}
        assert gained == characters(place) - seen
        seen |= characters(place)
    assert covered.length == len(seen)
    for place in other:
        assert covered.shared(*place) == len(characters(place) & seen)
