"""Times that begin with a day or a month: their order cannot be known."""

from __future__ import annotations

from typing import TYPE_CHECKING

from relyon.data.lazy import gather

if TYPE_CHECKING:
    import polars as pl

    from relyon.data.lazy import LazyRows

__all__ = ["DAY_FIRST", "day_first_values"]

#: Dates of two orders: 03/04/2026 is in March or in April.
DAY_FIRST = r"^\s*\d{1,2}[/.-]\d{1,2}[/.-]\d{4}"


def day_first_values(raw: LazyRows) -> dict[str, object]:
    """Returns what is known of times that begin with a day or a month.

    Args:
        raw: Rows with times that are texts.

    Returns:
        `count` of them; `days` and `months`, how many can only begin with the one or the other;
        `times` in all, and an `example`.
    """
    import narwhals as nw

    time = nw.col("timestamp")
    found: pl.Series = gather(raw.filter(time.str.contains(DAY_FIRST)).select(time)).to_series()
    first, second = (found.str.extract(r"^\s*(\d+)\D(\d+)", group).cast(int) for group in (1, 2))
    return {
        "count": len(found),
        "times": gather(raw.select(time.count())).item(),
        "days": int((first > 12).sum()),
        "months": int((second > 12).sum()),
        "example": found.item(0) if len(found) else "",
    }
