"""What TruLens's measures of retrieval return: it has no adapter here, for it takes none."""

from __future__ import annotations

from typing import Any

import pytest
from tests.hosts.packages import host

from relyon.compat.ranked_lists import ListMeasure

groundtruth = host("trulens.feedback.groundtruth", package="trulens-feedback")
provider = host("trulens.feedback.dummy.provider", package="trulens-feedback")


def agreement(**chunks: float) -> Any:
    expected = [{"text": text, "expect_score": score} for text, score in chunks.items()]
    truth = [{"query": "q", "expected_response": "", "expected_chunks": expected}]
    return groundtruth.GroundTruthAgreement(ground_truth=truth, provider=provider.DummyProvider())


def test_a_repeated_chunk_counts_once() -> None:
    """trulens#2746: recall was 2.0 and NDCG 1.63. Both are mended in 2.16."""
    theirs = agreement(A=1)
    assert theirs.recall_at_k("q", ["A", "A", "X"], k=3) == 1.0
    assert theirs.ndcg_at_k("q", ["A", "A"], k=2) == 1.0
    assert ListMeasure("recall@3")({"A": 1}, ["A", "A", "X"]) == 1.0
    assert ListMeasure("ndcg@2")({"A": 1}, ["A", "A"]) == 1.0


def test_half_of_what_was_expected() -> None:
    theirs = agreement(A=1, B=1)
    assert theirs.recall_at_k("q", ["A", "A"], k=2) == 0.5
    assert ListMeasure("recall@2")({"A": 1, "B": 1}, ["A", "A"]) == 0.5
    wanted = ListMeasure("ndcg@2")({"A": 1, "B": 1}, ["A", "A"])
    assert theirs.ndcg_at_k("q", ["A", "A"], k=2) == pytest.approx(wanted)
