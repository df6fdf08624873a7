"""Paired tests: against published values, exact enumeration and SciPy."""

from __future__ import annotations

import csv
import itertools
import json
import math
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given, strategies as st
from numpy.typing import NDArray
from scipy import stats

from relyon.analysis import statistics
from relyon.analysis.statistics import Resampling, paired_test, permutation_p_values, ratio_p
from relyon.core.errors import ParameterError, UnknownNameError

Values = NDArray[np.float64]
NAMES = ["t", "wilcoxon", "sign", "permutation", "bootstrap"]
every_test = pytest.mark.parametrize("name", NAMES)


@pytest.fixture(scope="module")
def systems(test_data: Path) -> dict[str, Values]:
    """Sakai's three systems over 20 topics."""
    found = {}
    for name in "XYZ":
        path = test_data / "elinor_fixtures" / "sakai-book" / f"{name}.csv"
        with path.open(encoding="utf-8", newline="") as file:
            found[name] = np.array([float(row["ndcg@5"]) for row in csv.DictReader(file)])
    return found


@pytest.fixture(scope="module")
def published(test_data: Path) -> dict[str, Any]:
    path = test_data / "reference_fixtures" / "sakai_significance.json"
    found: dict[str, Any] = json.loads(path.read_text("utf-8"))
    return found


def test_there_is_a_class_for_every_name() -> None:
    assert sorted(statistics.tests) == sorted(NAMES)
    for name in NAMES:
        test = statistics.tests.get(name)
        assert test.name == name
        assert "References:" in (type(test).__doc__ or "")


# -- published values --------------------------------------------------------------------------


@pytest.mark.parametrize("pair", ["XY", "XZ", "YZ"])
def test_t_gives_sakais_values(
    systems: dict[str, Values], published: dict[str, Any], pair: str
) -> None:
    found = paired_test("t", systems[pair[0]] - systems[pair[1]])
    assert found.statistic == pytest.approx(published["paired_t"][pair]["t"], rel=1e-12)
    assert found.p == pytest.approx(published["paired_t"][pair]["p"], rel=1e-12)


@pytest.mark.parametrize("pair", ["XY", "XZ", "YZ"])
def test_wilcoxon_sees_ties_that_rounding_hides(
    systems: dict[str, Values], published: dict[str, Any], pair: str
) -> None:
    """Without rounding, 0.7 - 0.6 and 0.4 - 0.3 get different ranks: the published values did."""
    differences = systems[pair[0]] - systems[pair[1]]
    noisy = stats.wilcoxon(differences)
    assert noisy.statistic == published["wilcoxon"][pair]["W"]
    assert noisy.pvalue == pytest.approx(published["wilcoxon"][pair]["p"], rel=1e-9)

    # All values have two decimals: as whole hundredths they have no rounding error.
    hundredths = np.rint(systems[pair[0]] * 100) - np.rint(systems[pair[1]] * 100)
    true = stats.wilcoxon(hundredths)
    found = paired_test("wilcoxon", differences)
    assert found.statistic == true.statistic
    assert found.p == pytest.approx(true.pvalue, rel=1e-12)


# -- other routes ------------------------------------------------------------------------------


def samples(count: int) -> Values:
    return np.random.default_rng(count).normal(0.03, 0.1, count)


@pytest.mark.parametrize("count", [2, 5, 30, 500])
def test_t_is_scipys(count: int) -> None:
    expected = stats.ttest_1samp(samples(count), 0.0)
    found = paired_test("t", samples(count))
    assert found.statistic == pytest.approx(expected.statistic, rel=1e-12)
    assert found.p == pytest.approx(expected.pvalue, rel=1e-10)


