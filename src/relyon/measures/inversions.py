"""Pairs in the wrong order: their number, and the costliest ones."""

from __future__ import annotations

import heapq
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction

from relyon.data.ranking import RankedDocument

__all__ = ["Exact", "Inversion", "LabelCounts", "costliest", "exact"]

Row = tuple[RankedDocument, float]
Exact = int | Fraction


def exact(weight: float) -> Exact:
    """Returns a weight as a number with exact sums.

    Examples:
        >>> exact(2.0), exact(0.5)
        (2, Fraction(1, 2))
    """
    return int(weight) if weight.is_integer() else Fraction(weight)


@dataclass(frozen=True)
class Inversion:
    """Two documents of one query in the wrong order.

    Attributes:
        above: The document with the worse label, which the run ranks above the other.
        below: The document with the better label.
        cost: The difference of their labels.
        distance: The difference of their ranks.
    """

    above: RankedDocument
    below: RankedDocument
    cost: float
    distance: int


class LabelCounts:
    """Counts of documents seen so far with a label below, at and above a given one.

    Documents may weigh more or less than 1; exact numbers keep the sums exact. A Fenwick tree over
    the distinct labels: updates and queries take O(log labels).

    Examples:
        >>> seen = LabelCounts([0, 1, 2])
        >>> for label in (2, 0, 2):
        ...     seen.add(label)
        >>> seen.around(2)
        (1, 2, 0)
    """

    def __init__(self, labels: Sequence[float]) -> None:
        self._labels = sorted(set(labels))
        self._tree: list[Exact] = [0] * (len(self._labels) + 1)
        self._all: Exact = 0

    def add(self, label: float, weight: Exact = 1) -> None:
        """Counts one more document; its label must be one of those named at the start."""
        place = bisect_left(self._labels, label) + 1
        while place < len(self._tree):
            self._tree[place] += weight
            place += place & -place
        self._all += weight

    def _first(self, place: int) -> Exact:
        total: Exact = 0
        while place:
            total += self._tree[place]
            place -= place & -place
        return total

    def around(self, label: float) -> tuple[Exact, Exact, Exact]:
        """Returns the counts below, at and above a label."""
        place = bisect_left(self._labels, label)
        below = self._first(place)
        upto = self._first(place + 1)
        return below, upto - below, self._all - upto


def costliest(
    above: Sequence[Row | None], below: Sequence[Row | None], limit: int, *, ties: bool
) -> list[Inversion]:
    """Returns the inverted pairs with the largest difference of labels.

    Equal differences are sorted by distance in ranks, largest first. Memory is O(documents): each
    lower document starts with its worst partner above, and further partners are searched only when
    that pair is returned.

    Args:
        above: Documents in ranked order that can be the upper one of a pair; `None` for those that
            cannot.
        below: The same for the lower one, of the same length.
        limit: The maximum number of pairs.
        ties: Whether documents of equal score are pairs too.
    """

    def worst(lower: Row, low: int, high: int) -> int | None:
        """The index of the lowest label, the first of several."""
        entry, label = lower
        best, place = label, None
        for other in range(low, high):
            row = above[other]
            if row is not None and row[1] < best and (ties or row[0].score != entry.score):
                best, place = row[1], other
        return place

    def firsts() -> Iterator[tuple[float, int, int, int, int]]:
        place: int | None = None
        for lower, row in enumerate(below):
            if row is not None and place is not None:
                upper = above[place]
                partner: int | None = place
                if upper is None or not upper[1] < row[1]:
                    partner = None
                elif not ties and upper[0].score == row[0].score:
                    partner = worst(row, 0, lower)
                if partner is not None:
                    yield candidate(lower, partner, 0, lower)
            one, best = above[lower], None if place is None else above[place]
            if one is not None and (best is None or one[1] < best[1]):
                place = lower

    def candidate(lower: int, upper: int, low: int, high: int) -> tuple[float, int, int, int, int]:
        one, other = above[upper], below[lower]
        cost = other[1] - one[1] if one is not None and other is not None else 0.0
        return -cost, upper - lower, upper, low, high

    heap = heapq.nsmallest(limit, firsts())
    heapq.heapify(heap)
    found: list[Inversion] = []
    while heap and len(found) < limit:
        cost, distance, upper, low, high = heapq.heappop(heap)
        lower = upper - distance
        one, other = above[upper], below[lower]
        if one is None or other is None:
            continue
        found.append(Inversion(one[0], other[0], -cost, -distance))
        for start, stop in ((low, upper), (upper + 1, high)):
            partner = worst(other, start, stop)
            if partner is not None:
                heapq.heappush(heap, candidate(lower, partner, start, stop))
    return found
