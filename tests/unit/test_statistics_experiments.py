"""Statistics of experiments: ratios over clusters, and tests that stay valid at every look."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

from relyon.analysis.statistics import always_valid, ratio_of_sums
from relyon.core.errors import ParameterError


def test_a_ratio_by_hand() -> None:
    # r = 3/6; s - r n = 0, -1, 1: error² = 3/2 · 2 / 36.
    found = ratio_of_sums(np.array([1.0, 0.0, 2.0]), np.array([2.0, 2.0, 2.0]))
    assert (found.value, found.clusters) == (0.5, 3)
    assert found.error == pytest.approx(math.sqrt(3 / 36))
    half = 4.302652730 * found.error
    assert found.interval(0.95) == pytest.approx((0.5 - half, 0.5 + half))


def test_ratios_in_corners() -> None:
    none = ratio_of_sums(np.zeros(2), np.zeros(2))
    assert math.isnan(none.value)
    assert none.clusters == 0
    one = ratio_of_sums(np.array([1.0, 0.0]), np.array([4.0, 0.0]))
    assert one.value == 0.25
    assert math.isnan(one.error)
    assert math.isnan(one.p)
    assert all(map(math.isnan, one.interval(0.95)))
    same = ratio_of_sums(np.array([0.1, 0.2, 0.3]), np.array([1.0, 2.0, 3.0]))
    assert same.error == 0
    assert same.p == math.ulp(0.0)
    assert ratio_of_sums(np.zeros(3), np.ones(3)).p == 1


def test_clusters_of_one_are_a_t_test() -> None:
    from scipy.stats import ttest_1samp

    values = np.array([0.3, -0.1, 0.4, 0.2, 0.0])
    found = ratio_of_sums(values, np.ones(5))
    assert found.p == pytest.approx(ttest_1samp(values, 0).pvalue)


def evidence(values: np.ndarray) -> float:
    """The logarithm of the mixture after all values, by its definition."""
    halves = (values + 1) / 2
    drift = spread = 0.0
    past: list[float] = [0.5]
    for value in halves:
        spread += (value - sum(past) / len(past)) ** 2
        past.append(float(value))
        drift += value - 0.5
    rates = [0.9 * 2 ** (-place / 2) for place in range(24)]
    parts = [math.exp(r * drift - (-math.log(1 - r) - r) * spread) for r in rates]
    return math.log(sum(parts) / len(parts))


def test_the_always_valid_test_by_its_definition() -> None:
    values = np.array([1.0, 0.5, -0.25, 1.0, 1.0, 0.0, 1.0, 1.0])
    found = always_valid(values, np.array([3, 8]))
    largest = max(
        max(evidence(values[:n]), evidence(-values[:n])) for n in range(1, len(values) + 1)
    )
    assert found.p[1] == pytest.approx(min(1, 2 * math.exp(-largest)))
    assert found.counts.tolist() == [3, 8]
    assert found.means == pytest.approx([1.25 / 3, 5.25 / 8])


@given(
    values=st.lists(st.floats(-1, 1), min_size=1, max_size=60).map(np.array),
)
@settings(deadline=None, max_examples=60)
def test_what_always_holds(values: np.ndarray) -> None:
    looks = np.arange(1, len(values) + 1)
    found, turned = always_valid(values, looks), always_valid(-values, looks)
    assert (np.diff(found.p) <= 0).all()
    assert ((found.p > 0) & (found.p <= 1)).all()
    assert found.p == pytest.approx(turned.p)
    assert found.low == pytest.approx(-turned.high)
    assert ((found.low <= found.means + 1e-12) & (found.means <= found.high + 1e-12)).all()
    # An interval without 0 is evidence at its level.
    outside = (found.low > 0) | (found.high < 0)
    assert (found.p[outside] <= 0.05 + 1e-9).all()


def test_no_values_and_values_that_cannot_be() -> None:
    empty = always_valid(np.zeros(0))
    assert (empty.counts.tolist(), empty.p.tolist()) == ([0], [1.0])
    assert math.isnan(empty.means[0])
    with pytest.raises(ParameterError, match="between -1 and 1"):
        always_valid(np.array([1.5]))
    with pytest.raises(ParameterError):
        always_valid(np.array([np.nan]))
    with pytest.raises(ParameterError):
        always_valid(np.zeros(3), confidence=1)


def test_the_interval_narrows_as_with_a_planned_test() -> None:
    """After 100,000 values the always-valid interval is at most twice as wide as the planned."""
    values = np.random.default_rng(0).choice([-1.0, 0.0, 1.0], 100_000)
    found = always_valid(values)
    planned = 2 * 1.96 * values.std() / math.sqrt(len(values))
    assert planned < found.high[0] - found.low[0] < 2 * planned
