"""Team-draft interleaving and multileaving."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import takewhile
from random import Random
from typing import TYPE_CHECKING, ClassVar

from relyon.online.experiments.interleaving.method import (
    Clicks,
    Draw,
    Interleaving,
    Placed,
    Rankings,
    contested,
    fill_up,
    left,
    pick,
    register,
)

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

__all__ = ["TeamDraft"]


@register
@dataclass(frozen=True)
class TeamDraft(Interleaving):
    """Team draft: in every round each run, in an order drawn anew, adds its best document left.

    A document is owned by the run that added it, and so is a click on it. A session prefers the run
    that owns more of its clicks: the outcome is −1, 0 or 1. Two conventions keep it fair to the
    position. What all runs rank alike from the top on is owned by none: either of them would have
    put it there. And positions below the end of the shortest list are owned by none. With more than
    two runs this is team-draft multileaving.

    References:
        Radlinski, Kurup and Joachims (2008), CIKM. Schuth, Sietsma, Whiteson, Lefortier and de
        Rijke (2014), CIKM: multileaving.
    """

    name: ClassVar[str] = "team-draft"

    def plan(self, rankings: Rankings, depth: int) -> Draw:
        """Returns a function that drafts the list of one query."""
        runs = len(rankings)
        owned = contested(rankings, depth)
        shared = [
            Placed(row[0], None, (0.0,) * runs)
            for row in takewhile(lambda row: len(set(row)) == 1, zip(*rankings, strict=False))
        ][:depth]

        def draw(random: Random) -> list[Placed]:
            placed = list(shared)
            waiting: list[int] = []
            while len(placed) < owned:
                waiting = waiting or list(range(runs))
                owner = waiting.pop(pick(random, len(waiting)) if len(waiting) > 1 else 0)
                credits = tuple(float(run == owner) for run in range(runs))
                placed.append(Placed(next(left(rankings[owner], placed)), owner, credits))
            fill_up(placed, rankings, depth)
            return placed

        return draw

    def outcomes(self, clicks: Clicks, first: int, second: int) -> NDArray[np.float64]:
        """Returns the sign of the difference between the clicks that the two runs own."""
        import numpy as np

        more = clicks.credits[:, second] - clicks.credits[:, first]
        return np.sign(np.bincount(clicks.session, more, clicks.sessions))
