"""Pivot and chain: ratios of click-through rates, from the reference to each position."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, ClassVar

from relyon.labels.position_bias.estimator import Counts, Estimate, Estimator, register

if TYPE_CHECKING:
    from relyon.labels.model import Values
    from relyon.labels.position_bias.swaps import Swaps

__all__ = ["Chain", "Pivot"]


@dataclass(frozen=True)
class Paths(Estimator):
    """Ratios of click-through rates over the same documents, multiplied along a path.

    The ratio of two positions is Σ hd / Σ hc over the documents that were shown at both, as `Swaps`
    defines them: with harmonic weights the rate ratio of Mantel and Haenszel, one stratum per
    document. A position has no estimate where a step of its path has no clicks on one of its sides.
    """

    @abstractmethod
    def path(self, reference: int, place: int) -> Sequence[int]:
        """Returns the positions from the reference to another one, both included."""

    def estimate(self, counts: Counts) -> Estimate:
        """Adds up the logarithms of the ratios, and what each group of queries adds to them."""
        import numpy as np

        swaps = counts.swaps
        logs = np.full(swaps.size, np.nan)
        influence, share = np.zeros((2, swaps.groups, swaps.size))
        steps: dict[tuple[int, int], tuple[float, Values, Values]] = {}
        for place in range(swaps.size):
            path = self.path(counts.reference, place)
            total = 0.0
            for one, other in pairwise(path):
                low, high = min(one, other), max(one, other)
                if (low, high) not in steps:
                    steps[low, high] = _ratio(swaps, low, high)
                log, moved, part = steps[low, high]
                sign = 1 if one < other else -1
                total += sign * log
                influence[:, place] += sign * moved
                share[:, place] += part
            logs[place] = total
        unknown = np.isnan(logs)
        influence[:, unknown] = share[:, unknown] = 0.0
        return Estimate(logs, influence, share)


def _ratio(swaps: Swaps, first: int, second: int) -> tuple[float, Values, Values]:
    """The log ratio of two positions, its influence by group, and the variance by group."""
    import numpy as np

    rows = swaps.keep((swaps.first == first) & (swaps.second == second))
    above, below, weight = (
        np.bincount(rows.group, values, swaps.groups)
        for values in (rows.first_clicks, rows.second_clicks, rows.weight)
    )
    whole = weight.sum()
    if not (above.sum() > 0 and below.sum() > 0):
        nothing = np.full(swaps.groups, np.nan)
        return np.nan, nothing, nothing
    log = float(np.log(below.sum() / above.sum()))
    moved = below / below.sum() - above / above.sum()
    # Of two binomial rates; also of rates of 1 something is uncertain.
    variance = 1 / above.sum() + 1 / below.sum() - 2 / whole
    return log, moved, weight / whole * max(variance, 1e-12)


@register
@dataclass(frozen=True)
class Pivot(Paths):
    """θ_k / θ_1 = CTR_k / CTR_1 of the documents that were shown at both.

    Where positions 1 and k are swapped at random, this is the randomised experiment itself.

    Source: Joachims, Swaminathan, Schnabel, Unbiased learning-to-rank with biased feedback (2017);
    Agarwal et al., Estimating position bias without intrusive interventions (2019).
    """

    name: ClassVar[str] = "pivot"
    title: ClassVar[str] = "Pivot"

    def path(self, reference: int, place: int) -> Sequence[int]:
        """Directly, in one step."""
        return [reference, place] if place != reference else [reference]


@register
@dataclass(frozen=True)
class Chain(Paths):
    """θ_k / θ_1 as the product of the ratios of neighbouring positions.

    Neighbours are positions that were shown with none between them. It needs the smallest swaps,
    which cost users least, and adds up their errors.

    Source: Wang et al., Position bias estimation for unbiased learning to rank in personal search
    (2018), FairPairs; Agarwal et al. (2019).
    """

    name: ClassVar[str] = "chain"
    title: ClassVar[str] = "Adjacent chain"

    def path(self, reference: int, place: int) -> Sequence[int]:
        """Over all positions between."""
        step = 1 if place >= reference else -1
        return range(reference, place + step, step)