def signed_rank_p(differences: list[int]) -> float:
    """Enumerates all signs of Wilcoxon's ranks."""
    kept = [value for value in differences if value]
    ranks: list[float] = stats.rankdata(np.abs(kept)).tolist()
    centre = sum(ranks) / 2
    observed = abs(sum(r for r, d in zip(ranks, kept, strict=True) if d > 0) - centre)
    sums = [
        abs(sum(itertools.compress(ranks, signs)) - centre)
        for signs in itertools.product((0, 1), repeat=len(kept))
    ]
    return sum(one >= observed - 1e-9 for one in sums) / len(sums)


@given(st.lists(st.integers(-5, 5), min_size=2, max_size=10))
def test_wilcoxon_is_exact_where_there_are_few(differences: list[int]) -> None:
    assume(any(differences))
    found = paired_test("wilcoxon", np.array(differences) / 10)
    assert found.p == pytest.approx(signed_rank_p(differences), rel=1e-9)


@given(st.lists(st.integers(-3, 3), min_size=2, max_size=60))
def test_sign_is_the_binomial_distribution(differences: list[int]) -> None:
    assume(any(differences))
    wins, losses = sum(d > 0 for d in differences), sum(d < 0 for d in differences)
    count = wins + losses
    tail = sum(math.comb(count, k) for k in range(min(wins, losses) + 1)) / 2**count
    found = paired_test("sign", np.array(differences, dtype=np.float64))
    assert found.statistic == wins
    assert found.p == pytest.approx(min(1.0, 2 * tail))


def permutation_p(differences: list[int]) -> float:
    sums = [
        abs(sum(s * d for s, d in zip(signs, differences, strict=True)))
        for signs in itertools.product((1, -1), repeat=len(differences))
    ]
    return sum(one >= abs(sum(differences)) for one in sums) / len(sums)


@pytest.mark.parametrize(
    "differences",
    [[1, 2], [3, -1, 2], [1, 1, 1, 1, -1], [5, -3, 2, 8, 1, -1, 4], [7, 7, -7, 1, 3, 0, 0, 2, 6]],
)
def test_permutation_is_near_the_share_of_all_sign_patterns(differences: list[int]) -> None:
    """Tenths have rounding errors, and many patterns have the observed sum: they must count."""
    resamples = 200_000
    exact = permutation_p(differences)
    found = paired_test("permutation", np.array(differences) / 10, resamples=resamples)
    error = 5 * math.sqrt(exact * (1 - exact) / resamples) + 1 / resamples
    assert found.p == pytest.approx(exact, abs=error)
    assert found.statistic == pytest.approx(sum(differences) / 10 / len(differences))


def test_permutation_is_near_scipys() -> None:
    differences = samples(40)
    expected = stats.permutation_test(
        (differences,),
        lambda values, axis: np.mean(values, axis=axis),
        permutation_type="samples",
        vectorized=True,
        n_resamples=50_000,
        rng=np.random.default_rng(1),
    ).pvalue
    found = paired_test("permutation", differences, resamples=50_000).p
    assert found == pytest.approx(expected, abs=5 * math.sqrt(2 * expected / 50_000))


def test_bootstrap_is_near_the_plain_way() -> None:
    differences = samples(30)
    shifted = differences - differences.mean()
    drawn = np.random.default_rng(3).choice(shifted, (50_000, 30))
    t_values = drawn.mean(axis=1) / (drawn.std(axis=1, ddof=1) / math.sqrt(30))
    observed = stats.ttest_1samp(differences, 0.0).statistic
    expected = (np.abs(t_values) >= abs(observed)).mean()
    found = paired_test("bootstrap", differences, resamples=50_000)
    assert found.statistic == pytest.approx(observed, rel=1e-9)
    assert found.p == pytest.approx(expected, abs=5 * math.sqrt(2 * expected / 50_000))


def test_the_smallest_p_value_counts_the_observed_data() -> None:
    differences = np.linspace(0.4, 0.6, 200)
    for name in ("permutation", "bootstrap"):
        assert paired_test(name, differences, resamples=999).p == 1 / 1000


