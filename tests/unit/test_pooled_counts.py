"""What stands beside a pooled AUC: every row takes part, also those of a query of one class."""

from __future__ import annotations

import pytest

import relkit

LABELS, SCORES, GROUPS = [1, 0, 0, 0], [0.9, 0.1, 0.95, 0.2], [2, 2]


def test_every_query_counts() -> None:
    results = relkit.evaluate_scores(LABELS, SCORES, GROUPS, ["auc"])
    assert results["auc"] == pytest.approx(2 / 3)
    assert (results.entries["auc"].queries, results.entries["auc"].undefined) == (2, 0)
    assert results.notes == ()


@pytest.mark.parametrize(("measure", "average"), [("auc", "macro"), ("gauc", None)])
def test_within_queries_one_class_is_undefined(measure: str, average: str | None) -> None:
    results = relkit.evaluate_scores(LABELS, SCORES, GROUPS, [measure], average=average)
    assert results[measure] == 1.0
    assert (results.entries[measure].queries, results.entries[measure].undefined) == (1, 1)
    assert [note.kind for note in results.notes] == ["undefined-queries"]
