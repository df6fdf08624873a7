"""Traces as data frames: one row per result."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from relyon.core.errors import InputError
from relyon.core.texts import message
from relyon.data.trace_columns import TraceColumns

if TYPE_CHECKING:
    import polars as pl

    from relyon.data.trace_calls import TraceCall

__all__ = ["ROLES", "frame_columns", "trace_frame"]

#: The columns of a frame of traces.
ROLES = ("task", "call", "query", "document", "score", "start", "end", "read", "tokens", "seconds")


def frame_columns(
    frame: object, columns: Mapping[str, str] | None = None, path: str = ""
) -> TraceColumns:
    """Returns the calls of a frame; see `Traces.from_frame`.

    Raises:
        InputError: If a column is missing or a row cannot be used.
        ParameterError: If `columns` names something else.
    """
    import narwhals as nw
    import polars as pl

    from relyon.core.parameters import check_choice
    from relyon.data.columns import is_table

    for role in columns or ():
        check_choice("columns", role, ROLES)
    if not is_table(frame):
        raise InputError(message("data.is-not-data-frame", name=type(frame).__name__), path=path)
    wrapped = nw.from_native(frame, pass_through=True)
    if isinstance(wrapped, nw.LazyFrame):
        wrapped = wrapped.collect()
    found = wrapped.to_polars() if isinstance(wrapped, nw.DataFrame) else _polars(frame)
    chosen = _chosen(found.columns, columns or {}, path)
    for role in ("task", "document", *(columns or ())):
        if chosen[role] not in found.columns:
            raise InputError(
                message("data.traces-lack-column", role=role, name=chosen[role]),
                path=path,
                hint=message("data.columns-of-traces", names=[f"`{one}`" for one in found.columns]),
            )
    held = {role: name for role, name in chosen.items() if name in found.columns}
    data: pl.DataFrame = found.select(pl.col(name).alias(role) for role, name in held.items())
    calls: dict[tuple[object, object], dict[str, object]] = {}
    for row in data.iter_rows(named=True):
        key = (row["task"], row.get("call"))
        one = calls.get(key)
        if one is None:
            one = calls[key] = {
                name: row.get(name) for name in ("call", "query", "tokens", "seconds")
            }
            one["results"] = []
            one["read"] = [] if "read" in row else None
        if row["document"] is None:
            continue
        result = {name: row.get(name) for name in ("document", "score", "start", "end")}
        one["results"].append(result)  # type: ignore[attr-defined]
        if _is_read(row.get("read"), row["task"], path):
            one["read"].append(row["document"])  # type: ignore[attr-defined]
    built = TraceColumns(path)
    for (task, _), one in calls.items():
        built.add(task, one)
    return built


def _chosen(names: Sequence[str], given: Mapping[str, str], path: str) -> dict[str, str]:
    """Returns the column of each role: the given one, or one with a usual name.

    Raises:
        InputError: If two columns could have a role.
    """
    from relyon.data.columns import best_columns, named_twice
    from relyon.data.columns.synonyms import TRACE_LEVELS

    free = [name for name in names if name not in given.values()]
    chosen = {}
    for role in ROLES:
        usual = best_columns(free, TRACE_LEVELS[role])
        if role not in given and len(usual) > 1:
            raise named_twice(usual, "traces", role, path)
        chosen[role] = given.get(role) or (usual[0] if usual else role)
    return chosen


def _is_read(value: object, task: object, path: str) -> bool:
    """Returns whether a document was read.

    Raises:
        InputError: If the value is not true or false, such as the text "false".
    """
    if value is None or (isinstance(value, float) and math.isnan(value)):
        return False
    if isinstance(value, str) or value not in (0, 1):
        raise InputError(
            message("data.read-is-not-boolean", task=task, value=value),
            path=path,
            hint=message("data.write-booleans"),
        )
    return bool(value)


def trace_frame(traces: Mapping[str, Sequence[TraceCall]]) -> pl.DataFrame:
    """Returns one row per result; see `Traces.to_frame`.

    Args:
        traces: The calls by task.
    """
    import polars as pl

    columns: dict[str, list[object]] = {role: [] for role in ROLES}
    for task, calls in traces.items():
        for number, call in enumerate(calls, 1):
            read = None if call.read is None else set(call.read)
            places = range(len(call.documents)) if call.documents else [None]
            for place in places:
                row: dict[str, object] = {
                    "task": task,
                    "call": number,
                    "query": call.query,
                    "document": None,
                    "score": None,
                    "start": None,
                    "end": None,
                    "read": None,
                    "tokens": call.tokens,
                    "seconds": call.seconds,
                }
                if place is not None:
                    document = call.documents[place]
                    row["document"] = document
                    row["score"] = call.scores[place]
                    row["start"] = None if call.starts is None else call.starts[place]
                    row["end"] = None if call.ends is None else call.ends[place]
                    row["read"] = None if read is None else document in read
                for role, values in columns.items():
                    values.append(row[role])
    schema = {
        "task": pl.String, "call": pl.Int64, "query": pl.String, "document": pl.String,
        "score": pl.Float64, "start": pl.Float64, "end": pl.Float64, "read": pl.Boolean,
        "tokens": pl.Float64, "seconds": pl.Float64,
    }  # fmt: skip
    frame = pl.DataFrame(columns, schema=schema)
    return frame.with_columns(pl.col("tokens", "seconds").fill_nan(None))


def _polars(frame: object) -> pl.DataFrame:
    """Returns a table that exports the Arrow PyCapsule interface."""
    import polars as pl

    return pl.DataFrame(frame)  # type: ignore[arg-type]
