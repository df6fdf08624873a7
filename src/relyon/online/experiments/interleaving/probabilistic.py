"""Probabilistic interleaving and multileaving."""

from __future__ import annotations

from dataclasses import dataclass
from random import Random
from typing import TYPE_CHECKING, ClassVar

from relyon.core.parameters import check_interval
from relyon.online.experiments.interleaving.method import (
    Clicks,
    Draw,
    Interleaving,
    Placed,
    Rankings,
    contested,
    fill_up,
    pick,
    register,
)

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

__all__ = ["Probabilistic"]


@register
@dataclass(frozen=True)
class Probabilistic(Interleaving):
    """Probabilistic interleaving: every document may be anywhere, the better ranked more often.

    At each position a run is drawn, and from it a document with a probability proportional to
    1 / rank**decay among those left. Which run was drawn does not matter afterwards: the credit of
    a document is how probable each run is to have been, given the document. The outcome of a
    session is the expectation over all such assignments of −1, 0 or 1, by which run has more of its
    clicks. Lists do not keep the runs' orders. With more than two runs this is probabilistic
    multileaving.

    Attributes:
        decay: How fast the probability falls with the rank: 3 in the paper.

    References:
        Hofmann, Whiteson and de Rijke (2011), CIKM. Schuth et al. (2015), SIGIR: multileaving.
    """

    name: ClassVar[str] = "probabilistic"
    decay: float = 3.0

    def __post_init__(self) -> None:
        check_interval("decay", self.decay, 0, 100)

    def plan(self, rankings: Rankings, depth: int) -> Draw:
        """Returns a function that draws the list of one query."""
        import numpy as np

        documents = list(dict.fromkeys(one for ranking in rankings for one in ranking))
        place = {document: number for number, document in enumerate(documents)}
        start = np.zeros((len(rankings), len(documents)))
        for row, ranking in zip(start, rankings, strict=True):
            row[[place[one] for one in ranking]] = np.arange(1.0, len(ranking) + 1) ** -self.decay
        owned = contested(rankings, depth)

        def draw(random: Random) -> list[Placed]:
            weights = start.copy()
            placed: list[Placed] = []
            while len(placed) < owned:
                run = pick(random, len(rankings))
                chances = weights / weights.sum(axis=1, keepdims=True)
                steps = np.cumsum(chances[run])
                chosen = int(np.searchsorted(steps, random.random() * steps[-1], side="right"))
                credits = chances[:, chosen] / chances[:, chosen].sum()
                placed.append(Placed(documents[chosen], run, tuple(credits.tolist())))
                weights[:, chosen] = 0.0
            fill_up(placed, rankings, depth)
            return placed

        return draw

    def outcomes(self, clicks: Clicks, first: int, second: int) -> NDArray[np.float64]:
        """Returns P(the second run has more of the clicks) − P(the first has more)."""
        import numpy as np

        found = np.zeros(clicks.sessions)
        counts = np.bincount(clicks.session, minlength=clicks.sessions)
        starts = np.cumsum(counts) - counts
        for count in np.unique(counts[counts > 0]):
            chosen = np.flatnonzero(counts == count)
            rows = starts[chosen, None] + np.arange(count)
            loses, wins = clicks.credits[rows, first], clicks.credits[rows, second]
            # law[:, count + m]: the probability that the second run is m clicks ahead.
            law = np.zeros((len(chosen), 2 * count + 1))
            law[:, count] = 1.0
            for place in range(count):
                up, down = wins[:, place, None], loses[:, place, None]
                moved = law * (1 - up - down)
                moved[:, 1:] += law[:, :-1] * up
                moved[:, :-1] += law[:, 1:] * down
                law = moved
            found[chosen] = law[:, count + 1 :].sum(axis=1) - law[:, :count].sum(axis=1)
        return np.clip(found, -1, 1)
