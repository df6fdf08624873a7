"""A year of daily looks: how often always-valid tests find a difference where there is none."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy import stats
from tests.honest.rows import row

from relyon.analysis.statistics import (
    PER_UNIT,
    ClusteredMean,
    kelly_p,
    mixture_half,
    mixture_p,
)

Values = NDArray[np.float64]
Stream = Callable[[np.random.Generator], Values]

YEARS, DAYS, EACH, ALPHA = 1000, 365, 5, 0.05
LOOKS = np.arange(1, DAYS + 1) * EACH
FIRST = 30
STAKES = np.arange(1, 21) / 21


def betting(values: Values) -> Values:
    """Returns `kelly_p` of differences from -1 to 1 at every look."""
    sides = [np.cumsum(np.log1p(np.outer(sign * values, STAKES)), 0) for sign in (1, -1)]
    powers = np.hstack(sides)[LOOKS - 1]
    most = powers.max(1)
    found: Values = np.minimum(1, np.exp(-most) / np.exp(powers - most[:, None]).mean(1))
    return found


def deviates(values: Values) -> Values:
    """Returns Student's t at every look."""
    sums, squares = np.cumsum(values)[LOOKS - 1], np.cumsum(values**2)[LOOKS - 1]
    variances = np.maximum(squares - sums**2 / LOOKS, 0) / (LOOKS - 1)
    with np.errstate(divide="ignore", invalid="ignore"):
        found: Values = np.nan_to_num(sums / LOOKS / np.sqrt(variances / LOOKS))
    return found


def asymptotic(values: Values) -> Values:
    """Returns `mixture_p` at every look, from the first one on."""
    tails = stats.t.sf(np.abs(deviates(values)), LOOKS - 1)
    z = np.abs(stats.norm.isf(np.maximum(tails, 1e-300)))
    x = PER_UNIT * LOOKS
    p = np.sqrt(1 + x) * np.exp(-0.5 * z**2 * x / (1 + x))
    changed = np.cumsum(values != 0)[LOOKS - 1]
    found: Values = np.where(changed < FIRST, 1.0, np.minimum(p, 1))
    return found


def student(values: Values) -> Values:
    """Returns the p-value of a t test at every look, from six queries on."""
    p = 2 * stats.t.sf(np.abs(deviates(values)), LOOKS - 1)
    found: Values = np.where(LOOKS < 6, 1.0, p)
    return found


TESTS = {"betting": betting, "asymptotic": asymptotic, "t at each look": student}


def normal(draws: np.random.Generator) -> Values:
    found: Values = draws.normal(0, 0.15, LOOKS[-1]).clip(-1, 1)
    return found


def ties(draws: np.random.Generator) -> Values:
    found: Values = draws.choice([-1.0, 0.0, 1.0], LOOKS[-1], p=[0.025, 0.95, 0.025])
    return found


def losses(draws: np.random.Generator) -> Values:
    found: Values = draws.choice([-1.0, 0.04 / 0.96], LOOKS[-1], p=[0.04, 0.96])
    return found


def losses_among_ties(draws: np.random.Generator) -> Values:
    found: Values = draws.choice([-1.0, 0.0, 0.25], LOOKS[-1], p=[0.04, 0.8, 0.16])
    return found


def topics(draws: np.random.Generator) -> Values:
    """The queries of a day share a topic, which gains or loses."""
    shared = np.repeat(draws.normal(0, 0.1, DAYS), EACH)
    found: Values = (shared + draws.normal(0, 0.15, LOOKS[-1])).clip(-1, 1)
    return found


def weekdays(draws: np.random.Generator) -> Values:
    """Gains on working days, losses on weekends; none over a week."""
    shift = np.repeat(np.resize([0.04] * 5 + [-0.1] * 2, DAYS), EACH)
    found: Values = (draws.normal(0, 0.15, LOOKS[-1]) + shift).clip(-1, 1)
    return found


def drifting(draws: np.random.Generator) -> Values:
    """Easy queries first: gains turn into losses, none over the year."""
    found: Values = (draws.normal(0, 0.15, LOOKS[-1]) + np.linspace(0.05, -0.05, LOOKS[-1])).clip(
        -1, 1
    )
    return found


def head_first(draws: np.random.Generator) -> Values:
    """Frequent queries, which gain, are graded before the others, which lose."""
    shift = np.where(np.arange(LOOKS[-1]) < LOOKS[-1] / 4, 0.03, -0.01)
    found: Values = (draws.normal(0, 0.15, LOOKS[-1]) + shift).clip(-1, 1)
    return found


def returning(draws: np.random.Generator) -> Values:
    """Sixty users, each with a taste of his own, ask all queries."""
    tastes = draws.normal(0, 0.1, 60)
    found: Values = (
        tastes[draws.integers(0, 60, LOOKS[-1])] + draws.normal(0, 0.15, LOOKS[-1])
    ).clip(-1, 1)
    return found


