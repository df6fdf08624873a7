"""Without a difference, tests raise as many false alarms as they say; intervals hold the truth."""

from __future__ import annotations

import pytest
from bench import calibration
from bench.calibration import Rate

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


@pytest.mark.slow
@pytest.mark.parametrize("measure", calibration.MEASURES)
@pytest.mark.parametrize("test", [name for name in calibration.TESTS if name != "sign"])
def test_false_alarms_are_as_many_as_the_level_says(test: str, measure: str) -> None:
    rate = calibration.false_alarms(test, measure, 50, REPETITIONS)
    assert inside(rate), f"{rate.share:.4f} not in {rate.bounds}"


@pytest.mark.slow
@pytest.mark.parametrize("measure", calibration.MEASURES)
def test_the_sign_tests_false_alarms_are_those_of_the_binomial_distribution(measure: str) -> None:
    expected = calibration.sign_level(measure, 50, REPETITIONS)
    assert 0.01 < expected < 0.05
    found = calibration.false_alarms("sign", measure, 50, REPETITIONS)
    rate = Rate("sign", measure, 50, found.events, REPETITIONS, expected)
    assert inside(rate), f"{rate.share:.4f} not in {rate.bounds}"


@pytest.mark.slow
@pytest.mark.parametrize("population", ["normal", "ndcg@10"])
@pytest.mark.parametrize("interval", calibration.INTERVALS)
def test_intervals_hold_the_mean_as_often_as_they_say(interval: str, population: str) -> None:
    rate = calibration.coverage(interval, population, 200, REPETITIONS)
    assert inside(rate), f"{rate.share:.4f} not in {rate.bounds}"


@pytest.mark.slow
def test_the_t_interval_is_right_for_few_normal_differences() -> None:
    rate = calibration.coverage("t", "normal", 20, REPETITIONS)
    assert inside(rate), f"{rate.share:.4f} not in {rate.bounds}"


@pytest.mark.slow
def test_percentile_intervals_of_few_differences_are_too_narrow() -> None:
    """As the documentation says: it is no default."""
    few = calibration.coverage("percentile", "normal", 20, REPETITIONS)
    assert few.share < calibration.coverage("t", "normal", 20, REPETITIONS).share
    assert few.share > 0.90
