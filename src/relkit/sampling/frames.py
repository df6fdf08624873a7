"""The log as a lazy frame of any engine, and what is read from it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from relkit.errors import DependencyError, InputError

if TYPE_CHECKING:
    import narwhals as nw
    import polars as pl

__all__ = ["batches", "collect", "count_queries", "lazy", "results_of"]

REQUIRED = ("session", "query", "position", "doc")
BATCH = 1 << 18


def lazy(sessions: object) -> nw.LazyFrame[Any]:
    """Returns a log as a lazy frame whose ids are text; nothing is read yet.

    Args:
        sessions: `relkit.Sessions`, or a frame of any engine that narwhals knows, with the columns
            `session`, `query`, `position` and `doc`.

    Raises:
        InputError: If it is no data frame, or a column is missing.
    """
    import narwhals as nw

    found = getattr(sessions, "frame", sessions)
    frame = nw.from_native(found, pass_through=True)
    if not isinstance(frame, nw.DataFrame | nw.LazyFrame):
        raise InputError(
            f"a {type(sessions).__name__} is not a log of sessions",
            hint="give relkit.Sessions, or a Polars, DuckDB, PySpark, pandas or PyArrow table",
        )
    names = frame.collect_schema().names()
    missing = [name for name in REQUIRED if name not in names]
    if missing:
        raise InputError(
            "the log has no column " + " and no column ".join(f"`{name}`" for name in missing),
            hint="sessions have the columns session, query, position, doc",
        )
    if isinstance(frame, nw.DataFrame):
        frame = frame.lazy()
    ids = [nw.col(name).cast(nw.String) for name in ("session", "query", "doc")]
    return frame.with_columns(*ids)


def collect(frame: nw.LazyFrame[Any]) -> pl.DataFrame:
    """Reads the rows of a small frame.

    Raises:
        DependencyError: If the engine hands rows over by a package that is not installed.
    """
    import polars as pl

    native = frame.to_native()
    if isinstance(native, pl.LazyFrame):
        return native.collect(engine="streaming")
    try:
        found = frame.collect(backend="polars").to_native()
    except ModuleNotFoundError as error:
        raise _missing(error) from None
    if not isinstance(found, pl.DataFrame):
        raise InputError(f"the engine returned a {type(found).__name__}")
    return found


def _missing(error: ModuleNotFoundError) -> DependencyError:
    return DependencyError(
        f"reading from this engine needs the package `{error.name}`",
        hint=f"pip install {error.name}",
    )


def batches(frame: nw.LazyFrame[Any], rows: int = BATCH) -> Iterator[pl.DataFrame]:
    """Reads the rows of a frame part by part, in whatever order the engine gives them.

    Args:
        frame: Rows of a Polars, DuckDB or PySpark frame.
        rows: How many a part may hold, about.

    Raises:
        DependencyError: If the engine hands rows over by a package that is not installed.
    """
    import polars as pl

    native: Any = frame.to_native()
    if isinstance(native, pl.LazyFrame):
        if hasattr(native, "collect_batches"):
            yield from native.collect_batches(chunk_size=rows, maintain_order=False)
        else:
            yield from native.collect(engine="streaming").iter_slices(rows)
    elif hasattr(native, "fetch_arrow_reader"):
        # Its name since DuckDB 1.5; the older one warns.
        read = getattr(native, "to_arrow_reader", None) or native.fetch_arrow_reader
        try:
            reader = read(rows)
        except ModuleNotFoundError as error:
            raise _missing(error) from None
        for part in reader:
            yield pl.DataFrame(part)
    elif hasattr(native, "toLocalIterator"):
        names = frame.collect_schema().names()
        held: list[tuple[Any, ...]] = []
        for row in native.toLocalIterator():
            held.append(tuple(row))
            if len(held) == rows:
                yield pl.DataFrame(held, schema=names, orient="row")
                held = []
        if held:
            yield pl.DataFrame(held, schema=names, orient="row")
    else:
        yield from collect(frame).iter_slices(rows)


def count_queries(sessions: object) -> pl.DataFrame:
    """Returns every query with its number of sessions, most sessions first, then by query.

    A session counts once for a query, however many rows it has. The engine does the work; what is
    collected is one row a query. Rows without a session or a query are left out.

    Raises:
        InputError: If it is no log, or no row is left.
    """
    import narwhals as nw
    import polars as pl

    counted = (
        lazy(sessions)
        .select("session", "query")
        .filter(~nw.col("session").is_null(), ~nw.col("query").is_null())
        .unique()
        .group_by("query")
        .agg(nw.len().alias("sessions"))
    )
    found = collect(counted)
    if found.is_empty():
        raise InputError("the log holds no session")
    return found.select("query", pl.col("sessions").cast(pl.Int64)).sort(
        "sessions", "query", descending=[True, False]
    )


def results_of(sessions: object, ids: Sequence[str], depth: int) -> pl.DataFrame:
    """Reads the first results of some sessions: one row a session, query and document.

    Args:
        sessions: The log.
        ids: Session ids.
        depth: The last position that is read.

    Raises:
        InputError: If a position is not 1 or more.
    """
    import narwhals as nw
    import polars as pl

    wanted = (
        lazy(sessions)
        .filter(nw.col("session").is_in(list(ids)), nw.col("position") <= depth)
        .select("session", "query", nw.col("position").cast(nw.Int64), "doc")
    )
    found = collect(wanted).drop_nulls()
    low = found.filter(pl.col("position") < 1)
    if not low.is_empty():
        session, position = low.sort("session", "position").select("session", "position").row(0)
        raise InputError(
            f"session `{session}` has a result at position {position}: positions count from 1",
            hint="relkit logs doctor LOG --fix -o FILE makes them 1-based",
        )
    return found.group_by("session", "query", "doc").agg(pl.col("position").min())
