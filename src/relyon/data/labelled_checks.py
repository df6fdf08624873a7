"""Labelled rows that cannot be used, and rows that repeat a document."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import TYPE_CHECKING, NoReturn

from relyon.core.errors import InputError
from relyon.core.notes import Note
from relyon.core.texts import message as say
from relyon.data.columns import (
    NAMED_GRADES,
    Record,
    blank_hint,
    feature_name,
    missing,
    number,
    number_hint,
    parse_grade,
    refuse,
)

if TYPE_CHECKING:
    import polars as pl

    from relyon.data.scale import Scale

__all__ = ["absent", "refuse_rows", "repeated_rows"]


def repeated_rows(query: pl.Series | None, document: pl.Series | None) -> tuple[Note, ...]:
    """Notes documents that occur more than once in a query: every row counts."""
    import polars as pl

    if query is None or document is None:
        return ()
    if (query.hash(1) ^ document.hash(2)).n_unique() == len(query):
        return ()
    frame = pl.DataFrame({"query": query, "document": document}).drop_nulls()
    again = frame.filter(~frame.to_struct().is_first_distinct())
    if not again.height:
        return ()
    examples = tuple(f"{one} {two}" for one, two in again.head(3).iter_rows())
    return (Note("repeated-rows", again.height, "warning", examples),)


def absent(value: object) -> bool:
    """Whether a row lacks a feature."""
    return missing(value) or (number(value) or 0) != (number(value) or 0)


def refuse_rows(rows: Iterable[Record], path: str, scale: Scale | None, unit: str) -> NoReturn:
    """Raises an error for the first row that cannot be used.

    Args:
        rows: The place and the values by role of each row.
        path: The file, for messages.
        scale: Names that labels may have.
        unit: The unit of places: see `refuse`.
    """
    below = iter(rows)
    for place, fields in below:
        if "query" in fields and missing(fields["query"]):
            hint = blank_hint("query", fields, below)
            refuse(say("io.query-is-empty"), path, place, unit, hint)
        for role in ("label", "score", "weight", "position"):
            if role not in fields:
                continue
            if missing(value := fields[role]):
                hint = blank_hint(role, fields, below)
                refuse(say("data.is-empty", what=role), path, place, unit, hint)
            try:
                named = role == "label" and scale is not None
                found = parse_grade(value, scale) if named else number(value)
            except InputError as error:
                refuse(error.message, path, place, unit, error.hint)
            if found is None:
                text = say("core.is-not-number", what=role, text=value)
                hint = say(NAMED_GRADES) if role == "label" else ""
                refuse(text, path, place, unit, number_hint(value, hint))
            if not math.isfinite(found):
                text = say("core.what-is-found", what=role, found=found)
                refuse(text, path, place, unit, say("data.must-be-finite"))
            if role == "weight" and found < 0:
                hint = say("native.row-weights-must-be-0")
                refuse(say("core.weight-is-value", value=found), path, place, unit, hint)
            if role == "position" and not found.is_integer():
                text = say("core.position-is-not-whole", text=value)
                refuse(text, path, place, unit)
        for role, value in fields.items():
            name = feature_name(role)
            if name is None or absent(value):
                continue
            found = number(value)
            if found is None or math.isinf(found):
                refuse(
                    say("core.feature-name-is-value", name=name, value=value),
                    path,
                    place,
                    unit,
                    number_hint(value, say("data.features-must-be-finite")),
                )
    raise InputError(say("data.label-or-score-cannot"), path=path)
