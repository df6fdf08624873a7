"""Parts of documents by their characters, judged ones, and the union of parts."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

__all__ = ["Covered", "JudgedPart", "Part", "by_document", "length_of", "shared_length"]


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


def by_document(parts: Iterable[Part]) -> dict[str, list[tuple[int, int]]]:
    """Returns the union of parts: starts and ends by document, in order and apart.

    Parts whose place is unknown are left out.

    Examples:
        >>> by_document([Part("d", 5, 9), Part("d", 0, 6), Part("e", 1, 2)])
        {'d': [(0, 9)], 'e': [(1, 2)]}
    """
    groups: dict[str, list[tuple[int, int]]] = {}
    for document, start, end, found in parts:
        if found and end > start:
            groups.setdefault(document, []).append((start, end))
    return {
        document: group if len(group) == 1 else _merged(group) for document, group in groups.items()
    }


def length_of(united: Mapping[str, Sequence[tuple[int, int]]]) -> int:
    """Returns the characters of what `by_document` returns."""
    return sum(end - start for group in united.values() for start, end in group)


def shared_length(
    one: Mapping[str, Sequence[tuple[int, int]]], other: Mapping[str, Sequence[tuple[int, int]]]
) -> int:
    """Returns the characters in both of two unions."""
    total = 0
    for document, group in one.items():
        rest = other.get(document)
        if not rest:
            continue
        first = second = 0
        while first < len(group) and second < len(rest):
            start = max(group[first][0], rest[second][0])
            end = min(group[first][1], rest[second][1])
            total += max(0, end - start)
            if group[first][1] <= rest[second][1]:
                first += 1
            else:
                second += 1
    return total


def _merged(group: list[tuple[int, int]]) -> list[tuple[int, int]]:
    group.sort()
    found: list[tuple[int, int]] = []
    first, last = group[0]
    for start, end in group:
        if start > last:
            found.append((first, last))
            first, last = start, end
        elif end > last:
            last = end
    found.append((first, last))
    return found
