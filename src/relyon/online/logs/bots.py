"""Users with rates that no person reaches."""

from __future__ import annotations

from typing import TYPE_CHECKING

from relyon.data.lazy import gather
from relyon.online.logs.log_check import Check, Finding, Log, plain, register

if TYPE_CHECKING:
    import polars as pl

__all__ = ["Bots"]


@register
class Bots(Check):
    """Users, or sessions where users are not known, with rates that no person reaches.

    A user is implausible with at least `searches` searches that follow each other in less than
    `pause` seconds on average; with at least `per_day` searches per day; or with at least `rows`
    results of which the share `clicked` was clicked. Without users, a session is, by its clicks.

    Attributes:
        searches: With fewer searches, pauses say nothing.
        pause: Seconds.
        per_day: Searches a day, over the days between a user's first and last search.
        rows: With fewer results, clicks say nothing.
        clicked: Share of the results.
    """

    name = "bots"
    searches: int = 60
    pause: float = 5.0
    per_day: float = 1000.0
    rows: int = 50
    clicked: float = 0.9

    def apply(self, log: Log) -> Finding | None:
        """Counts the users or sessions."""
        found, total, unit = self.found(log)
        if not found.height:
            return None
        order = ["searches", "user"] if unit == "users" else ["results", "session"]
        busiest = found.sort(order, descending=[True, False])
        column = "searches" if unit == "users" else "results"
        every = log.counts["sessions" if unit == "users" else "rows"]
        return Finding(
            self.name,
            "warning",
            found.height,
            total,
            "users" if unit == "users" else "sessions",
            plain(busiest.head(3)),
            {"traffic": int(found[column].sum()) / max(every, 1)},
        )

    def found(self, log: Log) -> tuple[pl.DataFrame, int, str]:
        """Returns the users, or sessions, with a column of that name; how many there are in all;
        and which of the two they are: `users` or `sessions`.
        """
        return self._users(log) if log.has("user") else self._sessions(log)

    def repair(self, frame: pl.LazyFrame, log: Log) -> tuple[pl.LazyFrame, pl.LazyFrame]:
        """Leaves the users or sessions out; only people know whether these are tests of a site."""
        import polars as pl

        found, _, unit = self.found(log)
        column = "user" if unit == "users" else "session"
        names = found.get_column(column).unique().to_list()
        bots = pl.col(column).is_in(names).fill_null(False)
        return frame.filter(~bots), frame.filter(bots)

    def _users(self, log: Log) -> tuple[pl.DataFrame, int, str]:
        import narwhals as nw
        import polars as pl

        rows = nw.col("rows").sum().alias("results")
        parts = [nw.len().alias("searches"), rows]
        if log.has("clicked"):
            parts.append(nw.col("clicks").sum().alias("clicks"))
        if log.has("timestamp"):
            parts += [nw.col("time").min().alias("from"), nw.col("time").max().alias("until")]
        users = log.lists.filter(~nw.col("user").is_null()).group_by("user").agg(*parts)
        total = log.count(users)
        many = nw.col("results") >= self.rows
        busy = gather(users.filter((nw.col("searches") >= self.searches) | many))
        reasons: list[pl.Expr] = []
        if log.has("timestamp"):
            seconds = (pl.col("until") - pl.col("from")).dt.total_milliseconds() / 1000
            enough = pl.col("searches") >= self.searches
            reasons.append(enough & (seconds / (pl.col("searches") - 1) < self.pause))
            days = (seconds / 86400).clip(lower_bound=1)
            reasons.append(pl.col("searches") / days >= self.per_day)
        if log.has("clicked"):
            reasons.append(_clicks_too_much(self.rows, self.clicked))
        if not reasons:
            return busy.head(0), total, "users"
        return busy.filter(pl.any_horizontal(reasons)), total, "users"

    def _sessions(self, log: Log) -> tuple[pl.DataFrame, int, str]:
        import narwhals as nw

        if not log.has("clicked"):
            import polars as pl

            return pl.DataFrame(), log.counts["sessions"], "sessions"
        parts: list[str | nw.Expr] = ["session", "query", nw.col("rows").alias("results"), "clicks"]
        large = gather(log.lists.filter(nw.col("rows") >= self.rows).select(*parts))
        found = large.filter(_clicks_too_much(self.rows, self.clicked))
        return found, log.counts["sessions"], "sessions"


def _clicks_too_much(rows: int, clicked: float) -> pl.Expr:
    import polars as pl

    return (pl.col("results") >= rows) & (pl.col("clicks") >= clicked * pl.col("results"))
