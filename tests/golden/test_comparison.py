"""Comparisons against values that other programs found."""

from __future__ import annotations

import gzip
import json
import math
import random
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy import stats

import relyon
from relyon.analysis.comparison.settings import Correction
from relyon.analysis.statistics import two_way_anova
from relyon.io.per_query_values import read_values

#: Our measures by the name that trec_eval prints.
MEASURES = {
    "ndcg_cut_10": "ndcg@10",
    "map": "ap",
    "recall_100": "recall@100",
    "recip_rank": "rr",
    "P_5": "p@5",
}


def printed(path: Path, name: str) -> dict[str, float]:
    """Returns one measure by query, read plainly from what trec_eval printed."""
    found = {}
    for line in gzip.decompress(path.read_bytes()).decode().splitlines():
        measure, query, value = line.split("\t")
        if measure.strip() == name and query != "all":
            found[query] = float(value)
    return found


@pytest.mark.parametrize("theirs", MEASURES)
def test_dl_hard_by_a_second_route(theirs: str, test_data: Path) -> None:
    folder = test_data / "dl_hard_passage"
    comparison = relyon.compare(
        folder / "qrels.passage.txt",
        folder / "bm25.run.gz",
        folder / "bm25_t5.zs.run.gz",
        list(MEASURES.values()),
        convention="trec_eval",
        names=["bm25", "t5"],
        resamples=20_000,
    )
    one = comparison.contrast("t5", MEASURES[theirs])
    old, new = (
        printed(folder / f"{run}.te9.0.8.all_trec.q.txt.gz", theirs)
        for run in ("bm25", "bm25_t5.zs")
    )
    queries = sorted(old.keys() & new.keys())
    ours = np.array([old[query] for query in queries])
    others = np.array([new[query] for query in queries])
    differences = others - ours
    assert one.queries == len(queries) == 50
    assert one.baseline_mean == pytest.approx(ours.mean(), rel=1e-12)
    assert one.candidate_mean == pytest.approx(others.mean(), rel=1e-12)
    assert one.difference == pytest.approx(differences.mean(), rel=1e-10)
    assert (one.wins, one.ties, one.losses) == tuple(
        int(found.sum()) for found in (differences > 0, differences == 0, differences < 0)
    )
    t = stats.ttest_rel(others, ours)
    assert one.p_values["t"] == pytest.approx(t.pvalue, rel=1e-9)
    assert one.interval == pytest.approx(t.confidence_interval(0.95), rel=1e-9)
    rounded = differences.round(12)
    wilcoxon = stats.wilcoxon(rounded[rounded != 0])
    assert one.p_values["wilcoxon"] == pytest.approx(wilcoxon.pvalue, rel=1e-9)
    sign = stats.binomtest(one.wins, one.wins + one.losses)
    assert one.p_values["sign"] == pytest.approx(sign.pvalue, rel=1e-9)
    assert one.effect_size == pytest.approx(differences.mean() / differences.std(ddof=1), rel=1e-9)
    drawn = stats.permutation_test(
        (differences,),
        lambda values, axis: values.mean(axis=axis),
        permutation_type="samples",
        vectorized=True,
        n_resamples=20_000,
        rng=np.random.default_rng(5),
    )
    assert one.p_values["permutation"] == pytest.approx(drawn.pvalue, abs=noise(drawn.pvalue))
    plain = bootstrap(differences)
    assert one.p_values["bootstrap"] == pytest.approx(plain, abs=noise(plain))


def noise(p: float) -> float:
    """Returns how far two p-values of 20,000 resamples may lie apart: five standard errors."""
    return 5 * math.sqrt(2 * max(p, 1e-4) / 20_000)


def bootstrap(differences: np.ndarray) -> float:
    """Returns the studentised bootstrap test, written down plainly."""
    rng = np.random.default_rng(5)
    shifted = differences - differences.mean()
    drawn = shifted[rng.integers(len(shifted), size=(20_000, len(shifted)))]
    with np.errstate(invalid="ignore"):
        statistics = drawn.mean(axis=1) / drawn.std(axis=1, ddof=1)
    observed = differences.mean() / differences.std(ddof=1)
    return float((1 + (np.abs(statistics) >= abs(observed)).sum()) / 20_001)


def test_dl_hard_corrections(test_data: Path) -> None:
    multitest = pytest.importorskip("statsmodels.stats.multitest")
    folder = test_data / "dl_hard_passage"
    judgments, old, new = (
        folder / name for name in ("qrels.passage.txt", "bm25.run.gz", "bm25_t5.zs.run.gz")
    )
    methods: dict[Correction, str] = {"holm": "holm", "bh": "fdr_bh"}
    for correction, method in methods.items():
        found = relyon.compare(
            judgments, old, new, ["ndcg@10", "ap", "p@5", "rr"], correction=correction
        )
        adjusted = multitest.multipletests([one.p for one in found.contrasts], method=method)[1]
        assert [one.p_adjusted for one in found.contrasts] == pytest.approx(list(adjusted))