HOLD: dict[str, Stream] = {
    "differences with σ = .15": normal,
    "5% of queries change by ±1": ties,
    "4% lose 1, 16% gain .25, the others are tied": losses_among_ties,
    "4% lose 1, 96% gain .042": losses,
}
#: With the least and the most that is found.
BROKEN: dict[str, tuple[Stream, float, float]] = {
    "weekday cycle": (weekdays, 0.0, 0.1),
    "difficulty drifts over the year": (drifting, 0.5, 1.0),
    "frequent queries graded first": (head_first, 0.5, 1.0),
    "queries of a day share a topic": (topics, 0.1, 1.0),
    "60 users who come back, not clustered": (returning, 0.2, 1.0),
}


def alarms(stream: Stream, test: Callable[[Values], Values], seed: int) -> float:
    """Returns the share of years in which some look finds a difference."""
    draws = np.random.default_rng(seed)
    return float(np.mean([test(stream(draws)).min() <= ALPHA for _ in range(YEARS)]))


def test_the_simulated_tests_are_those_of_the_package() -> None:
    values = normal(np.random.default_rng(1))
    for look in (10, 29, 199):
        held = values[: LOOKS[look]]
        assert betting(values)[look] == pytest.approx(kelly_p(held, 0, -1, 1), rel=1e-9)
        error = held.std(ddof=1) / math.sqrt(len(held))
        p = mixture_p(held.mean(), error, len(held) - 1, PER_UNIT * len(held))
        assert asymptotic(values)[look] == pytest.approx(p, rel=1e-6)


@pytest.mark.parametrize("case", HOLD)
@pytest.mark.parametrize("test", TESTS)
def test_a_year_without_a_difference(case: str, test: str) -> None:
    found = alarms(HOLD[case], TESTS[test], seed=2)
    # A t test is for one look, and rare large losses are not nearly normal after 30 queries.
    exact = test == "betting" or (test == "asymptotic" and not case.startswith("4% lose 1"))
    if exact:
        row("anytime", f"compare, {test}: {case}", found, YEARS, promise="at most 5%", most=0.05)
    else:
        says = "for one look" if test == "t at each look" else "asymptotic"
        row(
            "anytime", f"compare, {test}: {case}", found, YEARS, promise="", least=0.04,
            assumption=False, says=says,
        )  # fmt: skip


@pytest.mark.parametrize("case", BROKEN)
def test_an_order_that_follows_the_difference_breaks_it(case: str) -> None:
    stream, least, most = BROKEN[case]
    found = alarms(stream, betting, seed=3)
    row(
        "anytime", f"compare, betting: {case}", found, YEARS, promise="", least=least, most=most,
        assumption=False, says="the order must have nothing to do with the difference",
    )  # fmt: skip


def test_clusters_that_come_back_are_counted_once() -> None:
    draws, found, years = np.random.default_rng(4), 0, 200
    looks = LOOKS[5::10]
    for _ in range(years):
        users = draws.integers(0, 60, LOOKS[-1])
        tastes = draws.normal(0, 0.1, 60)
        values = tastes[users] + draws.normal(0, 0.15, LOOKS[-1])
        for look in looks.tolist():
            mean = ClusteredMean.of(values[:look], users[:look])
            x = PER_UNIT * mean.shape.effective
            enough = mean.shape.effective >= FIRST
            if enough and mixture_p(mean.value, mean.error, mean.degrees, x) <= ALPHA:
                found += 1
                break
    row(
        "anytime", "compare, asymptotic: 60 users who come back, clustered", found / years, years,
        promise="at most 5%", most=0.05,
    )  # fmt: skip


@pytest.mark.parametrize("test", ["betting", "asymptotic"])
@pytest.mark.parametrize("drop", [0.02, 0.05])
def test_a_drop_is_found(drop: float, test: str) -> None:
    draws, years = np.random.default_rng(5), 500
    days = []
    for _ in range(years):
        below = np.flatnonzero(TESTS[test](normal(draws) - drop) <= ALPHA)
        days.append(below[0] + 1 if len(below) else math.inf)
    # In how many days one t test at a fixed number of queries finds it with a power of .8.
    fixed = ((1.96 + 0.84) * 0.15 / drop) ** 2 / EACH
    share = float(np.mean(np.array(days) <= 3 * fixed))
    row(
        "anytime", f"compare, {test}: a drop of {drop:g} found within 3 times the {fixed:.0f} days"
        " of one t test", share, years, promise="power", least=0.6 if test == "betting" else 0.9,
    )  # fmt: skip


def test_intervals_are_wider_by_what_the_page_says() -> None:
    for count, least, most in ((30, 1.6, 1.75), (100, 1.5, 1.6), (1000, 1.6, 1.7)):
        ours = mixture_half(1.0, count - 1, PER_UNIT * count)
        ratio = ours / stats.t.ppf(0.975, count - 1)
        assert least < ratio < most, (count, ratio)
