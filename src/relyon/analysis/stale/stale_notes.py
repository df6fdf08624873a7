"""What is noted on judgments and the collection of today."""

from __future__ import annotations

from typing import TYPE_CHECKING

from relyon.core.notes import Note

if TYPE_CHECKING:
    import polars

    from relyon.analysis.stale.evidence import Evidence
    from relyon.analysis.stale.facts import Number, Rules
    from relyon.analysis.stale.states import Compared

__all__ = ["notes_of"]

#: Ids that a note names.
NAMED = 3
#: From this share of moved documents on, the ids changed all at once.
REINDEXED = 0.5


def notes_of(
    frame: polars.DataFrame,
    compared: Compared,
    evidence: Evidence,
    rules: Rules,
    numbers: tuple[tuple[Number, ...], tuple[Number, ...]],
) -> tuple[Note, ...]:
    """Returns the notes.

    Args:
        frame: The pairs with their states.
        compared: How they were compared.
        evidence: What was compared.
        rules: What was asked for.
        numbers: The runs' means, and their differences.
    """
    notes = []
    total = len(frame)
    unknown = frame.filter(frame["state"] == "unknown")["document"].to_list()
    if unknown:
        notes.append(_note("stale-unknown", unknown, {"total": total}))
    moved = frame.filter(frame["state"] == "moved")["document"].to_list()
    if moved and len(moved) >= REINDEXED * (total - len(unknown)):
        notes.append(_note("stale-reindexed", moved, {"total": total}))
    elif moved and "moved" not in rules.counted:
        notes.append(_note("stale-moved", moved, {}))
    repeated = [*dict.fromkeys([*evidence.then.repeated, *compared.repeated])]
    if repeated:
        notes.append(_note("stale-repeated-documents", repeated, {}))
    if evidence.unseen:
        fields = list(evidence.unseen)
        values = {"fields": fields, "compared": list(rules.fields), "first": fields[0]}
        notes.append(Note("stale-other-fields", len(fields), values=values))
    if rules.oldest is not None:
        undated = int(frame["judged_at"].null_count())
        if undated:
            notes.append(Note("undated-judgments", undated, "warning"))
    loose = [one.run for part in numbers for one in part if not one.figures.bounds.exact]
    if loose:
        names = tuple(dict.fromkeys(loose))[:NAMED]
        notes.append(Note("stale-range-searched", len({*loose}), examples=names))
    return tuple(notes)


def _note(kind: str, documents: list[str], values: dict[str, object]) -> Note:
    examples = tuple(dict.fromkeys(documents))[:NAMED]
    return Note(kind, len(documents), "warning", examples, values)
