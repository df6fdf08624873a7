"""A/B tests in which nothing differs: how often intervals fail, and what is marked."""

from __future__ import annotations

import math

import numpy as np
import polars as pl
import pytest
from numpy.typing import NDArray
from tests.honest.rows import row

from relyon.analysis.statistics import (
    ClusterSizes,
    RatioEstimate,
    Resampling,
    difference_of,
    jackknife_ratio,
    ratio_mismatch,
    resampled_ratios,
    sequential_mismatch,
)
from relyon.online.experiments import check_experiment, compare_arms
from relyon.online.experiments.abtest.arms import ArmMetric

INTERVALS, SIZES = "ab-intervals", "ab-sample-ratio"
RUNS, LEVEL = 1000, 0.05
#: Three standard errors of a share of 5%.
SLACK = 3 * math.sqrt(LEVEL * (1 - LEVEL) / RUNS)
#: Users of an arm, by the kind of crowd.
CROWDS = {
    "1,000 users": 1000,
    "100 users": 100,
    "10 users": 10,
    "200 users, Pareto 1.1": 200,
    "2,000 users, Pareto 1.1": 2000,
    "300 users, one conversion in 1,000 searches": 300,
    "300 heavy users click more, log-normal 1.5": 300,
    "1,000 heavy users click more, log-normal 1.5": 1000,
    "5,000 heavy users click more, log-normal 1.5": 5000,
    "300 heavy users click more, Pareto 1.5": 300,
    "1,000 heavy users click more, Pareto 1.5": 1000,
    "5,000 heavy users click more, Pareto 1.5": 5000,
}
Arm = tuple[NDArray[np.float64], NDArray[np.float64]]


def arm(kind: str, users: int, generator: np.random.Generator) -> Arm:
    """Returns the events and the trials of the users of an arm."""
    if kind.endswith("Pareto 1.1"):  # a handful of users makes most of the traffic
        trials = np.minimum(np.ceil(3 * (1 + generator.pareto(1.1, users))), 20_000)
    elif kind.endswith("Pareto 1.5"):
        trials = np.minimum(np.ceil(3 * (1 + generator.pareto(1.5, users))), 20_000)
    elif kind.endswith("log-normal 1.5"):
        trials = np.ceil(3 * np.exp(1.5 * generator.standard_normal(users)))
    else:
        trials = 1.0 + generator.poisson(generator.gamma(1.5, 4, users))
    chances = generator.beta(2, 6, users)  # independent of the trials
    if "conversion" in kind:
        chances = np.full(users, 0.001)
    elif "click more" in kind:
        chances = 1 / (
            1 + np.exp(1.5 - 0.5 * np.log(trials) + 0.8 * generator.standard_normal(users))
        )
    return generator.binomial(trials.astype(int), chances).astype(float), trials


def truth(kind: str, generator: np.random.Generator) -> float:
    """Returns the ratio of sums of ever more users."""
    if "click more" not in kind:
        return 0.001 if "conversion" in kind else 0.25
    sums = np.array([[part.sum() for part in arm(kind, 1_000_000, generator)] for _ in range(6)])
    return float(sums[:, 0].sum() / sums[:, 1].sum())


def shown(part: Arm, estimate: RatioEstimate) -> ArmMetric:
    """Returns the row of the report, whose mark is what is tested."""
    above, below = part
    return ArmMetric(
        metric="ctr",
        arm="A",
        users=len(above),
        value=estimate.value,
        interval=estimate.interval(0.95),
        effective=ClusterSizes.of(below).effective,
        events=min(int((above > 0).sum()), int((below > above).sum())),
        influential=estimate.influence,
    )


@pytest.mark.parametrize("kind", CROWDS)
def test_intervals_and_alarms(kind: str) -> None:
    generator = np.random.default_rng(17)
    true = truth(kind, generator)
    missed = trusting = alarms = marked = 0
    for _ in range(RUNS):
        first, second = (arm(kind, CROWDS[kind], generator) for _ in range(2))
        one, two = jackknife_ratio(*first), jackknife_ratio(*second)
        low, high = one.interval(0.95)
        # Without any event there is no interval, and where one user decides.
        wrong = one.error > 0 and not low <= true <= high
        thin = shown(first, one).thin
        missed, marked = missed + wrong, marked + thin
        trusting += wrong and not thin
        alarms += difference_of(one, two).p <= LEVEL
    promise = "at most 6%"
    row(
        INTERVALS,
        f"{kind}: unmarked, and truth missed",
        trusting / RUNS,
        RUNS,
        promise=promise,
        most=0.06 + SLACK,
    )
    row(INTERVALS, f"{kind}: false alarms", alarms / RUNS, RUNS, promise=promise, most=0.06 + SLACK)
    if missed / RUNS > 0.06 + SLACK:
        row(
            INTERVALS,
            f"{kind}: truth missed, marked or not",
            missed / RUNS,
            RUNS,
            promise="none",
            least=0.06,
            assumption=False,
            says=f"* Do not rely on this interval (in {100 * marked / RUNS:.0f}%)",
        )


