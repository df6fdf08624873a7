"""Significant differences between estimates of position bias."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from relyon.labels.position_bias.estimator import Estimate, half_widths

if TYPE_CHECKING:
    from relyon.labels.position_bias.swaps import Places

__all__ = ["Doubt", "find_doubts"]

#: Estimates that differ by less are the same sums, added up in another order.
SAME = 1e-6


@dataclass(frozen=True)
class Doubt:
    """Two estimates that differ significantly.

    If clicks are examination times attraction, and positions change for reasons that have nothing
    to do with relevance, all estimates agree but for chance. The converse is false: if
    positions follow relevance everywhere alike, they agree on something wrong.

    Attributes:
        first: An estimator.
        second: Another one.
        positions: Where they differ.
        most: The largest ratio of the second to the first, or its inverse.
    """

    first: str
    second: str
    positions: tuple[int, ...]
    most: float


def find_doubts(
    found: Mapping[str, Estimate], positions: Places, level: float
) -> tuple[Doubt, ...]:
    """Compares every estimate with the first one, position by position.

    The two are computed from the same clicks, so their difference varies less than either: its
    interval is that of the difference of their influences. The level is that of all comparisons
    together (Bonferroni).
    """
    import numpy as np

    (name, first), *others = found.items()
    known = {other: np.isfinite(first.logs) & np.isfinite(one.logs) for other, one in others}
    number = sum(int(one.sum()) - 1 for one in known.values())
    doubts = []
    for other, second in others:
        queries = np.minimum(first.queries, second.queries)
        gaps = second.logs - first.logs
        influence = second.influence - first.influence
        half = half_widths(influence, queries, 1 - (1 - level) / max(number, 1))
        differs = known[other] & (np.abs(gaps) > np.maximum(half, SAME))
        if differs.any():
            most = float(np.exp(np.abs(gaps[differs]).max()))
            doubts.append(Doubt(name, other, tuple(positions[differs].tolist()), most))
    return tuple(doubts)
