"""Of two runs of the same quality, pooled AUC raises as many false alarms as the level says."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from tests.honest.rows import row

import relyon

REPETITIONS = 600
CLAIM = "pooled-auc-intervals"


def two_runs(queries: int, seed: int, gain: float = 1.0) -> list[relyon.Results]:
    """Evaluates two rankers of the same quality whose scores have different units.

    Labels follow a query's own rate, scores the label, the query's level and noise of the run's
    own; `gain` makes the second ranker see more of the label.
    """
    chance = np.random.default_rng(seed)
    sizes = chance.integers(4, 20, queries)
    groups = np.repeat(np.arange(queries), sizes)
    rates = chance.beta(2, 3, queries)[groups]
    labels = (chance.random(len(groups)) < rates).astype(float)
    labels[:2] = 0.0, 1.0
    level = chance.normal(0, 1, queries)[groups]
    results = []
    for name, seen, unit in (("old", 1.0, 1.0), ("new", gain, 250.0)):
        own = chance.normal(0, 0.5, queries)[groups]
        noise = chance.normal(0, 1, len(groups))
        scores = unit * (seen * labels + level + own + noise)
        results.append(relyon.evaluate_scores(labels, scores, sizes, "auc", name=name))
    return results


def counted(queries: int, **settings: Any) -> tuple[float, float]:
    """Returns how often a difference is called real, and how often the interval misses 0."""
    alarms = misses = 0
    for seed in range(REPETITIONS):
        (one,) = relyon.compare_results(
            two_runs(queries, seed), resamples=499, **settings
        ).contrasts
        alarms += one.verdict != "undecided"
        low, high = one.interval
        misses += not low <= 0 <= high
    return alarms / REPETITIONS, misses / REPETITIONS


@pytest.mark.parametrize("queries", [8, 20, 100])
def test_false_alarms_are_as_many_as_the_level_says(queries: int) -> None:
    alarms, misses = counted(queries)
    # A test by permutation may be stricter than its level, never less strict.
    case = f"false alarms, {queries} queries of 4 to 19 documents"
    row(CLAIM, case, alarms, REPETITIONS, promise="at most 7%", least=0.02, most=0.07)
    case = f"coverage, {queries} queries of 4 to 19 documents"
    row(CLAIM, case, 1 - misses, REPETITIONS, promise="at least 93%", least=0.93)


@pytest.mark.parametrize("kind", ["percentile", "bca"])
def test_the_bootstraps_intervals_of_few_queries_are_too_narrow(kind: str) -> None:
    _, misses = counted(6, interval=kind)
    row(
        CLAIM,
        f"coverage, {kind}, 6 queries",
        1 - misses,
        REPETITIONS,
        promise="none",
        least=0.8,
        most=0.94,
        assumption=False,
        says="the page: with few queries, the bootstrap's intervals are too narrow",
    )


def test_a_better_ranker_is_found() -> None:
    found = 0
    for seed in range(50):
        results = two_runs(100, seed, gain=2.0)
        found += relyon.compare_results(results, resamples=499).contrasts[0].verdict == "better"
    assert found >= 45


def test_the_simulated_rankers_are_as_good() -> None:
    differences = []
    for seed in range(200):
        old, new = two_runs(20, seed)
        differences.append(new["auc"] - old["auc"])
    spread = float(np.std(differences, ddof=1)) / math.sqrt(len(differences))
    assert abs(float(np.mean(differences))) < 4 * spread
