"""A table of counts as a log for click models: impressions and clicks by document and position."""

from __future__ import annotations

from typing import TYPE_CHECKING

from relyon import _native
from relyon.core.errors import InputError
from relyon.core.notes import Note
from relyon.core.texts import message
from relyon.data.lazy import gather

if TYPE_CHECKING:
    import polars as pl

    from relyon.data.sessions import Sessions
    from relyon.labels.rules import Rules

__all__ = ["read_counts"]

KEYS = ("query", "doc", "position")


def read_counts(
    table: Sessions, rules: Rules, threads: int = 0
) -> tuple[_native.ClickLog, list[Note]]:
    """Reads counts as lists of one result: each impression is a list of its own.

    Models in which results do not depend on each other count the same cells as in the log that was
    summed up: a query, a document, a position, and whether it was clicked.

    Args:
        table: `query`, `doc`, `position`, `impressions` and `clicks`. Rows of the same query,
            document and position are added up.
        rules: The depth; counts have no users and no times to stay.
        threads: Threads of the log that is returned.

    Returns:
        The log, and what was left out of it.

    Raises:
        InputError: If a count is negative or not whole, there are more clicks than impressions, or
            positions count from 0.
    """
    import polars as pl

    rows = gather(table.frame.select(*KEYS, "impressions", "clicks"))
    _check(rows, table.path)
    complete = rows.drop_nulls()
    sums = complete.group_by(KEYS).agg(pl.col("impressions", "clicks").sum().cast(pl.Int64))
    inside = sums.filter(pl.col("position") <= rules.depth).sort(KEYS)
    counts = pl.concat(
        inside.select(
            *KEYS,
            pl.lit(clicked, pl.Int8).alias("clicked"),
            (pl.col("clicks") if clicked else pl.col("impressions") - pl.col("clicks")).alias(
                "count"
            ),
        )
        for clicked in (1, 0)
    ).filter(pl.col("count") > 0)
    native = _native.ClickLog(rules.depth, remember=True, threads=threads)
    native.merge(
        counts["query"],
        counts["count"],
        pl.repeat(1, counts.height, dtype=pl.Int64, eager=True),
        counts["doc"],
        counts["position"],
        counts["clicked"],
        (0, 0, 0),
    )
    native.finish()
    values = {"shown": int(inside["impressions"].sum()), "clicks": int(inside["clicks"].sum())}
    notes = [Note("clicks-counted", inside.height, values=values)]
    if complete.height < rows.height:
        notes.append(Note("clicks-rows-left-out", rows.height - complete.height, "warning"))
    if deep := sums.height - inside.height:
        notes.append(Note("clicks-deep", deep, values={"depth": rules.depth}))
    return native, notes


def _check(rows: pl.DataFrame, path: str) -> None:
    import polars as pl

    shown, clicks = pl.col("impressions"), pl.col("clicks")
    faults = {
        "labels.count-is-not-whole": (pl.min_horizontal(shown, clicks) < 0)
        | (shown != shown.round(0))
        | (clicks != clicks.round(0)),
        "labels.more-clicks-than-impressions": clicks > shown,
        "labels.counts-have-position": pl.col("position") < 1,
    }
    for kind, fault in faults.items():
        bad = rows.with_row_index("row", 1).filter(fault).head(1)
        if bad.height:
            raise InputError(
                message(kind, **bad.row(0, named=True)),
                path=path,
                hint=message("labels.counts-are-of-row"),
            )
