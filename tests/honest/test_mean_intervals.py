"""Intervals of means contain the truth as often as they say: bounded, skewed and without spread."""

from __future__ import annotations

import gzip
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray
from tests.honest.rows import row

import relyon
from relyon.analysis.statistics.bounded import clopper_pearson, mean_interval
from relyon.analysis.statistics.intervals import t_interval

Values = NDArray[np.float64]

QUERIES = (6, 10, 20, 50, 200)
TRUTHS = (0.5, 0.9, 0.95, 0.99)
POOL, RUNS = 20_000, 400
PROMISE = "at least 92%"
SHARED = Path("/work/shared/data/mq2008/S1.txt.gz")


@cache
def exact(successes: int, trials: int) -> tuple[float, float]:
    return clopper_pearson(successes, trials, 0.95)


@pytest.mark.parametrize("truth", TRUTHS)
def test_of_0_and_1(truth: float) -> None:
    random = np.random.default_rng([1, round(100 * truth)])
    for queries in QUERIES:
        # That it is what `mean_interval` returns is checked beside.
        values = (random.random(queries) < truth).astype(float)
        assert mean_interval(values, 0, 1).bounds == exact(int(values.sum()), queries)
        found = [exact(int(one), queries) for one in random.binomial(queries, truth, 4000)]
        inside = sum(low <= truth <= high for low, high in found)
        assert all(low < high for low, high in found)
        case = f"0 or 1, mean {truth:g}, {queries} queries"
        row("mean-intervals", case, inside / 4000, 4000, promise=PROMISE, least=0.92)


def ones_and_less(random: np.random.Generator, truth: float) -> Values:
    """Most queries are perfect, the others are anything."""
    imperfect = random.random(POOL) < 2 * (1 - truth)
    return np.where(imperfect, random.random(POOL), 1.0)


def near_the_end(random: np.random.Generator, truth: float) -> Values:
    """A beta distribution: every query has a value of its own."""
    return random.beta(5 * truth, 5 * (1 - truth), POOL)


def tenths(random: np.random.Generator, truth: float) -> Values:
    """As p@10."""
    return random.binomial(10, near_the_end(random, truth)) / 10


POPULATIONS: dict[str, Callable[[np.random.Generator, float], Values]] = {
    "mostly 1": ones_and_less,
    "beta": near_the_end,
    "tenths": tenths,
}


def covered(pool: Values, queries: int, seed: int) -> float:
    """Returns the share of samples whose interval contains the pool's mean."""
    random = np.random.default_rng([2, queries, seed])
    truth = pool.mean()
    inside = 0
    for _ in range(RUNS):
        found = mean_interval(pool[random.integers(0, len(pool), queries)], 0.0, 1.0)
        low, high = found.bounds
        assert low < high
        inside += low - 1e-12 <= truth <= high + 1e-12
    return inside / RUNS


@pytest.mark.parametrize("truth", TRUTHS)
@pytest.mark.parametrize("name", POPULATIONS)
def test_of_values_from_0_to_1(name: str, truth: float) -> None:
    pool = POPULATIONS[name](np.random.default_rng(3), truth)
    for queries in QUERIES:
        case = f"{name}, mean {truth:g}, {queries} queries"
        found = covered(pool, queries, round(100 * truth))
        row("mean-intervals", case, found, RUNS, promise=PROMISE, least=0.92)


def collection() -> Iterator[tuple[str, Values]]:
    """Yields the per-query values of a public collection, ranked by one of its features."""
    with gzip.open(SHARED, "rt") as lines:
        rows = [line.split("#")[0].split() for line in lines]
    labels = np.array([float(one[0]) for one in rows])
    groups = [one[1] for one in rows]
    scores = np.array([float(one[26].split(":")[1]) for one in rows])
    for name in ("ndcg@10", "p@10", "rr@10", "recall@10"):
        found = relyon.evaluate_scores(labels, scores, groups=groups, measures=[name])
        values = np.asarray(found.column(name), float)
        yield name, values[~np.isnan(values)]


@pytest.mark.skipif(not SHARED.exists(), reason="the collection MQ2008 is not here")
def test_of_a_real_collection() -> None:
    for name, pool in collection():
        for queries in QUERIES:
            case = f"MQ2008, {name}, {queries} queries"
            found = covered(pool, queries, 0)
            row("mean-intervals", case, found, RUNS, promise=PROMISE, least=0.92)


def test_students_interval_alone_would_not_do() -> None:
    """It is what is printed for measures without an upper limit, such as DCG."""
    random = np.random.default_rng(5)
    pool = random.lognormal(0, 1, POOL)
    for queries in (10, 50, 200):
        inside = 0
        for _ in range(1000):
            low, high = t_interval(pool[random.integers(0, POOL, queries)], 0.95)
            inside += low <= pool.mean() <= high
        row(
            "mean-intervals",
            f"no upper limit, lognormal, {queries} queries",
            inside / 1000,
            1000,
            promise="none",
            least=0.8,
            most=0.96,
            assumption=False,
            says="the claim is about measures between 0 and 1",
        )
