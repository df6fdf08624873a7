"""A half-open interval of time, and cutting a log to it."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta, tzinfo
from typing import TYPE_CHECKING
from zoneinfo import ZoneInfo

from relyon.core.errors import InputError, ParameterError
from relyon.core.notes import Note
from relyon.core.texts import message
from relyon.data.day_first import day_first_values
from relyon.data.lazy import gather, utc

if TYPE_CHECKING:
    from collections.abc import Callable

    import narwhals as nw

    from relyon.data.lazy import LazyRows

    Literal = Callable[[datetime], datetime]

__all__ = ["MONTH", "STRADDLE", "Period", "check_month", "cut", "parse_moment", "parse_period"]

MONTH = re.compile(r"\d{4}-(0[1-9]|1[0-2])")
#: How long after a boundary rows still belong to a session that began before it.
STRADDLE = timedelta(days=1)
#: The temporary column of times.
_AT = "__relyon_at"


@dataclass(frozen=True)
class Period:
    """A half-open interval of time: `since` belongs to it, `until` does not.

    Attributes:
        since: The first instant, with a time zone; None without a lower bound.
        until: The first instant after it, with a time zone; None without an upper bound.
    """

    since: datetime | None
    until: datetime | None

    @property
    def short(self) -> bool:
        """Whether it is shorter than two days, so that one session can straddle both boundaries."""
        if self.since is None or self.until is None:
            return False
        return self.until - self.since < 2 * STRADDLE

    def __str__(self) -> str:
        shown = [
            one.strftime("%Y-%m-%d %H:%M:%S") if one else "…" for one in (self.since, self.until)
        ]
        return f"[{shown[0]}, {shown[1]}) UTC"


def check_month(month: str) -> str:
    """Checks a month and returns it.

    Raises:
        ParameterError: If it is not one.
    """
    if not MONTH.fullmatch(month):
        raise ParameterError(
            message("data.is-not-month", month=month), hint=message("data.write-as-2026-03")
        )
    return month


def parse_moment(name: str, value: str | datetime, zone: tzinfo = UTC) -> datetime:
    """Parses an instant in UTC: the first of a month or a day.

    Args:
        name: Its name in messages.
        value: 2026-03, 2026-03-05, 2026-03-05T08:30 or 2026-03-05T08:30+08:00; or a datetime.
        zone: The time zone of values that name none.

    Raises:
        ParameterError: If it is not one of these.

    Examples:
        >>> print(parse_moment("since", "2026-03"))
        2026-03-01 00:00:00+00:00
        >>> print(parse_moment("since", "2026-03-05T08:30+08:00"))
        2026-03-05 00:30:00+00:00
    """
    found = value
    if isinstance(value, str):
        text = value.strip()
        try:
            found = datetime.fromisoformat(f"{text}-01" if MONTH.fullmatch(text) else text)
        except ValueError:
            found = ""
    if not isinstance(found, datetime):
        raise ParameterError(
            message("data.is-not-date", name=name, value=value),
            hint=message("data.write-2026-03"),
        )
    return (found.replace(tzinfo=zone) if found.tzinfo is None else found).astimezone(UTC)


def parse_period(
    since: str | datetime | None = None,
    until: str | datetime | None = None,
    month: str | None = None,
    *,
    zone: tzinfo = UTC,
) -> Period | None:
    """Returns the interval [since, until), or a month; None if nothing is given.

    Args:
        since: See `parse_moment`.
        until: See `parse_moment`; the period ends just before it.
        month: Such as 2026-03, instead of both.
        zone: The time zone of those that name none.

    Raises:
        ParameterError: If one of them is not a time, if a month is combined with another bound, or
            if the period is empty.

    Examples:
        >>> print(parse_period(month="2026-12"))
        [2026-12-01 00:00:00, 2027-01-01 00:00:00) UTC
        >>> from relyon.data.zone import parse_zone
        >>> print(parse_period(month="2026-12", zone=parse_zone("Asia/Shanghai")))
        [2026-11-30 16:00:00, 2026-12-31 16:00:00) UTC
    """
    if month is not None:
        if since is not None or until is not None:
            raise ParameterError(message("data.give-either-month"))
        year, number = map(int, check_month(month).split("-"))
        following = f"{year + number // 12:04}-{number % 12 + 1:02}"
        return Period(parse_moment("month", month, zone), parse_moment("month", following, zone))
    if since is None and until is None:
        return None
    found = Period(
        None if since is None else parse_moment("since", since, zone),
        None if until is None else parse_moment("until", until, zone),
    )
    if found.since and found.until and found.since >= found.until:
        raise ParameterError(
            message("data.period-is-empty", period=str(found)),
            hint=message("data.until-is-first-instant"),
        )
    return found


def cut(
    raw: LazyRows, period: Period, path: str, zone: tzinfo = UTC
) -> tuple[LazyRows, tuple[Note, ...]]:
    """Returns the rows of the sessions that begin within a period; only their times are read.

    A session belongs to the period of its first row. Rows up to a day after a boundary belong to a
    session (one id and one query) with a row within the day before it; later rows count by their
    own time, as a reused id is another search. So consecutive periods of a day or more share no row
    and omit none. Rows without a time are left out, with a note.

    If the column is a timestamp, it is filtered as stored, so that whole row groups of a Parquet
    file are skipped.

    Args:
        raw: Rows with the canonical columns, unconverted.
        period: The period.
        path: The file, for messages.
        zone: The time zone of times that name none.

    Raises:
        InputError: If there are no times, if some begin with a day or a month, whose order cannot
            be known, or if no session begins in the period.
    """
    import narwhals as nw

    schema = raw.collect_schema()
    if "timestamp" not in schema:
        raise InputError(
            message("data.log-has-no-timestamp"),
            path=path,
            hint=message("data.name-with-columns-timestamp"),
        )
    kind = schema["timestamp"]
    at, timed = nw.col("timestamp"), raw
    stored: tzinfo | None = None
    if isinstance(kind, nw.Datetime):
        stored = None if kind.time_zone is None else ZoneInfo(kind.time_zone)
    elif raw.implementation.is_polars():
        at, stored = nw.col(_AT), UTC
        timed = nw.from_native(raw.to_native().with_columns(utc("timestamp", zone).alias(_AT)))
    else:
        at = at.cast(nw.Datetime("us"))

    def literal(moment: datetime) -> datetime:
        return moment.astimezone(stored) if stored else moment.astimezone(zone).replace(tzinfo=None)

    found = timed
    if period.since is not None:
        found = _without_earlier(timed, at, literal, period.since)
    if period.until is not None:
        # Rows of earlier sessions are not in the last day of a period of two days and more.
        begun = found if period.short else timed
        found = _with_later(found, begun, at, literal, period.until)
    kept = found.select(schema.names())
    return kept, _checked(timed, kept, at, period, path)


def _pairs(rows: LazyRows) -> tuple[LazyRows, list[str]] | None:
    """Returns the searches of some rows and the columns that identify one, or None."""
    keys: list[str] = [
        name for name in ("session", "query") if name in rows.collect_schema().names()
    ]
    if "session" not in keys:
        return None
    import narwhals as nw

    # `unique` numbers the rows of every group in SQL engines; an aggregate only hashes them.
    return rows.group_by(keys).agg(nw.len().alias("rows")).select(keys), keys


def _without_earlier(timed: LazyRows, at: nw.Expr, literal: Literal, border: datetime) -> LazyRows:
    """Cuts at the start, without rows of sessions that began before it."""
    import narwhals as nw

    later = timed.filter(at >= literal(border))
    found = _pairs(timed.filter((at >= literal(border - STRADDLE)) & (at < literal(border))))
    if found is None:
        return later
    pairs, keys = found
    end = literal(border + STRADDLE)
    fresh = timed.filter((at >= literal(border)) & (at < end)).join(pairs, on=keys, how="anti")
    return nw.concat([fresh, timed.filter(at >= end)])


def _with_later(
    rows: LazyRows,
    begun: LazyRows,
    at: nw.Expr,
    literal: Literal,
    border: datetime,
) -> LazyRows:
    """Cuts at the end, but keeps later rows of sessions that began before it."""
    import narwhals as nw

    before = rows.filter(at < literal(border))
    found = _pairs(begun.filter((at >= literal(border - STRADDLE)) & (at < literal(border))))
    if found is None:
        return before
    pairs, keys = found
    late = rows.filter((at >= literal(border)) & (at < literal(border + STRADDLE)))
    return nw.concat([before, late.join(pairs, on=keys, how="semi")])


def _checked(
    timed: LazyRows, kept: LazyRows, at: nw.Expr, period: Period, path: str
) -> tuple[Note, ...]:
    """Notes rows without a time, and refuses a period without rows."""
    import narwhals as nw

    counted = gather(
        timed.select(
            nw.len().alias("rows"),
            at.count().alias("timed"),
            at.min().alias("first"),
            at.max().alias("last"),
        )
    ).row(0, named=True)
    missing = int(counted["rows"]) - int(counted["timed"])
    if missing:
        _check_order(timed, path)
    if not gather(kept.select("timestamp").head(1)).height:
        raise InputError(
            message("data.no-session-of-log", period=str(period)),
            path=path,
            hint=message(
                "data.times-range-from-first",
                first=str(counted["first"])[:19],
                last=str(counted["last"])[:19],
            )
            if counted["timed"]
            else message("data.none-of-times-can"),
        )
    return (Note("without-time", missing, "warning"),) if missing else ()


def _check_order(timed: LazyRows, path: str) -> None:
    """Refuses times that begin with a day or a month: sessions would be torn apart."""
    import narwhals as nw

    if timed.collect_schema()["timestamp"] != nw.String:
        return
    values = day_first_values(timed)
    if values["count"]:
        raise InputError(
            message("data.times-have-no-known-order", **values),
            path=path,
            hint=message("data.write-year-first"),
        )
