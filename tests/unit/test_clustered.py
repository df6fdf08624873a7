"""Means of values in clusters: error, degrees of freedom, sign flips, bootstrap."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st
from numpy.typing import NDArray

from relyon.analysis.statistics import (
    ClusteredMean,
    Resampling,
    cluster_interval,
    cluster_test,
    correlation_within,
    degrees_of_sizes,
    interval,
    paired_test,
)
from relyon.analysis.statistics.clusters.flips import EXACT, flips_interval, flips_test

Values = NDArray[np.float64]
Groups = NDArray[np.int64]

SIZES = {"equal": [4] * 7, "one half": [12, 2, 2, 2, 2, 2, 2], "two": [3, 5], "mixed": [1, 6, 2, 9]}


def sample(sizes: list[int], seed: int = 0) -> tuple[Values, Groups]:
    """Returns values with a component of their cluster, in the order of the clusters."""
    random = np.random.default_rng([seed, *sizes])
    groups = np.repeat(np.arange(len(sizes)), sizes)
    values = random.normal(0.1, 1, len(sizes))[groups] + random.normal(0, 1, len(groups))
    return values, groups


@pytest.mark.parametrize("kind", SIZES)
def test_error_and_degrees_by_matrices(kind: str) -> None:
    """CR2 and Satterthwaite from their definitions, with matrices and eigenvalues."""
    values, groups = sample(SIZES[kind])
    n = len(values)
    ones = np.ones((n, 1))
    hat = ones @ ones.T / n
    maker = np.eye(n) - hat
    rest = maker @ values
    variance, vectors = 0.0, []
    for group in range(groups.max() + 1):
        rows = groups == group
        inner = maker[np.ix_(rows, rows)]
        eigen, basis = np.linalg.eigh(inner)
        half = basis @ np.diag(eigen**-0.5) @ basis.T
        variance += float((np.ones(rows.sum()) @ half @ rest[rows] / n) ** 2)
        vectors.append(np.ones(rows.sum()) @ half @ maker[rows] / n)
    eigenvalues = np.linalg.eigvalsh(np.array(vectors) @ np.array(vectors).T)
    found = ClusteredMean.of(values, groups)
    assert found.error == pytest.approx(math.sqrt(variance), rel=1e-12)
    wanted = eigenvalues.sum() ** 2 / (eigenvalues**2).sum()
    assert found.degrees == pytest.approx(wanted, rel=1e-12)


def test_error_of_equal_clusters_is_that_of_statsmodels() -> None:
    """Of equal clusters CR2 is the sandwich with the factor G / (G - 1)."""
    linear = pytest.importorskip("statsmodels.api")
    values, groups = sample([5] * 9)
    fitted = linear.OLS(values, np.ones(len(values))).fit(
        cov_type="cluster", cov_kwds={"groups": groups, "use_correction": False}
    )
    plain = float(fitted.cov_params()[0, 0])
    found = ClusteredMean.of(values, groups)
    assert found.error**2 == pytest.approx(plain * 9 / 8, rel=1e-12)


def test_clusters_of_one_value_are_the_paired_t_test() -> None:
    values = np.random.default_rng(3).normal(0.3, 1, 25)
    found = ClusteredMean.of(values, np.arange(25))
    plain = paired_test("t", values)
    assert found.degrees == pytest.approx(24, rel=1e-12)
    assert found.t_test().p == pytest.approx(plain.p, rel=1e-12)
    assert found.t_interval(0.9) == pytest.approx(interval("t", values, confidence=0.9), rel=1e-12)


@pytest.mark.parametrize("clusters", range(2, 13))
def test_flips_by_brute_force(clusters: int) -> None:
    sizes = [1 + (3 * place) % 5 for place in range(clusters)]
    values, groups = sample(sizes, clusters)
    found = ClusteredMean.of(values, groups)
    totals = found.sums
    extreme = [
        abs(sum(one * two for one, two in zip(signs, totals, strict=True)))
        >= abs(totals.sum()) * (1 - 1e-12)
        for signs in itertools.product((1, -1), repeat=clusters)
    ]
    assert flips_test(found, Resampling()).p == pytest.approx(np.mean(extreme), rel=1e-12)


@given(
    st.lists(st.tuples(st.integers(-50, 50), st.integers(1, 9)), min_size=6, max_size=11),
    st.sampled_from([0.8, 0.9, 0.95]),
)
@settings(max_examples=60, deadline=None)
def test_interval_agrees_with_the_test(rows: list[tuple[int, int]], confidence: float) -> None:
    """A mean is outside the interval if and only if the test of that mean rejects it."""
    sums = np.array([float(one) for one, _ in rows])
    sizes = np.array([float(two) for _, two in rows])
    low, high = flips_interval(ClusteredMean(sums, sizes), confidence, Resampling())
    if not low < high:
        return
    for shift in (low - 1e-6, low + 1e-6, high - 1e-6, high + 1e-6, 0.0):
        if min(abs(shift - low), abs(shift - high)) < 1e-7:
            continue
        p = flips_test(ClusteredMean(sums - shift * sizes, sizes), Resampling()).p
        assert (p <= 1 - confidence + 1e-12) == (not low <= shift <= high)


def test_random_flips_agree_with_the_interval_and_with_all() -> None:
    values, groups = sample([3, 1] * 10, 5)
    found = ClusteredMean.of(values + 0.4, groups)
    assert found.count > EXACT
    draws = Resampling(resamples=20_000, seed=3)
    p = flips_test(found, draws).p
    low, high = flips_interval(found, 1 - p - 1e-3, draws)
    assert low > 0 or high < 0
    low, high = flips_interval(found, 1 - p + 1e-3, draws)
    assert low < 0 < high
    fewer = ClusteredMean(found.sums[:EXACT], found.sizes[:EXACT])
    again = ClusteredMean(np.append(fewer.sums, [0.0]), np.append(fewer.sizes, [1.0]))
    assert flips_test(again, draws).p == pytest.approx(flips_test(fewer, draws).p, abs=0.01)


@pytest.mark.parametrize("name", ["t", "permutation", "bootstrap"])
def test_order_and_units_do_not_matter(name: str) -> None:
    values, groups = sample([2, 5, 1, 4] * 6, 2)
    draws = Resampling(resamples=2000)
    one = cluster_test(name, ClusteredMean.of(values, groups), draws).p
    order = np.random.default_rng(1).permutation(len(values))
    assert cluster_test(name, ClusteredMean.of(values[order], groups[order]), draws).p == one
    scaled = cluster_test(name, ClusteredMean.of(values * 2.0**30, groups), draws).p
    assert scaled == pytest.approx(one, rel=1e-9)


def test_bootstrap_of_single_values_is_todays() -> None:
    values = np.random.default_rng(4).normal(0.2, 1, 40)
    found = ClusteredMean.of(values, np.arange(40))
    draws = Resampling(resamples=20_000)
    plain = paired_test("bootstrap", values, resamples=20_000)
    assert cluster_test("bootstrap", found, draws).p == pytest.approx(plain.p, abs=0.01)
    for kind in ("percentile", "bca"):
        ours = cluster_interval(kind, found, 0.95, draws)
        assert ours == pytest.approx(interval(kind, values, resamples=20_000), abs=0.01)


def test_corners() -> None:
    draws = Resampling(resamples=500)
    one = ClusteredMean.of(np.array([0.1, 0.5, 0.2]), np.zeros(3, dtype=np.int64))
    assert one.decided
    for name in ("t", "permutation", "bootstrap"):
        assert math.isnan(cluster_test(name, one, draws).p)
    assert math.isnan(cluster_interval("t", one, 0.95, draws)[0])
    zero = ClusteredMean.of(np.zeros(8), np.repeat(np.arange(4), 2))
    assert [cluster_test(name, zero, draws).p for name in ("t", "permutation", "bootstrap")] == [
        1.0
    ] * 3
    assert math.isnan(cluster_interval("t", zero, 0.95, draws)[0])
    equal = ClusteredMean.of(np.full(8, 0.1), np.repeat(np.arange(4), 2))
    assert equal.error == 0
    assert cluster_test("t", equal, draws).p == cluster_test("permutation", equal, draws).p == 0.125
    broken = ClusteredMean.of(np.array([0.1, math.inf, 0.2]), np.array([0, 1, 1]))
    assert math.isnan(cluster_test("t", broken, draws).p)
    assert math.isnan(cluster_test("permutation", broken, draws).p)
    nothing = ClusteredMean.of(np.zeros(0), np.zeros(0, dtype=np.int64))
    assert nothing.decided
    assert math.isnan(nothing.value)
    large = ClusteredMean.of(np.ones(20), np.array([0] * 18 + [1, 2]))
    assert large.decided
    assert large.shape.largest == 0.9


def test_degrees_never_exceed_clusters() -> None:
    random = np.random.default_rng(0)
    for count in (2, 5, 30):
        sizes = random.integers(1, 50, count).astype(float)
        assert 0.99 < degrees_of_sizes(sizes) <= count - 1 + 1e-9


def test_correlation_within_planted() -> None:
    random = np.random.default_rng(8)
    groups = np.repeat(np.arange(2000), 3)
    for rho in (0.0, 0.3, 0.8):
        values = math.sqrt(rho) * random.normal(size=2000)[groups]
        values = values + math.sqrt(1 - rho) * random.normal(size=6000)
        assert correlation_within(values, groups) == pytest.approx(rho, abs=0.04)
        found = ClusteredMean.of(values, groups)
        assert found.design_effect(values) == pytest.approx(1 + 2 * rho, abs=0.1)
    assert correlation_within(np.repeat([0.1, 0.2], 2), np.array([0, 0, 1, 1])) == 1.0
    assert math.isnan(correlation_within(np.full(4, 0.1), np.array([0, 0, 1, 1])))
    assert math.isnan(correlation_within(np.arange(4.0), np.arange(4)))
