"""Intervals, effect sizes, corrections, power and the analysis of variance."""

from __future__ import annotations

import itertools
import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given, strategies as st
from numpy.typing import NDArray
from scipy import stats

from relyon.analysis.statistics import (
    adjust,
    effect_size,
    interval,
    mean,
    queries_needed,
    smallest_detectable,
    standard_deviation,
    tukey_hsd,
    two_way_anova,
)
from relyon.core.errors import ParameterError

Values = NDArray[np.float64]
INTERVALS = ["t", "percentile", "bca"]


def samples(count: int, seed: int = 0) -> Values:
    """Skewed differences, as those of search results are."""
    return np.random.default_rng([count, seed]).exponential(0.1, count) - 0.07


# -- intervals ---------------------------------------------------------------------------------


@pytest.mark.parametrize("confidence", [0.5, 0.95, 0.999])
def test_the_t_interval_is_scipys(confidence: float) -> None:
    expected = stats.ttest_1samp(samples(30), 0.0).confidence_interval(confidence)
    found = interval("t", samples(30), confidence=confidence)
    assert found == pytest.approx((expected.low, expected.high), rel=1e-10)


@pytest.mark.parametrize("name", ["percentile", "bca"])
@pytest.mark.parametrize("count", [8, 60])
def test_bootstrap_intervals_are_near_scipys(name: str, count: int) -> None:
    differences = samples(count)
    expected = stats.bootstrap(
        (differences,),
        np.mean,
        method={"percentile": "percentile", "bca": "BCa"}[name],
        n_resamples=50_000,
        rng=np.random.default_rng(1),
    ).confidence_interval
    found = interval(name, differences, resamples=50_000)
    # The ends are quantiles of draws: a few percent of their standard error apart.
    error = 0.06 * float(differences.std()) / math.sqrt(count)
    assert found == pytest.approx((expected.low, expected.high), abs=error)


@pytest.mark.parametrize("name", INTERVALS)
def test_intervals_move_with_the_data_and_keep_their_width(name: str) -> None:
    low, high = interval(name, samples(40))
    moved = interval(name, samples(40) + 1000.0)
    assert moved == pytest.approx((low + 1000, high + 1000), abs=1e-9)
    mirrored = interval(name, -samples(40))
    if name == "t":
        assert mirrored == pytest.approx((-high, -low))
    wide = interval(name, samples(40), confidence=0.99)
    assert wide[0] < low < mean(samples(40)) < high < wide[1]


@pytest.mark.parametrize("name", ["percentile", "bca"])
def test_bootstrap_intervals_depend_on_the_seed_only(name: str) -> None:
    found = {interval(name, samples(40), seed=2, threads=threads) for threads in (1, 2, 5, 16)}
    assert len(found) == 1
    assert interval(name, samples(40), seed=3) not in found


@pytest.mark.parametrize("name", INTERVALS)
def test_intervals_without_an_answer(name: str) -> None:
    for values in ([], [0.2], [math.nan, 1.0, 2.0], [math.inf, 1.0, 2.0]):
        assert all(map(math.isnan, interval(name, np.array(values))))
    assert interval(name, np.zeros(5)) == (0.0, 0.0)
    assert interval(name, np.full(7, 0.7)) == (mean(np.full(7, 0.7)),) * 2


def test_parameters_of_intervals_are_checked() -> None:
    with pytest.raises(ParameterError, match="`interval` must be one of"):
        interval("basic", samples(5))
    for confidence in (0.0, 1.0, 95.0, math.nan):
        with pytest.raises(ParameterError, match="`confidence` must be between 0 and 1"):
            interval("t", samples(5), confidence=confidence)
    with pytest.raises(ParameterError, match="`resamples`"):
        interval("bca", samples(5), resamples=0)


# -- moments -----------------------------------------------------------------------------------


