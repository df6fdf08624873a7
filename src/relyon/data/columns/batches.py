"""The rows of lazy frames of any engine, collected or in batches."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Literal

from relyon.core.errors import DependencyError
from relyon.core.texts import message
from relyon.data.columns.spark_partitions import blocks, is_spark_frame, streamed
from relyon.data.lazy import gather

if TYPE_CHECKING:
    import polars as pl

    from relyon.data.lazy import LazyRows

__all__ = ["batches", "collect"]

#: The approximate number of rows in a batch.
BATCH = 1 << 16


def collect(frame: LazyRows) -> pl.DataFrame:
    """Returns the rows of a small frame.

    Raises:
        DependencyError: If the engine needs a package that is not installed.
    """
    try:
        return gather(frame)
    except ImportError as error:
        raise _missing(error) from None


def _missing(error: ImportError) -> DependencyError:
    # PySpark does not name the package in the error, and needs both.
    package = error.name or "pyarrow"
    hint = f"pip install {package}" if error.name else "pip install 'relyon[spark]'"
    return DependencyError(
        message("online.reading-from-this-engine", package=package),
        hint=hint,
    )


def batches(
    frame: LazyRows, rows: int = BATCH, *, order: Literal["any", "kept"] = "any"
) -> Iterator[pl.DataFrame]:
    """Yields the rows of a frame in batches.

    Args:
        frame: A lazy frame of any engine.
        rows: The approximate number of rows in a batch.
        order: `kept` yields the rows of a Polars frame in their order; other engines ignore it.

    Raises:
        DependencyError: If the engine needs a package that is not installed.
    """
    import polars as pl

    native = frame.to_native()
    if isinstance(native, pl.LazyFrame):
        if hasattr(native, "collect_batches"):
            yield from native.collect_batches(chunk_size=rows, maintain_order=order == "kept")
        else:
            yield from native.collect(engine="streaming").iter_slices(rows)
    elif hasattr(native, "fetch_arrow_reader"):
        # Its name since DuckDB 1.5; the older one warns.
        read = getattr(native, "to_arrow_reader", None) or native.fetch_arrow_reader
        try:
            reader = read(rows)
        except ImportError as error:
            raise _missing(error) from None
        for part in reader:
            yield pl.DataFrame(part)
    elif is_spark_frame(native):
        for table in streamed(native, blocks):
            yield from pl.DataFrame(table).iter_slices(rows)
    else:
        yield from collect(frame).iter_slices(rows)
