"""The preset `torchmetrics` against the program's values."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

import relyon

ACTIONS = {"neg": "zero", "pos": "one", "skip": "skip"}


@pytest.mark.parametrize("action", ACTIONS)
def test_empty_target_action(action: str, golden: Callable[[str], Any]) -> None:
    content = golden("torchmetrics")
    expected = {
        f"{name}@all"
        if "@" not in name and name.partition("(")[0] in {"p", "recall", "success"}
        else name: value
        for name, value in content["expected"][action].items()
    }
    if action != "neg":
        # A query without a negative counts 0 there under every action.
        del expected["gauc"]
    labels = [label for query in content["queries"] for label in query["labels"]]
    scores = [score for query in content["queries"] for score in query["scores"]]
    ids = [place for place, query in enumerate(content["queries"]) for _ in query["labels"]]
    rules = {"preset": "torchmetrics", "undefined": ACTIONS[action]}
    found = relyon.evaluate_scores(labels, scores, ids, list(expected), convention=rules)
    for name, value in expected.items():
        assert found[name] == pytest.approx(value, rel=1e-6), name  # 32-bit sums
    assert len(expected) >= 29


def test_error(golden: Callable[[str], Any]) -> None:
    rules = {"preset": "torchmetrics", "undefined": "error"}
    with pytest.raises(relyon.InputError, match="`p@1` has no value for 1 query"):
        relyon.evaluate_scores([0, 0, 1, 0], [4, 3, 2, 1], [2, 2], "p@1", convention=rules)
