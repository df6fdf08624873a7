"""Lists of documents with features and labels, for tests of rankers."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np


class Lists(NamedTuple):
    """Simulated lists: labels follow from two features, one of them bent, and noise."""

    X: Any
    labels: Any
    qid: Any


def lists(queries: int = 30, rows: int = 12, *, seed: int = 0, noise: float = 0.5) -> Lists:
    """Returns lists whose labels, from 0 to 3, grow with features 0 and 1; 2 and 3 say nothing.

    Feature 3 has one value per query, as many features of real data do.
    """
    random = np.random.default_rng(seed)
    X = random.normal(size=(queries * rows, 4))
    qid = np.arange(queries).repeat(rows)
    X[:, 3] = random.normal(size=queries)[qid]
    worth = 1.5 * X[:, 0] - np.abs(X[:, 1]) + noise * random.normal(size=len(X))
    labels = np.digitize(worth, [-0.5, 0.7, 1.8]).astype(float)
    return Lists(X, labels, qid)
