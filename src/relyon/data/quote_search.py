"""Where a quote is in a text: exactly, in another width or spacing, or nearly."""

from __future__ import annotations

import unicodedata
from bisect import bisect_left
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import Literal

__all__ = ["How", "Occurrence", "SearchedText"]

How = Literal["exact", "normalized", "nearest"]

#: Parts of a text whose sizes are remembered.
MOST_KNOWN = 1000
#: Code points from which East Asian scripts start: no blank separates their characters.
EAST_ASIAN = 0x2E80
#: Conjoining vowels and finals of Hangul, which combine with the letter before.
JAMO = ((0x1160, 0x11FF), (0xD7B0, 0xD7FF))


@dataclass(frozen=True)
class Occurrence:
    """Where a quote was found.

    Attributes:
        start: The first character, counted from 0 in the text as it is.
        end: The character after the last.
        how: As it is (`exact`), with width and white space normalised, or only nearly.
        similarity: 1 - edit distance / characters of the normalised quote.
        places: How many places are equally good, of which this is one.
    """

    start: int
    end: int
    how: How
    similarity: float = 1.0
    places: int = 1


class SearchedText:
    """A text in which quotes are searched.

    A quote is searched as it is; then after normalisation; then nearly. Normalisation is Unicode's
    NFKC, one blank for each run of white space, none beside East Asian characters, and none at the
    ends; invisible formatting characters are dropped. A near place is the part of the normalised
    text with the lowest edit distance (insertions, deletions, substitutions) to the quote. Of
    several equally good places the first counts, the first from `after` on, or the one that starts
    nearest to `near`. A near search takes time in proportion to characters of the text times
    characters of the quote.

    Args:
        text: The text.

    Examples:
        >>> text = SearchedText("Returns are free  within 30 days.")
        >>> text.find("free within 30 days")
        Occurrence(start=12, end=32, how='normalized', similarity=1.0, places=1)
        >>> text.find("free within 3O days", similarity=0.9).how
        'nearest'
        >>> text.find("never free", similarity=0.9) is None
        True
    """

    def __init__(self, text: str) -> None:
        self.text = text

    @cached_property
    def normalized(self) -> _Normalized:
        """The normalised text."""
        return _Normalized.of(self.text)

    def find(
        self,
        quote: str,
        *,
        near: int | None = None,
        after: int | None = None,
        similarity: float = 0.9,
    ) -> Occurrence | None:
        """Returns where a quote is, or None if no part of the text is similar enough.

        Args:
            quote: The quote.
            near: Where it should start, to choose among several places.
            after: From where on to choose among several places; before it if there is none.
            similarity: The lowest similarity of a near place, above 0 and at most 1.
        """
        if not quote.strip():
            return None
        places = [*_each(self.text, quote)]
        if places:
            start = _chosen(places, near, after)
            return Occurrence(start, start + len(quote), "exact", places=len(places))
        wanted = _Normalized.of(quote).text
        if not wanted:
            return None
        held = self.normalized
        places = [*_each(held.text, wanted)]
        if places:
            start = _chosen(places, held.place_of(near), held.place_of(after))
            return Occurrence(
                *held.span(start, start + len(wanted)), "normalized", 1.0, len(places)
            )
        aims = held.place_of(near), held.place_of(after)
        return self._nearest(wanted, aims, similarity)

    def _nearest(
        self, wanted: str, aims: tuple[int | None, int | None], similarity: float
    ) -> Occurrence | None:
        held = self.normalized
        # The small amount keeps 1 - 0.9 of 10 characters at 1 edit.
        most = int((1 - similarity) * len(wanted) + 1e-9)
        best, ends = most + 1, list[int]()
        for low, high in _windows(held.text, wanted, most):
            for place, distance in enumerate(_distances(wanted, held.text[low:high]), low + 1):
                if distance < best:
                    best, ends = distance, []
                if distance == best:
                    ends.append(place)
        if not ends or best > most:
            return None
        spans: list[tuple[int, int]] = []
        known: dict[str, int] = {}  # repetitive texts have many ends, and few parts before them
        for end in ends:
            if spans and end - (len(wanted) - best) < spans[-1][1]:
                continue  # it would overlap the one before, however short it is
            part = held.text[max(0, end - len(wanted) - best) : end]
            if part not in known:
                if len(known) == MOST_KNOWN:
                    known.clear()
                known[part] = _size(wanted, part, best)
            start = end - known[part]
            if not spans or start >= spans[-1][1]:
                spans.append((start, end))
        start = _chosen([span[0] for span in spans], *aims)
        end = next(one[1] for one in spans if one[0] == start)
        return Occurrence(
            *held.span(start, end), "nearest", 1 - best / len(wanted), places=len(spans)
        )


