"""Whether two runs rank the same documents alike."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import groupby
from operator import itemgetter

from relyon.data.run import Run

__all__ = ["same_lists"]


def same_lists(one: Run, other: Run, queries: Iterable[str]) -> bool:
    """Returns whether two runs have the same lists: the same documents in the same order and ties.

    Args:
        one: A run.
        other: Another run.
        queries: The queries to look at; one that both lack is the same.

    Examples:
        >>> first = Run.from_dict({"q": {"a": 2.0, "b": 1.0}})
        >>> same_lists(first, Run.from_dict({"q": {"b": 0.1, "a": 0.9}}), ["q", "r"])
        True
        >>> same_lists(first, Run.from_dict({"q": {"b": 1.0, "a": 1.0}}), ["q"])
        False
    """
    return all(_ranked(one, query) == _ranked(other, query) for query in queries)


def _ranked(run: Run, query: str) -> list[set[str]]:
    """Returns the documents of a query, those with the same score together, the best first."""
    rows = run.documents(query) if query in run else []
    ranked = sorted(rows, key=itemgetter(1), reverse=True)
    return [{document for document, _ in tied} for _, tied in groupby(ranked, itemgetter(1))]
