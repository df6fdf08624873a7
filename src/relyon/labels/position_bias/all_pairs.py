"""AllPairs: intervention harvesting from every two positions at which a document was shown."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from relyon.core.parameters import check_whole
from relyon.labels.position_bias.estimator import Counts, Estimate, Estimator, register

if TYPE_CHECKING:
    from relyon.labels.model import Values
    from relyon.labels.position_bias.swaps import Places, Swaps

__all__ = ["AllPairs"]

#: Of each rate that is 1, this share counts as skipped: log(1 − θr) has to stay finite.
SKIPPED = 1e-6
#: A step that raises the likelihood per unit of weight by less is the last.
RISE = 1e-12
#: No step changes the logarithm of a parameter by more.
LONGEST = 3.0


@dataclass(frozen=True)
class Edges:
    """Sums over every two positions at which a clicked document was shown.

    Attributes:
        first: A position: an index.
        second: One below it.
        clicks: Clicks at both: shape (2, edges).
        skips: The same of skips.
    """

    first: Places
    second: Places
    clicks: Values
    skips: Values


@register
@dataclass(frozen=True)
class AllPairs(Estimator):
    """Maximises Σ ĉ log(θ_k r_kk') + (1 − ĉ) log(1 − θ_k r_kk') over all ordered (k, k').

    ĉ and 1 − ĉ are the clicks and skips at k of the documents shown at k and k', each
    impression weighted by the inverse of how often the document was shown there: Σ c of its rates,
    times the weight of the document, as `Swaps` defines it. r_kk' = r_k'k is how attractive
    these documents are; a parameter of its own for every two positions. In the logarithms of θ and
    r the likelihood is concave: Newton's method finds its maximum. θ is not limited to 1, which is
    that of the reference.

    Source: Agarwal et al., Estimating position bias without intrusive interventions (2019).

    Attributes:
        rounds: The most steps.
    """

    name: ClassVar[str] = "all-pairs"
    title: ClassVar[str] = "AllPairs"

    rounds: int = 200

    def __post_init__(self) -> None:
        check_whole("rounds", self.rounds)

    def estimate(self, counts: Counts) -> Estimate:
        """Fits all positions that can be compared with the reference."""
        import numpy as np

        known = counts.comparable
        swaps = counts.swaps.keep(known[counts.swaps.first] & known[counts.swaps.second])
        clicked = swaps.table(swaps.first_clicks + swaps.second_clicks) > 0
        swaps = swaps.keep(clicked[swaps.first, swaps.second])
        logs = np.where(known, 0.0, np.nan)
        influence, share = np.zeros((2, swaps.groups, swaps.size))
        free = np.flatnonzero(known & (np.arange(swaps.size) != counts.reference))
        if not len(free):
            return Estimate(logs, influence, share)
        edges = _edges(swaps)
        found, chances = self._maximise(edges, swaps.size, free)
        logs[free] = found[free]

        # What each group adds to the score, the attractions following the examinations.
        _, weights = _slopes(edges.clicks, edges.skips, chances)
        inverse = np.zeros((swaps.size, swaps.size))
        inverse[np.ix_(free, free)] = np.linalg.inv(_laplacian(edges, weights, swaps.size, free))
        numbers = np.zeros((swaps.size, swaps.size), np.int64)
        numbers[edges.first, edges.second] = np.arange(len(edges.first))
        edge = numbers[swaps.first, swaps.second]
        clicks = np.stack([swaps.first_clicks, swaps.second_clicks])
        slopes, _ = _slopes(clicks, swaps.weight - clicks, chances[:, edge])
        moved = slopes - weights[:, edge] / weights.sum(axis=0)[edge] * slopes.sum(axis=0)
        scores = np.zeros_like(influence)
        for places, values in zip((swaps.first, swaps.second), moved, strict=True):
            np.add.at(scores, (swaps.group, places), values)
        influence[:] = scores @ inverse
        joint = weights.prod(axis=0) / weights.sum(axis=0)
        parts = joint[edge] * swaps.weight / (edges.clicks + edges.skips)[0, edge]
        for place in free:
            gaps = inverse[place, swaps.first] - inverse[place, swaps.second]
            share[:, place] = np.bincount(swaps.group, parts * gaps**2, swaps.groups)
        return Estimate(logs, influence, share)

    def _maximise(self, edges: Edges, size: int, free: Places) -> tuple[Values, Values]:
        """Returns log θ, and the probabilities of a click at both positions of each edge."""
        import numpy as np

        whole = edges.clicks + edges.skips
        logs = np.zeros(size)
        attraction = np.log(edges.clicks.sum(axis=0) / whole.sum(axis=0))
        ends = np.stack([edges.first, edges.second])
        chances = np.exp(logs[ends] + attraction)
        value = _likelihood(edges, chances)
        for _ in range(self.rounds):
            slopes, weights = _slopes(edges.clicks, edges.skips, chances)
            both, total = slopes.sum(axis=0), weights.sum(axis=0)
            reduced = slopes - weights / total * both
            gradient = np.bincount(ends.ravel(), reduced.ravel(), size)[free]
            step = np.zeros(size)
            step[free] = np.linalg.solve(_laplacian(edges, weights, size, free), gradient)
            bend = (both - (weights * step[ends]).sum(axis=0)) / total
            longest = max(np.abs(step).max(), np.abs(bend).max())
            scale = min(1.0, LONGEST / longest) if longest > 0 else 1.0
            # The whole step, or as much of it as keeps every probability below 1 and climbs.
            for halving in range(60):
                length = scale * 0.5**halving
                trial = np.exp((logs + length * step)[ends] + attraction + length * bend)
                new = _likelihood(edges, trial)
                if new >= value:
                    break
            else:
                break
            logs, attraction, chances = logs + length * step, attraction + length * bend, trial
            rise, value = new - value, new
            if rise <= RISE * whole.sum():
                break
        return logs, chances


def _edges(swaps: Swaps) -> Edges:
    import numpy as np

    sums = [
        swaps.table(values) for values in (swaps.weight, swaps.first_clicks, swaps.second_clicks)
    ]
    first, second = np.nonzero(sums[0])
    whole, *clicks = (table[first, second] for table in sums)
    skips = np.maximum(whole - np.stack(clicks), SKIPPED * whole)
    return Edges(first, second, np.stack(clicks), skips)


def _likelihood(edges: Edges, chances: Values) -> float:
    import numpy as np

    if not (chances < 1).all():
        return -np.inf
    return float((edges.clicks * np.log(chances) + edges.skips * np.log1p(-chances)).sum())


def _slopes(clicks: Values, skips: Values, chances: Values) -> tuple[Values, Values]:
    """The first derivatives by the logarithm of each probability, and the second ones, negated."""
    rest = 1 - chances
    odds = skips * chances / rest
    return clicks - odds, odds / rest


def _laplacian(edges: Edges, weights: Values, size: int, free: Places) -> Values:
    """The information about θ: what remains of it where every r is unknown, too."""
    import numpy as np

    joint = weights.prod(axis=0) / weights.sum(axis=0)
    out = np.zeros((size, size))
    out[edges.first, edges.second] = out[edges.second, edges.first] = -joint
    out[np.arange(size), np.arange(size)] = -out.sum(axis=1)
    found: Values = out[np.ix_(free, free)]
    return found
