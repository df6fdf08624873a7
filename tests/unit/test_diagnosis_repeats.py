"""Diagnoses of systems with repeated runs."""

from __future__ import annotations

import relyon

QUERIES = [f"q{number:02}" for number in range(12)]
JUDGMENTS = {query: {"good": 1, "bad": 0} for query in QUERIES}


def _run(losses: int) -> dict[str, dict[str, float]]:
    """Returns a run whose first queries have their documents in the wrong order."""
    return {
        query: {"good": 1.0, "bad": 2.0 if place < losses else 0.5}
        for place, query in enumerate(QUERIES)
    }


def _rules(*candidate: int) -> list[str]:
    systems = {"A": [_run(0), _run(0)], "B": [_run(losses) for losses in candidate]}
    compared = relyon.compare(JUDGMENTS, measures=["ndcg@10"], systems=systems)
    return [found.rule for found in relyon.diagnose(compared, rules=["worse"])]


def test_a_loss_of_the_first_run_alone_is_not_diagnosed() -> None:
    assert _rules(10, 0, 0, 0, 0, 0) == []


def test_a_loss_of_all_runs_is_diagnosed() -> None:
    assert _rules(10, 9, 10) == ["worse"]
