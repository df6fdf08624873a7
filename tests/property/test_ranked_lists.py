"""Ranked lists with repeats, against a brute force that knows nothing of runs."""

from __future__ import annotations

import math
import warnings

import pytest
from hypothesis import given, strategies as st

import relyon
from relyon.compat.ranked_lists import ListMeasure, evaluate_lists, list_values
from relyon.core.notes import RelyonWarning

IDS = st.sampled_from(["a", "b", "c", "d", "repeat-1", "repeat-2", "文档", "7"])
JUDGED = st.dictionaries(IDS, st.integers(-1, 3), min_size=1)
FOUND = st.lists(IDS, max_size=12)
NDCG, RECALL, PRECISION, RR = map(ListMeasure, ("ndcg@5", "recall@5", "p@5", "rr"))


def ndcg(judged: dict[str, int], found: list[str], k: int) -> float:
    """Returns NDCG@k where a document counts at its first place only."""
    seen: set[str] = set()
    dcg = 0.0
    for rank, one in enumerate(found[:k], 1):
        if one not in seen:
            dcg += max(judged.get(one, 0), 0) / math.log2(rank + 1)
        seen.add(one)
    best = sorted((max(grade, 0) for grade in judged.values()), reverse=True)[:k]
    ideal = sum(grade / math.log2(rank + 1) for rank, grade in enumerate(best, 1))
    return dcg / ideal if ideal else math.nan


@given(JUDGED, FOUND)
def test_lists_with_repeats(judged: dict[str, int], found: list[str]) -> None:
    good = {one for one, grade in judged.items() if grade >= 1}
    first = [one for place, one in enumerate(found) if one not in found[:place]]
    hits = good & set(found[:5])
    assert NDCG(judged, found) == pytest.approx(ndcg(judged, found, 5), abs=1e-12, nan_ok=True)
    assert RECALL(judged, found) == pytest.approx(
        len(hits) / len(good) if good else math.nan, nan_ok=True
    )
    assert PRECISION(judged, found) == pytest.approx(len(hits) / 5)
    ranks = [found.index(one) + 1 for one in first if one in good]
    wanted = (1 / min(ranks) if ranks else 0.0) if good else math.nan
    assert RR(judged, found) == pytest.approx(wanted, nan_ok=True)


@given(st.lists(st.tuples(JUDGED, st.lists(IDS, max_size=6, unique=True)), min_size=1, max_size=4))
def test_without_repeats_it_is_evaluate(pairs: list[tuple[dict[str, int], list[str]]]) -> None:
    judged, found = [one for one, _ in pairs], [one for _, one in pairs]
    run = {
        str(n): {one: 9.0 - place for place, one in enumerate(ids)}
        for n, ids in enumerate(found, 1)
    }
    judgments = {str(n): one for n, one in enumerate(judged, 1)}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RelyonWarning)
        results = evaluate_lists(judged, found, "ndcg@5")
        wanted = relyon.evaluate(judgments, run, "ndcg@5")
    assert results["ndcg@5"] == pytest.approx(wanted["ndcg@5"], nan_ok=True)
    each = [NDCG(*pair) for pair in pairs]
    assert list_values(results, len(pairs)) == pytest.approx(each, nan_ok=True)
    by_query = wanted.values_by_query("ndcg@5")
    assert [by_query[str(n)] for n in range(1, len(pairs) + 1)] == pytest.approx(each, nan_ok=True)
