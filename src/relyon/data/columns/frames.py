"""Columns of any data frame as Polars series, or as they are where native code can read them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, TypeAlias, TypeVar

from relyon.core.errors import InputError
from relyon.core.texts import message
from relyon.data.columns.fields import from_values
from relyon.data.columns.repeated import refuse_repeated
from relyon.data.columns.roles import KINDS, choose, feature_role
from relyon.data.lazy import gather
from relyon.data.row_index import has_index, index_label, with_index_columns

if TYPE_CHECKING:
    import narwhals as nw
    import polars as pl
    import pyarrow as pa

    from relyon.data.columns.fields import ArrowColumn
    from relyon.data.lazy import LazyRows

T = TypeVar("T")
#: A series of any data frame.
Column: TypeAlias = "nw.Series[Any]"
#: The rows of any data frame.
Rows: TypeAlias = "nw.DataFrame[Any] | LazyRows"

__all__ = [
    "arrow_columns",
    "first_values",
    "headings",
    "is_frame",
    "is_table",
    "named_series",
    "polars_columns",
]

# Arrow types that native code reads, as PyArrow writes them.
_WHOLE = {"int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64"}
_TEXT = {"string", "large_string", "string_view"}
_READABLE = {
    "query": _TEXT | _WHOLE,
    "document": _TEXT | _WHOLE,
    "score": {"double", "float"} | _WHOLE,
    "rank": _WHOLE,
}


def is_table(thing: object) -> bool:
    """Whether an object is a data frame with named columns, and not a single column or an array."""
    import narwhals as nw

    _refuse_twins(thing)
    if not is_frame(thing):
        return False
    found = nw.from_native(thing, pass_through=True, allow_series=True)
    return not isinstance(found, nw.Series)


def is_frame(thing: object) -> bool:
    """Whether an object is a data frame, table or relation with columns."""
    if any(
        hasattr(thing, name)
        for name in (
            "__arrow_c_stream__",
            "__narwhals_dataframe__",
            "__narwhals_lazyframe__",
            "__dataframe__",
        )
    ):
        return True
    import narwhals as nw

    return nw.dependencies.is_into_dataframe(thing) or hasattr(
        nw.from_native(thing, pass_through=True),
        "collect_schema",
    )


def polars_columns(
    frame: object,
    kind: str,
    *,
    columns: Mapping[str, str] | None = None,
    path: str = "",
) -> dict[str, pl.Series]:
    """Extracts the columns of judgments, a run or scored rows from any data frame.

    Polars, pandas, PyArrow, DuckDB and every other frame of narwhals; and everything that exports
    the Arrow PyCapsule interface. Named levels of a pandas index count as columns, but not as
    features. The frame itself is not changed.

    Raises:
        InputError: If it is not a data frame, or if a column is missing.
    """
    return _columns(frame, kind, columns, path, lambda role, column: _series(column))


def arrow_columns(
    frame: object, kind: str, *, columns: Mapping[str, str] | None = None, path: str = ""
) -> dict[str, ArrowColumn]:
    """The same as `polars_columns`, but columns that native code can read stay as they are.

    Raises:
        InputError: If it is not a data frame, or if a column is missing.
    """
    return _columns(frame, kind, columns, path, _readable)


def _columns(
    frame: object,
    kind: str,
    columns: Mapping[str, str] | None,
    path: str,
    convert: Callable[[str, Column], T],
) -> dict[str, pl.Series | T]:
    import polars as pl

    if not isinstance(frame, pl.DataFrame | pl.LazyFrame):
        _refuse_twins(frame, path)
        _refuse_series(frame)
        given = frame
        frame, levels = with_index_columns(frame)
        wrapped = _frame_of(frame)
        if wrapped is not None:
            chosen = choose(_names_of(wrapped), kind, columns=columns, path=path)
            if has_index(given):
                _refuse_missing(wrapped, chosen, kind, given, path)
            found = _narwhals_columns(wrapped, chosen, convert)
            named = {feature_role(level) for level in levels}  # an index is no feature
            return {role: column for role, column in found.items() if role not in named}
        if not hasattr(frame, "__arrow_c_stream__"):
            raise InputError(
                message("data.is-not-data-frame", name=type(frame).__name__),
                hint=message("data.give-polars"),
            )
        frame = pl.DataFrame(frame)
    names = frame.collect_schema().names()
    chosen = choose(names, kind, columns=columns, path=path)
    part = frame.lazy().select([pl.col(name) for name in dict.fromkeys(chosen.values())]).collect()
    return {role: part.get_column(name) for role, name in chosen.items()}


def headings(frame: object) -> list[str]:
    """Returns the names of the columns of any data frame; none of anything else."""
    if hasattr(frame, "collect_schema"):
        return [str(name) for name in frame.collect_schema().names()]
    # PyArrow's `columns` are the values.
    names = getattr(frame, "column_names", ()) or getattr(frame, "columns", ())
    try:
        return [str(name) for name in names]
    except TypeError:
        return []


def first_values(
    frame: object, columns: Mapping[str, pl.Series], rows: int
) -> dict[str, list[object]]:
    """Returns the first values of the columns of any data frame that have no role.

    Args:
        frame: As for `polars_columns`.
        columns: Its columns by role.
        rows: How many values.
    """
    chosen = {column.name for column in columns.values()}
    rest = named_series(frame, lambda name: name not in chosen, rows)
    return {name: column.to_list() for name, column in rest.items()}


def named_series(
    frame: object, wanted: Callable[[str], bool], rows: int | None = None
) -> dict[str, pl.Series]:
    """Takes the columns of wanted names out of any data frame.

    Args:
        frame: As for `polars_columns`.
        wanted: Whether to return a column with that name.
        rows: How many rows to return; None for all.

    Raises:
        InputError: If it is not a data frame.
    """
    import narwhals as nw
    import polars as pl

    frame, _ = with_index_columns(frame)
    wrapped = _frame_of(frame)
    if wrapped is None and hasattr(frame, "__arrow_c_stream__"):
        wrapped = _frame_of(pl.DataFrame(frame))
    if wrapped is None:
        raise InputError(message("data.is-not-data-frame", name=type(frame).__name__))
    names = [name for name in wrapped.collect_schema().names() if wanted(str(name))]
    part = wrapped.select(names)
    if rows is not None:
        part = part.head(rows)
    if isinstance(part, nw.LazyFrame):
        part = part.collect()
    return {str(name): _series(part.get_column(name)) for name in names}


def _refuse_series(frame: object) -> None:
    """Refuses one column, which says neither which query nor which document it is about."""
    import narwhals as nw

    found = nw.from_native(frame, pass_through=True, allow_series=True)
    if isinstance(found, nw.Series) and found.dtype != nw.Struct:
        raise InputError(
            message("data.is-not-data-frame", name="Series"),
            hint=message("data.give-data-frame"),
        )


def _refuse_twins(frame: object, path: str = "") -> None:
    """Refuses a frame with two columns of the same name."""
    if not hasattr(frame, "collect_schema"):  # Polars and narwhals have no such frames
        refuse_repeated(headings(frame), path)


def _frame_of(frame: object) -> Rows | None:
    """Wraps any frame so that its columns can be listed and selected, or returns None."""
    import narwhals as nw

    wrapped = nw.from_native(frame, pass_through=True)
    return wrapped if isinstance(wrapped, nw.DataFrame | nw.LazyFrame) else None


def _names_of(wrapped: Rows) -> list[str]:
    return [str(name) for name in wrapped.collect_schema().names()]


def _refuse_missing(
    wrapped: Rows, chosen: Mapping[str, str], kind: str, given: object, path: str
) -> None:
    """Refuses rows of pandas without an id, a label or a score, by the label of the index.

    Judgments without a grade are left out where they are read, with a note.

    Args:
        wrapped: The frame.
        chosen: Its columns by role.
        kind: The kind of data.
        given: The frame as it was given, with its index.
        path: The file, for messages.

    Raises:
        InputError: At the first row of the first such column.
    """
    needed = {*KINDS[kind][0], "query", "score"} - {"grade"}
    for role, name in chosen.items():
        if role not in needed:
            continue
        absent = wrapped.select(name).get_column(name).is_null()  # type: ignore[union-attr]
        if absent.any():
            place = int(absent.arg_max() or 0)
            raise InputError(
                message(
                    "data.row-place-label",
                    place=place + 1,
                    label=index_label(given, place),
                    message=message("data.is-empty", what=role),
                ),
                path=path,
                hint=message("data.leave-out-or-fill"),
            )


def _narwhals_columns(
    wrapped: Rows, chosen: Mapping[str, str], convert: Callable[[str, Column], T]
) -> dict[str, pl.Series | T]:
    import narwhals as nw
    import polars as pl

    part = wrapped.select(list(dict.fromkeys(chosen.values())))
    if isinstance(part, nw.LazyFrame):
        native = part.to_native()
        if part.implementation.is_duckdb():  # its Arrow streams outlive Python, which it reports
            table = gather(part)
            return {role: table.get_column(name) for role, name in chosen.items()}
        if hasattr(native, "__arrow_c_stream__"):
            table = pl.DataFrame(native)
            return {role: table.get_column(name) for role, name in chosen.items()}
        part = part.collect()
    return {role: convert(role, part.get_column(name)) for role, name in chosen.items()}


def _series(column: Column) -> pl.Series:
    """One narwhals series as a Polars series, without needing more packages than the two."""
    import polars as pl

    native = column.to_native()
    if isinstance(native, pl.Series):
        return native
    if column.implementation.is_pyarrow():
        return pl.Series(column.name, native)
    if column.dtype.is_numeric() and not column.null_count():
        return pl.Series(column.name, column.to_numpy())
    held = _pyarrow(column)
    if held is not None and str(held.type) in _TEXT:
        return pl.Series(column.name, held)
    if column.implementation.is_pandas() and hasattr(native.dtype, "categories"):
        categories = from_values(column.name, native.cat.categories)
        return categories.gather(pl.Series(native.cat.codes.to_numpy()).replace(-1, None))
    return from_values(column.name, column.to_list(), nan_is_null=True)  # as pandas means it


def _readable(role: str, column: Column) -> ArrowColumn:
    """One narwhals series as it is in Arrow memory, or else as a Polars series."""
    held = _pyarrow(column)
    if held is not None:
        coded = str(held.type).startswith("dictionary")  # categories are numbers
        if coded and role in ("query", "document") and str(held.type.value_type) in _TEXT:
            return held
        if str(held.type) in _READABLE[role]:
            return held
    return _series(column)


def _pyarrow(column: Column) -> pa.ChunkedArray | None:
    """The PyArrow array of a series' values, or None."""
    native = column.to_native()
    if column.implementation.is_pyarrow():
        return native
    if not column.implementation.is_pandas():
        return None
    kind = native.dtype
    if getattr(kind, "storage", "") == "pyarrow" or hasattr(kind, "pyarrow_dtype"):
        return native.array.__arrow_array__()
    return None
