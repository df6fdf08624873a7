"""Intervals of differences: where few queries change, where all do, and where rare losses hide."""

from __future__ import annotations

import math

import numpy as np
import pytest
from bench import calibration
from numpy.typing import NDArray
from tests.honest.rows import row

import relyon
from relyon.analysis.statistics import interval

Values = NDArray[np.float64]

QUERIES = (10, 20, 50, 200)
PROMISE = "95 of 100"


def compared(differences: Values) -> relyon.Contrast:
    """Compares a run with one of the same values and these differences."""
    old = {"m": {f"q{n}": 0.0 for n in range(len(differences))}}
    new = {"m": {f"q{n}": float(one) for n, one in enumerate(differences)}}
    return relyon.compare_values({"old": old, "new": new}).contrasts[0]


@pytest.mark.parametrize("population", ["normal", "ndcg@10"])
@pytest.mark.parametrize("queries", [20, 50, 200])
def test_of_differences_that_all_vary(population: str, queries: int) -> None:
    rate = calibration.coverage("t", population, queries, 2000)
    case = f"t, {population}, {queries} queries"
    row("difference-intervals", case, rate.share, 2000, promise=PROMISE, least=0.93, most=0.97)


@pytest.mark.parametrize("queries", QUERIES)
def test_of_few_queries_that_change(queries: int) -> None:
    """5% of queries gain 1: where none did there is no interval, and fewer than six are said."""
    random = np.random.default_rng([3, queries])
    inside = shown = 0
    for _ in range(400):
        sample = (random.random(queries) < 0.05).astype(float)
        one = compared(sample)
        low, high = one.interval
        assert math.isnan(low) == (not sample.any()) == (one.no_interval == "unchanged")
        assert math.isnan(one.detectable) == math.isnan(low)
        shown += not math.isnan(low)
        inside += low <= 0.05 <= high
    row(
        "difference-intervals",
        f"5% of queries gain 1, {queries} queries, where an interval is shown",
        inside / shown,
        shown,
        promise=PROMISE,
        least=0.9,
    )


def rare(random: np.random.Generator, queries: int) -> Values:
    """4% lose 1, 20% gain 0.2: the mean is 0."""
    draw = random.random(queries)
    return np.where(draw < 0.04, -1.0, np.where(draw < 0.24, 0.2, 0.0))


@pytest.mark.parametrize("queries", QUERIES)
def test_of_rare_large_losses(queries: int) -> None:
    random = np.random.default_rng([4, queries])
    inside = shown = 0
    for _ in range(2000):
        low, high = interval("t", rare(random, queries))
        shown += low < high
        inside += low <= 0 <= high and low < high
    row(
        "difference-intervals",
        f"4% lose 1, 20% gain .2, {queries} queries",
        inside / shown,
        shown,
        promise="none",
        least=0.6,
        most=0.97,
        assumption=False,
        says="the page: losses too rare to be among the queries are not covered",
    )


@pytest.mark.parametrize("queries", [20, 200])
def test_of_skewed_differences(queries: int) -> None:
    rate = calibration.coverage("t", "skewed", queries, 2000)
    row(
        "difference-intervals",
        f"t, exponential, {queries} queries",
        rate.share,
        2000,
        promise="none",
        least=0.9,
        most=0.96,
        assumption=False,
        says="the page: for strongly skewed differences every interval is too narrow",
    )


@pytest.mark.parametrize("kind", ["percentile", "bca"])
def test_of_the_bootstrap_with_few_queries(kind: str) -> None:
    rate = calibration.coverage(kind, "normal", 20, 2000)
    row(
        "difference-intervals",
        f"{kind}, normal, 20 queries",
        rate.share,
        2000,
        promise="none",
        least=0.9,
        most=0.95,
        assumption=False,
        says="the page: with 20 or 50 queries, the bootstrap's intervals are too narrow",
    )