@given(st.lists(st.floats(-1e6, 1e6), min_size=2, max_size=20), st.randoms())
def test_the_order_of_the_values_does_not_matter(values: list[float], random: Any) -> None:
    mixed = list(values)
    random.shuffle(mixed)
    for function in (mean, standard_deviation, effect_size):
        assert function(np.array(mixed)) == function(np.array(values))


@pytest.mark.parametrize("exponent", [-600, 0, 600])
def test_squares_neither_overflow_nor_vanish(exponent: int) -> None:
    values = np.ldexp(samples(20), exponent)
    expected = float(np.std(samples(20), ddof=1))
    assert standard_deviation(values) == pytest.approx(math.ldexp(expected, exponent))
    assert effect_size(values) == effect_size(samples(20))


def test_moments_without_an_answer() -> None:
    for values in ([], [1.0], [math.nan, 1.0], [math.inf, 1.0], [math.inf, -math.inf]):
        assert math.isnan(standard_deviation(np.array(values)))
        assert math.isnan(effect_size(np.array(values)))
    assert math.isnan(mean(np.array([])))
    assert math.isnan(mean(np.array([math.inf, -math.inf])))
    assert standard_deviation(np.full(3, 0.7)) == 0.0
    assert effect_size(np.full(3, -0.7)) == -math.inf
    assert effect_size(np.zeros(3)) == 0.0


# -- corrections -------------------------------------------------------------------------------


@pytest.mark.long
@given(st.lists(st.floats(0, 1), min_size=2, max_size=12))
def test_corrections_are_those_of_statsmodels(p_values: list[float]) -> None:
    from statsmodels.stats.multitest import multipletests

    for correction, method in (("holm", "holm"), ("bh", "fdr_bh")):
        expected = multipletests(p_values, method=method)[1].tolist()
        assert adjust(p_values, correction) == expected
    assert adjust(p_values, "none") == p_values


def test_corrections_by_hand() -> None:
    values = [0.04, 0.01, 0.03, 0.9]
    assert adjust(values, "holm") == pytest.approx([0.09, 0.04, 0.09, 0.9])
    assert adjust(values, "bh") == pytest.approx([0.16 / 3, 0.04, 0.16 / 3, 0.9])
    assert adjust([0.6, 0.7], "holm") == [1.0, 1.0]
    assert adjust([], "bh") == []


def test_p_values_that_are_missing_do_not_count() -> None:
    found = adjust([0.01, math.nan, 0.04], "holm")
    assert math.isnan(found[1])
    assert [found[0], found[2]] == adjust([0.01, 0.04], "holm") == [0.02, 0.04]
    assert math.isnan(adjust([math.nan], "bh")[0])
    assert adjust([0.03], "holm") == [0.03]
    with pytest.raises(ParameterError, match="`correction` must be one of"):
        adjust([0.03], "bonferroni")


# -- power -------------------------------------------------------------------------------------


@pytest.mark.parametrize("alpha", [0.01, 0.05, 0.1])
@pytest.mark.parametrize("power", [0.7, 0.8, 0.95])
@pytest.mark.parametrize("effect", [0.05, 0.1, 0.3, 0.5, 1.0])
def test_queries_needed_are_those_of_the_t_test(alpha: float, power: float, effect: float) -> None:
    """The formula has no t distribution: it agrees within one query with the power that has."""
    from statsmodels.stats.power import TTestPower

    exact = TTestPower().solve_power(effect_size=effect, alpha=alpha, power=power)
    assert abs(queries_needed(effect, 1.0, alpha, power) - math.ceil(exact)) <= 1


@pytest.mark.parametrize("queries", [20, 50, 200, 7000])
def test_the_smallest_detectable_difference_is_that_of_the_t_test(queries: int) -> None:
    from statsmodels.stats.power import TTestPower

    exact = TTestPower().solve_power(nobs=queries, alpha=0.05, power=0.8)
    assert smallest_detectable(queries, 1.0) == pytest.approx(exact, rel=0.005)


