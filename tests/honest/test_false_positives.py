"""Without a difference, tests raise as many false alarms as they say; intervals hold the truth."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from bench import calibration
from bench.calibration import Rate
from numpy.typing import NDArray
from tests.honest.rows import row

from relyon.analysis.statistics import paired_test

Values = NDArray[np.float64]
Sample = Callable[[np.random.Generator, int], Values]

CLAIM, PROMISE = "difference-false-alarms", "at most 5%"
QUERIES = (10, 20, 50, 200)
REPETITIONS = 2000


def inside(rate: Rate) -> bool:
    low, high = rate.bounds
    return low <= rate.share <= high


def test_bounds_are_those_of_the_binomial_distribution() -> None:
    assert Rate("t", "ndcg@10", 50, 100, 2000, 0.05).bounds == (0.0345, 0.0665)
    assert inside(Rate("t", "ndcg@10", 50, 69, 2000, 0.05))
    assert not inside(Rate("t", "ndcg@10", 50, 68, 2000, 0.05))
    assert not inside(Rate("t", "ndcg@10", 50, 134, 2000, 0.05))


def test_a_test_that_is_wrong_is_noticed() -> None:
    """One that calls every difference real, and one that calls none."""
    assert not inside(Rate("", "", 50, REPETITIONS, REPETITIONS, 0.05))
    assert not inside(Rate("", "", 50, 0, REPETITIONS, 0.05))


def test_the_two_runs_are_exchangeable_and_not_equal() -> None:
    values = calibration.exchangeable("ndcg@10", 2, 5000, 2)
    differences = values[1] - values[0]
    assert abs(differences.mean()) < 4 * differences.std() / 5000**0.5
    assert (differences != 0).mean() > 0.3
    # Queries differ more between each other than the runs do on one query.
    assert differences.std() < values[0].std()


@pytest.mark.parametrize("measure", calibration.MEASURES)
@pytest.mark.parametrize("test", [name for name in calibration.TESTS if name != "sign"])
def test_false_alarms_are_as_many_as_the_level_says(test: str, measure: str) -> None:
    rate = calibration.false_alarms(test, measure, 50, REPETITIONS)
    low, high = rate.bounds
    case = f"{test}, {measure}, 50 queries"
    row(CLAIM, case, rate.share, REPETITIONS, promise=PROMISE, least=low, most=high)


@pytest.mark.parametrize("measure", calibration.MEASURES)
def test_the_sign_tests_false_alarms_are_those_of_the_binomial_distribution(measure: str) -> None:
    expected = calibration.sign_level(measure, 50, REPETITIONS)
    assert 0.01 < expected < 0.05
    found = calibration.false_alarms("sign", measure, 50, REPETITIONS)
    low, high = Rate("sign", measure, 50, found.events, REPETITIONS, expected).bounds
    case = f"sign, {measure}, 50 queries"
    row(CLAIM, case, found.share, REPETITIONS, promise=PROMISE, least=low, most=high)


def alarms(sample: Sample, queries: int, test: str, repetitions: int) -> float:
    """Returns the share of comparisons with p up to 5%."""
    random = np.random.default_rng([21, queries])
    found = 0
    for number in range(repetitions):
        differences = sample(random, queries)
        found += paired_test(test, differences, resamples=499, seed=number, threads=1).p <= 0.05
    return found / repetitions


def ties(random: np.random.Generator, queries: int) -> Values:
    """95% tie, the others win or lose 1."""
    return random.choice([-1.0, 0.0, 1.0], queries, p=[0.025, 0.95, 0.025])


def rare_losses(random: np.random.Generator, queries: int) -> Values:
    """4% lose 1, 20% gain 0.2: the mean is 0."""
    return random.choice([-1.0, 0.0, 0.2], queries, p=[0.04, 0.76, 0.2])


@pytest.mark.parametrize("queries", QUERIES)
def test_of_ties(queries: int) -> None:
    for test in ("t", "permutation"):
        found = alarms(ties, queries, test, 1000)
        case = f"{test}, 95% tie, the others ±1, {queries} queries"
        row(CLAIM, case, found, 1000, promise=PROMISE, most=0.067)


@pytest.mark.parametrize("queries", QUERIES)
def test_of_losses_too_rare_to_be_seen(queries: int) -> None:
    for test in ("t", "permutation"):
        row(
            CLAIM,
            f"{test}, 4% lose 1, 20% gain .2, {queries} queries",
            alarms(rare_losses, queries, test, 1000),
            1000,
            promise="none",
            least=0.0,
            most=0.35,
            assumption=False,
            says="the page: losses too rare to be among the queries are not covered",
        )