@pytest.fixture
def sakai(test_data: Path) -> tuple[relyon.Comparison, dict[str, dict[str, float]], dict]:
    """Sakai's three systems over 20 topics, and the answers."""
    folder = test_data / "elinor_fixtures" / "sakai-book"
    files = {name: folder / f"{name}.csv" for name in "XYZ"}
    answers = test_data / "reference_fixtures" / "sakai_significance.json"
    values = {name: read_values(path)["ndcg@5"] for name, path in files.items()}
    return relyon.compare_values(files), values, json.loads(answers.read_text("utf-8"))


@pytest.mark.parametrize("pair", ["XY", "XZ", "YZ"])
def test_sakai_paired_tests(pair: str, test_data: Path) -> None:
    folder = test_data / "elinor_fixtures" / "sakai-book"
    answers = json.loads(
        (test_data / "reference_fixtures" / "sakai_significance.json").read_text("utf-8")
    )
    # Both programs subtract the second system from the first.
    found = relyon.compare_values({name: folder / f"{name}.csv" for name in reversed(pair)})
    one = found.contrasts[0]
    assert one.p_values["t"] == pytest.approx(answers["paired_t"][pair]["p"], rel=1e-9)
    assert one.effect_size * math.sqrt(20) == pytest.approx(
        answers["paired_t"][pair]["t"], rel=1e-9
    )


@pytest.mark.parametrize(
    ("pair", "statistic", "noisy"), [("XY", 24, 24), ("XZ", 48, 49.5), ("YZ", 62, 63)]
)
def test_sakai_wilcoxon(pair: str, statistic: float, noisy: float, sakai: tuple) -> None:
    """Differences such as 0.7 - 0.6 and 0.4 - 0.3 tie, and the published values let them not."""
    _, values, answers = sakai
    first, second = (np.array(list(values[name].values())) for name in pair)
    assert answers["wilcoxon"][pair]["W"] == noisy
    assert stats.wilcoxon(first - second).pvalue == answers["wilcoxon"][pair]["p"]
    exact = stats.wilcoxon(np.rint(100 * first) - np.rint(100 * second))
    assert exact.statistic == statistic
    ours = relyon.analysis.statistics.paired_test("wilcoxon", first - second)
    assert ours.statistic == statistic
    assert ours.p == pytest.approx(exact.pvalue, rel=1e-12)


def test_sakai_analysis_of_variance(sakai: tuple) -> None:
    _, values, answers = sakai
    table = np.array([list(values[name].values()) for name in "XYZ"])
    found = two_way_anova(table)
    expected = answers["anova_statsmodels"]
    assert found.runs == pytest.approx(expected["C(s)"]["sum_sq"], rel=1e-9)
    assert found.queries == pytest.approx(expected["C(t)"]["sum_sq"], rel=1e-9)
    assert found.residual == pytest.approx(expected["Residual"]["sum_sq"], rel=1e-9)
    assert found.f == pytest.approx(expected["C(s)"]["F"], rel=1e-9)
    assert found.p == pytest.approx(expected["C(s)"]["PR(>F)"], rel=1e-9)
    assert found.residual_mean_square == pytest.approx(expected["Residual"]["mean_sq"], rel=1e-9)
    assert (found.run_degrees, found.query_degrees, found.residual_degrees) == (2, 19, 38)


def test_sakai_tukey(sakai: tuple) -> None:
    comparison, values, answers = sakai
    book = answers["book"]["tukey_effect_sizes"]
    table = [list(values[name].values()) for name in "XYZ"]
    studentised = stats.tukey_hsd(*table)
    for one in comparison.pairs:
        name = one.first + one.second
        assert abs(one.effect_size) == pytest.approx(book[name], abs=5e-4)
        assert 0 < one.p <= 1
    by_pair = {one.first + one.second: one.p for one in comparison.pairs}
    # A larger difference is never less significant, and the order is that of Tukey's own test.
    assert by_pair["XZ"] < by_pair["XY"] < by_pair["YZ"]
    assert studentised.pvalue[0, 2] < studentised.pvalue[0, 1] < studentised.pvalue[1, 2]


def test_order_of_rows_and_threads_do_not_matter(test_data: Path) -> None:
    folder = test_data / "dl_hard_passage"
    runs = [relyon.read_run(folder / name) for name in ("bm25.run.gz", "bm25_t5.zs.run.gz")]
    lists = [
        {query: dict(zip(*run.table.documents(query)[:2], strict=True)) for query in run.queries}
        for run in runs
    ]
    shuffled = []
    for one in lists:
        queries = list(one)
        random.Random(3).shuffle(queries)
        shuffled.append({query: one[query] for query in queries})
    options: dict[str, Any] = {"names": ["a", "b"], "interval": "bca", "seed": 11}
    measures = ["ndcg@10", "ap", "pnr"]
    judgments = folder / "qrels.passage.txt"
    first = relyon.compare(judgments, lists[0], lists[1], measures, threads=1, **options)
    second = relyon.compare(judgments, shuffled[0], shuffled[1], measures, threads=5, **options)
    assert first.to_dict()["contrasts"] == second.to_dict()["contrasts"]