@dataclass(frozen=True)
class _Normalized:
    """A normalised text, and where each of its characters comes from.

    Attributes:
        text: The text.
        starts: The first original character behind each character.
        ends: The original character after the last behind each character.
    """

    text: str
    starts: list[int]
    ends: list[int]

    @classmethod
    def of(cls, text: str) -> _Normalized:
        letters: list[str] = []
        starts: list[int] = []
        ends: list[int] = []
        blank: tuple[int, int] | None = None
        for start, end in _clusters(text):
            for letter in unicodedata.normalize("NFKC", text[start:end]):
                if letter.isspace():
                    blank = (start if blank is None else blank[0], end)
                    continue
                if unicodedata.category(letter) == "Cf":
                    continue
                if blank is not None and letters and not (_wide(letters[-1]) or _wide(letter)):
                    letters.append(" ")
                    starts.append(blank[0])
                    ends.append(blank[1])
                blank = None
                letters.append(letter)
                starts.append(start)
                ends.append(end)
        return cls("".join(letters), starts, ends)

    def span(self, start: int, end: int) -> tuple[int, int]:
        """Returns the characters of the text as it is."""
        return self.starts[start], self.ends[end - 1]

    def place_of(self, start: int | None) -> int | None:
        """Returns the place of an original character."""
        return None if start is None else bisect_left(self.starts, start)


def _clusters(text: str) -> Iterator[tuple[int, int]]:
    """Yields characters, each with the marks that combine with it: NFKC of each is that of all."""
    if text.isascii():
        yield from zip(range(len(text)), range(1, len(text) + 1), strict=True)
        return
    start = 0
    for place in range(1, len(text) + 1):
        if place == len(text) or not _continues(text[place]):
            yield start, place
            start = place


def _continues(letter: str) -> bool:
    if letter < "\u0300":
        return False
    code = ord(letter)
    if any(low <= code <= high for low, high in JAMO):
        return True
    return unicodedata.category(letter)[0] == "M"


def _wide(letter: str) -> bool:
    return ord(letter) >= EAST_ASIAN


def _each(text: str, part: str) -> Iterator[int]:
    """Yields the starts of all occurrences, overlapping ones too."""
    place = text.find(part)
    while place >= 0:
        yield place
        place = text.find(part, place + 1)


def _chosen(starts: list[int], near: int | None, after: int | None) -> int:
    if near is not None:
        return min(starts, key=lambda start: (abs(start - near), start))
    return starts[0] if after is None else next((one for one in starts if one >= after), starts[0])


def _windows(text: str, wanted: str, most: int) -> list[tuple[int, int]]:
    """Returns the parts of a text that contain every place within `most` edits.

    Of `most` + 1 pieces of the quote at least one is unchanged at such a place.
    """
    size = len(wanted)
    if most >= size:
        return [(0, len(text))]
    bounds = [size * piece // (most + 1) for piece in range(most + 2)]
    dense = 1000 + len(text) // 16
    found: list[tuple[int, int]] = []
    for low, high in pairwise(bounds):
        for place in _each(text, wanted[low:high]):
            found.append((max(0, place - low - most), min(len(text), place - low + size + most)))
            if len(found) > dense:  # of a repetitive text: they are nearly all of it
                return [(0, len(text))]
    merged: list[tuple[int, int]] = []
    for low, high in sorted(found):
        if merged and low <= merged[-1][1]:
            merged[-1] = merged[-1][0], max(merged[-1][1], high)
        else:
            merged.append((low, high))
    return merged


def _distances(wanted: str, text: str, *, anchored: bool = False) -> Iterator[int]:
    """Yields, for each end in a text, the lowest edit distance of a part that ends there.

    Myers (1999), JACM 46(3), with Hyyrö's (2003) bit vectors. An anchored part starts with the
    text.
    """
    size = len(wanted)
    mask, last = (1 << size) - 1, 1 << (size - 1)
    places: dict[str, int] = {}
    for place, letter in enumerate(wanted):
        places[letter] = places.get(letter, 0) | 1 << place
    up, down, distance, first = mask, 0, size, int(anchored)
    for letter in text:
        same = places.get(letter, 0)
        vertical = same | down
        across = ((((same & up) + up) ^ up) | same) & mask
        plus, minus = down | (~(across | up) & mask), up & across
        distance += bool(plus & last) - bool(minus & last)
        plus, minus = ((plus << 1) | first) & mask, (minus << 1) & mask
        up, down = minus | (~(vertical | plus) & mask), plus & vertical
        yield distance


def _size(wanted: str, part: str, distance: int) -> int:
    """Returns the size of a near place at the end of a part: that of the quote, if possible."""
    found = enumerate(_distances(wanted[::-1], part[::-1], anchored=True), 1)
    sizes = [size for size, one in found if one == distance]
    return min(sizes, key=lambda size: (abs(size - len(wanted)), size))
