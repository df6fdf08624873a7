"""Timestamps of several forms, that cannot be read or cannot be right; hours without a search."""

from __future__ import annotations

import math
from datetime import UTC, datetime, timedelta
from functools import reduce
from typing import TYPE_CHECKING

from relyon.data.lazy import EPOCH_LIMITS, gather, utc
from relyon.online.logs.log_check import Check, Finding, Log, plain, register

if TYPE_CHECKING:
    import polars as pl

__all__ = ["Gaps", "ImplausibleTimestamps", "MixedTimestamps", "UnreadableTimestamps"]

ZONE = r"([Zz]|UTC|GMT|[+-]\d\d:?\d\d)$"
UNITS = ("seconds", "milliseconds", "microseconds", "nanoseconds")
WRITTEN = "written"
SHOWN = {
    "zone": "ISO 8601", "no_zone": "ISO 8601 (no zone)", "seconds": "epoch s",
    "milliseconds": "epoch ms", "microseconds": "epoch µs", "nanoseconds": "epoch ns",
}  # fmt: skip


def _forms(log: Log) -> pl.LazyFrame | None:
    """Returns the rows with what was written, what it is read as, and its form.

    Only here Polars is needed: no two engines read the same texts as times.

    None if the column has a type of times: then there is only one form.
    """
    import polars as pl

    if not log.has("timestamp"):
        return None
    raw = log.sessions.raw.to_native()
    if not isinstance(raw, pl.LazyFrame):
        return None
    kind = raw.collect_schema()["timestamp"]
    if not (kind == pl.String or kind.is_numeric()):
        return None
    text = pl.col(WRITTEN).cast(pl.String).str.strip_chars()
    number = text.cast(pl.Float64, strict=False).abs()
    epoch = pl.lit(UNITS[-1])
    for limit, unit in reversed(list(zip(EPOCH_LIMITS, UNITS[:-1], strict=True))):
        epoch = pl.when(number < limit).then(pl.lit(unit)).otherwise(epoch)
    zone = text.str.contains(ZONE) & text.str.contains(":")
    form = (
        pl.when(pl.col("timestamp").is_null())
        .then(pl.when(text.is_null() | (text == "")).then(None).otherwise(pl.lit("unreadable")))
        .when(number.is_not_null())
        .then(epoch)
        .when(zone)
        .then(pl.lit("zone"))
        .otherwise(pl.lit("no_zone"))
    )
    return (
        raw.with_columns(pl.col("timestamp").alias(WRITTEN), utc("timestamp", log.sessions.zone))
        .with_columns(form.alias("form"))
        .filter(pl.col("form").is_not_null())
    )


def _counts(log: Log, forms: pl.LazyFrame) -> dict[str, int]:
    """Returns how often each form occurs; counted once a log."""
    return log.remember("forms", lambda: _count(forms))


def _count(forms: pl.LazyFrame) -> dict[str, int]:
    counted = forms.group_by("form").len().collect(engine="streaming").sort("form")
    return {name: int(count) for name, count in counted.rows()}


def _examples(forms: pl.LazyFrame, name: str, count: int) -> tuple[dict[str, object], ...]:
    import polars as pl

    rows = forms.filter(pl.col("form") == name).select("session", WRITTEN, "timestamp").unique()
    found = rows.sort("session", WRITTEN).head(count).collect(engine="streaming")
    return tuple(dict(row) for row in plain(found))


@register
class MixedTimestamps(Check):
    """Timestamps in several forms: ISO 8601 with or without a zone, seconds, milliseconds …"""

    name = "mixed-timestamps"

    def apply(self, log: Log) -> Finding | None:
        """Counts the rows that are not of the most frequent form."""
        forms = _forms(log)
        if forms is None:
            return None
        counts = {
            name: count for name, count in _counts(log, forms).items() if name != "unreadable"
        }
        if len(counts) < 2:
            return None
        order = sorted(counts, key=lambda name: (-counts[name], name))
        shown = [f"{SHOWN[name]} × {counts[name]:,}" for name in order]
        examples = [row for name in order[:3] for row in _examples(forms, name, 1)]
        total = sum(counts.values())
        return Finding(
            self.name,
            "warning",
            total - counts[order[0]],
            total,
            "rows",
            tuple(examples),
            {"forms": ", ".join(shown)},
            fixable=True,
        )

    def repair(self, frame: pl.LazyFrame, log: Log) -> tuple[pl.LazyFrame, pl.LazyFrame]:
        """Changes nothing more: each time is read in its own form, and is written in UTC."""
        import polars as pl

        forms = _forms(log)
        if forms is None:
            return frame, frame.filter(pl.lit(False))
        counts = {
            name: count for name, count in _counts(log, forms).items() if name != "unreadable"
        }
        most = min(counts, key=lambda name: (-counts[name], name))
        other = forms.filter(~pl.col("form").is_in([most, "unreadable"]))
        names = [name for name in log.columns if name != "timestamp"]
        return frame, other.select(*names, WRITTEN, "timestamp")