# -- what must not matter ----------------------------------------------------------------------

lists = st.lists(st.floats(-1, 1, width=32), min_size=2, max_size=40)


@every_test
@given(values=lists)
def test_p_lies_between_0_and_1_and_has_no_direction(name: str, values: list[float]) -> None:
    differences = np.array(values)
    found = paired_test(name, differences, resamples=99)
    assert 0 < found.p <= 1
    assert paired_test(name, -differences, resamples=99).p == pytest.approx(found.p, rel=1e-9)


@every_test
@pytest.mark.parametrize("factor", [2.0**-600, 1e-6, 3.7, 1e9, 2.0**600])
@pytest.mark.parametrize("count", [2, 9, 60])
def test_the_unit_does_not_matter(name: str, factor: float, count: int) -> None:
    differences = np.round(samples(count), 3)
    expected = paired_test(name, differences, resamples=500).p
    assert paired_test(name, differences * factor, resamples=500).p == pytest.approx(expected)


def test_bootstraps_together_are_those_of_each_alone() -> None:
    random = np.random.default_rng(4)
    rows = [
        random.normal(0.05, 1.0, 40),
        np.zeros(40),
        np.full(40, 0.5),
        np.full(40, math.nan),
        random.normal(0.3, 1e-9, 40),
    ]
    found = statistics.bootstrap_results(rows, Resampling(2000, seed=3))
    alone = [paired_test("bootstrap", row, resamples=2000, seed=3) for row in rows]
    assert repr(found) == repr(alone)
    assert statistics.bootstrap_results([], Resampling()) == []


@pytest.mark.parametrize("name", ["permutation", "bootstrap"])
def test_threads_do_not_matter(name: str) -> None:
    differences = samples(300) - 0.025
    found = {paired_test(name, differences, seed=4, threads=threads) for threads in (1, 2, 5, 16)}
    assert len(found) == 1
    assert paired_test(name, differences, seed=5) not in found


def test_chunks_do_not_matter(monkeypatch: pytest.MonkeyPatch) -> None:
    from relyon.analysis.statistics import resampling

    differences = samples(50) - 0.02
    whole = [paired_test(name, differences) for name in ("permutation", "bootstrap")]
    monkeypatch.setattr(resampling, "CHUNK", 333)
    assert [paired_test(name, differences) for name in ("permutation", "bootstrap")] == whole


def test_measures_together_have_the_p_values_that_they_have_alone() -> None:
    rows = np.array([samples(80), samples(80)[::-1] * 100, np.zeros(80)])
    together = permutation_p_values(rows, Resampling(seed=3))
    assert together == [paired_test("permutation", row, seed=3).p for row in rows]
    assert together[2] == 1.0


# -- data without an answer --------------------------------------------------------------------


@every_test
@pytest.mark.parametrize(
    "values", [[], [0.3], [math.nan, 1.0, 2.0], [math.inf, 1.0], [math.inf, -math.inf, 1.0]]
)
def test_too_little_and_what_is_no_number_have_no_p_value(name: str, values: list[float]) -> None:
    found = paired_test(name, np.array(values))
    assert math.isnan(found.p)
    assert math.isnan(found.statistic)


@every_test
@pytest.mark.parametrize("count", [2, 50])
def test_no_difference_at_all_has_a_p_value_of_1(name: str, count: int) -> None:
    assert paired_test(name, np.zeros(count)).p == 1.0


@pytest.mark.parametrize("value", [0.7, 0.1, -1 / 3, 1e-3])
@pytest.mark.parametrize("count", [3, 7, 20])
def test_differences_that_are_all_the_same_are_as_sure_as_their_signs(
    value: float, count: int
) -> None:
    """The mean of three times 0.7 is not 0.7: rounding must not pass for spread."""
    differences = np.full(count, value)
    for name in ("t", "bootstrap"):
        assert paired_test(name, differences).statistic == math.copysign(math.inf, value)
    assert paired_test("t", differences).p == 2 / 2**count
    assert paired_test("bootstrap", differences, resamples=999).p == 1 / 1000
    least = 2 / 2**count
    assert paired_test("sign", differences).p == pytest.approx(least)
    permuted = paired_test("permutation", differences, resamples=9999).p
    assert permuted == pytest.approx(least, abs=5 * math.sqrt(least / 9999) + 1e-4)


