"""Items with grades as judgments, and back."""

from __future__ import annotations

from typing import TYPE_CHECKING

from relyon.core.notes import Note
from relyon.data.aggregation import aggregate
from relyon.data.columns import missing_grades
from relyon.data.judgments import Judgments
from relyon.data.sheets import Item, Row, Sheet

if TYPE_CHECKING:
    from relyon.data.scale import Scale

__all__ = ["judgments_of", "sheet_of"]


def sheet_of(judgments: Judgments) -> Sheet:
    """Returns judgments as items with only a final grade."""
    rows = (
        Row(Item(query, document), final=grade)
        for query, grades in judgments.to_dict().items()
        for document, grade in grades.items()
    )
    return Sheet(tuple(rows), scale=judgments.scale)


def judgments_of(sheet: Sheet, scale: Scale | None, path: str) -> Judgments:
    """Returns the grades of items as judgments: the final one, or the median of the judges'.

    Args:
        sheet: The items, each once.
        scale: The grade scale.
        path: The file, for messages.

    Returns:
        The judgments; notes count omitted and aggregated items.
    """
    rows: list[tuple[str, str, float]] = []
    blank: list[str] = []
    combined: list[str] = []
    machine = 0
    for row in sheet.rows:
        query, document = row.item.query, row.item.document
        if row.final is not None:
            rows.append((query, document, row.final))
            machine += bool(row.final_source)
            continue
        grades = [one.grade for one in row.ratings if one.grade is not None]
        blank += [document] * max(len(row.ratings) - len(grades), not row.ratings)
        if not grades:
            continue
        value = aggregate(grades, scale=scale).value
        if set(grades) == {value}:  # agreeing judges repeat the same grade
            rows += [(query, document, value)] * len(grades)
        else:
            rows.append((query, document, value))
            combined.append(document)
    notes = []
    if blank:
        notes.append(missing_grades(blank))
    if combined:
        examples = tuple(combined[:3])
        notes.append(Note("combined-grades", len(combined), examples=examples))
    if machine:
        notes.append(Note("machine-finals", machine, "warning"))
    queries, documents, values = ([row[place] for row in rows] for place in range(3))
    table = Judgments.from_arrays(queries, documents, values).table
    return Judgments(table, scale=scale, source=path, notes=tuple(notes))
