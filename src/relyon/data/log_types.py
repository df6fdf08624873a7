"""The columns of a log with the types that their roles have."""

from __future__ import annotations

from datetime import UTC, tzinfo
from typing import TYPE_CHECKING

from relyon.core.errors import InputError
from relyon.core.texts import message
from relyon.data.columns.log_names import FALSE, TRUE
from relyon.data.lazy import utc
from relyon.data.zone import in_utc

if TYPE_CHECKING:
    import narwhals as nw
    import polars as pl
    from narwhals.dtypes import DType

    from relyon.data.lazy import LazyRows

__all__ = ["FLAGS", "IDS", "typed"]

IDS = ("session", "query", "doc", "bucket", "user")
#: The character after the last white space: text from here on is not blank.
AFTER_SPACES = "\u3001"
FLAGS = ("clicked", "add_to_cart", "purchase", "shown", "overridden")


def typed(raw: LazyRows, path: str, others: tuple[str, ...] = (), zone: tzinfo = UTC) -> LazyRows:
    """Returns the columns of a log with the types that their roles have.

    Args:
        raw: The columns under their canonical names, as they were read.
        path: The file, for messages.
        others: Columns without a role, which stay as they are.
        zone: The time zone of times that name none.

    Raises:
        InputError: If a column contains something else.
    """
    import narwhals as nw

    schema = raw.collect_schema()
    parts = []
    for name in schema.names():
        kind = schema[name]
        if name in others:
            part = nw.col(name)
        elif name in IDS:
            part = _id(name, kind, path, raw.implementation.is_polars())
        elif name in FLAGS:
            part = _flag(name, kind, path)
        elif name == "timestamp":
            raw, part = _time(raw, kind, path, zone)
        else:
            part = _number(name, kind, path)
        parts.append(part.alias(name))
    return raw.select(parts)


def _wrong(name: str, kind: object, wanted: str, path: str) -> InputError:
    return InputError(
        message("data.name-column-contains-kind", name=name, kind=kind, wanted=wanted),
        path=path,
        hint=message(
            "data.choose-another-column",
            name=name,
        ),
    )


def _id(name: str, kind: DType, path: str, polars: bool) -> nw.Expr:
    import narwhals as nw

    column = nw.col(name)
    if kind.is_integer():
        return column.cast(nw.String)
    if kind not in (nw.String, nw.Categorical, nw.Enum):
        raise _wrong(name, kind, "text or whole numbers", path)
    if kind != nw.String:
        column = column.cast(nw.String)
    if not polars:  # other engines may order text by the rules of a language
        return nw.when(column.str.strip_chars().str.len_chars() > 0).then(column)
    # Nearly all ids begin with a character that is no white space: only the rest is stripped.
    plain = ((column >= "!") & (column < "\x7f")) | (column >= AFTER_SPACES)
    rest = nw.when(~plain).then(column)
    return nw.when(plain).then(column).otherwise(nw.when(rest.str.strip_chars() != "").then(rest))


def _number(name: str, kind: DType, path: str) -> nw.Expr:
    import narwhals as nw

    column = nw.col(name)
    wanted = nw.Int64 if name == "position" else nw.Float64
    if kind.is_integer():
        return column.cast(wanted)
    if kind == nw.String:
        text = column.str.strip_chars()
        column = nw.when(text.str.len_chars() > 0).then(text).cast(nw.Float64)
    elif not kind.is_numeric():
        raise _wrong(name, kind, "numbers", path)
    # An integer column with gaps arrives as floats, with NaN in the gaps.
    column = nw.when(~column.is_nan()).then(column)
    return column.cast(wanted)


def _flag(name: str, kind: DType, path: str) -> nw.Expr:
    import narwhals as nw

    column = nw.col(name)
    if kind == nw.Boolean:
        flag = column
    elif kind.is_integer():
        flag = column > 0
    elif kind.is_numeric():
        flag = _above_zero(column)
    elif kind == nw.String:
        text = column.str.strip_chars().str.to_lowercase()
        known = text.is_in([*TRUE, *FALSE, ""])
        count = nw.when(~known).then(text).cast(nw.Float64)
        flag = text.is_in(list(TRUE)) | _above_zero(count).fill_null(False)
    else:
        raise _wrong(name, kind, "true or false", path)
    # Unrecorded actions did not happen, but every row is an impression.
    return flag.fill_null(name == "shown")


def _above_zero(column: nw.Expr) -> nw.Expr:
    """Returns whether numbers are above 0; NaN, which sorts above all numbers, is missing."""
    import narwhals as nw

    return nw.when(~column.is_nan()).then(column > 0)


def _time(raw: LazyRows, kind: DType, path: str, zone: tzinfo) -> tuple[LazyRows, nw.Expr]:
    """Returns the frame, whose times may have been collected, and the column."""
    import narwhals as nw

    column = nw.col("timestamp")
    polars = raw.implementation.is_polars()
    naive = kind in (nw.Date, nw.Datetime) and getattr(kind, "time_zone", None) is None
    if polars and naive and zone is not UTC:
        return nw.from_native(raw.to_native().with_columns(_zoned(zone))), column
    if kind == nw.Date:
        column, kind = column.cast(nw.Datetime("us")), nw.Datetime("us")
    if isinstance(kind, nw.Datetime):
        if not polars:
            return raw, column
        zoned = (
            column.dt.replace_time_zone("UTC")
            if kind.time_zone is None
            else column.dt.convert_time_zone("UTC")
        )
        return raw, zoned.cast(nw.Datetime("us", "UTC"))
    if kind != nw.String and not kind.is_numeric():
        raise _wrong("timestamp", kind, "times", path)
    if not polars:
        raise InputError(
            message(
                "data.timestamp-column-contains",
                kind=kind,
            ),
            path=path,
            hint=message("data.cast-to-timestamp"),
        )
    return nw.from_native(raw.to_native().with_columns(utc("timestamp", zone))), column


def _zoned(zone: tzinfo) -> pl.Expr:
    """Returns the times of a column of times without a zone."""
    import polars as pl

    return in_utc(pl.col("timestamp").cast(pl.Datetime("us")), zone).alias("timestamp")
