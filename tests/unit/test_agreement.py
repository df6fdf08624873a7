"""How systems and measures agree: coefficients, their intervals, discriminative power."""

from __future__ import annotations

import json
import math
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import scipy.stats
from tests.unit.conftest import Command

import relyon
from relyon.core.errors import ParameterError

MEASURES = ["ndcg@5", "ap", "rr", "p@3", "pnr", "num_rel_ret"]


def collection(runs: int = 6, queries: int = 25, seed: int = 3) -> tuple[Any, list[Any]]:
    rng = np.random.default_rng(seed)
    grades = {
        f"q{q}": {f"d{d}": int(rng.choice([0, 0, 1, 2])) for d in range(12)} for q in range(queries)
    }
    made = [
        {
            query: {
                document: float(0.25 * run * grade + rng.normal())
                for document, grade in judged.items()
            }
            for query, judged in grades.items()
        }
        for run in range(runs)
    ]
    return grades, made


def test_the_coefficient_is_that_of_the_printed_values() -> None:
    grades, runs = collection()
    found = relyon.rank_correlation(grades, runs, MEASURES, resamples=0)
    printed = [relyon.evaluate(grades, run, MEASURES) for run in runs]
    for one in found.pairs:
        wanted = scipy.stats.kendalltau(
            [results[one.first] for results in printed],
            [results[one.second] for results in printed],
        )[0]
        assert one.value == pytest.approx(wanted, nan_ok=True)
        assert all(map(math.isnan, one.interval))
    assert len(found.pairs) == len(MEASURES) * (len(MEASURES) - 1) / 2


@pytest.mark.parametrize("coefficient", ["kendall", "tau_ap", "spearman", "pearson"])
def test_intervals_hold_the_value_and_depend_on_the_seed_only(coefficient: Any) -> None:
    grades, runs = collection()
    options: dict[str, Any] = {"coefficient": coefficient, "resamples": 100}
    first = relyon.rank_correlation(grades, runs, ["ndcg@5", "rr", "pnr"], **options)
    again = relyon.rank_correlation(grades, runs, ["ndcg@5", "rr", "pnr"], **options)
    other = relyon.rank_correlation(grades, runs, ["ndcg@5", "rr", "pnr"], seed=1, **options)
    assert first.to_dict() == again.to_dict()
    assert first.to_dict() != other.to_dict()
    for one in first.pairs:
        assert -1 <= one.interval[0] <= one.value <= one.interval[1] <= 1


def test_judgments_against_themselves_agree_and_reversed_ones_do_not() -> None:
    grades, runs = collection(runs=8)
    same = relyon.rank_correlation(grades, runs, ["ndcg@5", "ap"], other=grades, resamples=50)
    assert [one.value for one in same.pairs] == [1.0, 1.0]
    assert [one.interval for one in same.pairs] == [(1.0, 1.0)] * 2
    opposite = {
        query: {document: 2 - grade for document, grade in judged.items()}
        for query, judged in grades.items()
    }
    turned = relyon.rank_correlation(grades, runs, ["pnr"], other=opposite, resamples=0)
    assert turned.value("pnr") < -0.5
    assert turned.between == "judgments"


def test_equal_runs_have_no_order() -> None:
    grades, runs = collection()
    found = relyon.rank_correlation(grades, [runs[0]] * 3, ["ap", "rr"], resamples=20)
    assert math.isnan(found.pairs[0].value)
    assert [note.kind for note in found.notes] == ["few-runs"]


@pytest.mark.parametrize("queries", [1, 9])
def test_few_queries_have_no_interval(queries: int) -> None:
    grades, runs = collection(queries=queries)
    found = relyon.rank_correlation(grades, runs, ["ap", "rr"])
    assert all(map(math.isnan, found.pairs[0].interval))


def test_a_run_without_a_finite_value_is_said() -> None:
    grades = {"q": {"a": 1, "b": 0}}
    runs = [{"q": {"a": 2.0, "b": 1.0}}, {"q": {"a": 1.0, "b": 2.0}}]
    found = relyon.rank_correlation(grades, runs, ["pnr", "ap"], resamples=0)
    assert math.isnan(found.pairs[0].value)
    assert found.notes[0].kind == "no-order"
    assert found.notes[0].level == "warning"


def test_too_little_is_refused() -> None:
    grades, runs = collection()
    with pytest.raises(ParameterError, match="two or more runs"):
        relyon.rank_correlation(grades, runs[:1])
    with pytest.raises(ParameterError, match="two or more measures"):
        relyon.rank_correlation(grades, runs, ["ap"])
    with pytest.raises(ParameterError, match="6 runs but 1 names"):
        relyon.rank_correlation(grades, runs, names=["a"])
    with pytest.raises(ParameterError, match="have the name `a`"):
        relyon.discriminative_power(grades, runs[:2], names=["a", "a"])
    with pytest.raises(ParameterError, match="coefficient"):
        relyon.rank_correlation(grades, runs, coefficient="tau")  # type: ignore[arg-type]


@pytest.mark.slow
def test_intervals_cover_what_so_many_queries_give_on_average() -> None:
    """Runs with known means; the target is the mean coefficient over fresh sets of queries."""
    from relyon.analysis.agreement.correlation import _correlations
    from relyon.analysis.agreement.views import View
    from relyon.analysis.statistics.correlation import coefficients

    rng = np.random.default_rng(5)
    covered = total = 0
    runs, queries = 10, 50
    for _ in range(12):
        means = rng.multivariate_normal([0, 0], [[1, 0.9], [0.9, 1]], size=runs).T * 0.05

        def draw(means: Any = means) -> list[Any]:
            shared = rng.normal(size=(runs, queries))
            return [
                means[side][:, None] + 0.2 * (0.7 * shared + 0.7 * rng.normal(size=(runs, queries)))
                for side in (0, 1)
            ]

        target = np.mean(
            [
                coefficients.get("kendall").matrix(np.array([one.mean(1) for one in draw()]))[0, 1]
                for _ in range(300)
            ]
        )
        for _ in range(15):
            views = [
                View(str(n), one.mean(1), one, np.ones_like(one), "ratio")
                for n, one in enumerate(draw())
            ]
            _, ((low, high),) = _correlations(
                views, [(0, 1)], "kendall", 0.95, 200, total, queries, None
            )
            covered += low <= target <= high
            total += 1
    assert 0.90 <= covered / total <= 0.995


