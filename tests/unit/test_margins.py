"""Margins: what is shown about the smallest difference that matters, and the five verdicts."""

from __future__ import annotations

import importlib.util
import math
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings as hypothesis_settings, strategies as st
from numpy.typing import NDArray

import relyon
from relyon.analysis.comparison.margins.facts import Margin
from relyon.analysis.statistics import interval
from relyon.core.errors import ParameterError, UnknownNameError

Values = NDArray[np.float64]
ORDER = ("worse", "undecided", "not-worse", "equal", "better")
MIRROR = {
    "better": {"worse", "equal"},
    "worse": {"better"},
    "undecided": {"undecided", "not-worse"},
}


def contrast(
    differences: Values | list[float],
    margin: float | str,
    measure: str = "ndcg@10",
    **options: object,
) -> relyon.Contrast:
    """Compares a run with one whose values differ by these."""
    old = {f"q{n:03}": 0.5 for n in range(len(differences))}
    new = {f"q{n:03}": 0.5 + float(one) for n, one in enumerate(differences)}
    values = {"old": {measure: old}, "new": {measure: new}}
    return relyon.compare_values(values, margins={measure: margin}, **options).contrasts[0]  # type: ignore[arg-type]


def shown(one: relyon.Contrast) -> Margin:
    assert one.margin is not None
    return one.margin


def test_a_worked_example() -> None:
    """The example of the documentation: eight queries, by hand."""
    differences = [0.02, -0.01, 0.00, 0.01, -0.02, 0.01, 0.00, 0.03]
    found = contrast(differences, 0.03)
    # mean .005, s .0160, s/√n .00567: t = (.005 + .03) / .00567 = 6.17 and (.03 - .005) / .00567
    spread = np.std(differences, ddof=1) / math.sqrt(8)
    from scipy import stats

    margin = shown(found)
    assert margin.p_not_worse == pytest.approx(2 * stats.t.sf(0.035 / spread, 7), rel=1e-9)
    assert margin.p_not_better == pytest.approx(2 * stats.t.sf(0.025 / spread, 7), rel=1e-9)
    assert found.verdict == "equal"
    assert contrast(differences, 0.01).verdict == "not-worse"
    assert contrast(differences, 0.005).verdict == "undecided"


def test_the_same_as_two_one_sided_tests_of_statsmodels() -> None:
    weightstats = pytest.importorskip("statsmodels.stats.weightstats")
    differences = np.random.default_rng(3).normal(0.004, 0.05, 60)
    margin = shown(contrast(differences, 0.02))
    p, lower, upper = weightstats.DescrStatsW(differences).ttost_mean(-0.02, 0.02)
    assert margin.p_not_worse / 2 == pytest.approx(lower[1], rel=1e-8)
    assert margin.p_not_better / 2 == pytest.approx(upper[1], rel=1e-8)
    assert p == pytest.approx(max(margin.p_not_worse, margin.p_not_better) / 2, rel=1e-8)


differences_of = st.lists(
    st.floats(-0.3, 0.3).map(lambda one: round(one, 3)), min_size=6, max_size=40
).filter(lambda found: sum(one != 0 for one in found) >= 6 and len(set(found)) > 1)


@hypothesis_settings(max_examples=60, deadline=None)
@given(differences_of, st.floats(0.001, 0.3))
def test_verdicts_are_those_of_the_interval(found: list[float], margin: float) -> None:
    """For the t test of one comparison: the ends of the 95% interval decide."""
    one = contrast(found, margin)
    low, high = interval("t", np.array([(0.5 + each) - 0.5 for each in found]))
    if min(abs(low + margin), abs(high - margin), abs(low), abs(high)) < 1e-9:
        return
    wanted = (
        "better" if low > 0
        else "equal" if low > -margin and high < margin
        else "worse" if high < 0
        else "not-worse" if low > -margin
        else "undecided"
    )  # fmt: skip
    assert one.verdict == wanted
    assert shown(one).loss == pytest.approx(-low)
    assert shown(one).gain == pytest.approx(high)


