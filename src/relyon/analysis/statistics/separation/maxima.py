"""Step-down p-values: draws whose largest statistic is at least that of the data."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

from relyon.analysis.statistics.separation.pairs import Pairs

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]

__all__ = ["Maxima"]

#: Two statistics are equal if they differ by less than this share.
NOISE = 1e-9


@dataclass
class Maxima:
    """Counts of draws whose maximum is at least the statistic, for three families of pairs."""

    first: NDArray[np.int64]
    second: NDArray[np.int64]
    signs: Floats
    observed: Floats
    order: NDArray[np.int64]
    members: list[NDArray[np.int64]]
    best: Floats
    counts: NDArray[np.int64]
    own_counts: list[NDArray[np.int64]]
    best_counts: NDArray[np.int64]
    draws: int = 0

    @classmethod
    def of(cls, pairs: Pairs, statistic: Floats, systems: int) -> Maxima:
        """Returns empty counts.

        Args:
            pairs: The pairs.
            statistic: Of each pair, positive if the first system is better.
            systems: The number of systems.
        """
        import numpy as np

        first, second = pairs.first, pairs.second
        observed = np.abs(statistic)
        order = np.argsort(observed, kind="stable")
        members: list[list[int]] = [[] for _ in range(systems)]
        best = np.full(systems, -math.inf)
        for pair in order.tolist():
            for system, sign in ((first[pair], -1.0), (second[pair], 1.0)):
                members[system].append(pair)
                best[system] = max(best[system], sign * statistic[pair])
        return cls(
            first,
            second,
            np.where(statistic >= 0, 1.0, -1.0),
            observed,
            order,
            [np.array(one, dtype=np.int64) for one in members],
            best,
            np.zeros(len(first), dtype=np.int64),
            [np.zeros(len(one), dtype=np.int64) for one in members],
            np.zeros(systems, dtype=np.int64),
        )

    def add(self, drawn: Floats) -> None:
        """Counts draws: draws x pairs, positive if the first system is better."""
        import numpy as np

        self.draws += len(drawn)
        drawn *= self.signs
        self.counts[self.order] += _at_least(drawn[:, self.order], self.observed[self.order])
        for system, pairs in enumerate(self.members):
            mine = drawn[:, pairs]
            # Positive if the other system is better than this one.
            away = np.where(self.first[pairs] == system, -1.0, 1.0) * self.signs[pairs]
            most = (mine * away).max(axis=1)
            self.own_counts[system] += _at_least(mine, self.observed[pairs])
            self.best_counts[system] += int((most >= _least(self.best[system])).sum())

    def p(self, more: int) -> tuple[Floats, Floats, Floats]:
        """Returns p for all pairs, for the pairs of each system, and of each being the best.

        Args:
            more: 1 if the data count as one of the draws; 0 if they are among them.
        """
        import numpy as np

        systems = len(self.members)
        whole, own = np.ones((systems, systems)), np.ones((systems, systems))
        found = self._monotone(self.counts[self.order], more)
        pairs = self.order
        whole[self.first[pairs], self.second[pairs]] = found
        whole[self.second[pairs], self.first[pairs]] = found
        for system, mine in enumerate(self.members):
            other = np.where(self.first[mine] == system, self.second[mine], self.first[mine])
            own[system, other] = self._monotone(self.own_counts[system], more)
        best = (self.best_counts + more) / (self.draws + more)
        best[self.best <= 0] = 1.0
        return whole, own, best

    def _monotone(self, counts: NDArray[np.int64], more: int) -> Floats:
        """Returns p by ascending statistic: none is below that of a larger statistic."""
        import numpy as np

        p = (counts + more) / (self.draws + more)
        found: Floats = np.maximum.accumulate(p[::-1])[::-1]
        return found


def _least(observed: Floats | float) -> Floats | float:
    return observed * (1 - NOISE) - 1e-12


def _at_least(drawn: Floats, observed: Floats) -> NDArray[np.int64]:
    """Returns for how many draws the maximum is at least the statistic.

    Args:
        drawn: Draws x pairs by ascending statistic, in the direction of the data; overwritten.
        observed: The statistics.
    """
    import numpy as np

    reverse = -drawn.min(axis=1)
    drawn[:, 0] = np.maximum(drawn[:, 0], reverse)
    highest = np.maximum.accumulate(drawn, axis=1, out=drawn)
    found: NDArray[np.int64] = np.greater_equal(highest, _least(observed)).sum(axis=0)
    return found
