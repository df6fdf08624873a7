"""Optimised interleaving."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from random import Random
from typing import TYPE_CHECKING, ClassVar, NamedTuple

from relyon.core.packages import scipy_part
from relyon.core.parameters import check_whole
from relyon.online.experiments.interleaving.method import (
    Clicks,
    Draw,
    Interleaving,
    Placed,
    Rankings,
    contested,
    fill_up,
    register,
)

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

__all__ = ["Law", "Optimised"]


class Law(NamedTuple):
    """The lists that are drawn, with their probabilities.

    Attributes:
        lists: The lists, all of the same length: the positions that are credited.
        probabilities: One per list.
    """

    lists: list[tuple[str, ...]]
    probabilities: NDArray[np.float64]


@register
@dataclass(frozen=True)
class Optimised(Interleaving):
    """Optimised interleaving: of all lists that keep the orders, the fair, most informative ones.

    Lists are those in which each document is the best one left of one of the two runs. The credit
    of a document is 1 / its rank in each run, 0 where the run lacks it, and a click speaks for the
    second run by δ, the difference of the two. How often each list is drawn solves a linear
    program: at each position the expectation of δ is 0, so that whoever clicks without reading
    prefers none, and the expectation of Σ δ² / position, the variance of what one click says, is as
    large as can be. The outcome of a session is the mean of δ over its clicks.

    Where there are more than `limit` lists, or no fair way to draw them, fewer positions are
    credited; below them the runs fill the list in turn.

    Attributes:
        limit: The largest number of lists to choose from.

    References:
        Radlinski and Craswell (2013), WSDM: lists, credits and constraints. Its sensitivity is the
        entropy of the winner; the variance, which is linear in the probabilities, is that of
        Schuth, Sietsma, Whiteson, Lefortier and de Rijke (2014), CIKM.
    """

    name: ClassVar[str] = "optimised"
    aliases: ClassVar[tuple[str, ...]] = ("optimized",)
    most: ClassVar[int | None] = 2
    limit: int = 1024

    def __post_init__(self) -> None:
        check_whole("limit", self.limit, least=2)

    def law(self, rankings: Rankings, depth: int) -> Law:
        """Returns the lists that are drawn, and how often; those that never are stay out."""
        levels = self._lists(rankings, contested(rankings, depth))
        while len(levels) > 1:
            found = self._solve(rankings, levels[-1])
            if found is not None:
                return found
            levels.pop()
        import numpy as np

        return Law([()], np.ones(1))

    def _lists(self, rankings: Rankings, depth: int) -> list[list[tuple[str, ...]]]:
        """Returns the lists of each length, as long as there are no more than `limit`."""
        levels: list[list[tuple[str, ...]]] = [[()]]
        for _ in range(depth):
            longer = dict.fromkeys(
                (*one, next(document for document in ranking if document not in one))
                for one in levels[-1]
                for ranking in rankings
            )
            if len(longer) > self.limit:
                break
            levels.append(list(longer))
        return levels

    def _solve(self, rankings: Rankings, lists: list[tuple[str, ...]]) -> Law | None:
        import numpy as np

        linprog = scipy_part("optimize").linprog

        credits = _credits(rankings)
        deltas = np.array(
            [[credits[one][1] - credits[one][0] for one in found] for found in lists]
        ).T
        weights = 1 / np.arange(1, len(deltas) + 1)
        solved = linprog(
            -(weights @ np.square(deltas)),
            A_eq=np.vstack([deltas, np.ones(len(lists))]),
            b_eq=np.append(np.zeros(len(deltas)), 1.0),
            method="highs",
        )
        if solved.status != 0:
            return None
        chances = np.maximum(solved.x, 0)
        chances /= chances.sum()
        if np.abs(deltas @ chances).max() > 1e-9:
            return None
        kept = np.flatnonzero(chances > 0)
        return Law([lists[place] for place in kept], chances[kept])

    def plan(self, rankings: Rankings, depth: int) -> Draw:
        """Returns a function that draws from the lists of one query."""
        import numpy as np

        lists, chances = self.law(rankings, depth)
        credits = _credits(rankings)
        steps = np.cumsum(chances)

        def draw(random: Random) -> list[Placed]:
            number = int(np.searchsorted(steps, random.random() * steps[-1], side="right"))
            placed = [_placed(one, credits[one]) for one in lists[number]]
            fill_up(placed, rankings, depth)
            return placed

        return draw

    def outcomes(self, clicks: Clicks, first: int, second: int) -> NDArray[np.float64]:
        """Returns the mean of δ over the clicks of each session."""
        import numpy as np

        delta = clicks.credits[:, second] - clicks.credits[:, first]
        counts = np.bincount(clicks.session, minlength=clicks.sessions)
        sums = np.bincount(clicks.session, delta, clicks.sessions)
        return np.asarray(sums / np.maximum(counts, 1), dtype=np.float64)


def _credits(rankings: Rankings) -> dict[str, tuple[float, ...]]:
    ranks: Sequence[dict[str, int]] = [
        {document: rank for rank, document in enumerate(ranking, 1)} for ranking in rankings
    ]
    every = {document for ranking in rankings for document in ranking}
    return {one: tuple(1 / run[one] if one in run else 0.0 for run in ranks) for one in every}


def _placed(document: str, credits: tuple[float, ...]) -> Placed:
    owner = None if credits[0] == credits[1] else int(credits[1] > credits[0])
    return Placed(document, owner, credits)
