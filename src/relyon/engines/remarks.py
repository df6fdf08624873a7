"""What a user should know about the answers of a variant."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from relyon.core.notes import Note
from relyon.engines.entry import Entry

__all__ = ["remarks"]

#: Queries that a note names.
NAMED = 3


def remarks(entries: Sequence[Entry], k: int) -> tuple[Note, ...]:
    """Returns notes about answers that are empty, short, cut off, or came at the second try.

    Args:
        entries: The entries of a variant.
        k: How many results were asked for.

    Examples:
        >>> entry = Entry(key="", variant="base", query="q1", ids=["d1"], scores=[1.0], total=40)
        >>> [one.kind for one in remarks([entry], 10)]
        ['search-cut']
    """
    found: list[Note] = []

    def note(
        kind: str, chosen: Callable[[Entry], bool], *, warns: bool = False, **values: object
    ) -> None:
        queries = [one.query for one in entries if chosen(one)]
        if queries:
            said = {"total": len(entries), **values}
            named = tuple(queries[:NAMED])
            found.append(
                Note(kind, len(queries), "warning" if warns else "info", named, values=said)
            )

    note("search-failed", lambda one: bool(one.failed), warns=True)
    note("search-empty", lambda one: not one.ids and not one.failed)
    note("search-cut", lambda one: _is_cut(one, k), warns=True, k=k)
    note("search-short", lambda one: 0 < len(one.ids) < k and not _is_cut(one, k), k=k)
    note("search-duplicates", lambda one: one.duplicates > 0, warns=True)
    note("search-retried", lambda one: bool(one.problems) and not one.failed)
    return tuple(found)


def _is_cut(entry: Entry, k: int) -> bool:
    """Returns whether the engine gave fewer results than it has and was asked for."""
    there = len(entry.ids) + entry.duplicates
    return entry.total is not None and there < min(k, entry.total)