def test_an_unknown_name_has_a_hint() -> None:
    with pytest.raises(UnknownNameError, match="did you mean `wilcoxon`"):
        paired_test("wilcoxen", samples(5))


@pytest.mark.parametrize(
    ("name", "value"),
    [("resamples", 0), ("resamples", 1.5), ("seed", -1), ("threads", -2), ("seed", True)],
)
def test_numbers_that_cannot_be_are_refused(name: str, value: Any) -> None:
    options: Any = {name: value}
    with pytest.raises(ParameterError, match=f"`{name}` must be a whole number"):
        paired_test("permutation", samples(5), **options)


# -- ratios of sums ----------------------------------------------------------------------------


def exact_ratio_p(parts: list[list[float]], ratio: Callable[[float, float], float]) -> float:
    queries = list(zip(*parts, strict=True))

    def distance(swaps: tuple[bool, ...]) -> float:
        sums = [0.0] * 4
        for (n, d, other_n, other_d), swap in zip(queries, swaps, strict=True):
            row = (other_n, other_d, n, d) if swap else (n, d, other_n, other_d)
            sums = [total + value for total, value in zip(sums, row, strict=True)]
        return abs(ratio(sums[2], sums[3]) - ratio(sums[0], sums[1]))

    observed = distance((False,) * len(queries))
    patterns = list(itertools.product((False, True), repeat=len(queries)))
    return sum(distance(one) >= observed * (1 - 1e-9) for one in patterns) / len(patterns)


def test_ratio_p_is_near_the_share_of_all_swaps() -> None:
    parts = [[4, 1, 7, 3, 9, 2], [5, 2, 2, 3, 4, 6], [6, 2, 7, 5, 9, 3], [3, 1, 2, 1, 4, 5]]
    arrays = tuple(np.array(part, dtype=np.float64) for part in parts)

    def ratio(numerator: float, denominator: float) -> float:
        return numerator / denominator

    exact = exact_ratio_p([[float(value) for value in part] for part in parts], ratio)
    assert 0.05 < exact < 0.95
    found = ratio_p(arrays, ratio, Resampling(100_000))
    assert found == pytest.approx(exact, abs=5 * math.sqrt(exact / 100_000))
    baseline_first = ratio_p((*arrays[2:], *arrays[:2]), ratio, Resampling(100_000))
    assert baseline_first == pytest.approx(exact, abs=5 * math.sqrt(exact / 100_000))


def test_ratio_p_without_an_answer() -> None:
    def ratio(numerator: float, denominator: float) -> float:
        return numerator / denominator if denominator else math.inf if numerator else math.nan

    def p(*parts: list[float]) -> float:
        return ratio_p(tuple(np.array(part) for part in parts), ratio, Resampling(999))

    assert math.isnan(p([], [], [], []))
    assert math.isnan(p([0.0, 0.0], [0.0, 0.0], [1.0, 1.0], [2.0, 3.0]))
    assert math.isnan(p([math.inf, 1.0], [1.0, 1.0], [1.0, 1.0], [1.0, 1.0]))
    assert p([1.0, 2.0], [3.0, 4.0], [1.0, 2.0], [3.0, 4.0]) == 1.0
    # The candidate has no inverted pair at all, which one swap pattern in four gives.
    found = p([3.0, 5.0], [1.0, 2.0], [4.0, 7.0], [0.0, 0.0])
    assert found == pytest.approx(0.5, abs=0.08)