@hypothesis_settings(max_examples=30, deadline=None)
@given(
    differences_of, st.floats(0.001, 0.2), st.sampled_from(["t", "wilcoxon", "sign", "bootstrap"])
)
def test_a_larger_margin_never_makes_it_worse(found: list[float], margin: float, test: str) -> None:
    verdicts = [
        contrast(found, size, test=test, resamples=200).verdict
        for size in (margin, margin * 1.3, margin * 2)
    ]
    places = [ORDER.index(one) for one in verdicts]
    assert places == sorted(places)


@hypothesis_settings(max_examples=30, deadline=None)
@given(differences_of, st.floats(0.001, 0.2))
def test_swapped_runs_mirror_it(found: list[float], margin: float) -> None:
    one, other = contrast(found, margin), contrast([-each for each in found], margin)
    assert shown(one).p_not_worse == pytest.approx(shown(other).p_not_better, rel=1e-6)
    assert (one.verdict in {"equal", "better"}) <= (other.verdict != "better")
    if other.verdict in MIRROR:
        assert one.verdict in MIRROR[other.verdict] | {"equal"} | (
            {"not-worse"} if other.verdict == "undecided" else set()
        )


@hypothesis_settings(max_examples=20, deadline=None)
@given(differences_of, st.sampled_from(["t", "permutation", "wilcoxon"]))
def test_no_margin_is_todays_test(found: list[float], test: str) -> None:
    plain = contrast(found, 0, test=test, resamples=500)
    none = relyon.compare_values(
        {
            "old": {"ndcg@10": {f"q{n:03}": 0.5 for n in range(len(found))}},
            "new": {"ndcg@10": {f"q{n:03}": 0.5 + one for n, one in enumerate(found)}},
        },
        test=test,
        resamples=500,
    ).contrasts[0]
    tiny = contrast(found, 1e-13, test=test, resamples=500)
    assert plain.verdict == none.verdict
    assert none.margin is None
    assert "margin" not in none.to_dict()
    assert plain.p == none.p
    if not 0.04 < none.p < 0.06:
        assert tiny.verdict == none.verdict


@pytest.fixture
def bad_share(own_measures: None) -> Iterator[str]:
    """A measure of which lower values are better."""
    example = Path(__file__).resolve().parents[2] / "examples" / "bad_share.py"
    spec = importlib.util.spec_from_file_location("bad_share_of_margins", example)
    assert spec is not None
    assert spec.loader is not None
    module = sys.modules[spec.name] = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    yield "bad_share@2"
    del sys.modules[spec.name]


def test_lower_is_better(bad_share: str) -> None:
    falls = np.random.default_rng(0).normal(0.002, 0.02, 80)
    low, high = contrast(falls, 0.01, bad_share), contrast(-falls, 0.01)
    assert low.difference == pytest.approx(-high.difference)
    assert low.verdict == high.verdict
    for name in ("p_not_worse", "p_not_better", "loss", "gain"):
        assert getattr(shown(low), name) == pytest.approx(getattr(shown(high), name))


def test_a_significant_loss_smaller_than_the_margin_is_equal() -> None:
    one = contrast(np.random.default_rng(1).normal(-0.005, 0.005, 100), 0.01)
    assert one.difference < 0
    assert one.p_adjusted < 0.001
    assert one.verdict == "equal"
    assert contrast(np.random.default_rng(1).normal(-0.005, 0.005, 100), 0.001).verdict == "worse"


@pytest.mark.parametrize(
    ("queries", "margin", "verdict"),
    [(5, 0.5, "undecided"), (6, 0.2, "undecided"), (50, 0.05, "undecided"), (50, 0.08, "equal")],
)
def test_queries_of_which_none_changed(queries: int, margin: float, verdict: str) -> None:
    """2 (1 - M)^n: with a smaller share of changed queries, a mean of M cannot be lost."""
    one = contrast([0.0] * queries, margin * 0.5 if margin > 0.4 else margin)
    assert one.verdict == verdict
    margin_found = shown(one)
    if queries < 6:
        assert margin_found.unknown == "few-queries"
        assert math.isnan(margin_found.p_not_worse)
        return
    assert margin_found.p_not_worse == pytest.approx(min(2 * (1 - margin) ** queries, 1))
    assert margin_found.loss == pytest.approx(1 - 0.025 ** (1 / queries))
    assert margin_found.few


