"""Comparisons of queries in clusters: numbers, verdicts, words, plans, gate."""

from __future__ import annotations

import itertools
import json
import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner

import relyon
from relyon.analysis.statistics import ClusteredMean, interval
from relyon.cli import main
from relyon.report import render_report

Values = dict[str, dict[str, float]]


def made(
    sizes: list[int], *, shift: float = 0.1, seed: int = 0
) -> tuple[Values, Values, dict[str, str]]:
    """Returns values of two runs whose differences are alike within clusters."""
    random = np.random.default_rng([seed, *sizes])
    own = random.normal(shift, 0.2, len(sizes))
    groups = np.repeat(np.arange(len(sizes)), sizes)
    names = [f"q{place:03}" for place in range(len(groups))]
    moved = own[groups] + random.normal(0, 0.05, len(groups))
    old = {"m": dict.fromkeys(names, 0.5)}
    new = {"m": dict(zip(names, (0.5 + moved).tolist(), strict=True))}
    return old, new, {name: f"c{group}" for name, group in zip(names, groups, strict=True)}


def compared(
    sizes: list[int], *, shift: float = 0.1, seed: int = 0, **options: Any
) -> relyon.Comparison:
    old, new, clusters = made(sizes, shift=shift, seed=seed)
    return relyon.compare_values({"old": old, "new": new}, cluster=clusters, **options)


def kinds(found: relyon.Comparison) -> set[str]:
    return {note.kind for note in found.notes}


def test_alike_queries_count_once() -> None:
    """Each query three times: the flips are those of single queries, and the mean is the same."""
    old, new, _ = made([1] * 10, shift=0.05)
    copies = {
        name: {"m": {f"{q}-{n}": v for q, v in one["m"].items() for n in range(3)}}
        for name, one in (("old", old), ("new", new))
    }
    clusters = {f"{q}-{n}": q for q in old["m"] for n in range(3)}
    plain = relyon.compare_values({"old": old, "new": new}, test="permutation", resamples=100_000)
    tripled = relyon.compare_values(copies, cluster=clusters)
    alone = relyon.compare_values(copies)
    one, three = plain.contrasts[0], tripled.contrasts[0]
    assert three.difference == pytest.approx(one.difference)
    assert three.p == pytest.approx(one.p, abs=0.005)
    assert three.p_values["t"] == pytest.approx(one.p_values["t"])
    assert three.detectable == pytest.approx(one.detectable)
    assert three.queries_needed == 3 * one.queries_needed
    assert three.clusters is not None
    assert three.clusters.correlation == pytest.approx(1.0)
    # 30 values with the same spread: the error of independent ones is (n - 1) / (3 n - 1) as large.
    assert three.clusters.design_effect == pytest.approx(29 / 9)
    assert alone.contrasts[0].p < 0.5 * three.p


def test_clusters_of_one_query_change_no_number() -> None:
    old, new, _ = made([1] * 12)
    ids = {query: query for query in old["m"]}
    plain = relyon.compare_values({"old": old, "new": new})
    single = relyon.compare_values({"old": old, "new": new}, cluster=ids)
    before, after = plain.contrasts[0].to_dict(), single.contrasts[0].to_dict()
    facts = after.pop("clusters")
    assert isinstance(facts, dict)
    assert facts["count"] == 12
    assert after == before
    assert "own-clusters" in kinds(single)
    assert "own-clusters" not in kinds(plain)


def test_without_clusters_nothing_is_said() -> None:
    old, new, _ = made([3] * 8)
    found = relyon.compare_values({"old": old, "new": new})
    assert found.contrasts[0].clusters is None
    assert "cluster" not in json.dumps(found.to_dict())
    assert "cluster" not in found.to_text()
    assert "cluster" not in json.dumps(found.plan().to_dict())
    assert "clusters" not in found.plan().to_frame().columns


@pytest.mark.parametrize("name", ["wilcoxon", "sign", "t"])
def test_flips_replace_tests_without_clusters(name: str) -> None:
    one = compared([4] * 10, test=name).contrasts[0]
    assert one.test == "permutation"
    assert one.p == one.p_values["permutation"]
    assert math.isnan(one.p_values["wilcoxon"])


def test_t_with_many_equal_clusters_and_flips_with_unequal_ones() -> None:
    many = compared([2] * 40)
    assert many.contrasts[0].test == "t"
    found = ClusteredMean.of(
        np.array([*many.deltas("new", "m").values()]), np.repeat(np.arange(40), 2)
    )
    assert many.contrasts[0].interval == pytest.approx(found.t_interval(0.95))
    assert compared([2] * 39 + [40]).contrasts[0].test == "permutation"


