"""Labelled scores without document ids: the order of the rows decides nothing."""

from __future__ import annotations

import itertools
import math
import pickle
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import relyon
from relyon.core.errors import InputError, StrictError
from relyon.evaluation.results import Results

SORTED = [3, 2, 2, 1, 0, 0, 0, 0]
CONSTANT = [1.0] * len(SORTED)


def tie_note(results: Results) -> relyon.Note:
    return next(note for note in results.notes if note.kind == "tie-decided")


def mean_over_orders(labels: list[int], name: str) -> float:
    """Takes every order of the labels."""
    measure = relyon.measure(name)
    values = [measure.score(order) for order in set(itertools.permutations(labels))]
    return math.fsum(values) / len(values)


@pytest.mark.parametrize("name", ["ndcg@3", "dcg@3", "ap", "rr", "recall@2", "p@3"])
def test_a_constant_score_is_worth_a_random_order(name: str) -> None:
    results = relyon.evaluate_scores(SORTED, CONSTANT, measures=name)
    assert results[name] == pytest.approx(mean_over_orders(SORTED, name), abs=1e-12)
    assert results.entries[name].ties == "expected"
    assert results.convention.ties == "expected"


@pytest.mark.parametrize("name", ["ndcg@3", "ap", "rr@2", "bpref", "pnr(score_ties=rank)"])
def test_any_order_of_the_rows_gives_the_same_number(name: str) -> None:
    chance = np.random.default_rng(3)
    labels, scores = chance.integers(0, 4, 40), chance.integers(0, 3, 40).astype(float)
    groups = np.repeat(np.arange(5), 8)
    expected = relyon.evaluate_scores(labels, scores, groups, name)
    for _ in range(5):
        rows = chance.permutation(40)
        found = relyon.evaluate_scores(labels[rows], scores[rows], groups[rows], name)
        assert found[name] == pytest.approx(expected[name], abs=1e-12)


@pytest.mark.parametrize(
    ("name", "bounds"), [("ndcg@3", (0.0, 1.0)), ("rr", (1 / 5, 1.0)), ("dcg@1", (0.0, 3.0))]
)
def test_a_warning_says_between_which_values_the_number_lies(
    name: str, bounds: tuple[float, float]
) -> None:
    results = relyon.evaluate_scores(SORTED, CONSTANT, measures=name)
    entry = results.entries[name]
    assert entry.tie_decided == 1
    assert entry.span == pytest.approx(bounds)
    note = tie_note(results)
    assert note.level == "warning"
    span = f"{name} could be {bounds[0]:.4f} to {bounds[1]:.4f}"
    assert note.message == f"ties matter in 1 of 1 query (ties=expected): {span}"
    values: Any = results.to_dict()
    assert values["measures"][name]["span"] == pytest.approx(list(bounds))
    with pytest.raises(StrictError, match="ties matter"):
        relyon.evaluate_scores(SORTED, CONSTANT, measures=name, strict=True)


def test_the_span_is_that_of_the_two_orders() -> None:
    chance = np.random.default_rng(5)
    labels, scores = chance.integers(0, 4, 600), chance.integers(0, 9, 600).astype(float)
    names = ["ndcg@5", "ap", "rr", "bpref", "recall@5", "dcg", "err@4", "rprec", "success@1"]
    groups = np.repeat(np.arange(30), 20)
    results = relyon.evaluate_scores(labels, scores, groups, names)
    worst, best = (
        relyon.evaluate_scores(labels, scores, groups, names, convention={"ties": ties})
        for ties in ("worst", "best")
    )
    for name in names:
        span = results.entries[name].span
        assert span == pytest.approx((worst[name], best[name]), abs=1e-12)
        changed = [
            not math.isclose(low, high, rel_tol=1e-12)
            for low, high in zip(worst.column(name), best.column(name), strict=True)
        ]
        assert results.entries[name].tie_decided == sum(changed)
        assert worst[name] - 1e-12 <= results[name] <= best[name] + 1e-12


def test_without_a_tie_that_matters_nothing_is_said() -> None:
    for scores in ([8, 7, 6, 5, 4, 3, 2, 1], [8, 7, 7, 6, 5, 5, 5, 5]):
        results = relyon.evaluate_scores(SORTED, scores, measures=["ndcg@3", "bpref", "pnr"])
        assert results.notes == ()
        assert {entry.tie_decided for entry in results.entries.values()} == {0}
        assert results.entries["ndcg@3"].span is None


def test_few_queries_that_ties_decide_are_worth_a_note() -> None:
    labels = np.tile([1, 0], 100)
    scores = np.tile([2.0, 1.0], 100)
    scores[0] = 1.0
    groups = [2] * 100
    assert tie_note(relyon.evaluate_scores(labels, scores, groups, "rr")).level == "info"
    scores[:20] = 1.0
    assert tie_note(relyon.evaluate_scores(labels, scores, groups, "rr")).level == "warning"