def test_few_changes_count_what_is_unseen() -> None:
    """Fewer than six changed: what others like them may lose is subtracted from the margin."""
    differences = [-0.01, 0.01, -0.01] + [0.0] * 97
    assert pytest.approx(0.0362, abs=1e-4) == 1 - 0.025 ** (1 / 100)
    assert contrast(differences, 0.03).verdict == "undecided"
    assert contrast(differences, 0.04).verdict == "equal"
    assert contrast([*differences[:97], -0.01, 0.01, 0.01], 0.03).verdict == "equal"
    unlimited = contrast(differences, 0.04, "revenue")
    assert unlimited.verdict == "undecided"
    assert shown(unlimited).unknown == "few-changed"


def test_equal_changes_and_one_query() -> None:
    assert contrast([0.01], 0.1).verdict == "undecided"
    all_gain = contrast([0.25] * 8, 0.3)
    assert all_gain.verdict == "better"
    all_lose = contrast([-0.25] * 8, 0.3)
    assert all_lose.verdict == "equal"
    assert contrast([-0.25] * 8, 0.125).verdict == "worse"


def test_sides_are_corrected_over_the_margins() -> None:
    random = np.random.default_rng(5)
    queries = [f"q{n:03}" for n in range(60)]
    old = {name: dict.fromkeys(queries, 0.5) for name in ("ndcg@10", "rr", "p@10")}
    new = {
        name: dict(zip(queries, (0.5 + random.normal(0, 0.05, 60)).tolist(), strict=True))
        for name in old
    }
    values: Mapping[str, Mapping[str, Mapping[str, float]]] = {"old": old, "new": new}
    margins = {"ndcg@10": 0.02, "RR": 0.015}
    holm = relyon.compare_values(values, margins=margins)
    plain = relyon.compare_values(values, margins=margins, correction="none")
    for side in ("p_not_worse", "p_not_better"):
        raw = [getattr(shown(one), side) for one in plain.contrasts[:2]]
        wanted = relyon.analysis.statistics.adjust(raw, "holm")
        assert [getattr(shown(one), f"{side}_adjusted") for one in holm.contrasts[:2]] == wanted
    assert holm.contrasts[2].margin is None
    assert shown(plain.contrasts[0]).p_not_worse_adjusted == shown(plain.contrasts[0]).p_not_worse


def test_shares_of_the_baseline() -> None:
    one = contrast([0.01, -0.01] * 10, "4%")
    assert shown(one).size == pytest.approx(0.02)
    assert shown(one).share == 0.04
    values = one.to_dict()["margin"]
    assert isinstance(values, dict)
    assert values["size"] == pytest.approx(0.02)
    assert one.to_row()["margin_size"] == pytest.approx(0.02)


@pytest.mark.parametrize(
    "value", [-0.01, math.nan, math.inf, "two", "-2%", "", True, 0.5, 2, "2", "100%"]
)
def test_margins_that_are_refused(value: float | str) -> None:
    with pytest.raises(ParameterError) as error:
        contrast([0.01, -0.01] * 10, value)
    assert "margin" in str(error.value)
    assert error.value.hint


def test_margins_of_other_measures() -> None:
    values = {run: {"ndcg@10": {f"q{n}": 0.5 for n in range(9)}} for run in ("a", "b")}
    with pytest.raises(UnknownNameError, match="`rr`, which was not compared"):
        relyon.compare_values(values, margins={"RR": 0.01})
    values = {run: {"judged@10": {f"q{n}": 0.5 for n in range(9)}} for run in ("a", "b")}
    with pytest.raises(ParameterError, match="takes no margin"):
        relyon.compare_values(values, margins={"judged@10": 0.01})


def pooled_runs(queries: int, noise: float) -> tuple[list[int], list[str], Values, Values]:
    random = np.random.default_rng(8)
    labels = random.integers(0, 2, queries * 12)
    groups = [f"q{n // 12:03}" for n in range(len(labels))]
    first = labels + random.normal(0, 1, len(labels))
    return labels.tolist(), groups, first, first + random.normal(0, noise, len(labels))


