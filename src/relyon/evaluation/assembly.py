"""Builds results from columns of numbers."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Literal

from relyon.core.errors import InputError, StrictError
from relyon.core.notes import warn
from relyon.core.texts import message
from relyon.evaluation.entry import Entry
from relyon.evaluation.results import Results
from relyon.measures.logarithms import geometric_parts

if TYPE_CHECKING:
    from relyon import _native
    from relyon.core.notes import Note
    from relyon.data.convention import Convention
    from relyon.data.input_fingerprints import InputFingerprints
    from relyon.evaluation.measure_columns import Column
    from relyon.evaluation.program import Program
    from relyon.measures.definition import Measure

__all__ = ["assemble", "number", "refuse_undefined", "span"]


def assemble(
    title: str,
    program: Program,
    queries: Sequence[str] | Callable[[], list[str]] | None,
    columns: Mapping[str, Column],
    notes: list[Note],
    strict: bool,
    inputs: Callable[[], InputFingerprints] | None = None,
) -> Results:
    if program.pooled:  # which query a row is of does not matter
        notes = [
            replace(note, level="info") if note.kind == "one-group" else note for note in notes
        ]
    warnings = [note for note in notes if note.level == "warning"]
    if strict and warnings:
        raise StrictError(
            message("evaluation.run-notes", run=title, notes=warnings),
            hint=message("evaluation.without-strict"),
        )
    refuse_undefined(program, columns, queries)
    warn(warnings, title)
    entries = {
        str(asked): _entry(
            resolved,
            form,
            columns[str(asked)].total,
            program.convention,
            program.ties(str(asked)),
        )
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
        equal_pairs={
            name: column.equal_pairs
            for name, column in columns.items()
            if kept and column.equal_pairs
        },
        pools={name: column.pool for name, column in columns.items() if kept and column.pool},
        inputs=inputs,
    )


def refuse_undefined(
    program: Program,
    columns: Mapping[str, Column],
    queries: Sequence[str] | Callable[[], list[str]] | None,
) -> None:
    """Refuses queries without a value under the rule `undefined=error`.

    Raises:
        InputError: If there are any; the message names the measure and the first of them.
    """
    for name, one, _ in program.averaged:
        count = columns[name].total.undefined
        if one.undefined_rule(program.convention) != "error" or not count:
            continue
        asked = queries() if callable(queries) else queries or []
        values = columns[name].values() if asked else []
        found = [query for query, value in zip(asked, values, strict=True) if math.isnan(value)]
        named = ": " + ", ".join(f"`{query}`" for query in found[:3]) if found else ""
        more = ", …" if len(found) > 3 else ""
        plural = "query" if count == 1 else "queries"
        raise InputError(
            message(
                "evaluation.has-no-value",
                name=name,
                count=count,
                plural=plural,
                named=named,
                more=more,
            ),
            hint=message(
                "evaluation.convention-says-undefined-error",
                measure=one.name,
            ),
        )


def number(measure: Measure, form: str, total: _native.Total, convention: Convention) -> float:
    """Returns the number of one measure from its sums."""
    if measure.combine == "sum":
        return total.numerator
    if measure.combine == "geometric":
        return _geometric(measure, total, measure.counted(convention))
    if form == "macro" and measure.combine != "ratio":
        return total.mean(measure.counted_as(convention))
    if measure.combine == "pooled":
        return measure.pooled(total)
    return measure.micro(total.numerator, total.denominator)


def span(
    measure: Measure, form: str, total: _native.Total, convention: Convention
) -> tuple[float, float]:
    """Returns the lowest and highest number over the orders of tied documents."""
    numbers = [number(measure, form, total, convention)]
    if total.tie_decided:
        orders: tuple[Literal["worst", "best"], ...] = ("worst", "best")
        numbers += [number(measure, form, total.ordered(one), convention) for one in orders]
    return min(numbers), max(numbers)


def _entry(
    measure: Measure, form: str, total: _native.Total, convention: Convention, ties: str
) -> Entry:
    value = number(measure, form, total, convention)
    counted, undefined = total.queries - total.undefined, total.undefined
    rule = measure.counted_as(convention)
    if measure.combine == "sum":
        counted = total.queries
    elif measure.combine == "geometric" or (form == "macro" and measure.combine != "ratio"):
        if rule != "skip":
            counted = total.queries
    elif measure.combine == "pooled":
        # All rows count, including those of queries with only one class.
        counted, undefined = total.queries, 0
    elif form == "macro" and rule != "skip":
        counted = total.queries
    details = measure.details(total.numerator, total.denominator, total.equal_pairs)
    if form == "macro":
        details |= measure.mean_details(total, rule)
    return Entry(
        value=value,
        average=form,
        queries=counted,
        undefined=undefined,
        missing=total.missing,
        tie_sensitive=total.tie_sensitive,
        definition=str(measure),
        details=details,
        ties=ties,
        tie_decided=total.tie_decided,
        span=span(measure, form, total, convention) if total.tie_decided else None,
    )


def _geometric(measure: Measure, total: _native.Total, undefined: float) -> float:
    """Returns a geometric mean: its numerators are logarithms."""
    instead, counts = geometric_parts(undefined)
    numerator, counted = total.numerator, float(total.queries - total.undefined)
    if total.undefined:
        numerator += total.undefined * instead
        counted += total.undefined * counts
    return measure.micro(numerator, counted)
