"""Intervals of means of bounded values, and of ratios of sums."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from hypothesis import given, strategies as st

from relyon.analysis.statistics import (
    Resampling,
    bernstein_half,
    bernstein_interval,
    betting_evidence,
    betting_interval,
    ratio_interval,
)
from relyon.core.errors import ParameterError

EXACT = {"bernstein": bernstein_interval, "betting": betting_interval}


def test_bernstein_as_written() -> None:
    """Theorem 4 of Maurer and Pontil, each side with half of the error."""
    values = np.array([0.2, 0.4, 0.9, 0.5] * 200)
    logarithm = math.log(2 / 0.025)
    half = math.sqrt(2 * values.var(ddof=1) * logarithm / 800) + 7 * logarithm / (3 * 799)
    assert bernstein_interval(values, 0, 1) == pytest.approx((0.5 - half, 0.5 + half))
    # Of another range it is the same, scaled.
    wide = bernstein_interval(10 * values - 3, -3, 7)
    assert wide == pytest.approx((2 - 10 * half, 2 + 10 * half))
    assert bernstein_half(0.1, 1.0, 1, 0.95) == math.inf


@pytest.mark.parametrize("mean", [0.05, 0.3, 0.5, 0.9])
@pytest.mark.parametrize("side", [1, -1])
def test_nobody_wins_by_betting_against_the_truth(mean: float, side: int) -> None:
    """The capital's expectation is 1, over every sequence of six values."""
    expected = []
    for drawn in itertools.product((0.0, 1.0), repeat=6):
        likely = math.prod(mean if value else 1 - mean for value in drawn)
        capital = math.exp(betting_evidence(np.array(drawn), mean, side, 0.95) + math.log(2 / 0.05))
        expected.append(likely * capital)
    assert math.fsum(expected) == pytest.approx(1, abs=1e-12)


@pytest.mark.long
@pytest.mark.parametrize("name", EXACT)
@pytest.mark.parametrize(("share", "most"), [(0.5, 1.0), (0.01, 1.0), (0.02, 50.0)])
def test_exact_intervals_hold_the_mean(name: str, share: float, most: float) -> None:
    """Values of 0 or the most: at 2% of them a t interval holds the mean in 9 of 10 cases."""
    generator = np.random.default_rng(11)
    held = 0
    for _ in range(400):
        values = np.where(generator.random(200) < share, most, 0.0)
        low, high = EXACT[name](values, 0, most)
        held += low <= share * most <= high
    assert held / 400 >= 0.95 - 4 * math.sqrt(0.95 * 0.05 / 400)


def test_betting_is_narrower() -> None:
    values = (np.random.default_rng(2).random(2000) < 0.05).astype(float)
    widths = {name: np.ptp(found(values, 0, 1)) for name, found in EXACT.items()}
    assert widths["betting"] < 0.8 * widths["bernstein"]


@pytest.mark.parametrize("name", EXACT)
@given(
    values=st.lists(st.floats(0, 1), max_size=30),
    scale=st.floats(0.1, 10),
    shift=st.floats(-5, 5),
)
def test_bounds(name: str, values: list[float], scale: float, shift: float) -> None:
    found = EXACT[name](np.array(values), 0, 1)
    assert 0 <= found[0] <= found[1] <= 1
    if values:
        assert found[0] - 1e-9 <= np.mean(values) <= found[1] + 1e-9
    moved = EXACT[name](np.array(values) * scale + shift, shift, shift + scale)
    wanted = [shift + scale * bound for bound in found]
    assert moved == pytest.approx(wanted, abs=1e-6)


@pytest.mark.parametrize("name", EXACT)
def test_values_near_nothing(name: str) -> None:
    low, high = EXACT[name](np.array([5e-324, 2.2e-308]), 0, 1)
    assert low == 0
    assert high > 0.5


@pytest.mark.parametrize("name", EXACT)
def test_values_out_of_range(name: str) -> None:
    with pytest.raises(ParameterError, match="outside the given range, 0 to 1"):
        EXACT[name](np.array([0.5, 1.5]), 0, 1)
    with pytest.raises(ParameterError, match="confidence"):
        EXACT[name](np.array([0.5]), 0, 1, confidence=1.0)


def test_the_interval_of_a_ratio() -> None:
    generator = np.random.default_rng(4)
    weights = generator.exponential(size=500)
    values = weights * generator.random(500)
    low, high = ratio_interval(values, weights, 0.95, Resampling(2000))
    drawn = generator.integers(0, 500, (4000, 500))
    ratios = values[drawn].sum(axis=1) / weights[drawn].sum(axis=1)
    assert (low, high) == pytest.approx(tuple(np.quantile(ratios, (0.025, 0.975))), abs=0.003)


def test_ratios_without_items() -> None:
    one = np.array([1.0])
    assert all(map(math.isnan, ratio_interval(one, one, 0.95, Resampling())))
    zero = np.zeros(5)
    assert all(map(math.isnan, ratio_interval(zero, zero, 0.95, Resampling())))
    assert ratio_interval(zero, np.ones(5), 0.95, Resampling()) == (0.0, 0.0)