# -- discriminative power --------------------------------------------------------------------------


@pytest.mark.parametrize("correction", ["none", "holm"])
def test_power_is_the_share_of_pairs_that_a_t_test_separates(correction: Any) -> None:
    grades, runs = collection()
    found = relyon.discriminative_power(grades, runs, ["ap", "rr"], test="t", correction=correction)
    for one in found.measures:
        columns = [relyon.evaluate(grades, run, one.measure).column(one.measure) for run in runs]
        pairs = [
            (
                abs(np.mean(a) - np.mean(b)),
                scipy.stats.ttest_rel(a, b).pvalue if a != b else 1.0,
            )
            for a, b in combinations(columns, 2)
        ]
        p_values = sorted(p for _, p in pairs)
        if correction == "holm":
            running = 0.0
            for place, p in enumerate(p_values):
                running = max(running, min(1.0, p * (len(p_values) - place)))
                p_values[place] = running
        assert list(one.p_values) == pytest.approx(p_values)
        assert one.separated == sum(p <= 0.05 for p in p_values)
        assert one.share == one.separated / 15
        if correction == "none":
            missed = max(difference for difference, p in pairs if p > 0.05)
            beyond = [difference for difference, p in pairs if p <= 0.05 and difference > missed]
            assert one.needed == pytest.approx(min(beyond, default=math.inf))


def test_tukeys_power_is_that_of_the_comparison() -> None:
    grades, runs = collection(runs=4)
    compared = relyon.compare(grades, runs[0], runs[1:], ["ap"])
    found = relyon.discriminative_power(grades, runs, ["ap"])["ap"]
    assert list(found.p_values) == sorted(one.p for one in compared.pairs)


def test_equal_runs_are_not_separated() -> None:
    grades, runs = collection()
    for test in ("t", "tukey", "permutation"):
        found = relyon.discriminative_power(
            grades, [runs[1]] * 3, ["ap"], test=test, resamples=100
        )["ap"]
        assert (found.separated, found.pairs, found.needed) == (0, 3, math.inf)


# -- t and W ---------------------------------------------------------------------------------------


def test_a_contrast_has_the_statistics_of_its_tests() -> None:
    grades, runs = collection()
    contrast = relyon.compare(grades, runs[0], runs[3], ["ap"]).contrasts[0]
    old, new = (relyon.evaluate(grades, run, "ap").column("ap") for run in (runs[0], runs[3]))
    student = scipy.stats.ttest_rel(new, old)
    assert contrast.statistics["t"] == pytest.approx(student.statistic)
    assert contrast.statistics["degrees_of_freedom"] == student.df
    assert contrast.statistics["w"] == scipy.stats.wilcoxon(new, old).statistic
    assert contrast.to_dict()["statistics"] == dict(contrast.statistics)
    frame = relyon.compare(grades, runs[0], runs[3], ["ap"]).to_frame()
    assert frame["t"][0] == pytest.approx(student.statistic)


# -- the command -----------------------------------------------------------------------------------


@pytest.fixture
def collected(tmp_path: Path) -> list[str]:
    grades, runs = collection()
    folder = tmp_path / "collected"
    folder.mkdir()
    names = [str(folder / "judgments.qrels")]
    relyon.write_judgments(relyon.Judgments.from_dict(grades), names[0])
    for place, run in enumerate(runs):
        names.append(str(folder / f"system{place}.run"))
        relyon.write_run(relyon.Run.from_dict(run), names[-1])
    return names


def test_the_command_prints_what_the_library_finds(command: Command, collected: list[str]) -> None:
    done = command("agree", *collected, "-m", "ap,rr", "--format", "json", "--resamples", "50")
    wanted = relyon.rank_correlation(
        collected[0],
        collected[1:],
        ["ap", "rr"],
        resamples=50,
        names=[Path(f).name for f in collected[1:]],
    )
    assert json.loads(done.out) == wanted.to_dict()
    table = command("agree", *collected, "-m", "ap,rr", "--resamples", "50").out
    assert f"{wanted.pairs[0].value:.4f}" in table
    assert max(map(len, table.splitlines())) <= 80


def test_many_measures_make_a_matrix_of_80_columns(command: Command, collected: list[str]) -> None:
    names = "ap,rr,p@1,p@3,p@5,ndcg@3,ndcg@5,ndcg@10,pnr,gauc,recall@5,bpref,err"
    table = command("agree", *collected, "-m", names, "--resamples", "0").out
    assert max(map(len, table.splitlines())) <= 80
    assert "13 err" in table


def test_power_on_the_command_line(command: Command, collected: list[str]) -> None:
    done = command("agree", *collected, "-m", "ap", "--discriminative", "--format", "csv")
    found = relyon.discriminative_power(collected[0], collected[1:], ["ap"])["ap"]
    assert f"ap,{found.pairs},{found.separated}," in done.out


def test_one_run_is_refused(command: Command, collected: list[str]) -> None:
    done = command("agree", *collected[:2])
    assert done.code == 2
    assert "two or more runs" in done.err
