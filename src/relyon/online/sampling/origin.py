"""The part of a log that a sample was drawn from."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from relyon.data.period import Period, parse_period
from relyon.data.zone import parse_zone

if TYPE_CHECKING:
    from relyon.data.sessions import Sessions

__all__ = ["COLUMNS", "Origin", "origin_from", "origin_of"]

#: The columns of a written sample that say where it is from.
COLUMNS = ("log_since", "log_until", "log_timezone", "log_bots")


@dataclass(frozen=True)
class Origin:
    """The part of a log that a sample was drawn from.

    Attributes:
        period: The period of its sessions; None if all were taken.
        timezone: The time zone of its months.
        bots: Users, or sessions, with rates that no person reaches, that are in it; None if
            unknown.
    """

    period: Period | None = None
    timezone: str = "UTC"
    bots: int | None = None

    def columns(self) -> dict[str, str | int | None]:
        """Returns the values of the columns of a written sample; none if nothing is known."""
        if self == Origin():
            return {}
        since, until = (self.period.since, self.period.until) if self.period else (None, None)
        return dict(
            zip(COLUMNS, (_written(since), _written(until), self.timezone, self.bots), strict=True)
        )

    def contains(self, month: str) -> bool:
        """Returns whether some of a month is in it, as far as is known.

        Args:
            month: Such as 2026-03.

        Examples:
            >>> march = Origin(parse_period(month="2026-03"))
            >>> march.contains("2026-03"), march.contains("2026-04"), Origin().contains("2026-04")
            (True, False, True)
        """
        wanted = parse_period(month=month, zone=parse_zone(self.timezone))
        if self.period is None or wanted is None or wanted.since is None or wanted.until is None:
            return True
        since, until = self.period.since, self.period.until
        return (since is None or since < wanted.until) and (until is None or until > wanted.since)

    @property
    def month(self) -> str:
        """The month in which it begins; empty without a lower bound."""
        if self.period is None or self.period.since is None:
            return ""
        return self.period.since.astimezone(parse_zone(self.timezone)).strftime("%Y-%m")


def origin_of(sessions: Sessions, bots: int) -> Origin:
    """Returns what a sample of a log is drawn from.

    Args:
        sessions: The log.
        bots: How many are in it.
    """
    return Origin(sessions.period, str(sessions.zone), bots)


def origin_from(values: Mapping[str, object]) -> Origin:
    """Returns what the columns of a written sample say.

    Args:
        values: A row; columns may be missing.

    Raises:
        ValueError: If one of them is not a time or a time zone.
    """
    since, until = (_moment(values.get(name)) for name in COLUMNS[:2])
    bots = values.get("log_bots")
    timezone = str(values.get("log_timezone") or "UTC")
    parse_zone(timezone)
    return Origin(
        Period(since, until) if since or until else None,
        timezone,
        bots if isinstance(bots, int) else None,
    )


def _written(moment: datetime | None) -> str | None:
    return None if moment is None else moment.strftime("%Y-%m-%dT%H:%M:%SZ")


def _moment(value: object) -> datetime | None:
    if not value:
        return None
    found = datetime.fromisoformat(str(value))
    return found.replace(tzinfo=UTC) if found.tzinfo is None else found.astimezone(UTC)
