"""Distributions against SciPy's, far out in both tails."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest
import scipy.stats
from hypothesis import given, settings, strategies as st
from scipy import special

from relyon.analysis.statistics import distributions
from relyon.analysis.statistics.distributions import (
    binomial_p,
    chi_square_tail,
    f_tail,
    independence_p,
    normal,
    normal_quantile,
    signed_rank_p,
    student,
    student_quantile,
)

#: Held against exact sums, it is the older SciPy that is wrong in the 12th digit.
exact_scipy = pytest.mark.skipif(
    tuple(map(int, scipy.__version__.split(".")[:2])) < (1, 17),
    reason="SciPy before 1.17 has fewer digits",
)

DEGREES = (0.5, 1, 2, 3, 4, 5.5, 9, 19, 49, 88.8, 99, 499, 2500, 10_000, 1_000_000)
INSIDE = [0.01, 0.3, 0.9, 1.2, 1.7, 1.8, 2.0, 3.0, 5.0, 8.0, 13.0, 25.0]


def near(found: float, wanted: float, closest: float = 1e-13) -> bool:
    """Of a probability so small that its logarithm's last digit shows, fewer digits are known.

    SciPy is wrong for some that are below 1e-250: 0, or off from the third digit.
    """
    known = closest if not 0 < abs(wanted) < 1e-30 else 1e-13 * -math.log(abs(wanted))
    return math.isclose(found, wanted, rel_tol=known, abs_tol=1e-250)


@pytest.mark.parametrize("degrees", DEGREES)
def test_students_tail_is_scipys(degrees: float) -> None:
    for t in INSIDE:
        assert near(student(degrees, -t), float(special.stdtr(degrees, -t))), t
        assert near(student(degrees, t), float(special.stdtr(degrees, t))), t


def test_students_tail_of_one_and_two_degrees_is_known_exactly() -> None:
    for t in (1e-12, 1e-9, 1e-4, 0.5, 3.0, 1e6, 1e100):
        assert near(student(1, -t), math.atan2(1, t) / math.pi)
        inside = t / math.sqrt(2 + t * t)
        assert near(student(2, -t), 1 / (2 + t * t) / (1 + inside))
    assert student(3, -math.inf) == 0
    assert student(3, math.inf) == 1
    assert student(3, 0) == 0.5
    assert student(math.inf, -2.0) == normal(-2.0)
    assert all(math.isnan(student(bad, 1.0)) for bad in (0, -1, math.nan))
    assert math.isnan(student(3, math.nan))


@exact_scipy
@pytest.mark.parametrize("degrees", DEGREES)
def test_students_quantile_is_scipys(degrees: float) -> None:
    for p in (0.025, 0.05, 0.2, 0.6, 0.75, 0.76, 0.8, 0.9, 0.95, 0.975, 0.995, 0.9995, 1e-6, 1e-12):
        assert near(student_quantile(degrees, p), float(special.stdtrit(degrees, p)), 1e-12), p


@settings(max_examples=300, deadline=None)
@given(st.floats(0.2, 1e7), st.floats(1e-250, 0.5, exclude_max=True))
def test_a_quantile_has_its_probability(degrees: float, p: float) -> None:
    t = student_quantile(degrees, p)
    if math.isfinite(t) and abs(t) < 1e100 and p < 0.49:
        assert math.isclose(student(degrees, t), p, rel_tol=1e-10)
        assert student_quantile(degrees, 1 - p) == -student_quantile(degrees, 1 - (1 - p))
    z = normal_quantile(p)
    assert math.isclose(normal(z), p, rel_tol=1e-11)


def test_ends_of_quantiles() -> None:
    for quantile in (normal_quantile, lambda p: student_quantile(7, p)):
        assert quantile(0.5) == 0
        assert quantile(0) == -math.inf
        assert quantile(1) == math.inf
        assert math.isnan(quantile(1.1))
        assert math.isnan(quantile(math.nan))
    assert math.isnan(student_quantile(0, 0.5))


def test_the_normal_distribution_is_scipys() -> None:
    for z in np.linspace(-37, 9, 500).tolist():
        assert near(normal(z), float(special.ndtr(z)))
    for p in [*np.linspace(0, 1, 400)[1:-1].tolist(), *(10.0**-k for k in range(2, 300, 7))]:
        assert near(normal_quantile(p), float(special.ndtri(p)), 2e-15)


@exact_scipy
@pytest.mark.parametrize("numerator", [1, 2, 3, 9, 49])
@pytest.mark.parametrize("denominator", [2, 10, 49, 999, 50_000])
def test_the_tail_of_f_is_scipys(numerator: int, denominator: int) -> None:
    for f in INSIDE:
        assert near(
            f_tail(numerator, denominator, f),
            float(special.fdtrc(numerator, denominator, f)),
            2e-13,
        ), f
    assert f_tail(numerator, denominator, 0) == 1
    assert f_tail(numerator, denominator, math.inf) == 0


@pytest.mark.parametrize("degrees", [1, 2, 3, 4, 7, 15, 40, 200])
def test_the_tail_of_chi_square_is_scipys(degrees: int) -> None:
    for factor in INSIDE:
        x = degrees * factor
        assert near(chi_square_tail(degrees, x), float(special.chdtrc(degrees, x))), x
    assert chi_square_tail(degrees, 0) == 1


@settings(max_examples=200, deadline=None)
@given(st.data())
def test_the_binomial_test_is_scipys(data: st.DataObject) -> None:
    trials = data.draw(st.integers(1, 3000))
    successes = data.draw(st.integers(0, trials))
    share = data.draw(st.sampled_from([0.5, 0.1, 0.9, 1 / 3, 0.013]))
    wanted = float(scipy.stats.binomtest(successes, trials, share).pvalue)
    assert near(binomial_p(successes, trials, share), wanted, 1e-12)


@pytest.mark.parametrize(
    ("successes", "trials", "share"),
    [(165, 181, 0.013), (28, 30, 0.1)],
)
def test_a_far_tail_of_the_binomial_test_is_the_exact_sum(
    successes: int, trials: int, share: float
) -> None:
    """Exact in fractions; SciPy's first case has ten digits."""
    chance = Fraction(share)
    wanted = sum(
        math.comb(trials, k) * chance**k * (1 - chance) ** (trials - k)
        for k in range(successes, trials + 1)
    )
    found = Fraction(binomial_p(successes, trials, share))
    assert abs(float(found / wanted - 1)) < 1e-12


