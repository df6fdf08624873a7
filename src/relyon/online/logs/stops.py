"""Where users stop: the rank of each session's last click."""

from __future__ import annotations

from typing import TYPE_CHECKING

from relyon.analysis.depth import LastClicks
from relyon.core.errors import InputError
from relyon.core.texts import message
from relyon.data.lazy import gather
from relyon.io.log_checks import read_log

if TYPE_CHECKING:
    pass

__all__ = ["last_clicks"]


def last_clicks(sessions: object) -> LastClicks:
    """Counts the sessions of a log by the rank of their last click, the deepest one.

    Args:
        sessions: What `relyon.read_sessions` takes.

    Returns:
        The counts, also by the deepest rank that was shown.

    Raises:
        InputError: If the log has no column of clicks, or a position below 1.

    Examples:
        >>> import polars as pl
        >>> columns = {"session": [1, 1, 2, 2], "position": [1, 2, 1, 2], "clicked": [1, 1, 0, 0]}
        >>> log = pl.DataFrame(columns).with_columns(query=pl.lit("tv"), doc=pl.lit("a"))
        >>> last_clicks(log)
        LastClicks(ranks={2: 1}, shown={2: 2}, sessions=2)
    """
    import narwhals as nw

    log = read_log(sessions)
    if "clicked" not in log.columns:
        raise InputError(
            message("core.log-has-no-clicks"),
            path=log.path,
            hint=message("online.name-column-log-columns-clicked"),
        )
    position = nw.col("position")
    rows = log.frame.filter(~nw.col("session").is_null() & ~position.is_null())
    rows = rows.filter(nw.col("shown")) if "shown" in log.columns else rows
    lists = (
        rows.with_columns(place=nw.when(nw.col("clicked")).then(position))
        .group_by("session")
        .agg(
            nw.col("position").min().alias("first"),
            nw.col("position").max().alias("shown"),
            nw.col("place").max().alias("last"),
        )
    )
    counted = gather(
        lists.group_by("first", "shown", "last").agg(nw.col("session").len().alias("sessions"))
    )
    if (counted["first"] < 1).any():
        low = gather(lists.filter(nw.col("first") < 1).select("session", "first"))
        session, first = low.sort("session").row(0)
        raise InputError(
            message(
                "core.session-has-result",
                session=session,
                position=first,
            ),
            path=log.path,
            hint=message("core.relyon-logs-doctor-log"),
        )
    ranks: dict[int, int] = {}
    shown: dict[int, int] = {}
    for deepest, last, count in counted.select("shown", "last", "sessions").iter_rows():
        shown[deepest] = shown.get(deepest, 0) + count
        if last is not None:
            ranks[last] = ranks.get(last, 0) + count
    return LastClicks(ranks, shown, sum(shown.values()))
