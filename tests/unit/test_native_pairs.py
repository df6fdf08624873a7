"""Pairs of documents counted by their labels and scores, against every pair looked at."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from relyon import _native

#: Around the lists that are counted pair by pair, sorted by comparing and by digits.
SIZES = [2, 3, 7, 8, 9, 16, 63, 64, 65, 66, 129, 1000, 1001, 1027, 2500]
PLAN: list[tuple[str, dict[str, Any]]] = [
    ("pnr", {"label_ties": "ignore"}),
    ("pnr", {"score_ties": "half"}),
    ("tau", {}),
]


def labels_of(kind: str, size: int, random: np.random.Generator) -> NDArray[np.float64]:
    if kind == "real":
        return random.normal(size=size)
    if kind == "rounded":
        return np.round(random.normal(size=size), 1)
    if kind == "grades":
        return random.integers(0, 5, size).astype(np.float64)
    if kind == "many grades":
        return random.integers(0, 30, size).astype(np.float64)
    return np.full(size, 0.25)


@pytest.mark.parametrize("ties", ["none", "some", "all"])
@pytest.mark.parametrize("kind", ["real", "rounded", "grades", "many grades", "constant"])
@pytest.mark.parametrize("size", SIZES)
def test_every_pair_is_counted_once(kind: str, ties: str, size: int) -> None:
    random = np.random.default_rng(size)
    labels = labels_of(kind, size, random)
    scores = random.normal(size=size)
    if ties != "none":
        scores = np.round(scores, 1) if ties == "some" else np.zeros(size)
    by_label = np.sign(labels[:, None] - labels)[np.triu_indices(size, 1)]
    by_score = np.sign(scores[:, None] - scores)[np.triu_indices(size, 1)]
    agreeing = int((by_label * by_score > 0).sum())
    opposed = int((by_label * by_score < 0).sum())
    equal_labels = int(((by_label == 0) & (by_score != 0)).sum())
    tied = int(((by_label != 0) & (by_score == 0)).sum())
    tied_equal = int(((by_label == 0) & (by_score == 0)).sum())

    batch = _native.evaluate_arrays(_native.Plan(PLAN), labels, scores, np.array([0, size]))

    def sides(kernel: int) -> list[float]:
        return [float(array[0]) for array in batch.arrays(kernel)[1:3]]

    assert sides(0) == [agreeing, opposed]
    half = tied / 2 + tied_equal / 2
    assert sides(1) == [agreeing + equal_labels + half, opposed + half]
    norm = float(
        np.sqrt(float(agreeing + opposed + equal_labels) * float(agreeing + opposed + tied))
    )
    if norm:
        assert batch.values(2)[0] == (agreeing - opposed) / norm
