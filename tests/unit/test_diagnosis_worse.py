"""A candidate that is worse, or the wrong way round, is called so; noise is not."""

from __future__ import annotations

from collections import Counter
from typing import Any

import numpy as np
import pytest
from tests.unit.diagnosing import Lists, both_languages, comparison, look

import relyon
from relyon.analysis.diagnosis import ReversedScores, Worse

Drawn = tuple[dict[str, dict[str, int]], Lists, Lists]
DOCUMENTS = 20


def drawn(seed: int, *, noise: tuple[float, float] = (0.7, 0.7), queries: int = 20) -> Drawn:
    """Judgments, and two runs that order the documents by their grades and independent noise."""
    chance = np.random.default_rng(seed)
    judgments: dict[str, dict[str, int]] = {}
    runs: tuple[Lists, Lists] = ({}, {})
    for number in range(queries):
        grades = chance.integers(0, 4, DOCUMENTS)
        judgments[f"q{number}"] = {f"d{place}": int(one) for place, one in enumerate(grades)}
        for run, spread in zip(runs, noise, strict=True):
            scores = (grades + chance.normal(0, spread, DOCUMENTS)).tolist()
            run[f"q{number}"] = {f"d{place}": one for place, one in enumerate(scores)}
    return judgments, *runs


def negated(run: Lists) -> Lists:
    return {query: {one: -score for one, score in lists.items()} for query, lists in run.items()}


def test_negated_scores_are_reversed_and_worse() -> None:
    judgments, old, _ = drawn(1)
    found = relyon.diagnose(comparison(judgments, old, negated(old)))
    assert [one.rule for one in found][:2] == ["scores-reversed", "worse"]
    for one in found[:2]:
        both_languages(one)
    turned, worse = found[:2]
    assert turned.evidence["correlation"] == pytest.approx(-1)
    assert turned.evidence["negative"] == turned.evidence["queries"] == 20
    assert (worse.evidence["wins"], worse.evidence["losses"]) == (0, 20)
    assert worse.evidence["cause"] == "ranking"
    interval: Any = worse.evidence["ndcg_interval"]
    difference: Any = worse.evidence["ndcg_difference"]
    assert interval[0] < difference < interval[1] < 0
    assert "better on 0 and worse on 20 of 20 queries" in worse.text()
    assert "the loss is in the ranking" in worse.text()
    assert "损失在排序" in worse.text("zh")


def test_reversed_lists_without_common_documents_are_seen_by_the_grades() -> None:
    judgments, old, _ = drawn(2, noise=(0.1, 0.1))
    top = {query: dict(sorted(one.items(), key=lambda p: -p[1])[:9]) for query, one in old.items()}
    bottom = {
        query: {d: -s for d, s in sorted(one.items(), key=lambda p: p[1])[:11]}
        for query, one in old.items()
    }
    found = look(ReversedScores(), judgments, top, bottom)
    assert found.evidence["against"] == "grades"
    assert found.evidence["correlation"] < -0.25
    both_languages(found)


def test_a_weak_run_and_a_random_one_are_worse_but_not_reversed() -> None:
    for spread in (2.0, 100.0):
        for seed in range(5):
            judgments, old, weak = drawn(seed, noise=(0.3, spread))
            compared = comparison(judgments, old, weak, resamples=1)
            found = relyon.diagnose(compared, rules=["worse", "scores-reversed"])
            assert [one.rule for one in found] == ["worse"], (spread, seed)


def test_lost_documents_are_a_loss_of_recall() -> None:
    judgments, old, _ = drawn(3)
    short = {
        query: dict(sorted(lists.items(), key=lambda pair: pair[1])[:12])
        for query, lists in old.items()
    }
    found = look(Worse(), judgments, old, short)
    assert found.evidence["cause"] == "recall"
    assert "relevant documents are no longer found" in found.text()
    assert found.next_step().startswith("Look at retrieval first")
    both_languages(found)


def test_where_few_queries_lose_documents_the_cause_is_open() -> None:
    judgments, old, _ = drawn(4)
    run = negated(old)
    run["q0"] = dict(sorted(run["q0"].items(), key=lambda pair: -pair[1])[:10])
    found = look(Worse(), judgments, old, run)
    assert found.evidence["cause"] == "open"
    assert "cannot tell whether retrieval loses" in found.text()
    both_languages(found)


def test_better_equal_and_few_queries_are_silent() -> None:
    judgments, old, _ = drawn(5)
    rules = ["worse", "scores-reversed"]
    assert relyon.diagnose(comparison(judgments, old, old), rules=rules) == []
    assert relyon.diagnose(comparison(judgments, negated(old), old), rules=rules) == []
    few = drawn(6, queries=5)
    assert relyon.diagnose(comparison(few[0], few[1], negated(few[1])), rules=rules) == []


@pytest.mark.long
def test_between_equal_runs_both_are_rare() -> None:
    counts: Counter[str] = Counter()
    comparisons = 200
    for seed in range(comparisons):
        judgments, old, new = drawn(100 + seed)
        compared = comparison(judgments, old, new, resamples=1)
        counts.update(one.rule for one in relyon.diagnose(compared, rules=["worse"]))
        # Unrelated orders: the candidate is random, and no correlation is expected.
        compared = comparison(judgments, old, drawn(9000 + seed, noise=(1.0, 1e6))[2], resamples=1)
        counts.update(one.rule for one in relyon.diagnose(compared, rules=["scores-reversed"]))
    # A two-sided test at 5% finds a drop in 2.5%; chance adds up to 4% in 200 comparisons.
    assert counts["worse"] <= 0.065 * comparisons
    assert counts["scores-reversed"] <= 0.01 * comparisons
