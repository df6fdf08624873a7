"""Fields and columns of values: ids as text, numbers as numbers, grades by their names."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from functools import cache
from typing import TYPE_CHECKING, TypeAlias

from relyon import _native
from relyon.core.errors import InputError
from relyon.core.texts import Language, message
from relyon.data.row_index import paired

if TYPE_CHECKING:
    import polars as pl
    import pyarrow as pa

    from relyon.data.scale import Scale

__all__ = [
    "NAMED_GRADES",
    "ArrowColumn",
    "from_values",
    "is_na",
    "language_of",
    "missing",
    "number",
    "number_hint",
    "parse_grade",
    "same_length",
    "scaled",
    "series_ids",
    "to_ids",
    "to_numbers",
    "to_text",
]

#: A column that native code reads.
ArrowColumn: TypeAlias = "pl.Series | pa.ChunkedArray"

NAMED_GRADES = "data.name-scale-for-grades"
#: Roles of ids.
IDS = frozenset({"query", "document"})
#: The types of pandas' values for what is missing; pandas itself is not imported.
NA_TYPES = frozenset({"NAType", "NaTType"})


def number(text: object) -> float | None:
    """Returns the number in a field, or None if it is not one.

    Only plain decimal text counts: no digit separators and no digits of other scripts.
    """
    if isinstance(text, str):
        if not text.isascii() or "_" in text:
            return None
        try:
            return float(text)
        except ValueError:
            return None
    if isinstance(text, bool):
        return None
    try:
        return float(text)  # type: ignore[arg-type]
    except (TypeError, ValueError, OverflowError):
        return None


def number_hint(value: object, other: str = "") -> str:
    """Returns the hint for a value that is not a number: about its comma, if it has one.

    Args:
        value: The value.
        other: The hint if it has no comma.
    """
    digits = isinstance(value, str) and value.strip().lstrip("+-").replace(".", ",").split(",")
    if digits and len(digits) > 1 and all(part.isdigit() for part in digits if part):
        return message("data.write-decimal-points")
    return other


def missing(value: object) -> bool:
    """Whether a field is empty."""
    return value is None or (isinstance(value, str) and not value.strip())


def is_na(value: object) -> bool:
    """Returns whether a value is missing in pandas: None, NaN, NaT, or its NA.

    Examples:
        >>> [is_na(one) for one in (None, float("nan"), 0.0, "nan")]
        [True, True, False, False]
    """
    if value is None or type(value).__name__ in NA_TYPES:
        return True
    return isinstance(value, float) and math.isnan(value)


def parse_grade(value: object, scale: Scale | None) -> float:
    """Turns one grade into a number.

    Raises:
        InputError: If it is neither a number nor a name of the scale.
    """
    if value is None:
        raise InputError(
            message("data.grade-is-missing"),
            hint=message("data.grade-document"),
        )
    if scale is not None:
        return scale.parse(value)
    found = number(value)
    if found is None:
        raise InputError(
            message("data.grade-is-not-number", value=value),
            hint=number_hint(value, message(NAMED_GRADES)),
        )
    return found


def from_values(
    name: str, values: Iterable[object], nan_is_null: bool = False, path: str = ""
) -> pl.Series:
    """A series from Python values; mixed types become text, and pandas' NA and NaT null.

    Args:
        name: Its name.
        values: The values.
        nan_is_null: Whether NaN becomes null, too.
        path: The file, for messages.

    Raises:
        InputError: If text contains half of a surrogate pair.
    """
    import polars as pl

    listed = list(values)
    if nan_is_null or any(kind.__name__ in NA_TYPES for kind in set(map(type, listed))):
        listed = [
            None if is_na(value) and (nan_is_null or not isinstance(value, float)) else value
            for value in listed
        ]
    try:
        try:
            return pl.Series(name, listed, strict=True)
        except (TypeError, pl.exceptions.PolarsError):
            return pl.Series(name, [None if value is None else str(value) for value in listed])
    except UnicodeEncodeError:
        raise InputError(
            message("data.column-contains-half", name=name),
            path=path,
        ) from None


def same_length(columns: Mapping[str, Iterable[object]]) -> dict[str, pl.Series]:
    """Converts arrays or sequences to Polars series.

    Series of pandas with different indexes are paired by the index, with a warning.

    Raises:
        InputError: If their lengths differ, or their indexes do not fit.
    """
    import polars as pl

    series = {}
    for role, values in paired(columns).items():
        held = values
        if hasattr(values, "dtype") and hasattr(values, "tolist"):
            held = values if values.dtype.kind in "iufb" else values.tolist()
        if hasattr(held, "dtype"):
            series[role] = pl.Series(role, held)
        else:  # an id that is NaN is missing, not text
            series[role] = from_values(role, held, nan_is_null=role in IDS)
    lengths = {role: len(found) for role, found in series.items()}
    if len(set(lengths.values())) > 1:
        raise InputError(
            message(
                "data.columns-differ-in-length",
                lengths=[f"{length} of {role}" for role, length in lengths.items()],
            )
        )
    return series


def to_text(series: pl.Series, role: str, path: str = "") -> pl.Series:
    """Converts ids to text: text as it is, whole numbers in decimal.

    Raises:
        InputError: If the column contains neither.
    """
    import polars as pl

    kind = series.dtype
    if kind == pl.String:
        return series
    if kind.is_integer() or kind in (pl.Categorical, pl.Enum, pl.Null):
        return series.cast(pl.String)
    if kind == pl.Object:
        return to_text(from_values(series.name, series.to_list()), role, path)
    raise InputError(
        message(
            "data.column-contains",
            role=role,
            series_name=series.name,
            kind=kind,
        ),
        path=path,
        hint=message("data.convert-to-text"),
    )


def to_ids(column: ArrowColumn, role: str, path: str = "") -> ArrowColumn:
    """Converts ids for native code, which takes whole numbers and categories directly.

    Raises:
        InputError: If a series contains something else.
    """
    import polars as pl

    return series_ids(column, role, path) if isinstance(column, pl.Series) else column


def series_ids(series: pl.Series, role: str, path: str = "") -> pl.Series:
    """Does what `to_ids` does, with a series."""
    import polars as pl

    kind = series.dtype
    if kind in (pl.Categorical, pl.Enum) and _exports_categories():
        return series
    if kind.is_integer() and "128" not in str(kind):
        return series
    return to_text(series, role, path)


@cache
def _exports_categories() -> bool:
    """Whether this version of Polars exports categories as text; earlier ones export codes."""
    import polars as pl

    column = pl.Series(["a"], dtype=pl.Categorical)
    try:
        _native.RunTable.from_arrow(column, column, pl.Series([1.0]))
    except InputError:
        return False
    return True


def to_numbers(series: pl.Series, role: str, path: str = "") -> pl.Series:
    """Converts numbers to float64; text that is not a number becomes null.

    Raises:
        InputError: If the column contains anything but numbers, text or Booleans.
    """
    import polars as pl

    kind = series.dtype
    if kind == pl.Float64:
        return series
    if kind in (pl.Categorical, pl.Enum):
        series, kind = series.cast(pl.String), pl.String()
    if kind == pl.String:
        return series.str.strip_chars(" \t\r\n").cast(pl.Float64, strict=False)
    if kind.is_numeric() or kind in (pl.Boolean, pl.Null):
        return series.cast(pl.Float64)
    if kind == pl.Object:
        return to_numbers(from_values(series.name, series.to_list()), role, path)
    raise InputError(
        message(
            "data.role-column-series-name-contains",
            role=role,
            series_name=series.name,
            kind=kind,
        ),
        path=path,
    )


def language_of(series: pl.Series | None, scale: Scale | None) -> Language | None:
    """Returns the language of grades written as names of a scale, `None` for numbers."""
    if series is None or scale is None or series.dtype.is_numeric():
        return None
    if str(series.dtype) == "Object":
        series = from_values(series.name, series.to_list())
    return scale.language_of(series.unique().to_list())


def scaled(series: pl.Series, scale: Scale) -> pl.Series:
    """Converts grades to numbers; they may be names of a scale's levels.

    Values that are not on the scale become null; `diagnose` then names the row.
    """
    import polars as pl

    if series.dtype == pl.Object:
        series = from_values(series.name, series.to_list())
    if series.dtype in (pl.Categorical, pl.Enum):
        series = series.cast(pl.String)
    values = series.unique().drop_nulls()
    grades: list[float | None] = []
    for value in values.to_list():
        try:
            grades.append(parse_grade(value, scale))
        except InputError:
            grades.append(None)
    return series.replace_strict(
        values, pl.Series(grades, dtype=pl.Float64), default=None, return_dtype=pl.Float64
    )
