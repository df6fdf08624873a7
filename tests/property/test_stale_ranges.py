"""Ranges over the grades of stale documents, against all combinations of grades."""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from random import Random
from unittest.mock import patch

import numpy as np
import pytest

import relyon
from relyon.analysis.stale import search
from relyon.analysis.stale.bounds import StaleSet, bounds_of
from relyon.analysis.stale.scenarios import Scenarios
from relyon.data.convention import load_convention

LEVELS = ([0.0, 1.0], [0.0, 1.0, 2.0, 3.0], [-1.0, 0.0, 3.0])


def some_case(
    seed: int,
) -> tuple[dict[str, dict[str, float]], list[relyon.Run], StaleSet, Sequence[float]]:
    """Returns judgments of two queries, two runs, and the documents that are in doubt."""
    rnd = Random(seed)
    levels = rnd.choice(LEVELS)
    judgments: dict[str, dict[str, float]] = {}
    runs: list[dict[str, dict[str, float]]] = [{}, {}]
    stale: dict[str, list[str]] = {}
    gone: dict[str, list[str]] = {}
    for query in ("q1", "q2"):
        documents = [f"d{one}" for one in range(rnd.randint(3, 6))]
        judgments[query] = {one: rnd.choice(levels) for one in documents}
        stale[query] = rnd.sample(documents, rnd.randint(1, 3))
        left = [one for one in documents if one not in stale[query]]
        gone[query] = left[:1] if rnd.random() < 0.3 else []
        for run in runs:
            shown = [*documents, "u1", "u2"]
            rnd.shuffle(shown)
            run[query] = {one: -float(rank) for rank, one in enumerate(shown[: rnd.randint(2, 7)])}
    made = [relyon.Run.from_dict(run) for run in runs]
    return judgments, made, StaleSet(stale, gone), levels


@pytest.mark.long
@pytest.mark.parametrize("name", ["ndcg@5", "dcg", "p@3", "recall@4", "rbp", "ap", "rr", "err@3"])
@pytest.mark.parametrize("brute", [256, 1])
def test_ranges_by_brute_force(name: str, brute: int) -> None:
    for seed in range(3):
        judgments, runs, stale, levels = some_case(seed)
        for convention in ("relyon", "trec_eval"):
            scenarios = Scenarios(
                judgments, runs, relyon.measure(name), load_convention(convention), None
            )
            for factors in ((1.0, 0.0), (-1.0, 1.0)):
                with patch.object(search, "BRUTE", brute):
                    found = bounds_of(scenarios, stale, levels, [factors])[0]
                low, high = everything(scenarios, stale, levels, factors)
                if math.isnan(low):
                    assert math.isnan(found.low)
                    assert math.isnan(found.high)
                    continue
                assert low - 1e-9 <= found.low
                assert found.high <= high + 1e-9
                if found.exact:
                    assert found.low == pytest.approx(low)
                    assert found.high == pytest.approx(high)


def everything(
    scenarios: Scenarios, stale: StaleSet, levels: Sequence[float], factors: tuple[float, ...]
) -> tuple[float, float]:
    """Returns the lowest and highest mean over all grades of all queries."""
    columns = []
    for query, documents in stale.open.items():
        grades = itertools.product(levels, repeat=len(documents))
        asked = [
            (query, stale.fixed(query) | dict(zip(documents, one, strict=True))) for one in grades
        ]
        values = scenarios.values(asked)
        used = [place for place, one in enumerate(factors) if one]
        columns.append(sum(factors[place] * values[:, place] for place in used))
    first, second = np.unique(columns[0]), np.unique(columns[1])
    means = [
        np.nanmean([one, other])
        for one in first
        for other in second
        if not (math.isnan(one) and math.isnan(other))
    ]
    return (min(means), max(means)) if means else (math.nan, math.nan)


@pytest.mark.parametrize("name", ["ndcg@5", "ap"])
def test_exact_by_effect_where_it_is_promised(name: str) -> None:
    judgments, runs, stale, levels = some_case(5)
    scenarios = Scenarios(judgments, runs, relyon.measure(name), load_convention("relyon"), None)
    with patch.object(search, "BRUTE", 1):
        assert bounds_of(scenarios, stale, levels, [(1.0, 0.0)])[0].exact
        both = bounds_of(scenarios, stale, levels, [(-1.0, 1.0)])[0]
    assert both.exact is (name == "ndcg@5")


def test_all_lowest_and_all_highest_are_no_range_of_ndcg() -> None:
    """The highest grade of a document that is not retrieved makes NDCG lower."""
    judgments = {"q": {"a": 1.0, "b": 0.0, "c": 0.0}}
    run = relyon.Run.from_dict({"q": {"a": 2.0, "b": 1.0}})
    stale = StaleSet({"q": ["b", "c"]}, {})
    scenarios = Scenarios(judgments, [run], relyon.measure("ndcg"), load_convention("relyon"), None)
    found = bounds_of(scenarios, stale, [0.0, 1.0], [(1.0,)])[0]
    same = [scenarios.values([("q", {"b": one, "c": one})])[0, 0] for one in (0.0, 1.0)]
    assert found.high == max(same) == 1.0
    assert found.low < min(same)
    assert found.low == scenarios.values([("q", {"b": 0.0, "c": 1.0})])[0, 0]
