"""Notes about the queries behind paired numbers."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from relyon.analysis.comparison.pairing import Pairing
from relyon.core.notes import Note

__all__ = ["few_notes", "pairing_notes"]


def pairing_notes(pairings: Mapping[tuple[str, str], Pairing]) -> list[Note]:
    """Notes the queries that paired numbers leave out, and how the numbers are computed."""
    notes = []
    for (candidate, measure), pairing in pairings.items():
        values = {"measure": measure}
        if pairing.infinite:
            notes.append(
                Note("infinite-values", pairing.infinite, "warning", values=values, run=candidate)
            )
        alone = pairing.left_out - pairing.infinite
        if alone:
            notes.append(Note("unpaired-queries", alone, values=values, run=candidate))
    return notes


def few_notes(tested: Iterable[int]) -> list[Note]:
    """Notes that no difference can be called significant, if there are too few queries.

    Args:
        tested: The number of paired queries of each test.
    """
    from relyon.analysis.statistics import ENOUGH_QUERIES, least_p

    count = max((queries for queries in tested if queries < ENOUGH_QUERIES), default=0)
    if not count:
        return []
    values = {"least": least_p(count)}
    return [Note("few-queries", count, "warning", values=values)]
