"""The time zone of times that do not name one."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta, timezone, tzinfo
from typing import TYPE_CHECKING
from zoneinfo import ZoneInfo

from relyon.core.errors import ParameterError
from relyon.core.texts import message

if TYPE_CHECKING:
    import polars as pl

__all__ = ["HEAD", "day_in", "in_utc", "parse_zone", "written_offset"]

OFFSET = re.compile(r"(?:UTC|GMT)?([+-\u2212])(\d{1,2})(?::?(\d{2}))?", re.IGNORECASE)
#: Times at the start of a log that show in which zone they are written.
HEAD = 1000


def parse_zone(text: str) -> tzinfo:
    """Returns a time zone by its name, or by its distance from UTC.

    Args:
        text: `Asia/Shanghai`, `UTC`, `+08:00` or `UTC+8`.

    Raises:
        ParameterError: If it is not a time zone.

    Examples:
        >>> parse_zone("+08:00").utcoffset(None)
        datetime.timedelta(seconds=28800)
        >>> str(parse_zone("Asia/Shanghai"))
        'Asia/Shanghai'
    """
    name = text.strip()
    found = OFFSET.fullmatch(name)
    if name.upper() in ("UTC", "GMT", "Z"):
        return UTC
    if found is not None:
        sign, hours, minutes = found.groups()
        offset = timedelta(hours=int(hours), minutes=int(minutes or 0))
        if offset < timedelta(hours=24):
            return timezone(offset if sign == "+" else -offset)
    try:
        return ZoneInfo(name)
    except (LookupError, ValueError, OSError):
        raise ParameterError(
            message("data.is-not-time-zone", zone=text), hint=message("data.write-time-zone")
        ) from None


def in_utc(local: pl.Expr, zone: tzinfo) -> pl.Expr:
    """Returns times without a zone, which are of a zone, as times in UTC.

    Times that clocks show twice in autumn are the earlier ones; those that they skip in spring are
    missing.

    Args:
        local: A Polars expression of times without a zone.
        zone: Their zone.

    Examples:
        >>> import polars as pl
        >>> frame = pl.DataFrame({"at": [datetime(2026, 3, 1)]})
        >>> zone = parse_zone("Asia/Shanghai")
        >>> str(frame.select(in_utc(pl.col("at"), zone)).item())
        '2026-02-28 16:00:00+00:00'
    """
    if zone is UTC:
        return local.dt.replace_time_zone("UTC")
    if isinstance(zone, ZoneInfo):
        zoned = local.dt.replace_time_zone(zone.key, ambiguous="earliest", non_existent="null")
        return zoned.dt.convert_time_zone("UTC")
    return (local - zone.utcoffset(None)).dt.replace_time_zone("UTC")


def day_in(moment: pl.Expr, zone: tzinfo) -> pl.Expr:
    """Returns the days of times in UTC, as text, by the clocks of a zone.

    Args:
        moment: A Polars expression of times.
        zone: The zone.

    Examples:
        >>> import polars as pl
        >>> frame = pl.DataFrame({"at": [datetime(2026, 2, 28, 16, tzinfo=UTC)]})
        >>> [frame.select(day_in(pl.col("at"), one)).item() for one in (UTC, parse_zone("+08:00"))]
        ['2026-02-28', '2026-03-01']
    """
    if isinstance(zone, ZoneInfo):
        moment = moment.dt.convert_time_zone(zone.key)
    elif zone is not UTC:
        moment = moment + zone.utcoffset(None)
    return moment.dt.strftime("%Y-%m-%d")


def written_offset(times: pl.DataFrame) -> str:
    """Returns the most frequent distance from UTC in texts of times, such as `+08:00`.

    Args:
        times: One column; of text or of times.

    Returns:
        An empty text if most name none, or UTC.

    Examples:
        >>> import polars as pl
        >>> written_offset(pl.DataFrame({"at": ["2026-03-01T08:00:00+08:00"]}))
        '+08:00'
    """
    import polars as pl

    column = times.to_series().drop_nulls()
    if column.is_empty():
        return ""
    if isinstance(column.dtype, pl.Datetime):
        first = column.item(0)
        offset = first.strftime("%z") if isinstance(first, datetime) else ""
        text = f"{offset[:3]}:{offset[3:5]}" if offset else ""
        return "" if text == "+00:00" else text
    if column.dtype != pl.String:
        return ""
    found = column.str.extract(r":\d+(?:\.\d+)? ?([+-]\d{2}:?\d{2})$", 1)
    most = found.value_counts(sort=True).row(0)[0]
    if most is None:
        return ""
    text = f"{most[:3]}:{most[-2:]}"
    return "" if text in ("+00:00", "-00:00") else text
