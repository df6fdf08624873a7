"""The traffic of an A/B test: what every user did before it and in it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, tzinfo
from typing import TYPE_CHECKING

from relyon.core.errors import InputError, ParameterError
from relyon.core.notes import Note
from relyon.core.texts import message
from relyon.data.lazy import gather
from relyon.data.sessions import Sessions
from relyon.io.log_checks import TIMES, read_log

if TYPE_CHECKING:
    import polars as pl

    from relyon.online.logs.log_check import Unit

__all__ = ["SUMS", "Moment", "Traffic", "read_traffic"]

#: A day, which begins at midnight UTC, or a point in time, in ISO 8601 where it is text.
Moment = str | date | datetime

#: Per-user sums, in the test and, with the prefix `pre_`, before it.
SUMS = ("sessions", "clicked", "bought", "results", "clicks", "seconds", "waits", "overridden")


@dataclass(frozen=True)
class Traffic:
    """The actions of every user.

    Attributes:
        users: One row per user of the test with one arm: `user`, `arm`, `first`, the number of the
            user in the order in which they came, `earlier`, the arm before the restart, the sums of
            the test, and those before it with `pre_` in front (0 for users without a history).
        arms: The arms, the baseline first.
        unit: The unit: `users`, or `sessions` if the log has no users.
        columns: The columns that the log has.
        waits: Whether the log says when a click came: its rows have times of their own.
        before: Rows before the test; None if no start was given.
        restarted: Whether a restart was given.
        several: Users who were in several arms, and were left out.
        examples: A few of them.
        unassigned: Rows of the test that have no user or no arm.
        rows: Rows of the test.
        source: The log.
        notes: Notes about the log.
    """

    users: pl.DataFrame
    arms: tuple[str, ...]
    unit: Unit
    columns: tuple[str, ...]
    waits: bool
    before: int | None
    restarted: bool
    several: int
    examples: tuple[str, ...]
    unassigned: int
    rows: int
    source: str
    notes: tuple[Note, ...]

    def of(self, arm: str) -> pl.DataFrame:
        """Returns the users of an arm."""
        return self.users.filter(self.users["arm"] == arm)


def read_traffic(
    sessions: object,
    *,
    baseline: str | None = None,
    start: Moment | None = None,
    restart: Moment | None = None,
) -> Traffic:
    """Reads the log of an A/B test; memory grows with its searches.

    Args:
        sessions: What `relyon.read_sessions` takes; `bucket` is the arm. Without `user`, every
            session counts as a user of its own.
        baseline: The arm that the others are compared with; None takes the first by name.
        start: When the test began; what was before it is the users' history.
        restart: When it was begun anew: what lies between does not count, but is looked at for
            what it left behind.

    Raises:
        InputError: If the log does not say which arm a row is of, has fewer than two arms, or no
            times where a start or restart is given.
        ParameterError: If `baseline` is not an arm, or a time is invalid.
    """
    import polars as pl

    log = read_log(sessions, uses=TIMES)
    path = log.path
    if "bucket" not in log.columns:
        raise InputError(
            message("online.log-does-not-say"),
            path=path,
            hint=message("online.name-column"),
        )
    began, renewed = _moment("start", start, log.zone), _moment("restart", restart, log.zone)
    if (began or renewed) and "timestamp" not in log.columns:
        raise InputError(
            message("online.log-has-no-times"),
            path=path,
            hint=message("online.leave-start-and-restart"),
        )
    if began and renewed and renewed <= began:
        raise ParameterError(message("online.restart-must-come-after"))
    unit: Unit = "users" if "user" in log.columns else "sessions"
    searches = _searches(log, unit)
    first = renewed or began
    inside = pl.lit(True) if first is None else (pl.col("time") >= first).fill_null(False)
    test = searches.filter(inside)
    rows = int(test["results"].sum())
    named = test.drop_nulls(["user", "bucket"])
    arms = _arms(named, baseline, path)
    found = named.group_by("user").agg(
        pl.col("bucket").min().alias("arm"),
        pl.col("bucket").n_unique().alias("arms"),
        pl.col("time").min(),
        *(pl.col(name).sum() for name in SUMS),
    )
    several = found.filter(pl.col("arms") > 1).sort("user")
    users = found.filter(pl.col("arms") == 1).drop("arms")
    users = users.sort("time", "user", nulls_last=True).with_row_index("first").drop("time")
    before = searches.filter(pl.col("time") < began) if began else searches.head(0)
    history = before.group_by("user").agg(pl.col(name).sum().alias(f"pre_{name}") for name in SUMS)
    users = users.join(history, on="user", how="left")
    users = users.with_columns(pl.col(f"pre_{name}").fill_null(0) for name in SUMS)
    earlier = searches.head(0)
    if renewed:
        earlier = searches.filter(pl.col("time") < renewed)
        earlier = earlier.filter(pl.col("time") >= began) if began else earlier
    last = earlier.drop_nulls(["user", "bucket"]).group_by("user").agg(
        pl.when(pl.col("bucket").n_unique() == 1).then(pl.col("bucket").min()).alias("earlier")
    )  # fmt: skip
    users = users.join(last, on="user", how="left").sort("first")
    notes = list(log.notes)
    if unit == "sessions":
        notes.append(Note("abtest-sessions", users.height, "warning"))
    return Traffic(
        users=users,
        arms=arms,
        unit=unit,
        columns=log.columns,
        waits=bool((searches["last"] > searches["time"]).any()),
        before=int(before["results"].sum()) if began else None,
        restarted=renewed is not None,
        several=several.height,
        examples=tuple(several["user"].head(3)),
        unassigned=rows - int(named["results"].sum()),
        rows=rows,
        source=log.source,
        notes=tuple(notes),
    )


def _moment(name: str, value: Moment | None, zone: tzinfo) -> datetime | None:
    """Returns a point in time in UTC; without a time zone it is of the one given."""
    if value is None:
        return None
    found: date | None
    if isinstance(value, str):
        try:
            found = datetime.fromisoformat(value)
        except ValueError:
            found = None
    elif isinstance(value, date) and not isinstance(value, datetime):
        found = datetime(value.year, value.month, value.day)
    if not isinstance(found, datetime):
        raise ParameterError(
            message(
                "core.parameter-name-must-be-wanted",
                name=name,
                wanted=message("a day or a time, such as 2026-03-01"),
                value=value,
            )
        )
    return (found.replace(tzinfo=zone) if found.tzinfo is None else found).astimezone(UTC)


def _searches(log: Sessions, unit: Unit) -> pl.DataFrame:
    """Returns one row per search: who, which arm, when, and what happened."""
    import narwhals as nw
    import polars as pl

    frame = log.frame.filter(nw.col("shown")) if "shown" in log.columns else log.frame
    frame = frame.filter(~nw.col("session").is_null())
    keys = ["session", "query", "bucket", *(["user"] if unit == "users" else [])]
    parts = [nw.len().alias("results")]
    for column, name in (("clicked", "clicks"), ("purchase", "bought"), ("overridden",) * 2):
        if column in log.columns:
            parts.append(nw.when(nw.col(column)).then(1).otherwise(0).sum().alias(name))
    if "timestamp" in log.columns:
        moment = nw.col("timestamp")
        parts += [moment.min().alias("time"), moment.max().alias("last")]
        if "clicked" in log.columns:
            parts.append(nw.when(nw.col("clicked")).then(moment).min().alias("click"))
    found = gather(frame.group_by(*keys).agg(*parts))
    if unit == "sessions":
        found = found.with_columns(user="session")
    for name in ("time", "last", "click"):
        if name not in found.columns:
            found = found.with_columns(pl.lit(None, pl.Datetime("us", "UTC")).alias(name))
        elif found.schema[name] == pl.Datetime("us"):
            found = found.with_columns(pl.col(name).dt.replace_time_zone("UTC"))
    absent = [name for name in ("clicks", "bought", "overridden") if name not in found.columns]
    found = found.with_columns(pl.lit(0, pl.Int64).alias(name) for name in absent)
    seconds = (pl.col("click") - pl.col("time")).dt.total_microseconds() / 1e6
    return found.with_columns(
        sessions=pl.lit(1, pl.Int64),
        clicked=(pl.col("clicks") > 0).cast(pl.Int64),
        bought=(pl.col("bought") > 0).cast(pl.Int64),
        seconds=seconds.fill_null(0.0),
        waits=seconds.is_not_null().cast(pl.Int64),
        results=pl.col("results").cast(pl.Int64),
    )


def _arms(named: pl.DataFrame, baseline: str | None, path: str) -> tuple[str, ...]:
    """Returns the arms, the baseline first."""
    arms: Sequence[str] = sorted(named["bucket"].unique().to_list())
    if len(arms) < 2:
        raise InputError(
            message("online.b-test-needs-two", count=len(arms)),
            path=path,
            hint=message("online.is-bucket-arm"),
        )
    if baseline is None:
        return tuple(arms)
    if baseline not in arms:
        raise ParameterError(
            message("online.no-arm-is-called", name=baseline),
            hint=message("core.choose-one-of-names", names=[f"`{arm}`" for arm in arms]),
        )
    return (baseline, *(arm for arm in arms if arm != baseline))
