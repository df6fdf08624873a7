"""A/B tests in which nothing differs: how often intervals hold and alarms are false."""

from __future__ import annotations

import math

import numpy as np
import polars as pl
import pytest

from relyon.analysis.statistics import (
    Resampling,
    difference_of,
    ratio_mismatch,
    ratio_of_sums,
    resampled_ratios,
    sequential_mismatch,
)
from relyon.online.experiments import check_experiment, compare_arms
from relyon.online.experiments.abtest.arms import FEWEST_EVENTS, FEWEST_USERS

pytestmark = pytest.mark.slow

EXPERIMENTS = 2000
LEVEL = 0.05
#: Four standard errors of a share of 5% among the experiments.
SLACK = 4 * math.sqrt(LEVEL * (1 - LEVEL) / EXPERIMENTS)


def arm(kind: str, generator: np.random.Generator) -> tuple[np.ndarray, np.ndarray, float]:
    """Events and trials of the users of an arm, and the true ratio of their sums."""
    users = {"many": 1000, "few": 10, "heavy": 200, "rare": 300}[kind]
    if kind == "heavy":  # the tail index is 1.1: a handful of users makes most of the traffic
        trials = np.minimum(np.ceil(3 * (1 + generator.pareto(1.1, users))), 20_000)
    else:
        trials = 1.0 + generator.poisson(generator.gamma(1.5, 4, users))
    if kind == "rare":
        return generator.binomial(trials.astype(int), 0.001).astype(float), trials, 0.001
    chances = generator.beta(2, 6, users)  # independent of the trials, so that the mean is true
    return generator.binomial(trials.astype(int), chances).astype(float), trials, 0.25


@pytest.mark.parametrize("kind", ["many", "few", "heavy", "rare"])
def test_intervals_and_alarms(kind: str) -> None:
    generator = np.random.default_rng(17)
    missed = alarms = drawn_missed = drawn_alarms = thin = drawn = trusted = wrong = 0
    for number in range(EXPERIMENTS):
        first, second = arm(kind, generator), arm(kind, generator)
        one, two = ratio_of_sums(*first[:2]), ratio_of_sums(*second[:2])
        low, high = one.interval(0.95)
        # Without any event there is no interval: as relyon shows it.
        missed += not (one.error == 0 or low <= first[2] <= high)
        alarm = difference_of(one, two).p <= LEVEL
        alarms += alarm
        marked = [
            trials.sum() ** 2 / np.square(trials).sum() < FEWEST_USERS
            or (events > 0).sum() < FEWEST_EVENTS
            for events, trials, _ in (first, second)
        ]
        thin += any(marked)
        trusted += not any(marked)
        wrong += alarm and not any(marked)
        if number % 10 == 0:
            drawn += 1
            ratios = [
                resampled_ratios(*part[:2], Resampling(1000, seed=2 * number + at))
                for at, part in enumerate((first, second))
            ]
            low, high = np.quantile(ratios[0], (0.025, 0.975))
            drawn_missed += not (low <= first[2] <= high or low == high)
            low, high = np.quantile(ratios[1] - ratios[0], (0.025, 0.975))
            drawn_alarms += not low <= 0 <= high
    shares = [count / EXPERIMENTS for count in (missed, alarms, thin)]
    print(
        f"{kind}: delta misses {shares[0]:.3f}, false alarms {shares[1]:.3f};"
        f" bootstrap {drawn_missed / drawn:.3f}, {drawn_alarms / drawn:.3f}; thin {shares[2]:.3f}"
    )
    # Where the report does not mark the interval, the alarms are as rare as they should be.
    if trusted:
        assert wrong / trusted <= LEVEL + 4 * math.sqrt(LEVEL * (1 - LEVEL) / trusted)
    if kind == "many":
        assert abs(shares[0] - LEVEL) <= SLACK
        assert abs(shares[1] - LEVEL) <= SLACK
        assert trusted == EXPERIMENTS
    else:
        assert shares[2] > 0.9


def test_sizes_at_every_arrival() -> None:
    """However often one looks, the sequential test raises few alarms; χ² raises many."""
    generator = np.random.default_rng(3)
    alarms = repeated = 0
    repeats = 1000
    for _ in range(repeats):
        groups = generator.integers(0, 2, 3000)
        alarms += sequential_mismatch(groups, [1, 1])[-1] <= LEVEL
        count = np.cumsum(groups)
        repeated += any(
            ratio_mismatch([float(count[n - 1]), float(n - count[n - 1])], [1, 1]).p <= LEVEL
            for n in range(100, 3001, 100)
        )
    print(f"sizes: sequential {alarms}, χ² in 30 looks {repeated} of {repeats}")
    assert alarms / repeats <= LEVEL + 4 * math.sqrt(LEVEL * (1 - LEVEL) / repeats)
    assert repeated / repeats > 0.15


def test_whole_logs() -> None:
    """From the log on: checks stay silent, and p-values with and without CUPED hold their level."""
    generator = np.random.default_rng(29)
    repeats, users, searches = 400, 250, 2500
    warnings = plain = sharper = 0
    for _ in range(repeats):
        side = np.where(generator.random(users) < 0.5, "A", "B")
        taste = generator.beta(1, 3, users)
        user = generator.integers(0, users, searches)
        log = pl.DataFrame(
            {
                "session": np.arange(searches),
                "user": user,
                "arm": side[user],
                "query": "tv",
                "position": 1,
                "doc": "a",
                "clicked": generator.random(searches) < taste[user],
                "timestamp": generator.integers(0, 14 * 86400, searches) * 1_000_000,
            }
        ).with_columns(pl.col("timestamp").cast(pl.Datetime("us")))
        start = "1970-01-08"
        warnings += bool(check_experiment(log, start=start).warnings)
        one = compare_arms(log, start=start).get("ctr", "B")
        plain += one.p <= LEVEL
        sharper += one.adjusted_p <= LEVEL
    slack = 4 * math.sqrt(LEVEL * (1 - LEVEL) / repeats)
    print(f"logs: plain {plain}, CUPED {sharper}, warnings {warnings} of {repeats}")
    assert abs(plain / repeats - LEVEL) <= slack
    assert abs(sharper / repeats - LEVEL) <= slack
    # Three checks, at 0.001, 0.01 and 0.001.
    assert warnings / repeats <= 0.012 + 4 * math.sqrt(0.012 / repeats)