@pytest.mark.parametrize(("measure", "test"), [("auc", "draws"), ("pnr", "jackknife")])
def test_pooled_numbers_on_their_own_scale(measure: str, test: str) -> None:
    """The verdict is that of the shown interval's ends."""
    labels, groups, first, second = pooled_runs(40, 0.1)
    results = [
        relyon.evaluate_scores(labels, scores.tolist(), groups, measure, name=name)
        for name, scores in (("old", first), ("new", second))
    ]
    plain = relyon.compare_results(results).contrasts[0]
    low, high = plain.interval
    for size in (-low * 0.9, -low * 1.1, max(-low, high) * 1.1):
        one = relyon.compare_results(results, margins={measure: float(size)}).contrasts[0]
        assert shown(one).test == test
        assert shown(one).not_worse == (low > -size)
        assert shown(one).not_better == (high < size)
        assert one.interval == plain.interval
        assert one.p == plain.p
    same = relyon.compare_results(
        [results[0], relyon.evaluate_scores(labels, first.tolist(), groups, measure, name="b")],
        margins={measure: 0.1},
    ).contrasts[0]
    assert same.verdict == "undecided"
    assert shown(same).unknown == "few-changed"


def test_sums_have_margins_in_their_own_units() -> None:
    judgments = {f"q{n:02}": {f"d{m}": 1 for m in range(8)} for n in range(30)}
    random = np.random.default_rng(2)
    old, new = (
        {query: {f"d{m}": 10.0 - m for m in range(random.integers(4, 8))} for query in judgments}
        for _ in range(2)
    )
    margins = {"num_rel_ret": 40.0}
    one = relyon.compare(judgments, old, new, "num_rel_ret", margins=margins).contrasts[0]
    low, high = one.interval
    assert shown(one).not_worse == (low > -40)
    assert shown(one).not_better == (high < 40)


def test_tukey_decides_margins_by_t() -> None:
    random = np.random.default_rng(4)
    values = {
        name: {"ndcg@10": {f"q{n}": 0.5 + random.normal(0, 0.02) for n in range(50)}}
        for name in ("a", "b", "c")
    }
    found = relyon.compare_values(values, test="tukey", margins={"ndcg@10": 0.02}, resamples=500)
    assert {shown(one).test for one in found.contrasts} == {"t"}
    assert {one.verdict for one in found.contrasts} <= {"equal", "not-worse"}


@pytest.mark.parametrize("clusters", [10, 50])
def test_clusters_count_as_in_the_test(clusters: int) -> None:
    """The ends of the interval of clusters decide, by flips of few and t of many."""
    random = np.random.default_rng(9)
    names = [f"q{n:03}" for n in range(clusters * 4)]
    groups = {name: f"c{place // 4}" for place, name in enumerate(names)}
    changes = np.repeat(random.normal(0, 0.05, clusters), 4)
    changes += random.normal(0, 0.05, len(changes))
    new = dict(zip(names, (0.5 + changes).tolist(), strict=True))
    values = {"old": {"rr": dict.fromkeys(names, 0.5)}, "new": {"rr": new}}
    plain = relyon.compare_values(values, cluster=groups).contrasts[0]
    low, high = plain.interval
    for size in (-low * 0.9, -low * 1.1, high * 0.9, high * 1.1):
        found = relyon.compare_values(values, cluster=groups, margins={"rr": float(size)})
        margin = shown(found.contrasts[0])
        assert margin.not_worse == (low > -size)
        assert margin.not_better == (high < size)
    free = relyon.compare_values(values, margins={"rr": 0.03})
    held = relyon.compare_values(values, cluster=groups, margins={"rr": 0.03})
    assert held.plan().margins[0].not_worse[0] > 1.5 * free.plan().margins[0].not_worse[0]


def test_repeated_runs_count_what_they_share() -> None:
    random = np.random.default_rng(10)
    names = [f"q{n:03}" for n in range(50)]

    def run(shift: float) -> dict[str, dict[str, float]]:
        values = 0.5 + shift + random.normal(0, 0.03, 50)
        return {"rr": dict(zip(names, values.tolist(), strict=True))}

    systems = {name: [run(one) for one in (-0.02, 0.0, 0.025)] for name in ("old", "new")}
    low, high = relyon.compare_values(systems=systems).contrasts[0].interval
    for size in (-low * 0.9, -low * 1.1):
        found = relyon.compare_values(systems=systems, margins={"rr": float(size)})
        assert shown(found.contrasts[0]).not_worse == (low > -size)
        assert shown(found.contrasts[0]).not_better == (high < size)
    narrow = relyon.compare_values(systems=systems, margins={"rr": 0.02})
    assert narrow.plan().margins[0].not_worse == (0, 0)
