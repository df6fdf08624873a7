"""Balanced interleaving."""

from __future__ import annotations

import math
from dataclasses import dataclass
from random import Random
from typing import TYPE_CHECKING, ClassVar

from relyon.online.experiments.interleaving.method import (
    Clicks,
    Draw,
    Interleaving,
    Placed,
    Rankings,
    pick,
    register,
)

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

__all__ = ["Balanced"]


@register
@dataclass(frozen=True)
class Balanced(Interleaving):
    """Balanced interleaving: both runs go down together, one of them, drawn once, a step ahead.

    The credits are the ranks of the document in the runs. With k the rank of the lowest click in
    the run that has it higher, a session prefers the run with more clicks in its first k: the
    outcome is −1, 0 or 1. It is not fair: of (1, 2, 3) and (2, 3, 1) a user who clicks anywhere
    prefers the second, so use it only to compare with earlier experiments.

    References:
        Joachims (2003), Text Mining. Chapelle, Joachims, Radlinski and Yue (2012), ACM TOIS 30(1):
        the bias, in section 3.
    """

    name: ClassVar[str] = "balanced"
    most: ClassVar[int | None] = 2

    def plan(self, rankings: Rankings, depth: int) -> Draw:
        """Returns the mixer of the lists of one query."""
        ranks = [{one: float(rank) for rank, one in enumerate(run, 1)} for run in rankings]

        def draw(random: Random) -> list[Placed]:
            ahead = pick(random, 2)
            next_rank = [0, 0]
            placed: list[Placed] = []
            there: set[str] = set()
            while len(placed) < depth:
                run = ahead if next_rank[ahead] <= next_rank[1 - ahead] else 1 - ahead
                if next_rank[run] >= len(rankings[run]):
                    run = 1 - run
                if next_rank[run] >= len(rankings[run]):
                    break
                document = rankings[run][next_rank[run]]
                next_rank[run] += 1
                if document not in there:
                    there.add(document)
                    credits = tuple(one.get(document, math.nan) for one in ranks)
                    placed.append(Placed(document, run, credits))
            return placed

        return draw

    def outcomes(self, clicks: Clicks, first: int, second: int) -> NDArray[np.float64]:
        """Returns the sign of the difference between the clicks in each run's first k."""
        import numpy as np

        ranks = clicks.credits[:, [first, second]]
        lowest = np.zeros(clicks.sessions)
        lowest[clicks.session] = np.fmin(ranks[:, 0], ranks[:, 1])  # the last one stays
        within = (ranks <= lowest[clicks.session, None]).astype(float)
        return np.sign(np.bincount(clicks.session, within[:, 1] - within[:, 0], clicks.sessions))