@pytest.mark.parametrize("name", ["bpref", "infap", "ap(denominator=retrieved)@3"])
def test_what_has_no_mean_over_orders_counts_the_worst(name: str) -> None:
    results = relyon.evaluate_scores(SORTED, CONSTANT, measures=[name, "ndcg@3"])
    worst = relyon.evaluate_scores(SORTED, CONSTANT, measures=name, convention={"ties": "worst"})
    assert results[name] == worst[name]
    assert [entry.ties for entry in results.entries.values()] == ["worst", "expected"]
    assert any(note.kind == "worst-order" and name in note.message for note in results.notes)


def test_who_asks_for_the_mean_is_told_that_there_is_none() -> None:
    with pytest.raises(InputError, match="no closed form"):
        relyon.evaluate_scores(SORTED, CONSTANT, measures="bpref", convention={"ties": "expected"})


@pytest.mark.parametrize("rules", [{"ties": "input"}, "lightgbm", "xgboost", "ranx"])
def test_the_rows_decide_where_somebody_says_so(rules: str | dict[str, str]) -> None:
    results = relyon.evaluate_scores(SORTED, CONSTANT, measures="ndcg@3", convention=rules)
    assert results["ndcg@3"] == 1.0
    assert results.entries["ndcg@3"].ties == "input"
    assert "ties=input" in tie_note(results).message


def test_measures_in_python_count_the_worst_order_too(own_measures: None) -> None:
    @relyon.register
    @dataclass(frozen=True)
    class TopGrade(relyon.Measure):
        """The grade of the first document."""

        name = "top_grade"

        def steps(self, ranking: relyon.Ranking) -> Iterator[relyon.Step]:
            for entry in ranking.top(1):
                grade = entry.grade or 0.0
                yield relyon.Step(1, entry.document, entry.grade, grade, 1.0, grade, grade)

    results = relyon.evaluate_scores(SORTED, CONSTANT, measures="top_grade")
    assert results["top_grade"] == 0.0
    assert results.entries["top_grade"].ties == "worst"
    assert results.entries["top_grade"].span == (0.0, 3.0)
    few = relyon.evaluate_scores([3, 0, 1], [1, 1, 0], measures="top_grade", convention="sklearn")
    assert few["top_grade"] == 1.5
    assert few.entries["top_grade"].span == (0.0, 3.0)


def test_runs_are_told_what_ties_decide() -> None:
    judgments = {f"q{n}": {"a": 1, "b": 0} for n in range(4)}
    run = {query: {"a": 1.0, "b": 1.0} for query in judgments}
    run["q0"] = {"a": 2.0, "b": 1.0}
    results = relyon.evaluate(judgments, run, "rr")
    assert results["rr"] == pytest.approx((1 + 3 * 0.5) / 4)
    assert (results.entries["rr"].tie_decided, results.entries["rr"].span) == (3, (0.625, 1.0))
    assert "ties=doc-desc" in tie_note(results).message
    assert tie_note(results).level == "warning"


def test_parts_add_up_to_the_same_span() -> None:
    chance = np.random.default_rng(8)
    labels, scores = chance.integers(0, 3, 400), chance.integers(0, 5, 400).astype(float)
    whole = relyon.evaluate_scores(labels, scores, [10] * 40, ["ndcg@3", "bpref"])
    parts = relyon.Accumulator(["ndcg@3", "bpref"])
    for start in (0, 100, 300):
        rows = slice(start, {0: 100, 100: 300, 300: 400}[start])
        part = relyon.Accumulator(["ndcg@3", "bpref"])
        part.update_scores(labels[rows], scores[rows], [10] * (len(labels[rows]) // 10))
        parts.merge(pickle.loads(pickle.dumps(part)))
    found = parts.compute()
    assert found.convention == whole.convention
    for name, entry in whole.entries.items():
        assert found.entries[name] == entry


def test_a_comparison_of_scores_follows_the_same_rule(tmp_path: Path) -> None:
    text = "query,label,old,new\n" + "".join(
        f"q{query},{label},1,1\n" for query in range(10) for label in SORTED
    )
    (tmp_path / "scores.csv").write_text(text, "utf-8")
    results = [
        relyon.evaluate_scores(
            relyon.read_scored(tmp_path / "scores.csv", score=name), measures="rr", name=name
        )
        for name in ("old", "new")
    ]
    one = relyon.compare_results(results).contrasts[0]
    assert one.baseline_mean == pytest.approx(mean_over_orders(SORTED, "rr"))
