"""Means of groups: whether they differ, by how much, and shrunken to the whole."""

from __future__ import annotations

import math
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st
from numpy.typing import NDArray
from statsmodels.stats.meta_analysis import combine_effects

from relyon.analysis.statistics import group_means

Values = NDArray[np.float64]


def groups_of(sizes: list[int], seed: int, tau: float = 0.1) -> list[Values]:
    chance = np.random.default_rng(seed)
    return [chance.normal(chance.normal(0, tau), 0.2, size) for size in sizes]


def moderated(parts: list[Values], prior: float) -> tuple[Values, Values]:
    """The means and their squared errors, as the docstring defines them."""
    free = sum(len(one) - 1 for one in parts)
    common = sum(float(((one - one.mean()) ** 2).sum()) for one in parts) / free
    variances = [
        (float(((one - one.mean()) ** 2).sum()) + prior * common) / (len(one) - 1 + prior)
        for one in parts
    ]
    errors = [v / len(one) for v, one in zip(variances, parts, strict=True)]
    return np.array([one.mean() for one in parts]), np.array(errors)


@pytest.mark.filterwarnings("ignore:invalid value:RuntimeWarning")
@pytest.mark.parametrize("sizes", [[6, 6], [8, 20, 50], [1, 2, 3, 30], [6] * 12])
@pytest.mark.parametrize("seed", [1, 2, 3])
def test_variance_between_groups_is_that_of_statsmodels(sizes: list[int], seed: int) -> None:
    parts = groups_of(sizes, seed)
    means, errors = moderated(parts, 5)
    oracle = combine_effects(means, errors, method_re="dl")
    found = group_means(parts)
    tau2 = max(0.0, float(oracle.tau2))
    assert found.tau == pytest.approx(math.sqrt(tau2), abs=1e-9)
    whole = np.concatenate(parts).mean()
    wanted = whole + (means - whole) * tau2 / (tau2 + errors)
    assert found.shrunken == pytest.approx(wanted, abs=1e-12)


@pytest.mark.filterwarnings("ignore:invalid value:RuntimeWarning")
def test_q_of_the_test_is_that_of_statsmodels_with_small_groups_as_one() -> None:
    parts = groups_of([1, 2, 30, 12], 4)
    means, errors = moderated([parts[2], parts[3], np.concatenate(parts[:2])], 0.5)
    assert group_means(parts).q == pytest.approx(combine_effects(means, errors).q)


def exact_p(values: Values, size: int) -> float:
    """The share of all splits into two groups whose Q reaches that of the first one."""

    def q(chosen: tuple[int, ...]) -> float:
        mask = np.isin(np.arange(len(values)), chosen)
        means, errors = moderated([values[mask], values[~mask]], 0.5)
        centre = (means / errors).sum() / (1 / errors).sum()
        return float((((means - centre) ** 2) / errors).sum())

    observed = q(tuple(range(size)))
    every = [q(one) for one in combinations(range(len(values)), size)]
    return float(np.mean([one >= observed * (1 - 1e-9) for one in every]))


@pytest.mark.parametrize("shift", [0.0, 0.2, 0.35])
def test_p_is_that_of_all_orders(shift: float) -> None:
    chance = np.random.default_rng(6)
    first, second = chance.normal(0, 0.2, 6), chance.normal(shift, 0.2, 6)
    exact = exact_p(np.concatenate([first, second]), 6)
    error = 4 * math.sqrt(exact * (1 - exact) / 2000) + 1 / 2000
    assert group_means([first, second]).p == pytest.approx(exact, abs=error)


