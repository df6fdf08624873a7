"""Lazy frames of any engine: collecting them, and parsing times."""

from __future__ import annotations

from datetime import UTC, tzinfo
from typing import TYPE_CHECKING, Any, TypeAlias

from relyon.data.zone import in_utc

if TYPE_CHECKING:
    import narwhals as nw
    import polars as pl

__all__ = ["EPOCH_LIMITS", "LazyRows", "gather", "utc"]

#: A lazy frame of any engine.
LazyRows: TypeAlias = "nw.LazyFrame[Any]"

#: Below these limits a number in a time column is seconds, milliseconds or microseconds since 1970.
EPOCH_LIMITS = (1e11, 1e14, 1e17)


def gather(frame: LazyRows) -> pl.DataFrame:
    """Collects a lazy frame; Polars streams, so that memory stays small.

    Args:
        frame: A narwhals lazy frame of any engine.
    """
    import polars as pl

    native = frame.to_native()
    if isinstance(native, pl.LazyFrame):
        return native.collect(engine="streaming")
    collected: pl.DataFrame = frame.collect("polars").to_native()
    # Sums of whole numbers come as decimals from DuckDB; older Polars divides those to four digits.
    return collected.with_columns(
        pl.col(name).cast(pl.Int64 if kind.scale == 0 else pl.Float64)
        for name, kind in collected.schema.items()
        if isinstance(kind, pl.Decimal)
    )


def utc(name: str, zone: tzinfo = UTC) -> pl.Expr:
    """Returns the Polars expression that parses text or numbers as times in UTC.

    Text is ISO 8601; numbers count from 1970, and their size tells seconds, milliseconds,
    microseconds and nanoseconds apart. Anything else becomes null.

    Args:
        name: The column.
        zone: The time zone of texts that name none.

    Examples:
        >>> import polars as pl
        >>> frame = pl.DataFrame({"at": ["2024-12-10T08:01:29+08:00", "1733788889", "soon"]})
        >>> [str(time) for time in frame.select(utc("at")).to_series()]
        ['2024-12-10 00:01:29+00:00', '2024-12-10 00:01:29+00:00', 'None']
    """
    import polars as pl

    text = pl.col(name).cast(pl.String).str.strip_chars()
    number = text.cast(pl.Float64, strict=False)
    number = pl.when(number.is_finite()).then(number)
    size = number.abs()
    factor = (
        pl.when(size < EPOCH_LIMITS[0])
        .then(1e6)
        .when(size < EPOCH_LIMITS[1])
        .then(1e3)
        .when(size < EPOCH_LIMITS[2])
        .then(1.0)
        .otherwise(1e-3)
    )
    epoch = (number * factor).round(0).cast(pl.Int64, strict=False).cast(pl.Datetime("us", "UTC"))
    iso = (
        text.str.replace(r"^(\d{4})[/.](\d\d?)[/.](\d\d?)", "$1-$2-$3")
        .str.replace(r"^(\d+-\d+-\d+) +", "${1}T")
        .str.replace(r" *([Zz]|UTC|GMT)$", "+00:00")
        .str.replace(r"T(\d+:\d+)($|[+-])", "T$1:00$2")
    )
    zoned = iso.str.to_datetime(
        "%Y-%m-%dT%H:%M:%S%.f%#z", time_unit="us", time_zone="UTC", strict=False
    )
    local = iso.str.to_datetime("%Y-%m-%dT%H:%M:%S%.f", time_unit="us", strict=False)
    day = iso.str.to_datetime("%Y-%m-%d", time_unit="us", strict=False)
    return pl.coalesce(epoch, zoned, in_utc(local, zone), in_utc(day, zone)).alias(name)
