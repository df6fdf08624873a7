"""The workload of growth: half the lines of a run against all of them."""

from __future__ import annotations

from pathlib import Path

import relyon
from bench.contenders import five_measures
from bench.timing import Contender, Workload

__all__ = ["growth"]


def growth(home: Path) -> Workload:
    """Half the lines against all of them."""

    def ours(name: str) -> relyon.Results:
        return five_measures(home / f"{name}.qrels", home / f"{name}.run")

    return Workload(
        [
            Contender("half the lines", lambda: ours("msdev.half")),
            Contender("all lines", lambda: ours("msdev")),
        ]
    )
