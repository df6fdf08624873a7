"""What a user should know about the answers of a variant."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from relyon.core.notes import Note
from relyon.engines.answers import Answers, Outline
from relyon.engines.tapes.entry import Entry

__all__ = ["remarks"]

#: Queries that a note names.
NAMED = 3


def remarks(entries: Iterable[Entry] | Answers, k: int) -> tuple[Note, ...]:
    """Returns notes about answers that are empty, short, cut off, or came at the second try.

    Args:
        entries: The entries of a variant.
        k: How many results were asked for.

    Examples:
        >>> entry = Entry(key="", variant="base", query="q1", ids=["d1"], scores=[1.0], total=40)
        >>> [one.kind for one in remarks([entry], 10)]
        ['search-cut']
    """
    answers = entries if isinstance(entries, Answers) else Answers.of(entries)
    outlines = answers.outlines
    found: list[Note] = []

    def note(
        kind: str, chosen: Callable[[Outline], bool], *, warns: bool = False, **values: object
    ) -> None:
        queries = [one.query for one in outlines if chosen(one)]
        if queries:
            said = {"total": len(outlines), **values}
            named = tuple(queries[:NAMED])
            found.append(
                Note(kind, len(queries), "warning" if warns else "info", named, values=said)
            )

    note("search-failed", lambda one: bool(one.failed), warns=True)
    note("search-empty", lambda one: not one.results and not one.failed)
    note("search-cut", lambda one: _is_cut(one, k), warns=True, k=k)
    note("search-short", lambda one: 0 < one.results < k and not _is_cut(one, k), k=k)
    note("search-duplicates", lambda one: one.duplicates > 0, warns=True)
    note("search-retried", lambda one: one.retries > 0 and not one.failed)
    return tuple(found)


def _is_cut(one: Outline, k: int) -> bool:
    """Returns whether the engine gave fewer results than it has and was asked for."""
    return one.total is not None and one.results + one.duplicates < min(k, one.total)