@settings(max_examples=20, deadline=None)
@given(st.integers(0, 1000), st.floats(0.01, 1e6), st.floats(-10, 10))
def test_units_and_order_of_groups_do_not_matter(seed: int, unit: float, shift: float) -> None:
    parts = groups_of([7, 9, 3], seed)
    found = group_means(parts)
    scaled = group_means([unit * (one + shift) for one in parts])
    assert scaled.q == pytest.approx(found.q, rel=1e-6)
    assert scaled.tau == pytest.approx(unit * found.tau, rel=1e-6, abs=1e-6 * unit)
    wanted = [unit * (one + shift) for one in found.shrunken]
    assert scaled.shrunken == pytest.approx(wanted, rel=1e-6, abs=1e-6 * unit)
    turned = group_means(parts[::-1])
    assert turned.shrunken[::-1] == pytest.approx(found.shrunken)


@settings(max_examples=30, deadline=None)
@given(st.integers(0, 1000), st.lists(st.integers(1, 12), min_size=2, max_size=6))
def test_shrunken_means_lie_between_their_own_and_the_whole(seed: int, sizes: list[int]) -> None:
    parts = groups_of(sizes, seed)
    found = group_means(parts)
    whole = float(np.concatenate(parts).mean())
    for one, shrunken in zip(parts, found.shrunken, strict=True):
        low, high = sorted((float(one.mean()), whole))
        assert math.isnan(shrunken) or low - 1e-12 <= shrunken <= high + 1e-12


def test_larger_groups_keep_more_of_their_own() -> None:
    chance = np.random.default_rng(3)
    parts = [0.3 + chance.normal(0, 0.2, 8), -0.3 + chance.normal(0, 0.2, 200),
             0.3 + chance.normal(0, 0.2, 200)]  # fmt: skip
    found = group_means(parts)
    whole = np.concatenate(parts).mean()
    kept = [
        (s - whole) / (one.mean() - whole) for s, one in zip(found.shrunken, parts, strict=True)
    ]
    assert kept[0] < kept[1] < 1
    assert kept[2] > kept[0]


@pytest.mark.parametrize(
    "parts",
    [
        [np.zeros(9), np.zeros(9)],
        [np.full(9, 0.1), np.full(9, 0.1)],
        [np.full(9, 0.1), np.full(9, 0.3)],
        [np.arange(9.0), np.empty(0)],
        [np.arange(9.0), np.full(9, np.inf)],
        [np.array([1.0]), np.array([2.0])],
        [],
    ],
    ids=["zero", "equal", "no spread", "one group", "infinite", "one value each", "nothing"],
)
def test_nothing_is_told_where_nothing_is_known(parts: list[Values]) -> None:
    found = group_means(parts)
    assert math.isnan(found.p)
    assert math.isnan(found.q)
    assert len(found.shrunken) == len(parts)
    assert all(map(math.isnan, found.shrunken))


def test_fewer_than_six_values_are_not_tested_alone() -> None:
    parts = groups_of([5, 40], 1)
    alone = group_means(parts)
    assert not math.isnan(alone.p), "five values are a group of their own kind together"
    single = group_means([parts[1], np.array([0.5])])
    assert math.isnan(single.p)
    assert not math.isnan(single.shrunken[1])


def test_every_value_a_cluster_has_the_means_of_values() -> None:
    parts = groups_of([8, 12], 2)
    ids = [np.arange(8), 100 + np.arange(12)]
    plain, clustered = group_means(parts), group_means(parts, ids)
    assert clustered.q == pytest.approx(plain.q)
    assert clustered.shrunken == pytest.approx(plain.shrunken)


def test_copies_in_clusters_are_no_evidence() -> None:
    """Six copies of each value, as clusters, have about the p-value of the values."""
    parts = groups_of([8, 8], 12, tau=0.15)
    copies = [np.repeat(one, 6) for one in parts]
    ids = [np.repeat(np.arange(8), 6), 50 + np.repeat(np.arange(8), 6)]
    plain = group_means(parts)
    assert group_means(copies).p < plain.p / 5
    assert group_means(copies, ids).p == pytest.approx(plain.p, rel=0.5)


def test_the_order_of_values_does_not_matter_to_the_numbers() -> None:
    parts = groups_of([8, 12], 2)
    turned = group_means([one[::-1] for one in parts])
    assert turned.q == pytest.approx(group_means(parts).q)
