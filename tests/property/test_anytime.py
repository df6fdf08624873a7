"""Always-valid tests on any values."""

from __future__ import annotations

import math

import numpy as np
from hypothesis import given, settings, strategies as st

from relyon.analysis.statistics import kelly_interval, kelly_p, mixture_half, mixture_p

VALUES = st.lists(st.floats(-1, 1), min_size=1, max_size=40)


@given(VALUES, st.floats(-1, 1))
@settings(max_examples=60, deadline=None)
def test_interval_and_p_agree(values: list[float], mean: float) -> None:
    found = np.array(values)
    low, high = kelly_interval(found, -1, 1)
    assert -1 <= low <= found.mean() + 1e-9
    assert found.mean() - 1e-9 <= high <= 1
    p = kelly_p(found, mean, -1, 1)
    assert 0 <= p <= 1
    if p < 0.0499:
        assert not low + 1e-9 < mean < high - 1e-9
    if p > 0.0501:
        assert low - 1e-9 <= mean <= high + 1e-9


@given(VALUES)
@settings(max_examples=40, deadline=None)
def test_neither_order_nor_sign_matters(values: list[float]) -> None:
    found = np.array(values)
    other = np.sort(found)[::-1]
    assert kelly_p(found, 0, -1, 1) == kelly_p(other, 0, -1, 1)
    low, high = kelly_interval(found, -1, 1)
    turned = kelly_interval(-found, -1, 1)
    assert math.isclose(low, -turned[1], abs_tol=1e-9)
    assert math.isclose(high, -turned[0], abs_tol=1e-9)


@given(st.floats(-10, 10), st.floats(1e-3, 10), st.floats(2, 1e4), st.floats(0.01, 1e4))
@settings(max_examples=100, deadline=None)
def test_the_mixture_agrees_with_its_interval(
    estimate: float, error: float, degrees: float, x: float
) -> None:
    p = mixture_p(estimate, error, degrees, x)
    half = mixture_half(error, degrees, x)
    assert 0 <= p <= 1
    if p < 0.0499:
        assert abs(estimate) > half * (1 - 1e-6)
    if p > 0.0501:
        assert abs(estimate) < half * (1 + 1e-6)
