"""Notes about what paired numbers rest on."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from relkit.analysis.comparison.pairing import Pairing
from relkit.core.notes import Note

__all__ = ["pairing_notes", "shared_notes"]


def pairing_notes(pairings: Mapping[tuple[str, str], Pairing]) -> list[Note]:
    """Says which queries the paired numbers do not rest on, and which numbers they are."""
    notes = []
    for (candidate, measure), pairing in pairings.items():
        if pairing.infinite:
            notes.append(
                Note(
                    "infinite-values",
                    f"{candidate}: {pairing.infinite:,} queries with an infinite {measure} in one"
                    " of the runs left out; a smoothed measure keeps them, such as"
                    " pnr(smoothing=1)",
                    pairing.infinite,
                    "warning",
                )
            )
        alone = pairing.left_out - pairing.infinite
        if alone:
            notes.append(
                Note(
                    "unpaired-queries",
                    f"{candidate}: {alone:,} {'query' if alone == 1 else 'queries'} without"
                    f" {measure} in one or both runs left out",
                    alone,
                )
            )
    return notes


def shared_notes(notes: Sequence[Note], names: Sequence[str]) -> list[Note]:
    """Returns notes; those that every run has stand once and without a name."""

    def nameless(note: Note) -> Note:
        for name in names:
            if note.message.startswith(f"{name}: "):
                return replace(note, message=note.message.removeprefix(f"{name}: "))
        return note

    count = {nameless(note): 0 for note in notes}
    for note in notes:
        count[nameless(note)] += 1
    shared = [note for note, times in count.items() if times == len(names)]
    return shared + [note for note in notes if nameless(note) not in shared]
