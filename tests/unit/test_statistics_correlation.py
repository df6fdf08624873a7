"""Rank correlations against scipy and the reference implementation of τ_AP with ties."""

from __future__ import annotations

import math

import numpy as np
import pytest
import scipy.stats
from hypothesis import given, strategies as st

from relyon.analysis.statistics.correlation import coefficients, correlate
from relyon.core.errors import UnknownNameError

ITEMS = st.integers(2, 12).flatmap(
    lambda size: st.tuples(
        *[st.lists(st.integers(-2, 4), min_size=size, max_size=size) for _ in range(2)]
    )
)
SCIPY = {
    "kendall": scipy.stats.kendalltau,
    "spearman": scipy.stats.spearmanr,
    "pearson": scipy.stats.pearsonr,
}

# Inputs and values of the tests of ircor 1.0 (Urbano and Marrero's own package), 4 decimals.
IRCOR = [
    (
        [0.897, 0.372, 0.908, 0.898, 0.661, 0.062, 0.177, 0.384, 0.498, 0.992],
        [0.82, 0.406, 0.817, 0.953, 0.673, 0.073, 0.364, 0.547, 0.589, 0.988],
        0.8333,
    ),
    (
        [0.9, 0.4, 0.9, 0.9, 0.7, 0.1, 0.2, 0.4, 0.5, 1],
        [0.8, 0.4, 0.8, 1, 0.7, 0.1, 0.4, 0.5, 0.6, 1],
        0.7321,
    ),
    (
        [0.3, 0.6, 0.2, 0.9, 0.6, 0.2, 0.7, 0.8, 0.7, 0.4],
        [0.3, 0.8, 0.7, 0.9, 0.1, 0.1, 0.5, 0.6, 1, 0.6],
        0.297,
    ),
    (
        [0.2, 0.6, 0.9, 0.1, 0.5, 0.6, 0.8, 0.4, 1, 0.4],
        [0.8, 0.3, 0.3, 0.9, 0.6, 0.3, 0.2, 0.9, 0, 0.2],
        -0.7047,
    ),
]


def directed_tau_ap(reference: list[int], other: list[int]) -> float:
    """The definition, item by item."""
    shares = []
    for item, value in enumerate(reference):
        above = [place for place, one in enumerate(reference) if one > value]
        if above:
            shares.append(sum(other[place] > other[item] for place in above) / len(above))
    return 2 * sum(shares) / len(shares) - 1 if shares else math.nan


@given(ITEMS)
def test_scipy_finds_the_same(items: tuple[list[int], list[int]]) -> None:
    first, second = (np.array(one, dtype=float) * 0.1 for one in items)
    constant = len(set(items[0])) == 1 or len(set(items[1])) == 1
    for name, reference in SCIPY.items():
        found = correlate(name, first, second)
        if constant:
            assert math.isnan(found)
        else:
            assert found == pytest.approx(reference(first, second)[0], abs=1e-12)


@given(ITEMS)
def test_tau_ap_is_its_definition(items: tuple[list[int], list[int]]) -> None:
    found = correlate("tau_ap", np.array(items[0], float), np.array(items[1], float))
    wanted = (directed_tau_ap(*items) + directed_tau_ap(*reversed(items))) / 2
    assert found == pytest.approx(wanted, nan_ok=True, abs=1e-12)


@pytest.mark.parametrize(("first", "second", "value"), IRCOR)
def test_tau_ap_with_ties_is_ircors(first: list[float], second: list[float], value: float) -> None:
    found = correlate("tau_ap", np.array(first), np.array(second))
    assert found == pytest.approx(value, abs=5e-5)


def test_rounding_noise_is_a_tie() -> None:
    values = np.array([[0.1 + 0.2, 0.3, 0.5], [1.0, 2.0, 3.0]])
    clean = np.array([[0.3, 0.3, 0.5], [1.0, 2.0, 3.0]])
    for name in ("kendall", "tau_ap", "spearman"):
        assert coefficients.get(name).matrix(values)[0, 1] == pytest.approx(
            coefficients.get(name).matrix(clean)[0, 1]
        )
    assert math.isnan(correlate("pearson", np.array([0.1 + 0.2, 0.3]), np.array([1.0, 2.0])))


def test_an_unknown_coefficient_is_named() -> None:
    with pytest.raises(UnknownNameError, match="kendal"):
        correlate("kendal", np.array([1.0, 2.0]), np.array([1.0, 2.0]))
