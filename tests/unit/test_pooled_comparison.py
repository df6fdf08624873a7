"""Pooled AUC: a comparison compares the number that an evaluation prints."""

from __future__ import annotations

import math

import numpy as np
import pytest

import relyon
from relyon.analysis.comparison.pairing import Sample
from relyon.analysis.statistics import Resampling, pooled_interval, swapped_p

CHANCE = np.random.default_rng(11)
QUERIES = 12
SIZES = CHANCE.integers(3, 15, QUERIES)
GROUPS = np.repeat(np.arange(QUERIES), SIZES)
LABELS = CHANCE.integers(0, 2, len(GROUPS))
LEVEL = CHANCE.normal(0, 1, QUERIES)[GROUPS]
OLD = np.round(LABELS * 0.5 + LEVEL + CHANCE.normal(0, 1, len(GROUPS)), 1)
NEW = np.round(40 * (LABELS * 1.5 + LEVEL + CHANCE.normal(0, 1, len(GROUPS))), 0)


def evaluated(scores: np.ndarray, name: str, measures: str = "auc") -> relyon.Results:
    return relyon.evaluate_scores(LABELS, scores, SIZES, measures, name=name)


def area(labels: np.ndarray, scores: np.ndarray) -> float:
    """Holds every positive against every negative."""
    first, second = scores[labels == 1][:, None], scores[labels == 0][None]
    return float(((first > second) + (first == second) / 2).mean())


def compared(**settings: object) -> relyon.Contrast:
    both = [evaluated(OLD, "old"), evaluated(NEW, "new")]
    return relyon.compare_results(both, **settings).contrasts[0]  # type: ignore[arg-type]


def test_the_number_is_that_of_the_evaluation() -> None:
    one = compared()
    assert (one.baseline_mean, one.candidate_mean) == (
        evaluated(OLD, "old")["auc"],
        evaluated(NEW, "new")["auc"],
    )
    assert one.baseline_mean == pytest.approx(area(LABELS, OLD), abs=1e-12)
    assert (one.average, one.queries, one.left_out) == ("micro", QUERIES, 0)


def test_queries_are_looked_at_by_a_measure_of_queries() -> None:
    names = ["auc", "gauc", "ndcg"]
    for measures, focus in ((names, "gauc"), (["auc", "ndcg"], "ndcg"), (["auc"], "auc")):
        both = [
            relyon.evaluate_scores(LABELS, scores, SIZES, measures, name=name)
            for scores, name in ((OLD, "old"), (NEW, "new"))
        ]
        found = relyon.compare_results(both)
        assert found.focus == focus
        assert f"gained most on {focus}: " in found.to_text()


def test_every_thread_and_source_pools_alike() -> None:
    judgments = {
        f"q{query}": {f"d{row}": int(LABELS[row]) for row in np.flatnonzero(query == GROUPS)}
        for query in range(QUERIES)
    }
    old, new = (
        {
            query: {document: float(scores[int(document[1:])]) for document in judged}
            for query, judged in judgments.items()
        }
        for scores in (OLD, NEW)
    )
    one = relyon.compare(judgments, old, new, "auc", threads=3).contrasts[0]
    other = compared()
    assert one.difference == other.difference
    # Queries are taken in the order of their ids, which differs between the two.
    assert one.interval == pytest.approx(other.interval, abs=0.02)


def test_values_without_a_query_are_those_of_the_others() -> None:
    sample = Sample.of(evaluated(OLD, "old"), "auc")
    pooled = sample.pooled([str(query) for query in range(QUERIES)])
    assert pooled is not None
    for query in range(QUERIES):
        others = query != GROUPS
        assert pooled.areas_without[query] == pytest.approx(
            area(LABELS[others], OLD[others]), abs=1e-12
        )
    assert math.fsum(pooled.pseudo_values) / QUERIES == pytest.approx(pooled.area)


def places(scores: np.ndarray) -> np.ndarray:
    return np.array([(scores < one).sum() + (scores == one).sum() / 2 for one in scores])


def test_p_counts_swaps_of_whole_queries() -> None:
    chance = np.random.default_rng(0)
    first, second = places(OLD), places(NEW)
    observed = abs(area(LABELS, NEW) - area(LABELS, OLD))
    at_least = 0
    for _ in range(2000):
        swapped = (chance.random(QUERIES) < 0.5)[GROUPS]
        ours, theirs = np.where(swapped, second, first), np.where(swapped, first, second)
        at_least += abs(area(LABELS, theirs) - area(LABELS, ours)) >= observed - 1e-12
    assert compared().p == pytest.approx((at_least + 1) / 2001, abs=0.03)


def test_intervals_are_those_of_draws_of_whole_queries() -> None:
    chance = np.random.default_rng(0)
    rows = [np.flatnonzero(query == GROUPS) for query in range(QUERIES)]
    draws = []
    for _ in range(2000):
        drawn = np.concatenate([rows[query] for query in chance.integers(0, QUERIES, QUERIES)])
        draws.append(area(LABELS[drawn], NEW[drawn]) - area(LABELS[drawn], OLD[drawn]))
    wanted = np.quantile(draws, [0.025, 0.975])
    spread = wanted[1] - wanted[0]
    assert compared(interval="percentile").interval == pytest.approx(wanted, abs=0.1 * spread)
    low, high = compared(interval="t").interval
    half = 2.201 * float(np.std(draws)) * math.sqrt(QUERIES / (QUERIES - 1))
    assert (high - low) / 2 == pytest.approx(half, rel=0.05)
    assert compared(interval="bca").interval[0] < compared().difference


