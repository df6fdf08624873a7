"""Explanations of a real collection: BM25 and T5 re-ranking on DL-HARD."""

from __future__ import annotations

import math
from pathlib import Path

import pytest

import relyon

MEASURES = ["ndcg@10", "ap", "rr(rel=2)@10", "recall@100", "err@20", "auc", "bpref"]


@pytest.fixture(scope="module")
def collection(test_data: Path) -> tuple[relyon.Judgments, relyon.Run, relyon.Run]:
    folder = test_data / "dl_hard_passage"
    return (
        relyon.read_judgments(folder / "qrels.passage.txt"),
        relyon.read_run(folder / "bm25.run.gz"),
        relyon.read_run(folder / "bm25_t5.zs.run.gz"),
    )


@pytest.mark.parametrize("measure", MEASURES)
def test_changes_add_up_to_the_difference_of_two_evaluations(measure: str, collection) -> None:
    judgments, bm25, t5 = collection
    before, after = (
        relyon.evaluate(judgments, run, measure).values_by_query(measure) for run in (bm25, t5)
    )
    for query in judgments.queries[::5]:
        found = relyon.explain_change(judgments, bm25, t5, query, measure)
        if math.isnan(before[query]) or math.isnan(after[query]):
            assert math.isnan(found.difference)
            continue
        assert math.fsum(move.change for move in found.moves) == pytest.approx(
            after[query] - before[query], abs=1e-12
        )


@pytest.mark.long
@pytest.mark.parametrize("preset", ["trec_eval", "sklearn", "lightgbm", "catboost"])
@pytest.mark.parametrize("measure", ["ndcg@10", "ap"])
def test_contributions_add_up_to_the_difference_of_two_evaluations(
    measure: str, preset: str, collection
) -> None:
    judgments, bm25, _ = collection
    here, there = (
        relyon.evaluate(judgments, bm25, measure, convention=name).values_by_query(measure)
        for name in ("relyon", preset)
    )
    for query in judgments.queries[::5]:
        found = relyon.explain(judgments, bm25, query, measure, against=preset).against
        assert found is not None
        assert math.fsum(share.contribution for share in found.shares) == pytest.approx(
            there[query] - here[query], abs=1e-12
        )


def test_the_ideal_list_is_reached_by_ranking_it(collection) -> None:
    judgments, bm25, _ = collection
    query = judgments.queries[0]
    found = relyon.explain(judgments, bm25, query, "ndcg@10")
    perfect = {query: {step.document: -step.rank for step in found.ideal}}
    assert relyon.explain(judgments, perfect, query, "ndcg@10").value == pytest.approx(1.0)
