"""Passages and ways of cutting: what can reward finer chunks, and what changes no judgment."""

from __future__ import annotations

from typing import Any

import pytest

import relyon
from relyon import Chunks, Passages


def judged(*passages: Any) -> Passages:
    return Passages.from_dict({"q": passages})


@pytest.mark.parametrize(
    ("rules", "measure", "passages", "listed", "finer", "before", "after"),
    [
        (
            {"ties": "expected"},
            "span_ndcg",
            [("e", 2, 4)],
            {"a": ("e", 1, 4), "b": ("d", 0, 20)},
            {"a1": ("e", 1, 3), "a2": ("e", 3, 4), "b": ("d", 0, 20)},
            0.8155,
            0.8770,
        ),
        (
            {"unjudged": "removed"},
            "char_recall@1",
            [("d", 2, 16), ("e", 4, 16)],
            {"a": ("e", 6, 13), "b": ("e", 6, 14)},
            {"a1": ("e", 6, 9), "a2": ("e", 9, 13), "b": ("e", 6, 14)},
            0.2692,
            0.3077,
        ),
    ],
    ids=["ties", "removed"],
)
def test_ties_and_removed_chunks_can_reward_finer_cutting(
    rules: Any, measure: str, passages: Any, listed: Any, finer: Any, before: float, after: float
) -> None:
    """The page says so: what cannot be gained holds for lists in one order, none removed."""
    rules = relyon.Convention(**rules)
    found = []
    for parts in (listed, finer):
        tied = rules.ties == "expected"
        run = {"q": {name: 1.0 if tied else -float(rank) for rank, name in enumerate(parts)}}
        made = judged(*passages).judgments(Chunks.from_dict(parts))
        found.append(relyon.evaluate(made, run, measure, convention=rules)[measure])
    assert found == pytest.approx([before, after], abs=1e-4)


def test_the_order_of_rows_does_not_change_the_fingerprint_of_judgments() -> None:
    """Passages that are not found, too, are the same in another order."""
    rows: list[Any] = [
        {"document": "d", "quote": "never"},
        {"document": "d", "quote": "nowhere"},
        ("d", 0, 4),
    ]
    chunks = Chunks.from_dict({"a": ("d", 0, 20)})
    found = [
        Passages.from_dict({"q": order}).resolve({"d": "-" * 40}).judgments(chunks)
        for order in (rows, rows[::-1])
    ]
    with pytest.warns(relyon.RelyonWarning):
        one, other = (
            relyon.evaluate(judged, {"q": {"a": 1.0}}, "char_recall").to_dict()["inputs"]
            for judged in found
        )
    assert one == other