def test_the_bootstrap_of_few_users() -> None:
    """The bootstrap has no mark of its own: it fails where few users are."""
    generator = np.random.default_rng(17)
    missed, runs = 0, 400
    for number in range(runs):
        above, below = arm("10 users", 10, generator)
        drawn = resampled_ratios(above, below, Resampling(600, seed=number))
        low, high = np.quantile(drawn, (0.025, 0.975))
        missed += not low <= 0.25 <= high
    says = "* Do not rely on this interval (in 100%)"
    case = "10 users: bootstrap, truth missed"
    row(
        INTERVALS,
        case,
        missed / runs,
        runs,
        promise="none",
        least=0.06,
        assumption=False,
        says=says,
    )


def test_sizes_at_every_look() -> None:
    """However often one looks, the sequential test raises few alarms; χ² raises many."""
    generator = np.random.default_rng(3)
    repeats, level = 20_000, 0.001
    sequential = once = repeated = 0
    looks = np.arange(100, 3001, 100)
    for _ in range(repeats // 10):
        groups = generator.integers(0, 2, 3000)
        sequential += sequential_mismatch(groups, [1, 1])[-1] <= LEVEL
    for _ in range(repeats):
        count = np.cumsum(generator.binomial(100, 0.5, len(looks)))
        statistic = (2 * count - looks) ** 2 / looks
        repeated += bool((statistic > 10.8276).any())
        once += bool(statistic[-1] > 10.8276)
    assert ratio_mismatch([1500 + 90, 1500 - 90], [1, 1]).statistic == pytest.approx(10.8)
    row(
        SIZES,
        "the sequential test after each of 3,000 users, at a level of 5%",
        sequential / (repeats // 10),
        repeats // 10,
        promise="at most 5%",
        most=LEVEL,
    )
    row(
        SIZES,
        "χ², looked at daily for 30 days, at a level of 0.1%",
        repeated / repeats,
        repeats,
        promise="0.1% at one look",
        least=5 * level,
        assumption=False,
        says="valid at every look; χ² for this look alone",
    )
    row(
        SIZES,
        "χ², looked at once, at a level of 0.1%",
        once / repeats,
        repeats,
        promise="0.1%",
        most=0.0018,
    )


def test_daily_checks() -> None:
    """`sample-ratio`, made anew every day for 30 days, on logs that grow by 100 users a day."""
    generator = np.random.default_rng(5)
    runs, warned = 60, 0
    for _ in range(runs):
        users = 3000
        log = pl.DataFrame(
            {
                "user": np.arange(users),
                "session": np.arange(users),
                "arm": np.where(generator.random(users) < 0.5, "A", "B"),
                "query": "tv",
                "position": 1,
                "doc": "a",
                "clicked": False,
                "timestamp": np.arange(users) * 864 * 1_000_000,
            }
        ).with_columns(pl.col("timestamp").cast(pl.Datetime("us")))
        warned += any(
            check_experiment(log.head(100 * day), only="sample-ratio").warnings
            for day in range(1, 31, 3)
        )
    case = "whole logs, `abtest check` every third day for 30 days"
    row(SIZES, case, warned / runs, runs, promise="at most 0.1%", most=1 / runs)


def test_whole_logs() -> None:
    """From the log on: p-values with and without CUPED hold their level, and checks are silent."""
    generator = np.random.default_rng(29)
    repeats, users, searches = 300, 250, 2500
    warnings = plain = sharper = 0
    for _ in range(repeats):
        side = np.where(generator.random(users) < 0.5, "A", "B")
        taste = generator.beta(1, 3, users)
        activity = 1 + generator.pareto(2, users)
        user = generator.choice(users, searches, p=activity / activity.sum())
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
    slack = 3 * math.sqrt(LEVEL * (1 - LEVEL) / repeats)
    for case, found in (("false alarms", plain), ("false alarms, CUPED", sharper)):
        row(
            INTERVALS,
            f"whole logs of 250 users, Pareto 2: {case}",
            found / repeats,
            repeats,
            promise="at most 6%",
            most=0.06 + slack,
        )
    # Three checks, at 0.001, 0.01 and 0.001.
    assert warnings / repeats <= 0.012 + 4 * math.sqrt(0.012 / repeats)