@pytest.mark.parametrize("seed", range(12))
def test_test_and_interval_agree(seed: int) -> None:
    """Flips decide, and their interval excludes 0 if and only if they do."""
    sizes = [[4] * 8, [20, 2, 2, 2, 2, 2, 2], [1, 2, 3, 4, 5, 6, 7, 8] * 3][seed % 3]
    one = compared(sizes, seed=seed, shift=0.1).contrasts[0]
    low, high = one.interval
    assert (one.p <= 0.05) == (not low <= 0 <= high)
    assert low <= one.difference <= high


def test_few_clusters_are_never_significant() -> None:
    found = compared([10] * 5, shift=0.9)
    one = found.contrasts[0]
    assert one.verdict == "undecided"
    assert one.few
    assert one.p_values["t"] < 0.05
    assert "few-clusters" in kinds(found)
    assert not math.isnan(one.interval[0])


@pytest.mark.parametrize("sizes", [[30], [60, 1, 1, 1, 1, 1, 1, 1, 1]])
def test_one_cluster_decides(sizes: list[int]) -> None:
    found = compared(sizes, shift=0.9)
    one = found.contrasts[0]
    assert (one.verdict, one.no_interval, one.units) == ("undecided", "one-cluster", 1)
    assert math.isnan(one.interval[0])
    assert math.isnan(one.detectable)
    assert one.queries_needed == 0
    assert "one-cluster" in kinds(found)
    assert all(row.queries == (0, 0) for row in found.plan([0.1]).rows)
    assert all(row.basis == "too_few" for row in found.plan([0.1]).rows)


def test_a_large_cluster_is_named() -> None:
    found = compared([20] + [4] * 8)
    note = next(one for one in found.notes if one.kind == "large-cluster")
    assert "c0 has 38.5% of the queries" in note.text()
    assert "c0" in note.text("zh")


def test_queries_without_a_cluster_stand_alone() -> None:
    old, new, clusters = made([4] * 8)
    for query in list(clusters)[:4]:
        del clusters[query]
    found = relyon.compare_values({"old": old, "new": new}, cluster=clusters)
    assert found.contrasts[0].clusters is not None
    assert found.contrasts[0].clusters.count == 11


def test_order_and_names_do_not_matter() -> None:
    old, new, clusters = made([3, 1, 5, 2] * 5)
    first = relyon.compare_values({"old": old, "new": new}, cluster=clusters).contrasts[0]
    order = np.random.default_rng(0).permutation(list(old["m"])).tolist()
    mixed = [{"m": {query: one["m"][query] for query in order}} for one in (old, new)]
    second = relyon.compare_values(
        dict(zip(("old", "new"), mixed, strict=True)), cluster=clusters
    ).contrasts[0]
    assert second.to_dict() == first.to_dict()


def test_equal_and_unchanged() -> None:
    names = [f"q{n}" for n in range(16)]
    clusters = {name: f"c{n // 2}" for n, name in enumerate(names)}
    old = {"m": dict.fromkeys(names, 0.5)}
    equal = relyon.compare_values(
        {"a": old, "b": {"m": dict.fromkeys(names, 0.75)}}, cluster=clusters
    )
    assert equal.contrasts[0].no_interval == "equal-changes"
    assert equal.contrasts[0].p == 2 / 2**8
    same = relyon.compare_values({"a": old, "b": old}, cluster=clusters)
    assert (same.contrasts[0].no_interval, same.contrasts[0].p) == ("unchanged", 1.0)
    assert "unchanged-queries" in kinds(same)
    # One win and one loss in each cluster: queries changed, no cluster did.
    swapped = {"m": {name: 0.6 if n % 2 else 0.4 for n, name in enumerate(names)}}
    level = relyon.compare_values({"a": old, "b": swapped}, cluster=clusters).contrasts[0]
    assert (level.p, level.changed, level.verdict) == (1.0, 16, "undecided")
    assert math.isnan(level.interval[0])


def test_lower_is_better() -> None:
    old, new, clusters = made([4] * 10, shift=0.5)
    lower = [{"rbp_residual": one["m"]} for one in (old, new)]
    found = relyon.compare_values(dict(zip(("a", "b"), lower, strict=True)), cluster=clusters)
    verdict = found.contrasts[0].verdict
    assert verdict in {"worse", "described"}