@pytest.mark.parametrize("test", ["t", "wilcoxon", "sign", "permutation"])
def test_tests_of_one_value_a_query_do_not_apply(test: str) -> None:
    one = compared(test=test)
    assert one.test == "permutation"
    assert one.p == one.p_values["permutation"]
    assert all(math.isnan(one.p_values[name]) for name in ("t", "wilcoxon", "sign"))
    assert 0 < one.p_values["bootstrap"] <= 1


def test_statistics_of_one_value_a_query_do_not_apply() -> None:
    found = compared().statistics
    assert list(found) == ["t", "degrees_of_freedom", "w"]
    assert all(math.isnan(value) for value in found.values())
    both = [evaluated(OLD, "old", "gauc"), evaluated(NEW, "new", "gauc")]
    of_queries = relyon.compare_results(both).contrasts[0]
    assert of_queries.statistics["degrees_of_freedom"] == of_queries.queries - 1


def test_the_table_says_what_is_used_instead() -> None:
    comparison = relyon.compare_results([evaluated(OLD, "old"), evaluated(NEW, "new")])
    text = " ".join(str(comparison).split())
    assert "the paired t test does not apply: p comes from Fisher's randomisation test" in text
    assert "auc (micro)" in comparison.to_markdown()
    assert "of whole queries" in comparison.to_latex()
    within = relyon.compare_results([evaluated(OLD, "a", "gauc"), evaluated(NEW, "b", "gauc")])
    assert "does not apply" not in str(within)
    assert within.contrasts[0].test == "t"


def test_the_same_seed_gives_the_same_bits_for_any_number_of_threads() -> None:
    assert compared(threads=1).to_dict() == compared(threads=3).to_dict()


def test_the_unit_of_the_scores_does_not_matter() -> None:
    one = compared()
    both = [evaluated(OLD, "old"), evaluated(NEW * 1024, "new")]
    other = relyon.compare_results(both).contrasts[0]
    assert (one.p, one.interval) == (other.p, other.interval)


def test_corners() -> None:
    same = relyon.compare_results([evaluated(OLD, "a"), evaluated(OLD, "b")]).contrasts[0]
    assert (same.difference, same.p, same.no_interval) == (0.0, 1.0, "unchanged")
    assert math.isnan(same.interval[0])
    sizes, labels, scores = [4], [1, 0, 1, 0], [4.0, 3, 2, 1]
    single = relyon.compare_results(
        [
            relyon.evaluate_scores(labels, scores, sizes, "auc", name="a"),
            relyon.evaluate_scores(labels, scores[::-1], sizes, "auc", name="b"),
        ]
    ).contrasts[0]
    assert single.difference == -0.5
    assert single.p > 0.9
    assert math.isnan(single.interval[0])
    one_class = relyon.compare_results(
        [relyon.evaluate_scores([1, 1], [1, 2], [1, 1], "auc", name=name) for name in "ab"]
    ).contrasts[0]
    assert math.isnan(one_class.p)
    assert one_class.verdict == "undecided"


def test_three_runs() -> None:
    runs = [evaluated(OLD, "a"), evaluated(NEW, "b"), evaluated(OLD + NEW, "c")]
    comparison = relyon.compare_results(runs, test="tukey")
    assert [pair.difference for pair in comparison.pairs][:1] == [
        pytest.approx(runs[1]["auc"] - runs[0]["auc"])
    ]


def test_ratios_count_the_queries_that_an_evaluation_counts() -> None:
    judgments = {f"q{n}": {"a": 1, "b": 0} for n in range(5)} | {"one": {"a": 1}, "none": {"z": 1}}
    run = {query: {"a": 2.0, "b": 1.0} for query in judgments}
    other = {query: {"a": 1.0, "b": 2.0} for query in judgments}
    results = relyon.evaluate(judgments, run, "pnr")
    one = relyon.compare(judgments, run, other, "pnr").contrasts[0]
    assert (results.entries["pnr"].queries, one.queries, one.left_out) == (5, 5, 2)


def test_weighted_gauc_is_compared_as_it_is_evaluated() -> None:
    names = "gauc(weight=rows)"
    old, new = evaluated(OLD, "old", names), evaluated(NEW, "new", names)
    one = relyon.compare_results([old, new]).contrasts[0]
    assert (one.baseline_mean, one.candidate_mean) == pytest.approx((old[names], new[names]))


def test_numbers_in_numbers_out() -> None:
    sample = [Sample.of(evaluated(scores, "x"), "auc") for scores in (OLD, NEW)]
    pools = [one.pooled(sorted(map(str, range(QUERIES)))) for one in sample]
    assert pools[0] is not None
    assert pools[1] is not None
    draws = Resampling(999, 0, 1)
    assert swapped_p(pools[0], pools[1], draws) == compared(resamples=999).p
    assert pooled_interval("t", pools[0], pools[1], 0.95, draws)[0] < compared().difference
