"""Measures of the first ranks alone, whose lists are not ordered to their end: the same numbers."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import relyon

FIRST = [
    *("ndcg@10", "ndcg(ideal=uncut)@3", "dcg@5", "idcg@10", "ap@10", "rr@5", "p@1", "recall@10"),
    *("f1@10", "success@3", "ndcg(ideal=retrieved)@10", "cg@24"),
]
LEVELS = [1, 2, 5, 20, 1000]


def facts(results: Any) -> dict[str, Any]:
    """Returns everything that is known of each measure, and of each query."""
    return {
        name: (
            repr(entry.value),
            entry.tie_sensitive,
            [repr(value) for value in results.per_query[name].to_list()],
        )
        for name, entry in results.entries.items()
    }


@pytest.mark.parametrize("ties", ["input", "input-desc", "expected", "worst", "best"])
@pytest.mark.parametrize("scores", ["float64", "float32"])
def test_a_measure_of_the_whole_list_beside_them_changes_nothing(ties: str, scores: str) -> None:
    chance = np.random.default_rng(7)
    sizes = np.concatenate([[1, 31, 32, 33, 71, 72, 73, 900], chance.integers(1, 500, 60)])
    labels, values = [], []
    for number, size in enumerate(sizes):
        labels.append(chance.choice([0, 0, 0, 1, 2, 4], size))
        kind = LEVELS[number % len(LEVELS)]
        values.append(chance.integers(0, kind, size) * 1e-9 + chance.choice([0.0, 1.0, -0.0], size))
    rules = {"ties": ties, "scores": scores}
    given = (
        np.concatenate(labels),
        np.concatenate(values),
        np.repeat(np.arange(len(sizes)), sizes),
    )
    # Without a cutoff a measure needs every rank.
    whole = facts(relyon.evaluate_scores(*given, [*FIRST, "ap"], convention=rules))
    for measures in ([FIRST[0]], FIRST[:7], [one for one in FIRST if "retrieved" not in one]):
        found = facts(relyon.evaluate_scores(*given, measures, convention=rules))
        assert found == {name: whole[name] for name in found}
