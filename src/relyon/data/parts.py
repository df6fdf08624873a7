"""Parts of documents by their characters, judged ones, and the union of parts."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterable
from typing import NamedTuple

__all__ = ["Covered", "JudgedPart", "Part"]


class Part(NamedTuple):
    """A part of a document's text.

    Attributes:
        document: The document.
        start: The first character, counted from 0.
        end: The character after the last.
        found: Whether the place is known. If not, only the length, `end - start`, counts.
    """

    document: str
    start: int
    end: int
    found: bool = True

    @property
    def length(self) -> int:
        """The number of characters."""
        return self.end - self.start


class JudgedPart(NamedTuple):
    """A judged passage of a query.

    Attributes:
        name: Its name within the query.
        part: Its place.
        grade: Its grade.
    """

    name: str
    part: Part
    grade: float


class Covered:
    """The union of parts: each character counts once.

    Args:
        parts: Parts to begin with.

    Examples:
        >>> covered = Covered([Part("d", 0, 10)])
        >>> covered.add(Part("d", 5, 15)), covered.length
        ([(10, 15)], 15)
        >>> covered.shared("d", 8, 20)
        7
    """

    def __init__(self, parts: Iterable[Part] = ()) -> None:
        self.length = 0
        self._starts: dict[str, list[int]] = {}
        self._ends: dict[str, list[int]] = {}
        for part in parts:
            self.add(part)

    def add(self, part: Part) -> list[tuple[int, int]]:
        """Adds a part and returns what of it is new: starts and ends in order."""
        document, start, end, found = part
        if not found or end <= start:
            return []
        starts = self._starts.setdefault(document, [])
        ends = self._ends.setdefault(document, [])
        low, high = bisect_left(ends, start), bisect_right(starts, end)
        new: list[tuple[int, int]] = []
        place = start
        for known in range(low, high):
            if place < starts[known]:
                new.append((place, starts[known]))
            place = max(place, ends[known])
        if place < end:
            new.append((place, end))
        if low < high:
            start, end = min(start, starts[low]), max(end, ends[high - 1])
        starts[low:high], ends[low:high] = [start], [end]
        self.length += sum(last - first for first, last in new)
        return new

    def shared(self, document: str, start: int, end: int) -> int:
        """Returns how many characters of a part are covered."""
        starts = self._starts.get(document)
        if not starts:
            return 0
        ends = self._ends[document]
        low, high = bisect_right(ends, start), bisect_left(starts, end)
        return sum(min(end, ends[place]) - max(start, starts[place]) for place in range(low, high))