def judged(
    clusters: int, each: int
) -> tuple[dict[str, dict[str, int]], list[dict[str, dict[str, float]]], dict[str, str]]:
    """Returns judgments, two runs, and clusters, in which the second run ranks worse."""
    random = np.random.default_rng(3)
    names = [f"q{place:03}" for place in range(clusters * each)]
    grades = {q: {f"d{n}": int(random.random() < 0.4) for n in range(8)} for q in names}
    runs = [
        {
            q: {d: float(random.random() + strength * grade) for d, grade in one.items()}
            for q, one in grades.items()
        }
        for strength in (0.7, 0.1)
    ]
    return grades, runs, {q: f"c{place // each}" for place, q in enumerate(names)}


def test_ratios_of_sums_swap_clusters() -> None:
    """PNR over all queries: p is that of all swaps of clusters, by brute force."""
    grades, runs, clusters = judged(7, 3)
    found = relyon.compare(
        grades, runs[0], runs[1], "pnr", average="micro", cluster=clusters, resamples=50_000
    )
    one = found.contrasts[0]
    assert one.clusters is not None
    assert (one.test, one.clusters.count, one.queries) == ("permutation", 7, 21)
    parts = []
    for run in runs:
        results = relyon.evaluate(grades, run, "pnr", average="micro")
        above, below = (np.array(part) for part in results.parts("pnr"))
        labels = [clusters[query] for query in results.queries]
        parts.append(
            {
                name: (
                    sum(a for a, label in zip(above, labels, strict=True) if label == name),
                    sum(b for b, label in zip(below, labels, strict=True) if label == name),
                )
                for name in set(labels)
            }
        )
    names = sorted(parts[0])
    counted, observed = 0, abs(one.difference)
    for swap in itertools.product((False, True), repeat=len(names)):
        sums = np.zeros((2, 2))
        for name, turned in zip(names, swap, strict=True):
            sums[0] += parts[turned][name]
            sums[1] += parts[not turned][name]
        ratios = sums[:, 0] / sums[:, 1]
        counted += abs(ratios[1] - ratios[0]) >= observed * (1 - 1e-9)
    assert one.p == pytest.approx(counted / 2 ** len(names), abs=0.004)
    assert one.largest is not None
    assert one.largest[0] in set(clusters.values())


def test_pooled_auc_draws_clusters() -> None:
    grades, runs, clusters = judged(8, 3)
    plain = relyon.compare(
        grades, runs[0], runs[1], "auc", average="micro", resamples=2000
    ).contrasts[0]
    one = relyon.compare(
        grades, runs[0], runs[1], "auc", average="micro", cluster=clusters, resamples=2000
    ).contrasts[0]
    assert one.clusters is not None
    assert one.clusters.count == 8
    assert one.difference == plain.difference
    assert (one.wins, one.losses, one.changed) == (plain.wins, plain.losses, plain.changed)
    assert one.interval != plain.interval
    assert one.interval[0] < one.difference < one.interval[1]


def test_sums_and_weighted_means() -> None:
    grades, runs, clusters = judged(10, 2)
    cut = [{q: dict(list(docs.items())[:4]) for q, docs in runs[1].items()}]
    one = relyon.compare(grades, runs[0], cut[0], "num_rel_ret", cluster=clusters).contrasts[0]
    assert one.average == "sum"
    assert one.verdict == "worse"
    assert one.interval[0] < one.difference < one.interval[1] < 0


def test_tukey_shuffles_clusters() -> None:
    """Three equal copies of each query: p of clusters is that of single queries."""
    random = np.random.default_rng(5)
    names = [f"q{n}" for n in range(9)]
    runs = {
        r: {"m": dict(zip(names, random.normal(k * 0.3, 1, 9).tolist(), strict=True))}
        for k, r in enumerate("abc")
    }
    copies = {
        r: {"m": {f"{q}-{n}": v for q, v in one["m"].items() for n in range(3)}}
        for r, one in runs.items()
    }
    clusters = {f"{q}-{n}": q for q in names for n in range(3)}
    plain = relyon.compare_values(runs, test="tukey")
    found = relyon.compare_values(copies, test="tukey", cluster=clusters)
    for first, second in zip(plain.pairs, found.pairs, strict=True):
        assert second.p == pytest.approx(first.p, abs=1e-9)
        assert (second.queries, second.clusters, second.units) == (27, 9, 9)
        assert second.difference == pytest.approx(first.difference)


