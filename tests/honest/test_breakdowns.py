"""Breakdowns: false alarms over all values, intervals, shrunken differences, and their spread."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

import numpy as np
import pytest
from bench import calibration
from numpy.typing import NDArray
from tests.honest.rows import row

import relyon
from relyon.analysis.statistics import group_means, groups

Values = NDArray[np.float64]
Draw = Callable[[np.random.Generator, int], Values]

CLAIM = "breakdowns"
MEASURE = "dcg@10"
RUNS = 200
#: 5% of 200 comparisons, and what chance adds in 99.9% of such simulations.
MOST = 0.098
SKEWED = "the page: strongly skewed differences on few queries raise more alarms"
FEW_VALUES = "the page: of few values that differ much, plain ones are closer"
UNEQUAL = "the page: a small value that varies far more than the others raises more"

SIZES: dict[str, Sequence[int]] = {
    "2 values of 6": [6] * 2,
    "10 values of 20": [20] * 10,
    "30 values of 10, 11 of them as one": [10] * 30,
    "6 values of 2 to 200": [2, 6, 8, 15, 60, 200],
}


def normal(chance: np.random.Generator, count: int) -> Values:
    return chance.normal(0, 0.2, count)


def better(chance: np.random.Generator, count: int) -> Values:
    """Differences of NDCG of a better ranker, less their mean: rare gains, many small losses."""
    pool = calibration.population("ndcg@10")
    drawn: Values = pool[chance.integers(0, len(pool), count)] - pool.mean()
    return drawn


def ndcg(chance: np.random.Generator, count: int) -> Values:
    """The same of rankers of equal quality: which of the two is the better is a coin's flip."""
    drawn: Values = better(chance, count) * chance.choice([-1.0, 1.0], count)
    return drawn


def tied(chance: np.random.Generator, count: int) -> Values:
    """Seven of ten queries do not change."""
    return np.where(chance.random(count) < 0.3, chance.normal(0, 0.2, count), 0.0)


def skewed(chance: np.random.Generator, count: int) -> Values:
    return chance.exponential(0.2, count) - 0.2


POPULATIONS: dict[str, Draw] = {"normal": normal, "ndcg@10": ndcg, "seven of ten tied": tied}


@pytest.fixture
def few_orders(monkeypatch: pytest.MonkeyPatch) -> None:
    """The spread is tested elsewhere; its orders take the time here."""
    monkeypatch.setattr(groups, "DRAWS", 19)


def compared(parts: Sequence[Values]) -> relyon.Comparison:
    """Compares two runs whose differences on the queries of each value are given."""
    values = np.concatenate(parts)
    names = [f"q{place}" for place in range(len(values))]
    column = [f"v{place}" for place, one in enumerate(parts) for _ in one]
    old = {MEASURE: dict.fromkeys(names, 0.0)}
    new = {MEASURE: dict(zip(names, values.tolist(), strict=True))}
    by = {"column": dict(zip(names, column, strict=True))}
    return relyon.compare_values({"old": old, "new": new}, by=by)


@pytest.mark.usefixtures("few_orders")
@pytest.mark.parametrize("sizes", SIZES)
@pytest.mark.parametrize("name", POPULATIONS)
def test_false_alarms_and_intervals(name: str, sizes: str) -> None:
    chance = np.random.default_rng([len(name), len(sizes)])
    alarms = lost = inside = shown = 0
    for _ in range(RUNS):
        parts = compared([POPULATIONS[name](chance, size) for size in SIZES[sizes]])
        (breakdown,) = parts.breakdowns
        losses = breakdown.losses()
        lost += bool(losses)
        alarms += bool(losses or breakdown.gains())
        for one in breakdown.parts:
            low, high = one.contrast.interval
            if one.contrast.few or math.isnan(low):
                continue
            shown += 1
            inside += low <= 0 <= high
    case = f"{name}, {sizes}"
    row(CLAIM, f"{case}: any value better or worse", alarms / RUNS, RUNS,
        promise="at most 5%", most=MOST)  # fmt: skip
    row(CLAIM, f"{case}: the gate on values fails", lost / RUNS, RUNS,
        promise="at most 5%", most=0.075)  # fmt: skip
    row(CLAIM, f"{case}: intervals of values", inside / shown, shown,
        promise="95 of 100", least=0.92)  # fmt: skip


