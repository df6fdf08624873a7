"""Inverted pairs: all of them counted, the costliest first, without holding every pair."""

from __future__ import annotations

import json
import tracemalloc
from itertools import combinations
from typing import Any

import pytest
from hypothesis import given, strategies as st

import relyon
from relyon.core.document.terminal import width
from relyon.measures.inversions import LabelCounts

GRADES = {"a": 3, "b": 2, "c": 3, "d": 3, "e": 2, "f": 1}
SCORES = {name: 6 - place for place, name in enumerate(GRADES)}
ROWS = st.lists(
    st.tuples(st.integers(0, 4), st.one_of(st.none(), st.integers(0, 3))), min_size=1, max_size=12
)


def explain(measure: str, **settings) -> relyon.Explanation:
    return relyon.explain({"q": GRADES}, {"q": SCORES}, "q", measure, **settings)


def test_inversions_of_pnr() -> None:
    found = explain("pnr")
    assert found.inverted == 2
    assert [(one.above.document, one.below.document) for one in found.inversions] == [
        ("b", "d"),
        ("b", "c"),
    ]
    assert [(one.cost, one.distance) for one in found.inversions] == [(1, 2), (1, 1)]


def test_large_differences_come_before_large_distances() -> None:
    grades = {"a": 2, "b": 0, "c": 1, "d": 1, "e": 1, "f": 3, "g": 1}
    run = {name: -place for place, name in enumerate(grades)}
    found = relyon.explain({"q": grades}, {"q": run}, "q", "pnr", limit=4)
    shown = [(one.above.document, one.below.document, one.cost) for one in found.inversions]
    assert shown == [("b", "f", 3), ("c", "f", 2), ("d", "f", 2), ("e", "f", 2)]
    assert found.inverted == 9
    assert "Inverted: 9 pairs in the wrong order" in str(found)
    assert "… and 5 more" in str(found)


def test_auc_asks_only_for_the_two_classes() -> None:
    found = explain("auc(rel=3)")
    assert [(one.above.document, one.below.document) for one in found.inversions] == [
        ("b", "d"),
        ("b", "c"),
    ]
    assert explain("auc(rel=2)").inverted == 0


@pytest.mark.parametrize("ties", ["doc-desc", "input", "worst", "rank"])
@pytest.mark.parametrize(
    "measure",
    [
        "pnr",
        "pnr(score_ties=half)",
        "pnr(score_ties=rank,label_ties=ignore)",
        "concordance(unjudged=nonrelevant)",
        "auc(rel=2)",
        "gauc(rel=1,unjudged=nonrelevant)",
    ],
)
@given(rows=ROWS, limit=st.integers(1, 30))
def test_the_same_pairs_as_by_looking_at_all_of_them(rows, limit, measure, ties) -> None:
    documents = [f"d{place}" for place in range(len(rows))]
    grades = {name: row[1] for name, row in zip(documents, rows, strict=True) if row[1] is not None}
    run = relyon.Run.from_arrays(
        ["q"] * len(rows),
        documents,
        [row[0] for row in rows],
        ranks=list(range(1, len(rows) + 1)),
    )
    judgments = {"q": grades or {"other": 1}}
    found = relyon.explain(judgments, run, "q", measure, limit=limit, convention={"ties": ties})
    if found.undefined:
        assert found.inversions == ()
        return
    assert found.scores is not None
    one: Any = found.measure
    removed = one.unjudged == "removed"
    order = [
        (name, score, grades.get(name, 0))
        for name, score in found.scores.items()
        if name in grades or not removed
    ]
    if one.name in {"auc", "gauc"}:
        order.sort(key=lambda row: -row[1])
    expected = []
    for (upper, above), (lower, below) in combinations(enumerate(order), 2):
        if above[1] == below[1] and getattr(one, "score_ties", "ignore") != "rank":
            continue
        if one.name in {"auc", "gauc"} and not above[2] < one.rel <= below[2]:
            continue
        if above[2] < below[2]:
            expected.append((above[2] - below[2], upper - lower, upper, above[0], below[0]))
    assert found.inverted == len(expected)
    assert [
        (-pair.cost, -pair.distance, pair.above.document, pair.below.document)
        for pair in found.inversions
    ] == [(row[0], row[1], row[3], row[4]) for row in sorted(expected)[:limit]]


@pytest.mark.long
def test_a_long_list_needs_little_memory() -> None:
    count = 4_000
    grades = {f"d{place:04d}": place % 4 for place in range(count)}
    run = {name: -place for place, name in enumerate(grades)}
    tracemalloc.start()
    found = relyon.explain({"q": grades}, {"q": run}, "q", "pnr")
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert found.inverted > count * count / 8
    assert [pair.cost for pair in found.inversions] == [3] * 10
    assert (found.inversions[0].above.rank, found.inversions[0].below.rank) == (1, count)
    assert peak < 20_000_000


def test_labels_are_counted() -> None:
    seen = LabelCounts([0.5, 2, 2, 7])
    assert seen.around(2) == (0, 0, 0)
    for label in (7, 0.5, 2, 7):
        seen.add(label)
    assert seen.around(0.5) == (0, 1, 3)
    assert seen.around(2) == (1, 1, 2)
    assert seen.around(7) == (2, 2, 0)


def test_forms() -> None:
    long = {
        f"https://example.org/a/long/address/of/document/{name}": g for name, g in GRADES.items()
    }
    run = {name: -place for place, name in enumerate(long)}
    found = relyon.explain({"q": long}, {"q": run}, "q", "pnr", scale="search")
    assert max(map(width, str(found).splitlines())) <= 80
    plain = json.loads(json.dumps(found.to_dict()))
    assert plain["inverted"] == 2
    assert plain["inversions"][0]["above"]["rank"] == 2
    assert plain["inversions"][0]["below"]["grade"] == 3
    assert "| rank | ranked above | grade | score | rank | ranked below |" in found.to_markdown()
