"""Cells of a spreadsheet as the text that CSV would have: numbers and dates as Excel means them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import date, datetime, time, timedelta
from typing import TypeAlias, cast

from relyon.core.cells import csv_cell, needs_no_marks
from relyon.core.errors import InputError
from relyon.core.texts import message
from relyon.io.workbook_parts import cell_name

__all__ = ["EXACT", "Value", "csv_column"]

Value: TypeAlias = str | float | bool | datetime | date | time | timedelta

#: Excel keeps 15 digits of a number: a longer id has other last digits, and is written as text.
EXACT = 10**15
#: So many numbers are written faster by Polars; it writes those nearer to 0 in another form.
MANY, SMALL = 10_000, 1e-4


def csv_column(values: Sequence[Value], column: int, first: int, path: str) -> list[str]:
    """Returns the cells of a column as CSV.

    Args:
        values: The values of the cells.
        column: The column's number, from 0.
        first: The number of the first row, from 0.
        path: The file, for messages.

    Raises:
        InputError: If a whole number has more digits than Excel keeps.
    """
    kinds = {*map(type, values)}
    text: Callable[[Value], str] = _text
    if datetime in kinds and date in kinds:
        text = _moment
    try:
        if bool in kinds:
            return [text(value) for value in values]
        if kinds == {str} and needs_no_marks(cast("Sequence[str]", values)):
            return cast("list[str]", values)
        if kinds == {float}:
            return _numbers(cast("Sequence[float]", values))
        # Values that are equal are written alike; most columns have few different ones.
        written = {value: text(value) for value in {*values}}
        return [written[value] for value in values]
    except _TooLongError:
        at = next(row for row, value in enumerate(values) if _is_long(value))
        place = cell_name(first + at, column)
        raise InputError(
            message("io.number-has-too-many-digits", cell=place, number=f"{values[at]:.0f}"),
            path=path,
            hint=message("io.format-ids-as-text"),
        ) from None


class _TooLongError(ValueError):
    """A number has more digits than Excel keeps."""


def _is_long(value: Value) -> bool:
    return isinstance(value, int | float) and abs(value) >= EXACT and float(value).is_integer()


def _numbers(values: Sequence[float]) -> list[str]:
    """Returns numbers, whole ones without a decimal point."""
    if max(values) >= EXACT or min(values) <= -EXACT:
        return [_text(value) for value in values]
    if len(values) >= MANY:
        import polars as pl

        numbers = pl.Series(values)
        texts: list[str] = numbers.cast(pl.String).str.strip_suffix(".0").to_list()
        small = (numbers.abs() < SMALL) & (numbers != 0)
        for place in small.arg_true():  # Python writes these with an exponent
            texts[place] = repr(values[place])
        return texts
    return [text[:-2] if text[-2:] == ".0" else text for text in map(repr, values)]


def _text(value: Value) -> str:
    if isinstance(value, str):
        return csv_cell(value) if value else ""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int | float):
        if not float(value).is_integer():
            return repr(value)
        if abs(value) >= EXACT:
            raise _TooLongError
        return str(int(value))
    if isinstance(value, timedelta):
        return _text(value.total_seconds())
    return value.isoformat()


def _moment(value: Value) -> str:
    """Returns a date as a point in time, as the others of its column are."""
    if type(value) is date:
        return datetime(value.year, value.month, value.day).isoformat()
    return _text(value)
