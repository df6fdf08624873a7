"""Users with rates that no person reaches."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from relyon.core.errors import InputError
from relyon.core.notes import Note
from relyon.core.texts import message
from relyon.data.lazy import gather
from relyon.online.logs.log_check import Check, Finding, Log, plain, register

if TYPE_CHECKING:
    import polars as pl

    from relyon.data.sessions import Sessions

__all__ = ["Bots", "noted_bots", "without_bots"]

#: What `Sessions.checked` contains once a log is known to be without bots.
CHECKED = "bots"


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
        counts = log.counts
        found, unit = self.found(log)
        if not found.height:
            return None
        order = ["searches", "user"] if unit == "users" else ["results", "session"]
        busiest = found.sort(order, descending=[True, False])
        column = "searches" if unit == "users" else "results"
        every = counts["sessions" if unit == "users" else "rows"]
        return Finding(
            self.name,
            "warning",
            found.height,
            _users_of(log) if unit == "users" else counts["sessions"],
            "users" if unit == "users" else "sessions",
            plain(busiest.head(3)),
            {"traffic": int(found[column].sum()) / max(every, 1)},
        )

    def found(self, log: Log) -> tuple[pl.DataFrame, str]:
        """Returns the users, or sessions, with a column of that name, and which of the two they
        are: `users` or `sessions`.
        """
        return self._users(log) if log.has("user") else self._sessions(log)

    def repair(self, frame: pl.LazyFrame, log: Log) -> tuple[pl.LazyFrame, pl.LazyFrame]:
        """Leaves the users or sessions out; only people know whether these are tests of a site."""
        import polars as pl

        found, unit = self.found(log)
        column = "user" if unit == "users" else "session"
        names = found.get_column(column).unique().to_list()
        bots = pl.col(column).is_in(names).fill_null(False)
        return frame.filter(~bots), frame.filter(bots)

    def _users(self, log: Log) -> tuple[pl.DataFrame, str]:
        import narwhals as nw
        import polars as pl

        rows = nw.col("rows").sum().alias("results")
        parts = [nw.len().alias("searches"), rows]
        if log.has("clicked"):
            parts.append(nw.col("clicks").sum().alias("clicks"))
        if log.has("timestamp"):
            parts += [nw.col("time").min().alias("from"), nw.col("time").max().alias("until")]
        users = log.actions.filter(~nw.col("user").is_null()).group_by("user").agg(*parts)
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
            return busy.head(0), "users"
        return busy.filter(pl.any_horizontal(reasons)), "users"

    def _sessions(self, log: Log) -> tuple[pl.DataFrame, str]:
        import narwhals as nw

        if not log.has("clicked"):
            import polars as pl

            return pl.DataFrame(), "sessions"
        parts: list[str | nw.Expr] = ["session", "query", nw.col("rows").alias("results"), "clicks"]
        large = gather(log.actions.filter(nw.col("rows") >= self.rows).select(*parts))
        found = large.filter(_clicks_too_much(self.rows, self.clicked))
        return found, "sessions"


def _users_of(log: Log) -> int:
    import narwhals as nw

    users = log.actions.filter(~nw.col("user").is_null())
    return log.count(users.group_by("user").agg(nw.len().alias("searches")))


def _clicks_too_much(rows: int, clicked: float) -> pl.Expr:
    import polars as pl

    return (pl.col("results") >= rows) & (pl.col("clicks") >= clicked * pl.col("results"))


def without_bots(sessions: Sessions, check: Bots | None = None) -> Sessions:
    """Returns a log without users with non-human rates; without sessions if it has no users.

    What is counted of it, such as the frequencies of queries, is then of people alone.

    Args:
        sessions: The log. It is not changed; its engine does the work.
        check: The limits of plausible behaviour; by default `Bots()`, as in `examine`.

    Returns:
        The log, with a note of how many users, sessions and rows were left out; the same one if
        there are none.

    Raises:
        InputError: If it is a table of counts, which has no users.

    Examples:
        >>> import polars as pl, relyon
        >>> log = pl.DataFrame({
        ...     "session": [f"s{i}" for i in range(61)], "query": ["tv"] * 61,
        ...     "position": [1] * 61, "doc": ["d1"] * 61, "clicked": [1] * 60 + [0],
        ...     "user": ["crawler"] * 60 + ["person"],
        ... })
        >>> people = without_bots(relyon.read_sessions(log))
        >>> people.collect()["user"].to_list()
        ['person']
        >>> print(people.notes[0])
        left out 1 user with rates that no person can reach: 60 sessions, 60 rows
    """
    if sessions.counted:
        raise InputError(
            message("online.counts-have-no-users"),
            path=sessions.path,
            hint=message("online.leave-bots-out-before"),
        )
    if CHECKED in sessions.checked:
        return sessions
    crowd = _crowd_of(sessions, check)
    if not crowd.names:
        return sessions
    import narwhals as nw

    # Ids of the untyped rows are text or whole numbers; as text they are what the typed ones are.
    bots = nw.col(crowd.column).cast(nw.String).is_in(list(crowd.names)).fill_null(False)
    values = {"sessions": crowd.sessions, "rows": crowd.log.count(sessions.frame.filter(bots))}
    note = Note("bots-left-out", len(crowd.names), values=values, key=f"bots-left-out.{crowd.unit}")
    found = sessions.derived(
        sessions.frame.filter(~bots),
        sessions.raw.filter(~bots),
        source=sessions.source,
        notes=(*sessions.notes, note),
    )
    found.checked = sessions.checked | {CHECKED}
    return found


def noted_bots(sessions: Sessions, check: Bots | None = None) -> tuple[Note, ...]:
    """Returns a warning with the number of users, or sessions, with non-human rates, if any.

    Args:
        sessions: The log.
        check: The limits of plausible behaviour; by default `Bots()`.
    """
    if CHECKED in sessions.checked or sessions.counted:
        return ()
    crowd = _crowd_of(sessions, check)
    if not crowd.names:
        return ()
    key = f"bots-found.{crowd.unit}"
    values = {"sessions": crowd.sessions}
    return (Note("bots-found", len(crowd.names), "warning", crowd.names[:3], values, key=key),)


@dataclass(frozen=True)
class _Crowd:
    """The users, or sessions, with non-human rates.

    Attributes:
        log: Where they are.
        unit: What they are.
        names: Their ids, the busiest first.
        sessions: How many sessions are theirs.
    """

    log: Log
    unit: str
    names: tuple[str, ...]
    sessions: int

    @property
    def column(self) -> str:
        return "user" if self.unit == "users" else "session"


def _crowd_of(sessions: Sessions, check: Bots | None) -> _Crowd:
    log = Log(sessions, depth=1)
    found, unit = (check or Bots()).found(log)
    if not found.height:
        return _Crowd(log, unit, (), 0)
    column = "user" if unit == "users" else "session"
    ordered = found.sort(["results", column], descending=[True, False])
    count = int(found["searches"].sum()) if unit == "users" else found.height
    return _Crowd(log, unit, tuple(ordered[column].to_list()), count)
