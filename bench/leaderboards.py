"""The workload of leaderboards: 200 systems and 7,000 queries, every pair tested."""

from __future__ import annotations

from pathlib import Path

import numpy as np

import relyon
from bench.timing import Contender, Workload

__all__ = ["leaderboards"]

SYSTEMS, QUERIES = 200, 7_000


def leaderboards(home: Path) -> Workload:
    """Values of 200 systems, which rise by 0.05 in all, from memory."""
    draw = np.random.default_rng(0)
    values = 0.3 * draw.normal(size=(SYSTEMS, QUERIES)) + draw.normal(size=QUERIES)
    values += np.linspace(0, 0.05, SYSTEMS)[:, None]
    queries = [f"q{place}" for place in range(QUERIES)]
    given = {
        f"system {place}": {"value": dict(zip(queries, row, strict=True))}
        for place, row in enumerate(values.tolist())
    }

    def first_rank() -> float:
        board = relyon.leaderboard_values(given)["value"]
        return float(board["system 0"].ranks[0])

    return Workload(
        [
            Contender("relyon", first_rank),
            Contender("np.cov", lambda: np.cov(values)),
        ]
    )