@pytest.mark.usefixtures("few_orders")
@pytest.mark.parametrize("name", ["a better ranker's, less its mean", "exponential"])
def test_skewed_differences_are_outside(name: str) -> None:
    draw = skewed if name == "exponential" else better
    for sizes in ([8] * 10, [20] * 10):
        chance = np.random.default_rng([5, sizes[0]])
        alarms = 0
        for _ in range(RUNS):
            (breakdown,) = compared([draw(chance, size) for size in sizes]).breakdowns
            alarms += bool(breakdown.losses() or breakdown.gains())
        case = f"differences {name}, 10 values of {sizes[0]}"
        row(CLAIM, f"{case}: any value better or worse", alarms / RUNS, RUNS,
            promise="none", most=0.6, assumption=False, says=SKEWED)  # fmt: skip


def rate_of_spread(parts: Callable[[], list[Values]], monkeypatch: pytest.MonkeyPatch) -> float:
    """Returns how often groups are said to differ."""
    monkeypatch.setattr(groups, "DRAWS", 199)
    return sum(group_means(parts(), seed=seed).p <= 0.05 for seed in range(RUNS)) / RUNS


@pytest.mark.parametrize("sizes", SIZES)
@pytest.mark.parametrize("name", POPULATIONS)
def test_the_level_of_the_spread(name: str, sizes: str, monkeypatch: pytest.MonkeyPatch) -> None:
    chance = np.random.default_rng([7, len(name), len(sizes)])
    found = rate_of_spread(
        lambda: [POPULATIONS[name](chance, size) for size in SIZES[sizes]], monkeypatch
    )
    row(CLAIM, f"{name}, {sizes}: the values are said to differ", found, RUNS,
        promise="at most 5%", most=MOST)  # fmt: skip


@pytest.mark.parametrize("kind", ["three values of 8 whole clusters", "three values across 8"])
def test_the_level_of_the_spread_in_clusters(kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Queries of a cluster are alike: counted one by one, chance would look like a spread."""
    monkeypatch.setattr(groups, "DRAWS", 199)
    whole = kind.endswith("clusters")
    clusters = np.arange(24 if whole else 8).repeat(6)
    chance = np.random.default_rng([10, len(kind)])
    alarms = single = 0
    for seed in range(RUNS):
        values = chance.normal(0, 0.08, len(clusters)) + chance.normal(0, 0.05, 24)[clusters]
        column = clusters // 8 if whole else chance.integers(0, 3, len(clusters))
        places = [np.flatnonzero(column == value) for value in range(3)]
        parts, ids = [values[one] for one in places], [clusters[one] for one in places]
        alarms += group_means(parts, ids, seed=seed).p <= 0.05
        single += group_means(parts, seed=seed).p <= 0.05
    row(CLAIM, f"clusters of six, {kind}: the values are said to differ", alarms / RUNS, RUNS,
        promise="at most 5%", most=MOST)  # fmt: skip
    if whole:
        assert single / RUNS > 2 * MOST


def test_a_small_value_that_varies_more_is_outside(monkeypatch: pytest.MonkeyPatch) -> None:
    chance = np.random.default_rng(8)
    found = rate_of_spread(
        lambda: [chance.normal(0, 0.05, 60), chance.normal(0, 0.25, 6)], monkeypatch
    )
    row(CLAIM, "a value of 6 that varies five times as much as one of 60: said to differ", found,
        RUNS, promise="none", most=0.2, assumption=False, says=UNEQUAL)  # fmt: skip


@pytest.mark.usefixtures("few_orders")
@pytest.mark.parametrize("tau", [0.0, 0.2])
@pytest.mark.parametrize("sizes", ["2 values of 6", "10 values of 20", "6 values of 2 to 200"])
def test_shrunken_differences_are_closer(sizes: str, tau: float) -> None:
    """The share of the squared error of plain differences that shrunken ones have."""
    chance = np.random.default_rng([9, len(sizes), round(100 * tau)])
    plain = shrunken = 0.0
    for _ in range(RUNS):
        true = chance.normal(0.02, tau, len(SIZES[sizes]))
        parts = [m + ndcg(chance, size) for m, size in zip(true, SIZES[sizes], strict=True)]
        found = group_means(parts)
        means = np.array([one.mean() for one in parts])
        plain += float(((means - true) ** 2).sum())
        shrunken += float(((np.array(found.shrunken) - true) ** 2).sum())
    few = len(SIZES[sizes]) < 10 and tau > 0
    row(CLAIM, f"{sizes}, values differ by {tau:g}: squared error of shrunken over plain",
        shrunken / plain, RUNS, promise="none" if few else "at most 1", most=1.3 if few else 1.02,
        assumption=not few, says=FEW_VALUES if few else "")  # fmt: skip
