"""Incoming items, with their known grades and ratings."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass
from typing import Generic, NamedTuple, TypeVar

from relyon.judging.records import Comparison, Item, Rating

__all__ = ["Imported", "Incoming", "Lazy"]

T = TypeVar("T")


class Imported(NamedTuple):
    """The numbers of items and grades that an import added.

    Attributes:
        items: New items.
        grades: New grades.
    """

    items: int
    grades: int


@dataclass(frozen=True, slots=True)
class Incoming:
    """One incoming item.

    Attributes:
        item: The item.
        ratings: Judges' ratings from elsewhere.
        known: Its known grade, for a gold item.
        known_note: A remark on that grade.
        pair: The two rankings of a side-by-side item.
    """

    item: Item
    ratings: Sequence[Rating] = ()
    known: float | str | None = None
    known_note: str = ""
    pair: Comparison | None = None


class Lazy(Collection[Incoming], Generic[T]):
    """Rows created on demand: a million of them never exist at once.

    Args:
        sources: The sources of the rows.
        make: Creates a row from its source.
    """

    def __init__(self, sources: Sequence[T], make: Callable[[T], Incoming]) -> None:
        self.sources = sources
        self.make = make

    def __len__(self) -> int:
        return len(self.sources)

    def __iter__(self) -> Iterator[Incoming]:
        return map(self.make, self.sources)

    def __contains__(self, one: object) -> bool:
        return any(one == other for other in self)
