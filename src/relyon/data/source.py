"""The source of data: a file or memory."""

from __future__ import annotations

from typing import Protocol

__all__ = ["Sourced", "path_of"]


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
