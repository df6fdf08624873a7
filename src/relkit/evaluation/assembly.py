"""Columns of numbers become results."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

from relkit.errors import StrictError
from relkit.results import Entry, Results

if TYPE_CHECKING:
    from relkit import _native
    from relkit.convention import Convention
    from relkit.evaluation.columns import Column
    from relkit.evaluation.program import Program
    from relkit.measures.base import Measure
    from relkit.notes import Note

__all__ = ["assemble"]


def assemble(
    title: str,
    program: Program,
    queries: list[str] | Callable[[], list[str]] | None,
    columns: Mapping[str, Column],
    notes: list[Note],
    strict: bool,
) -> Results:
    warnings = [note for note in notes if note.level == "warning"]
    if strict and warnings:
        raise StrictError(
            f"{title}: " + "; ".join(str(note) for note in warnings),
            hint="without strict these warnings are only printed",
        )
    entries = {
        str(asked): _entry(resolved, form, columns[str(asked)].total, program.convention)
        for asked, resolved, form in zip(
            program.asked, program.resolved, program.forms, strict=True
        )
    }
    kept = queries if callable(queries) or queries is None else lambda: list(queries)
    return Results(
        run=title,
        entries=entries,
        convention=program.convention,
        notes=tuple(notes),
        queries=kept,
        columns={name: column.values for name, column in columns.items()} if kept else {},
        parts={name: column.parts for name, column in columns.items()} if kept else {},
    )


def _entry(measure: Measure, form: str, total: _native.Total, convention: Convention) -> Entry:
    details: dict[str, float] = {}
    counted, undefined = total.queries - total.undefined, total.undefined
    if measure.combine == "sum":
        value = total.numerator
        counted = total.queries
    elif form == "macro" and measure.combine != "ratio":
        value = total.mean(convention.undefined)
        if convention.undefined != "skip":
            counted = total.queries
    elif measure.combine == "pooled":
        value = total.auc()
        # Every row takes part, also those of a query that has one class only.
        counted, undefined = total.queries, 0
    else:
        value = measure.micro(total.numerator, total.denominator)
    if measure.name == "pnr":
        positive, negative = total.numerator, total.denominator
        share = positive / (positive + negative) if positive + negative else math.nan
        details = {"positive": positive, "negative": negative}
        if not math.isnan(share):
            details["share"] = share
    return Entry(
        value=value,
        average=form,
        queries=counted,
        undefined=undefined,
        missing=total.missing,
        tie_sensitive=total.tie_sensitive,
        definition=str(measure),
        details=details,
    )
