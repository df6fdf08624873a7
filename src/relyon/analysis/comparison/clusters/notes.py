"""Notes about clusters of queries: too few, one that is too large, or none at all."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from relyon.core.notes import Note

if TYPE_CHECKING:
    from relyon.analysis.comparison.contrast import Contrast

__all__ = ["cluster_notes"]

#: From this share of the queries on, one cluster is named.
LARGE = 1 / 3


def cluster_notes(contrasts: Iterable[Contrast]) -> list[Note]:
    """Notes what the clusters of tested contrasts do not show, once for all measures.

    Args:
        contrasts: The contrasts.
    """
    from relyon.analysis.statistics import ENOUGH_QUERIES, least_p

    found: dict[tuple[str, str], Note] = {}
    for one in contrasts:
        facts = one.clusters
        if facts is None or not one.tested:
            continue
        values = {
            "column": facts.column,
            "clusters": facts.count,
            "queries": one.queries,
            "name": facts.name,
            "share": facts.largest,
            "effective": facts.effective,
        }
        notes = []
        if facts.count == 1 and one.queries > 1:
            notes.append(Note("one-cluster", 1, "warning", values=values, key="one-cluster.only"))
        elif facts.alone:
            if one.queries > 1:
                notes.append(Note("own-clusters", facts.count, "warning", values=values))
        elif facts.decided:
            key = "one-cluster.large"
            notes.append(Note("one-cluster", facts.count, "warning", values=values, key=key))
        elif facts.count < ENOUGH_QUERIES:
            shared = {"least": least_p(facts.count)}
            notes.append(Note("few-clusters", facts.count, "warning", values=shared))
        elif facts.largest > LARGE:
            notes.append(Note("large-cluster", facts.count, values=values))
        for note in notes:
            found.setdefault((note.kind, note.key), note)
    return list(found.values())
