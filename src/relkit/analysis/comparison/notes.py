"""Notes about the queries behind paired numbers."""

from __future__ import annotations

from collections.abc import Mapping

from relkit.analysis.comparison.pairing import Pairing
from relkit.core.notes import Note

__all__ = ["pairing_notes"]


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
