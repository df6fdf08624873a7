"""What stands beside a pooled AUC: every row takes part, also those of a query of one class."""

from __future__ import annotations

import pytest

import relyon
from relyon.evaluation import Average

LABELS, SCORES, GROUPS = [1, 0, 0, 0], [0.9, 0.1, 0.95, 0.2], [2, 2]


def test_every_query_counts() -> None:
    results = relyon.evaluate_scores(LABELS, SCORES, GROUPS, ["auc"])
    assert results["auc"] == pytest.approx(2 / 3)
    assert (results.entries["auc"].queries, results.entries["auc"].undefined) == (2, 0)
    assert results.notes == ()


@pytest.mark.parametrize(("measure", "average"), [("auc", "macro"), ("gauc", None)])
def test_within_queries_one_class_is_undefined(measure: str, average: Average | None) -> None:
    results = relyon.evaluate_scores(LABELS, SCORES, GROUPS, [measure], average=average)
    assert results[measure] == 1.0
    assert (results.entries[measure].queries, results.entries[measure].undefined) == (1, 1)
    assert [note.kind for note in results.notes] == ["undefined-queries"]


def test_queries_with_and_without_unjudged_rows_are_pooled() -> None:
    labels = [1, 0, -1, 1, 0, 0]
    scores = [0.3, 0.2, 0.9, 0.9, 0.5, 0.05]
    found = relyon.evaluate_scores(
        labels, scores, [3, 3], ["auc"], convention={"negative": "unjudged"}
    )
    assert found["auc"] == (2 + 3) / 6  # of the positives 0.3 and 0.9