def test_plan_counts_clusters() -> None:
    found = compared([4] * 20, shift=0.1)
    row = found.plan([0.1], powers=[0.8]).rows[0]
    assert row.queries == (4 * row.clusters[0],)
    assert (row.graded, row.differing) == (20, 20)
    means = np.array([*found.deltas("new", "m").values()]).reshape(20, 4).mean(axis=1)
    single = {f"q{n}": float(one) for n, one in enumerate(means)}
    plain = relyon.compare_values({"a": {"m": dict.fromkeys(single, 0.0)}, "b": {"m": single}})
    assert plain.plan([0.1], powers=[0.8]).rows[0].queries == row.clusters
    assert f"{row.queries[0]} ({row.clusters[0]})" in found.plan([0.1]).to_text()
    assert set(found.plan([0.1]).to_frame()["clusters"]) == set(found.plan([0.1]).rows[0].clusters)


@pytest.mark.parametrize("language", ["en", "zh"])
def test_words(language: Any) -> None:
    found = compared([4] * 12)
    text = found.to_text(language=language)
    assert {"en": "clusters", "zh": "簇数"}[language] in text
    assert {"en": "replaces the paired t test", "zh": "改为按整簇"}[language] in text.replace(
        "\n  ", " "
    ).replace("\n", "")
    row = found.to_frame().row(0, named=True)
    assert row["clusters_count"] == 12


def test_gate_and_table_of_queries(tmp_path: Path) -> None:
    grades, runs, clusters = judged(8, 3)
    judgments = tmp_path / "j.qrels"
    judgments.write_text(
        "".join(f"{q} 0 {d} {g}\n" for q, one in grades.items() for d, g in one.items())
    )
    paths = []
    for name, run in zip(("a", "b"), runs, strict=True):
        paths.append(tmp_path / f"{name}.run")
        paths[-1].write_text(
            "".join(
                f"{q} Q0 {d} 1 {s:.6f} {name}\n" for q, one in run.items() for d, s in one.items()
            )
        )
    table = tmp_path / "queries.csv"
    rows = [f"{q},{c},{'x' if c in ('c0', 'c1') else 'y'}" for q, c in clusters.items()]
    table.write_text("\n".join(["query,intent,half", *rows]) + "\n")
    start = ["compare", str(judgments), *map(str, paths), "-m", "ndcg@10", "--queries", str(table)]
    runner = CliRunner()
    lost = runner.invoke(main, [*start, "--cluster", "intent", "--fail-if-worse", "ndcg@10"])
    assert lost.exit_code == 1
    assert "of 24 queries in 8 clusters lost" in lost.stderr
    cannot = runner.invoke(main, [*start, "--cluster", "half", "--fail-if-worse", "ndcg@10"])
    assert cannot.exit_code == 0
    assert "cannot fail" in cannot.stderr
    assert "effectively 1 cluster" in cannot.stderr
    plain = runner.invoke(main, [*start[:-2], "--fail-if-worse", "ndcg@10"])
    assert plain.exit_code == 1
    assert "clusters" not in plain.stderr


def test_diagnosis_follows_the_clusters() -> None:
    """What a test of single queries finds, and clusters do not, is no finding."""
    grades, runs, _ = judged(8, 4)
    two = {query: "ab"[place % 2] for place, query in enumerate(grades)}
    alone = relyon.compare(grades, runs[0], runs[1], "ndcg@10")
    held = relyon.compare(grades, runs[0], runs[1], "ndcg@10", cluster=two)
    assert "worse" in [one.rule for one in relyon.diagnose(alone)]
    assert "worse" not in [one.rule for one in relyon.diagnose(held)]


def test_plain_interval_is_narrower() -> None:
    found = compared([6] * 10)
    plain = interval("t", np.array([*found.deltas("new", "m").values()]))
    low, high = found.contrasts[0].interval
    assert high - low > 1.5 * (plain[1] - plain[0])


@pytest.mark.long
@pytest.mark.parametrize("language", ["en", "zh"])
def test_report(language: Any) -> None:
    grades, runs, clusters = judged(8, 3)
    found = relyon.compare(grades, runs[0], runs[1], ["ndcg@10"], cluster=clusters)
    page = render_report(found, language=language)
    assert {"en": "in 8 clusters", "zh": "分属 8 个簇"}[language] in page
    assert {"en": "design effect", "zh": "设计效应"}[language] in page
    few = relyon.compare(
        grades,
        runs[0],
        runs[1],
        ["ndcg@10"],
        cluster={q: c[-1] for q, c in zip(grades, "ab" * 12, strict=True)},
    )
    page = render_report(few, language=language)
    assert {"en": "2 clusters are too few", "zh": "只有 2 个簇"}[language] in page
