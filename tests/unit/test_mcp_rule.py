"""The rule of the sealed set: levels over the tree of answers, and the test."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest

import relyon
from relyon.compat.mcp.rule import detectable, is_better, least_queries, level_of


@pytest.mark.parametrize("looks", [1, 2, 3, 6, 10])
def test_levels_of_all_nodes_sum_to_less_than_alpha(looks: int) -> None:
    """Brute force: every sequence of answers before a look is a node with a test of its own."""
    levels = [
        level_of(looks, sum(before), 0.05)
        for look in range(1, looks + 1)
        for before in itertools.product((0, 1), repeat=look - 1)
    ]
    assert len(levels) == 2**looks - 1
    assert math.fsum(levels) == pytest.approx(0.05 * (1 - 2.0**-looks))


def test_a_look_costs_the_same_at_any_time_until_something_is_better() -> None:
    assert level_of(20, 0, 0.05) == pytest.approx(0.05 / 40)
    assert level_of(20, 1, 0.05) == pytest.approx(0.05 / 4 / 190)
    assert level_of(20, 20, 0.05) == 0


@pytest.mark.parametrize(("looks", "alpha"), [(0, 0.05), (5, 0.0), (5, 1.0)])
def test_bad_settings_are_refused(looks: int, alpha: float) -> None:
    with pytest.raises(relyon.ParameterError):
        level_of(looks, 0, alpha)


def test_the_wrong_answers_of_the_test_are_bounded_exactly() -> None:
    """Differences of 1 or −1, equally likely: all 2^12 samples, each counted once."""
    for level in (0.05, 0.01, 0.002):
        samples = itertools.product((-1.0, 1.0), repeat=12)
        wrong = sum(is_better(np.array(one), level) for one in samples)
        assert wrong / 2**12 <= level


def test_rare_losses_are_not_taken_for_an_improvement() -> None:
    """With a level of .001 it takes more than 100 small gains to rule a rare large loss out."""
    assert not is_better(np.full(100, 0.005), 0.001)
    assert is_better(np.full(100, 0.2), 0.001)


@pytest.mark.parametrize("value", [0.0, -0.1, -1.0])
def test_no_gain_is_never_better(value: float) -> None:
    assert not is_better(np.full(1000, value), 0.05)


def test_no_differences_and_no_level_are_never_better() -> None:
    assert not is_better(np.array([]), 0.05)
    assert not is_better(np.ones(1000), 1e-13)


@pytest.mark.parametrize("value", [1.5, -2.0, math.nan, math.inf])
def test_values_beyond_the_range_are_refused(value: float) -> None:
    with pytest.raises(relyon.ParameterError, match="not between -1 and 1"):
        is_better(np.array([0.1, value]), 0.05)


def test_the_fewest_queries_are_the_fewest() -> None:
    level = level_of(20, 0, 0.05)
    least = least_queries(level)
    assert is_better(np.ones(least), level)
    assert not is_better(np.ones(least - 1), level)


def test_the_stated_price_is_found_half_of_the_time() -> None:
    random = np.random.default_rng(5)
    level = level_of(20, 0, 0.05)
    for queries in (200, 500):
        price = detectable(queries, level, 0.15)
        found = sum(is_better(random.normal(price, 0.15, queries), level) for _ in range(300))
        assert 0.3 < found / 300 < 0.7


def test_rounding_does_not_make_an_error() -> None:
    assert is_better(np.full(50, 1 + 1e-15), 0.001)
