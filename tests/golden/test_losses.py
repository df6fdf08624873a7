"""Losses against numbers that other programs found."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import relyon.ltr

DATA = Path(__file__).with_name("data")
ALLRANK = json.loads((DATA / "allrank.json").read_text("utf-8"))["lists"]
RAX = json.loads((DATA / "rax.json").read_text("utf-8"))["lists"]
#: Ours with the parameters that theirs has fixed.
NAMES = {
    "ranknet": "ranknet",
    "listnet": "listnet",
    "listmle": "listmle",
    "approx_ndcg": "approx_ndcg(temperature=1)",
    "neural_ndcg": "neural_ndcg",
    "ndcg_loss1": "ndcg_loss1",
    "ndcg_loss2": "ndcg_loss2",
    "ndcg_loss2pp": "ndcg_loss2pp",
}


def in_our_words(name: str, one: dict[str, Any]) -> tuple[float, np.ndarray]:
    """Returns allRank's value and gradient by our definition."""
    value, gradient = one["losses"][name]["value"], np.array(one["losses"][name]["gradient"])
    size = len(one["labels"])
    if name == "ranknet":  # the mean over pairs
        return value * size * (size - 1) / 2, gradient * size * (size - 1) / 2
    if name in {"approx_ndcg", "neural_ndcg"}:  # NDCG below 0
        return value + 1, gradient
    if name == "ndcg_loss1":  # each document paired with itself, too: the share of its gain
        order = np.argsort(-np.array(one["scores"]))
        gains = 2 ** np.array(one["labels"]) - 1
        shares = 1 / np.log2(np.arange(2, size + 2))
        return value - gains[order] @ shares / (np.sort(gains)[::-1] @ shares), gradient
    return value, gradient


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("one", ALLRANK, ids=lambda one: f"{len(one['labels'])} documents")
def test_allrank(name: str, one: dict[str, Any]) -> None:
    value, gradient = in_our_words(name, one)
    found = relyon.ltr.loss(NAMES[name]).evaluate(one["labels"], one["scores"])
    # It takes logarithms of ranks in single precision, and adds 1e-10 here and there.
    assert found.values == pytest.approx([value], rel=3e-6, abs=1e-6)
    assert found.gradient == pytest.approx(gradient, rel=3e-5, abs=3e-6)


#: Its name, ours, what ours is of it, and what is added.
RAX_NAMES = {
    "ranknet": ("ranknet", 1.0, 0.0),
    "squared_error": ("squared_error", 0.5, 0.0),  # without the half
    "softmax": ("softmax", 1.0, 0.0),
    "listmle": ("listmle", 1.0, 0.0),
    "approx_ndcg": ("approx_ndcg(temperature=1)", 1.0, 1.0),  # NDCG below 0
    "approx_ndcg(temperature=0.1)": ("approx_ndcg", 1.0, 1.0),
}


@pytest.mark.parametrize("name", RAX_NAMES)
@pytest.mark.parametrize("one", RAX, ids=lambda one: f"{len(one['labels'])} documents")
def test_rax(name: str, one: dict[str, Any]) -> None:
    ours, times, added = RAX_NAMES[name]
    wanted = one["losses"][name]
    found = relyon.ltr.loss(ours).evaluate(one["labels"], one["scores"])
    assert found.values == pytest.approx([times * wanted["value"] + added], rel=1e-12, abs=1e-14)
    gradient = times * np.array(wanted["gradient"])
    assert found.gradient == pytest.approx(gradient, rel=1e-10, abs=1e-13)