@given(st.integers(3, 10_000), st.floats(0.01, 10))
def test_power_turns_round(queries: int, deviation: float) -> None:
    least = smallest_detectable(queries, deviation)
    assert queries_needed(least * (1 + 1e-9), deviation) <= max(queries, 6)
    assert queries_needed(least * (1 - 1e-9), deviation) > queries - 1


def test_power_without_an_answer() -> None:
    assert math.isnan(smallest_detectable(1, 0.2))
    assert math.isnan(smallest_detectable(50, math.nan))
    assert smallest_detectable(50, 0.0) == 0.0
    for difference, deviation in [(0.0, 0.2), (math.nan, 0.2), (0.1, math.nan), (1e-300, 1.0)]:
        assert queries_needed(difference, deviation) == 0
    assert queries_needed(-0.05, 0.2) == queries_needed(0.05, 0.2) == 128
    for options in ({"alpha": 0.0}, {"alpha": 1.0}, {"power": 1.0}, {"power": -0.1}):
        with pytest.raises(ParameterError, match="must be between 0 and 1"):
            smallest_detectable(50, 0.2, **options)
        with pytest.raises(ParameterError, match="must be between 0 and 1"):
            queries_needed(0.1, 0.2, **options)


# -- several runs ------------------------------------------------------------------------------


def test_anova_is_that_of_statsmodels() -> None:
    import pandas
    from statsmodels.formula.api import ols
    from statsmodels.stats.anova import anova_lm

    values = np.random.default_rng(2).normal(0, 1, (4, 9)) + np.arange(9)
    frame = pandas.DataFrame(
        [(str(run), str(query), values[run, query]) for run in range(4) for query in range(9)],
        columns=["run", "query", "value"],
    )
    expected = anova_lm(ols("value ~ C(run) + C(query)", frame).fit())
    found = two_way_anova(values)
    assert [found.runs, found.queries, found.residual] == pytest.approx(
        expected["sum_sq"].to_list(), rel=1e-9
    )
    assert found.f == pytest.approx(expected["F"].iloc[0], rel=1e-9)
    assert found.p == pytest.approx(expected["PR(>F)"].iloc[0], rel=1e-9)


def test_tukey_is_near_the_share_of_all_shuffles() -> None:
    values = np.array([[1, 4, 2, 6], [3, 4, 5, 6], [2, 7, 5, 9]])
    orders = list(itertools.permutations(range(3)))
    ranges = []
    for shuffle in itertools.product(orders, repeat=4):
        sums = sum(values[list(order), query] for query, order in enumerate(shuffle))
        ranges.append(int(np.ptp(sums)))
    totals = values.sum(axis=1)
    found = tukey_hsd(values / 10, resamples=100_000)
    for (first, second), outcome in found.items():
        exact = np.mean(np.array(ranges) >= abs(totals[second] - totals[first]))
        assert outcome.p == pytest.approx(exact, abs=5 * math.sqrt(exact / 100_000))
        assert outcome.difference == pytest.approx((totals[second] - totals[first]) / 40)


def test_tukey_depends_on_the_seed_only() -> None:
    values = np.random.default_rng(0).normal(0, 1, (3, 40))
    found = [tukey_hsd(values, seed=1, threads=threads) for threads in (1, 2, 5, 16)]
    assert all(one == found[0] for one in found)
    assert tukey_hsd(values, seed=2) != found[0]


def test_tukey_without_an_answer() -> None:
    for values in (np.zeros((3, 1)), np.array([[1.0, math.nan], [2.0, 3.0]])):
        for outcome in tukey_hsd(values).values():
            assert math.isnan(outcome.p)
            assert math.isnan(outcome.difference)
    same = tukey_hsd(np.tile([0.1, 0.7, 0.3], (3, 1)))
    assert {(one.p, one.difference, one.effect_size) for one in same.values()} == {(1.0, 0.0, 0.0)}
    apart = tukey_hsd(np.array([[0.1, 0.7, 0.3], [0.2, 0.8, 0.4]]))[0, 1]
    assert apart.effect_size == math.inf
    assert tukey_hsd(np.ones((1, 5))) == {}
