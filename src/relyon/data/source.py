"""The source of data: a file or memory."""

from __future__ import annotations

from collections.abc import Iterable
from copy import copy
from typing import Protocol, Self

from relyon.core.notes import Note

__all__ = ["Noted", "Sourced", "path_of"]


def path_of(source: str) -> str:
    """Returns the file as errors name it: empty for data from memory.

    Examples:
        >>> path_of("judged.qrels"), path_of("memory")
        ('judged.qrels', '')
    """
    return "" if source == "memory" else source


class _HasSource(Protocol):
    @property
    def source(self) -> str: ...


class Sourced:
    """Data that has a `source`: the file it came from, or "memory"."""

    __slots__ = ()

    @property
    def path(self: _HasSource) -> str:
        """The file it came from, as errors name it; empty for data from memory."""
        return path_of(self.source)


class Noted(Sourced):
    """Immutable data with its source and its notes.

    Attributes:
        source: The file it came from, or "memory".
        notes: Notes about the data.
    """

    __slots__ = ("_notes", "_source")

    _notes: tuple[Note, ...]
    _source: str

    @property
    def source(self) -> str:
        """The file it came from, or "memory"."""
        return self._source

    @property
    def notes(self) -> tuple[Note, ...]:
        """Notes about the data."""
        return self._notes

    def with_notes(self, notes: Iterable[Note]) -> Self:
        """Returns the same data with further notes before its own."""
        found = copy(self)
        found._notes = (*notes, *self._notes)
        return found