@register
class UnreadableTimestamps(Check):
    """Timestamps that are neither ISO 8601 nor a number."""

    name = "unreadable-timestamps"

    def apply(self, log: Log) -> Finding | None:
        """Counts the rows."""
        forms = _forms(log)
        if forms is None:
            return None
        counts = _counts(log, forms)
        if "unreadable" not in counts:
            return None
        return Finding(
            self.name,
            "warning",
            counts["unreadable"],
            sum(counts.values()),
            "rows",
            _examples(forms, "unreadable", 3),
        )


@register
class ImplausibleTimestamps(Check):
    """Times before web search, or in the future.

    Attributes:
        first: The first year that is plausible.
    """

    name = "implausible-timestamps"
    first: int = 1995

    def apply(self, log: Log) -> Finding | None:
        """Counts the rows."""
        import narwhals as nw

        if not log.has("timestamp"):
            return None
        first = datetime(self.first, 1, 1)
        last = datetime.now(UTC).replace(tzinfo=None) + timedelta(days=2)
        kind = log.everything.collect_schema()["timestamp"]
        if isinstance(kind, nw.Datetime) and kind.time_zone is not None:
            first, last = first.replace(tzinfo=UTC), last.replace(tzinfo=UTC)
        time = nw.col("timestamp")
        bad = log.everything.filter((time < first) | (time > last))
        count = log.count(bad)
        if not count:
            return None
        return Finding(
            self.name,
            "warning",
            count,
            log.rows,
            "rows",
            log.examples(bad, "session", "query", "timestamp"),
            {"year": str(self.first)},
        )


@register
class Gaps(Check):
    """Hours without a search, where there should have been many.

    Each hour is compared with the mean of the same hour: of the week in logs of two weeks and more,
    of the day in shorter ones. A stretch without a search is a gap where at least `expected`
    searches were usual. An hour that the log contains only once is compared with itself and never
    counts: a night cannot be distinguished from an outage.

    Attributes:
        expected: So many searches should have been there.
    """

    name = "gaps"
    expected: float = 30.0

    def apply(self, log: Log) -> Finding | None:
        """Counts the hours without a search, and how many searches would have been usual."""
        import narwhals as nw
        import polars as pl

        if not log.has("timestamp"):
            return None
        lists = log.lists.filter(~nw.col("time").is_null())
        hours = gather(
            lists.with_columns(hour=nw.col("time").dt.truncate("1h"))
            .group_by("hour")
            .agg(nw.len().alias("searches"))
        ).sort("hour")
        if hours.height < 2:
            return None
        start, end = hours["hour"][0], hours["hour"][-1]
        length = int((end - start).total_seconds() // 3600) + 1
        if length > MOST_HOURS:
            hours, start, length = _dense(hours)
        place = ((pl.col("hour") - start).dt.total_hours()).cast(pl.Int64)
        counts = [0] * length
        for hour, searches in hours.select(place, "searches").rows():
            counts[hour] = searches
        gaps = _gaps(counts, self.expected)
        if not gaps:
            return None
        examples = tuple(
            {
                "from": (start + timedelta(hours=first)).strftime("%Y-%m-%dT%H:%MZ"),
                "until": (start + timedelta(hours=last)).strftime("%Y-%m-%dT%H:%MZ"),
                "expected_searches": round(usual),
            }
            for first, last, usual in sorted(gaps, key=lambda gap: -gap[2])[:3]
        )
        return Finding(
            self.name,
            "warning",
            sum(last - first for first, last, _ in gaps),
            length,
            "hours",
            examples,
            {"gaps": len(gaps), "expected": round(sum(usual for _, _, usual in gaps))},
        )


MOST_HOURS = 24 * 366 * 20


def _dense(hours: pl.DataFrame) -> tuple[pl.DataFrame, datetime, int]:
    """Returns the last twenty years: wrong times must not make the table of hours huge."""
    import polars as pl

    end = hours["hour"][-1]
    late = hours.filter(pl.col("hour") > end - timedelta(hours=MOST_HOURS))
    start = late["hour"][0]
    return late, start, int((end - start).total_seconds() // 3600) + 1


def _gaps(counts: list[int], expected: float) -> list[tuple[int, int, float]]:
    """Returns stretches without a search: where they begin and end, and the searches usual there.

    Examples:
        >>> _gaps([20] * 24 + [0] * 3 + [20] * 21, 25.0)
        [(24, 27, 30.0)]
    """
    length = len(counts)
    period = 168 if length >= 14 * 24 else 24
    usual = [math.fsum(counts[place::period]) / max(len(counts[place::period]), 1)
             for place in range(period)]  # fmt: skip
    stretches: list[tuple[int, int]] = []
    for place, count in enumerate(counts):
        if count:
            continue
        if stretches and stretches[-1][1] == place:
            stretches[-1] = (stretches[-1][0], place + 1)
        else:
            stretches.append((place, place + 1))
    found = []
    for first, last in stretches:
        mean = reduce(lambda sum_, place: sum_ + usual[place % period], range(first, last), 0.0)
        if mean >= expected:
            found.append((first, last, mean))
    return found
