"""Leaderboards: how often intervals of ranks contain the true ranks.

Runs that are truly equal have several true ranks, and all of them must be covered. `all` counts
samples in which every run is covered, `one` runs on average, each by its own interval, `best` how
often the best run is in the set of those that may be the best.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
import pytest
from tests.honest.rows import row

from relyon.analysis.statistics import Resampling
from relyon.analysis.statistics.separation import Part, separation

REPEATS, DRAWS = 200, 300
#: The share of queries that half of the runs lose, in full; they gain a little on all others.
RARE = {"10% lose 1": 0.1, "4% lose 1": 0.04, "2% lose 1": 0.02}
KINDS = ("normal", "heavy tails", "NDCG", "success", "two families", "half better")


def sample(
    draw: np.random.Generator, kind: str, runs: int, n: int
) -> tuple[np.ndarray, np.ndarray]:
    """Returns runs x queries, and the true values of the runs."""
    equal = np.zeros(runs)
    if kind == "heavy tails":
        return draw.standard_t(2, (runs, n)), equal
    if kind == "NDCG":
        hard = draw.normal(0, 1.5, n) + draw.normal(size=(runs, n))
        return 1 / (1 + np.exp(-1.5 * hard)), equal
    if kind == "success":
        return ((draw.random(n) < 0.6) ^ (draw.random((runs, n)) < 0.1)).astype(float), equal
    if kind == "two families":
        family = 0.6 * draw.normal(size=(2, n))[np.arange(runs) % 2]
        return draw.normal(size=n) + family + draw.normal(0, 0.05, (runs, n)), equal
    values = draw.normal(size=n) + 0.5 * draw.normal(size=(runs, n))
    if kind == "nearly equal":
        values[1] = values[0]
        values[-1] = values[-2]
        values[-1, 0] += draw.choice([-0.5, 0.5])
        return values, equal
    if kind in RARE:
        share = RARE[kind]
        small = 0.02 * draw.normal(size=(runs, n))
        lost = draw.random((runs // 2, n)) < share
        small[: runs // 2] += np.where(lost, -1.0, share / (1 - share))
        return small, equal
    if kind == "rare large losses":
        apart = np.where(draw.random((runs // 2, n)) < 0.1, -0.45, 0.05)
        small = 0.05 * draw.normal(size=(runs, n))
        small[: runs // 2] += apart
        return small, equal
    truth = np.where(np.arange(runs) < runs // 2, 1.0, 0.0) if kind == "half better" else equal
    return values + truth[:, None], truth


def covered(parts: Sequence[Part], truth: np.ndarray, seed: int) -> tuple[bool, float, float]:
    """Returns whether all ranks are covered, the share of runs, and of the best in their set."""
    found = separation(parts, Resampling(DRAWS, seed))
    firsts = (truth[None, :] > truth[:, None]).sum(axis=1) + 1
    lasts = len(truth) - (truth[None, :] < truth[:, None]).sum(axis=1)
    low, high = found.ranks(0.05)
    own_low, own_high = found.ranks(0.05, own=True)
    own = (own_low <= firsts) & (own_high >= lasts)
    best = found.best_p[truth == truth.max()] > 0.05
    return bool(((low <= firsts) & (high >= lasts)).all()), own.mean(), best.mean()


def rates(kind: str, runs: int, n: int, repeats: int) -> np.ndarray:
    draw = np.random.default_rng([runs, n, sum(map(ord, kind))])
    total = np.zeros(3)
    for seed in range(repeats):
        values, truth = sample(draw, kind, runs, n)
        total += covered([Part(values, np.ones(n))], truth, seed)
    found: np.ndarray = total / repeats
    return found


def keep(case: str, found: np.ndarray, repeats: int) -> None:
    least = 0.95 - 3 * math.sqrt(0.95 * 0.05 / repeats)
    for name, share in zip(("all", "one", "best"), found, strict=True):
        row("rank-intervals", f"{case}: {name}", share, repeats, promise="95%", least=least)


@pytest.mark.parametrize("n", [10, 20, 50, 200])
@pytest.mark.parametrize("runs", [2, 12])
@pytest.mark.parametrize("kind", [*KINDS, "nearly equal"])
def test_ranks(kind: str, runs: int, n: int) -> None:
    keep(f"{runs} runs, {n} queries, {kind}", rates(kind, runs, n, REPEATS), REPEATS)


def test_two_hundred_runs() -> None:
    keep("200 runs, 20 queries, NDCG", rates("NDCG", 200, 20, 40), 40)


@pytest.mark.parametrize(("runs", "n"), [(12, 50), (12, 200), (2, 200)])
def test_rare_losses_with_many_queries(runs: int, n: int) -> None:
    found = rates("rare large losses", runs, n, REPEATS)
    keep(f"{runs} runs, {n} queries, rare large losses", found, REPEATS)


@pytest.mark.parametrize("n", [10, 20])
def test_losses_too_rare_to_be_sampled_are_not_covered(n: int) -> None:
    """No test can know a loss that no query shows."""
    row(
        "rank-intervals",
        f"2 runs, {n} queries, rare large losses: all",
        rates("rare large losses", 2, n, REPEATS)[0],
        REPEATS,
        promise="none",
        most=0.93,
        assumption=False,
        says="losses too rare to be sampled are not covered",
    )


@pytest.mark.parametrize("n", [10, 20, 50, 200])
@pytest.mark.parametrize("runs", [2, 8])
@pytest.mark.parametrize("kind", RARE)
def test_the_rarer_and_larger_the_losses_the_more_queries_it_takes(
    kind: str, runs: int, n: int
) -> None:
    row(
        "rank-intervals",
        f"{runs} runs, {n} queries, {kind}: all",
        rates(kind, runs, n, REPEATS)[0],
        REPEATS,
        promise="none",
        most=1.0,
        least=0.85 if n == 200 else 0.1,
        assumption=False,
        says="losses too rare to be sampled are not covered",
    )


@pytest.mark.parametrize("sizes", [[10] * 5, [40] * 5, [6, 500], [6, 6, 6, 200]], ids=str)
def test_fixed_tasks(sizes: list[int]) -> None:
    """Which run is better depends on the task; on average over the tasks all are equal."""
    draw = np.random.default_rng(sizes)
    total = np.zeros(3)
    for seed in range(REPEATS):
        shifts = draw.normal(0, 1, (6, len(sizes)))
        shifts -= shifts.mean(axis=1, keepdims=True)
        parts = [
            Part(sample(draw, "normal", 6, n)[0] + shift[:, None], np.ones(n), 1 / len(sizes))
            for n, shift in zip(sizes, shifts.T, strict=True)
        ]
        total += covered(parts, np.zeros(6), seed)
    told = ", ".join(map(str, sizes))
    keep(f"6 runs, fixed tasks of {told} queries", total / REPEATS, REPEATS)


@pytest.mark.parametrize("sizes", [[50, 50], [10, 200], [6, 500]], ids=str)
def test_rare_losses_in_a_small_task_that_counts_as_much_as_a_large_one(sizes: list[int]) -> None:
    """A task of few queries has half of the weight, and its rare losses are seldom sampled."""
    draw = np.random.default_rng(sizes)
    total = np.zeros(3)
    for seed in range(REPEATS):
        parts = [
            Part(sample(draw, "4% lose 1", 2, n)[0], np.ones(n), 1 / len(sizes)) for n in sizes
        ]
        total += covered(parts, np.zeros(2), seed)
    row(
        "rank-intervals",
        f"2 runs, fixed tasks of {' and '.join(map(str, sizes))} queries, 4% lose 1: all",
        total[0] / REPEATS,
        REPEATS,
        promise="none",
        most=1.0,
        least=0.2,
        assumption=False,
        says="losses too rare to be sampled are not covered",
    )


def test_sampled_tasks_are_the_units() -> None:
    draw = np.random.default_rng(1)
    total = np.zeros(3)
    for seed in range(REPEATS):
        means = draw.normal(0, 1, (6, 20)) + draw.normal(0, 0.1, (6, 20))
        total += covered([Part(means, np.ones(20))], np.zeros(6), seed)
    keep("6 runs, 20 sampled tasks", total / REPEATS, REPEATS)


@pytest.mark.parametrize("clusters", [10, 40])
def test_clusters_of_unequal_sizes(clusters: int) -> None:
    draw = np.random.default_rng(clusters)
    total, alone = np.zeros(3), 0
    for seed in range(REPEATS):
        sizes = draw.integers(1, 9, clusters)
        places = np.repeat(np.arange(clusters), sizes)
        shared = draw.normal(size=(6, clusters))[:, places]
        values = shared + 0.3 * draw.normal(size=(6, len(places)))
        member = (places[:, None] == np.arange(clusters)).astype(float)
        total += covered([Part(values @ member, sizes.astype(float))], np.zeros(6), seed)
        alone += covered([Part(values, np.ones(len(places)))], np.zeros(6), seed)[0]
    keep(f"6 runs, {clusters} clusters of 1 to 8 queries", total / REPEATS, REPEATS)
    # Queries that are alike, taken for independent, promise too much.
    assert alone / REPEATS < 0.8
