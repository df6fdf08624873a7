"""The workload of slices: 7,000 queries and 40 columns, searched and tested."""

from __future__ import annotations

from pathlib import Path

import numpy as np

import relyon
from bench import limits
from bench.timing import Contender, Workload

__all__ = ["slices"]

QUERIES, COLUMNS = 7_000, 40


def slices(home: Path) -> Workload:
    """Where a candidate loses: 7,000 queries, 40 columns of 2 to 8 values, with the control."""
    chance = np.random.default_rng(7)
    ids = [f"q{number}" for number in range(QUERIES)]
    columns = [chance.integers(0, chance.integers(2, 9), QUERIES) for _ in range(COLUMNS)]
    changes = chance.normal(0.01, 0.2, QUERIES) * (chance.random(QUERIES) < 0.4)
    changes[columns[0] == 0] -= 0.05
    given = dict(zip(ids, changes.tolist(), strict=True))
    features = {
        f"column {number}": {query: f"v{value}" for query, value in zip(ids, one, strict=True)}
        for number, one in enumerate(columns)
    }

    def found(depth: int) -> None:
        (one, *_) = relyon.find_slices(given, features, depth=depth).slices
        if one.where() != "column 0 = v0":
            raise AssertionError(f"the planted slice is not the first: {one.where()}")

    # One column per condition: the sums of what any two of them share are one product of matrices.
    holds = np.stack([one == value for one in columns for value in np.unique(one)], axis=1) * 1.0

    return Workload(
        [
            Contender("relyon, two conditions", lambda: found(2)),
            Contender("relyon, three conditions", lambda: found(3)),
            Contender(limits.SUMS, lambda: (holds * changes[:, None]).T @ holds),
        ]
    )
