"""Judged and unjudged documents of whole runs: the native core against a query at a time."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any, get_args

import pytest
from hypothesis import given, strategies as st

from relyon import _native
from relyon.core.rules import Ties
from relyon.data import Judgments, Run
from relyon.data.convention import Convention
from relyon.data.ranking import first_rows
from relyon.evaluation.program import Program

DOCUMENTS = ["a", "b", "ä", "c\udcff", "d", "e"]
GRADES = st.dictionaries(st.sampled_from(DOCUMENTS), st.sampled_from([-1.0, 0.0, 0.5, 2.0]))
# Two of the scores are one number in single precision.
SCORES = st.dictionaries(st.sampled_from(DOCUMENTS), st.sampled_from([0.0, 1.0, 1.0 + 1e-12, 2.0]))
QUERIES = ["q1", "q2", "q3"]
JUDGED = st.fixed_dictionaries({}, optional=dict.fromkeys(QUERIES, GRADES)).filter(
    lambda judged: any(judged.values())
)
RUNS = st.fixed_dictionaries({}, optional=dict.fromkeys(QUERIES, SCORES))
Grades = Mapping[str, Mapping[str, float]]


@given(JUDGED, RUNS)
def test_every_judged_document_has_its_score(judged: Grades, run: Grades) -> None:
    judgments, listed = Judgments.from_dict(judged), Run.from_dict(run)
    grades, scores = _native.judged_scores(judgments.table, listed.table)
    rows = [
        (grade, run.get(query, {}).get(document, math.nan))
        for query in judgments.queries
        for document, grade in judgments[query].items()
    ]
    assert grades.tolist() == [grade for grade, _ in rows]
    assert scores.tolist() == pytest.approx([score for _, score in rows], nan_ok=True, abs=0)


def unjudged(
    judged: Grades, run: Grades, query: str, k: int, convention: Convention
) -> dict[str, int]:
    """The unjudged documents of one query's top k with their ranks, in Python."""
    counts = convention.negative != "unjudged"
    known = {one for one, grade in judged.get(query, {}).items() if grade >= 0 or counts}
    scores = run.get(query, {})
    documents = list(scores)
    order = first_rows(documents, list(scores.values()), None, k, convention)
    tops = [documents[row] for row in order]
    return {one: rank for rank, one in enumerate(tops, 1) if one not in known}


@given(
    JUDGED,
    RUNS,
    RUNS,
    st.integers(1, 4),
    st.sampled_from([one for one in get_args(Ties) if one != "rank"]),
    st.sampled_from(["float64", "float32"]),
    st.sampled_from(["nonrelevant", "unjudged"]),
)
def test_tops_that_nobody_judged(
    judged: Grades, before: Grades, after: Grades, k: int, ties: Any, scores: Any, negative: Any
) -> None:
    convention = Convention(ties=ties, scores=scores, negative=negative)
    judgments = Judgments.from_dict(judged)
    plan = Program.compile("dcg", convention, None, None).plan
    first, second = (Run.from_dict(run).table for run in (before, after))
    tops = _native.UnjudgedTops(judgments.table, first, second, plan, k, QUERIES)
    found = {
        (QUERIES[query], tops.document(place)): (rank, other)
        for place, (query, rank, other) in enumerate(
            zip(tops.query.tolist(), tops.before.tolist(), tops.after.tolist(), strict=True)
        )
    }
    expected = {}
    for query in QUERIES:
        ours, theirs = (unjudged(judged, run, query, k, convention) for run in (before, after))
        for document in ours.keys() | theirs.keys():
            expected[query, document] = ours.get(document, 0), theirs.get(document, 0)
    assert found == expected
    assert len(tops) == len(expected)
    ordered = sorted(found, key=lambda one: (one[0], one[1].encode("utf-8", "surrogateescape")))
    assert list(found) == ordered

    raised = Judgments(tops.judged_as(7.0))
    assert raised.to_dict() == {
        query: {
            **{one: grade for one, grade in grades.items() if (query, one) not in found},
            **{one: 7.0 for other, one in found if other == query},
        }
        for query, grades in judgments.to_dict().items()
    }


def test_a_rank_column_is_the_order_where_the_rules_say_so() -> None:
    judgments = Judgments.from_dict({"q1": {"a": 1}})
    ranked = Run.from_arrays(["q1"] * 3, ["a", "b", "c"], [3.0, 2.0, 1.0], [3, 2, 1]).table
    plan = Program.compile("dcg", Convention(ties="rank"), None, None).plan
    tops = _native.UnjudgedTops(judgments.table, ranked, ranked, plan, 2, ["q1"])
    assert [tops.document(place) for place in range(len(tops))] == ["b", "c"]
    assert tops.before.tolist() == tops.after.tolist() == [2, 1]
    with pytest.raises(IndexError):
        tops.document(2)


@pytest.mark.parametrize("threads", [1, 3])
def test_many_queries_on_any_number_of_threads(threads: int) -> None:
    queries = [f"q{number:05}" for number in range(3000)]
    judgments = Judgments.from_dict({query: {"a": 1, "b": 0} for query in queries})
    run = Run.from_dict({query: {"b": 3.0, "x": 2.0, query: 1.0} for query in queries})
    plan = Program.compile("dcg", Convention(), None, None).plan
    tops = _native.UnjudgedTops(
        judgments.table, run.table, run.table, plan, 3, queries, threads=threads
    )
    assert tops.query.tolist() == [place for place in range(3000) for _ in range(2)]
    assert tops.before.tolist() == [3, 2] * 3000
    assert [tops.document(place) for place in (0, 1, 5999)] == ["q00000", "x", "x"]
    _, scores = _native.judged_scores(judgments.table, run.table, threads)
    assert scores.tolist() == pytest.approx([math.nan, 3.0] * 3000, nan_ok=True)
