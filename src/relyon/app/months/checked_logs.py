"""What is in an uploaded log, what is wrong with it, and its repaired copy."""

from __future__ import annotations

import os
from collections.abc import Callable, Collection
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING

from relyon.core.errors import InputError
from relyon.core.texts import message
from relyon.data.columns.roles import plain_name
from relyon.data.columns.synonyms import ITEM_NAMES
from relyon.data.period import parse_period
from relyon.io.byte_source import Source
from relyon.io.parquet_size import measure_parquet
from relyon.io.session_readers import read_sessions
from relyon.io.session_writers import write_sessions
from relyon.io.streams import too_large
from relyon.online.logs import examine, without_bots
from relyon.online.logs.overview import Overview, summarise

if TYPE_CHECKING:
    from collections.abc import Mapping

    from relyon.data.sessions import Sessions
    from relyon.online.logs import Finding

__all__ = ["ROLES", "CheckedLog", "check_log", "repair_log", "titles_of", "unpack_log"]

#: The roles of columns that a lead can choose, and whether a log must have them.
ROLES = {"session": True, "query": True, "position": True, "doc": True, "timestamp": False}
#: The finding whose users, or sessions, a month is without.
BOTS = "bots"
#: Bytes that are copied at once.
PART = 1 << 20


@dataclass(frozen=True)
class CheckedLog:
    """What was found in a log.

    Attributes:
        overview: Its contents in numbers.
        findings: What is wrong with it, warnings first.
        columns: Which of its columns were read as what, such as `session = 会话`.
        other: Whether some of its sessions are of other months.
        none: Whether none of its sessions is of the month, although they have times.
    """

    overview: Overview
    findings: tuple[Finding, ...]
    columns: tuple[str, ...]
    other: bool
    none: bool

    @property
    def repairs(self) -> tuple[str, ...]:
        """The findings that can be repaired."""
        return tuple(one.kind for one in self.findings if one.fixable or one.kind == BOTS)


def unpack_log(path: Path, folder: Path, *, limit: int | None) -> Path:
    """Returns a log as a file that can be read in parts: itself, or a copy in a folder.

    Args:
        path: The log, of any format.
        folder: Where the copy is.
        limit: Bytes that it may have when it is unpacked; None for any.

    Raises:
        InputError: If it cannot be read, or is larger.
    """
    with Source(os.fspath(path), limit=limit) as source:
        if source.head.startswith(b"PAR1"):
            if limit is not None and measure_parquet(path.read_bytes(), str(path)) > limit:
                raise too_large(limit, str(path))
            return path
        if source.plain:
            return path
        target = folder / f"unpacked{source.suffix or '.csv'}"
        with open(target, "wb") as file:
            while part := source.read(PART):
                file.write(part)
    return target


def check_log(
    path: Path,
    month: str,
    columns: Mapping[str, str] | None = None,
    *,
    report: Callable[[int, int], None],
) -> CheckedLog:
    """Reads a log and checks it, without changing it.

    Args:
        path: The log, unpacked.
        month: Such as `2026-11`.
        columns: Columns by role; None recognises them.
        report: Called with the checks that are done, and all.

    Raises:
        InputError: If it is no log of sessions.
    """
    sessions = read_sessions(os.fspath(path), columns=columns)
    report(0, 0)
    overview = summarise(sessions)
    checkup = examine(sessions, progress=report)
    recognised = [
        name
        for note in sessions.notes
        if note.kind == "columns-read-as"
        for name in _texts(note.values.get("columns"))
    ]
    inside = _inside(overview.start, overview.end, month)
    return CheckedLog(
        overview,
        checkup.findings,
        tuple(recognised),
        other=inside is not None and not all(inside),
        none=inside is not None and not any(inside) and not _spans(overview, month),
    )


def _texts(values: object) -> list[str]:
    return [str(one) for one in values] if isinstance(values, list | tuple) else []


def _inside(start: datetime | None, end: datetime | None, month: str) -> list[bool] | None:
    """Returns whether the first and the last time are in a month; None without times."""
    period = parse_period(month=month)
    if start is None or end is None or period is None:
        return None
    if period.since is None or period.until is None:
        return None
    zone = period.since.tzinfo
    found = [one if one.tzinfo else one.replace(tzinfo=zone) for one in (start, end)]
    return [period.since <= one < period.until for one in found]


def _spans(overview: Overview, month: str) -> bool:
    """Returns whether a log begins before a month and ends after it."""
    first = datetime.fromisoformat(f"{month}-01")
    if overview.start is None or overview.end is None:
        return False
    start, end = (one.replace(tzinfo=None) for one in (overview.start, overview.end))
    return start < first and end > first + timedelta(days=28)


def repair_log(
    path: Path,
    target: Path,
    chosen: Collection[str],
    columns: Mapping[str, str] | None = None,
    *,
    month: str | None,
    report: Callable[[int, int], None],
) -> None:
    """Writes a repaired copy of a log, with all its columns.

    Args:
        path: The log, unpacked.
        target: The copy, a Parquet file.
        chosen: The findings to repair; `bots` leaves these out.
        columns: Columns by role; None recognises them.
        month: The month to which it is cut; None for none.
        report: Called with the parts that are done, and all.

    Raises:
        InputError: If nothing is left of it.
    """
    sessions = read_sessions(os.fspath(path), columns=columns, others="keep")
    report(0, 3)
    repairs = [one for one in chosen if one != BOTS]
    if repairs:
        sessions = examine(sessions, only=repairs).repair().sessions
    report(1, 3)
    if month is not None and "timestamp" in sessions.columns:
        sessions = sessions.between(month=month)
    if BOTS in chosen:
        sessions = without_bots(sessions)
    report(2, 3)
    write_sessions(sessions, target)
    _refuse_empty(read_sessions(os.fspath(target)))


def _refuse_empty(sessions: Sessions) -> None:
    if not summarise(sessions).sessions:
        raise InputError(message("core.contains-no-rows"))


def titles_of(path: Path, documents: Collection[str]) -> Mapping[str, str]:
    """Returns the titles of documents, if a column of a log has them.

    Args:
        path: The repaired log.
        documents: The documents.
    """
    import polars as pl

    frame = pl.scan_parquet(path, glob=False)
    names = frame.collect_schema().names()
    plain = {plain_name(name): name for name in reversed(names)}
    named = next((plain[name] for name in ITEM_NAMES["title"] if name in plain), None)
    if named is None:
        return {}
    title = pl.col(named).cast(pl.String).str.strip_chars()
    found = (
        frame.select(pl.col("doc").cast(pl.String), title.alias("title"))
        .filter(pl.col("doc").is_in(list(documents)), pl.col("title").str.len_chars() > 0)
        .group_by("doc")
        .agg(pl.col("title").min())
        .collect(engine="streaming")
    )
    return dict(found.iter_rows())
