"""Numbers with a decimal comma, as spreadsheets write them beside semicolons: `3,14`.

A column is read so only if that is certain. It is if fields are separated by something else than
commas, and every number in it is whole or has one comma. Numbers that mix commas and points are
refused.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from typing import TYPE_CHECKING

from relyon.core.errors import ParseError
from relyon.core.notes import Note
from relyon.core.texts import message
from relyon.data.columns.roles import feature_name

if TYPE_CHECKING:
    import polars as pl

__all__ = ["comma_columns", "decimal_note", "is_number_role", "pointed", "with_points"]

#: The roles of columns that contain numbers, besides features.
NUMBERS = (
    "grade", "label", "score", "weight", "low", "high", "position", "rank", "dwell_seconds",
    "reward", "propensity",
)  # fmt: skip
WHOLE = r"^[+-]?\d+([eE][+-]?\d+)?$"
DECIMAL = r"^[+-]?\d*,\d+([eE][+-]?\d+)?$"
#: Digits with signs between them that are not one decimal comma, such as 1.234,5 or 1,234,567.
GROUPED = r"^[+-]?\d[\d.]*,[\d.,]*$"
#: What may be thousands: 1,234.
THOUSANDS = r"^[+-]?[1-9]\d{0,2},\d{3}$"


def is_number_role(role: str) -> bool:
    """Whether a column of this role contains numbers."""
    return role in NUMBERS or feature_name(role) is not None


def pointed(fields: Mapping[str, object], roles: Collection[str]) -> dict[str, object]:
    """Returns the fields of a row with decimal points for the commas in some."""
    return {
        role: one.replace(",", ".") if role in roles and isinstance(one, str) else one
        for role, one in fields.items()
    }


def decimal_note(path: str, columns: Collection[str]) -> Note:
    """Returns the note that columns have decimal commas."""
    names = [f"`{name}`" for name in columns]
    return Note("decimal-commas", values={"path": path, "columns": names})


def comma_columns(
    table: pl.LazyFrame,
    roles: Collection[str],
    separator: str,
    path: str,
    line_of: Callable[[int], int],
) -> list[str]:
    """Returns the columns of a table whose numbers have a decimal comma.

    Args:
        table: Columns of text, by role.
        roles: The roles of the columns to look at.
        separator: What separates fields.
        path: The file.
        line_of: Returns the line of a row, counted from 0.

    Raises:
        ParseError: At the first number that contradicts the others of its column, or at the first
            that may be thousands.
    """
    import polars as pl

    if separator == "," or not roles:
        return []
    some = table.select(pl.col(one).str.contains(",", literal=True).any() for one in roles)
    found = [role for role, has in some.collect().row(0, named=True).items() if has]
    return [role for role in found if _has_commas(table, role, separator, path, line_of)]


def _has_commas(
    table: pl.LazyFrame, role: str, separator: str, path: str, line_of: Callable[[int], int]
) -> bool:
    import polars as pl

    text = pl.col(role).str.strip_chars()
    decimal = text.str.contains(DECIMAL)
    number = text.cast(pl.Float64, strict=False).is_finite() & ~text.str.contains(WHOLE)
    wrong = ((number.fill_null(False) | text.str.contains(GROUPED)) & ~decimal).fill_null(False)
    plain = ~text.str.contains(THOUSANDS) & decimal
    facts = table.select(
        decimal=decimal.any(),
        certain=plain.any() if separator != ";" else pl.lit(True),
        first=decimal.arg_true().first(),
        wrong=wrong.any(),
        place=wrong.arg_true().first(),
    )
    row = facts.collect().row(0, named=True)
    if not row["decimal"]:
        return False
    if row["wrong"] or not row["certain"]:
        place = row["place"] if row["wrong"] else row["first"]
        cell = table.select(role).slice(place, 1).collect().item()
        kind = "io.number-contradicts" if row["wrong"] else "io.comma-may-be-thousands"
        name = feature_name(role) or role
        raise ParseError(
            message(kind, role=name, text=cell),
            path=path,
            line=line_of(place),
            hint=message("data.write-decimal-points"),
        )
    return True


def with_points(table: pl.LazyFrame, roles: Collection[str]) -> pl.LazyFrame:
    """Returns a table with decimal points for the commas in some columns."""
    import polars as pl

    return table.with_columns(pl.col(role).str.replace(",", ".", literal=True) for role in roles)