def test_the_binomial_test_without_trials() -> None:
    assert binomial_p(0, 0) == 1.0
    assert binomial_p(0, 1) == binomial_p(1, 1) == 1.0


@pytest.mark.long
@pytest.mark.parametrize("ties", [False, True])
@pytest.mark.parametrize("size", [1, 2, 3, 5, 8, 12, 13, 14, 30, 50, 51, 200])
def test_signed_ranks_are_scipys(size: int, ties: bool) -> None:
    generator = np.random.default_rng(size)
    for shift in (0.0, 0.4, -1.5):
        differences = generator.normal(shift, 1, size)
        if ties:
            differences = np.round(differences * 2) / 2 + 0.25
        wanted = scipy.stats.wilcoxon(differences, correction=False, method="auto")
        statistic, p = signed_rank_p(differences)
        assert statistic == wanted.statistic
        assert math.isclose(p, float(wanted.pvalue), rel_tol=1e-12), (differences, p, wanted)


def test_independence_is_scipys() -> None:
    for table in ([[90, 110], [120, 80]], [[3, 1], [1, 5]], [[10, 20, 30], [12, 25, 60]]):
        for correct in (False, True):
            wanted = scipy.stats.chi2_contingency(table, correction=correct).pvalue
            assert near(independence_p(table, correct=correct), float(wanted), 1e-12)


def test_every_name_is_documented() -> None:
    assert set(distributions.__all__) <= set(vars(distributions))
