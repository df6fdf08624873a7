"""Sessions: what users searched for, what they were shown, and what they did."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from datetime import UTC, tzinfo
from typing import TYPE_CHECKING, Literal

from relyon.core.errors import InputError
from relyon.core.notes import Note
from relyon.core.texts import message
from relyon.data.columns.log_names import COUNTS, LOG_LEVELS, is_counted
from relyon.data.columns.roles import KINDS, role_of
from relyon.data.lazy import gather
from relyon.data.log_facts import Facts
from relyon.data.log_types import IDS, typed
from relyon.data.period import Period, cut, parse_period
from relyon.data.row_index import with_index_columns
from relyon.data.source import Sourced, path_of
from relyon.data.zone import HEAD, parse_zone, written_offset

if TYPE_CHECKING:
    from datetime import datetime

    import polars as pl

    from relyon.data.lazy import LazyRows

__all__ = [
    "COLUMNS",
    "OPTIONAL",
    "REQUIRED",
    "Kind",
    "Sessions",
    "choose_columns",
    "written_column",
]

#: What the rows of a log are: single impressions; single decisions; `clicks` accepts both single
#: impressions and counts of them.
Kind = Literal["sessions", "decisions", "clicks"]

REQUIRED, OPTIONAL = KINDS["sessions"]

#: The columns of the table, in its order.
COLUMNS = (
    "session", "query", "timestamp", "position", "doc", "clicked", "dwell_seconds", "add_to_cart",
    "purchase", "bucket", "user", "shown", "reward", "propensity", "overridden", *COUNTS,
)  # fmt: skip

#: Columns that few logs have; their absence is not reported.
RARE = ("shown", "reward", "propensity", "overridden")


class Sessions(Sourced):
    """A search log: one row per impression, in a lazy frame of any engine.

    A session is one search: a query and the ordered results that were shown for it. Nothing here
    reads rows: `frame` is a lazy plan that Polars, DuckDB or Spark executes on demand.

    The columns are `session`, `query`, `position` and `doc`, and, where the log has them,
    `timestamp` (UTC), `clicked`, `dwell_seconds`, `add_to_cart`, `purchase`, `bucket`, `user`,
    `shown`, which is false for an action on a document without a logged impression, and in
    randomised logs `reward` and `propensity`; `overridden` is true if a rule, not the ranker,
    placed the result. Positions are as logged; they should begin at 1, and
    `relyon.online.logs.examine` reports where they do not.

    Attributes:
        frame: The narwhals lazy frame with these columns, typed.
        raw: The same columns with their original values, for checks of how they were written.
        source: The file it came from, or "memory".
        notes: Notes about the data.
        facts: What the reader has counted; None if it did not read the rows.
        others: Columns without a role that were kept on request, as they are.
        unread: Columns without a role that were not read.
        zone: The time zone of times that name none.
        period: The period to which it was cut; None if it was not.

    Examples:
        >>> import polars as pl
        >>> log = pl.DataFrame(
        ...     {"sid": [7, 7], "keyword": ["tv", "tv"], "rank": [1, 2], "sku": ["a", "b"]}
        ... )
        >>> sessions = Sessions.from_frame(log)
        >>> sessions.columns
        ('session', 'query', 'position', 'doc')
        >>> sessions.collect().row(1)
        ('7', 'tv', 2, 'b')
    """

    __slots__ = (
        "_frame", "_notes", "_raw", "_source", "checked", "facts", "others", "period", "unread",
        "zone",
    )  # fmt: skip

    def __init__(
        self,
        frame: LazyRows,
        raw: LazyRows,
        *,
        source: str = "memory",
        notes: tuple[Note, ...] = (),
        facts: Facts | None = None,
        others: tuple[str, ...] = (),
        unread: tuple[str, ...] = (),
    ) -> None:
        self._frame = frame
        self._raw = raw
        self._source = source
        self._notes = notes
        self.facts = facts
        self.others = others
        self.unread = unread
        #: What `relyon.io.log_checks` has found nothing wrong with.
        self.checked: frozenset[str] = frozenset()
        self.zone: tzinfo = UTC
        self.period: Period | None = None

    @classmethod
    def from_frame(
        cls,
        frame: object,
        columns: Mapping[str, str] | None = None,
        *,
        source: str = "memory",
        notes: tuple[Note, ...] = (),
        kind: Kind = "sessions",
        facts: Facts | None = None,
        others: Literal["drop", "keep"] = "drop",
    ) -> Sessions:
        """Takes any data frame with one row per impression.

        Args:
            frame: Polars, pandas, PyArrow, DuckDB, PySpark, anything that narwhals supports, or
                anything that exports the Arrow PyCapsule interface. It is not changed, and a lazy
                one is not collected.
            columns: Column names by role, such as `{"doc": "asin"}`. Other roles are found by the
                usual names. Several columns joined by `+` form one id: `{"session":
                "visit+search"}`.
            source: The name of the data in messages.
            notes: Earlier notes about it.
            kind: `decisions` require only the column `doc`; `clicks` also take a table of counts,
                with `query`, `position`, `doc`, `impressions` and `clicks`.
            facts: What has been counted of the rows already.
            others: Whether columns without a role are kept.

        Raises:
            InputError: If a column is missing, has an unsuitable type, or counts impressions where
                single ones are needed.
        """
        path = path_of(source)
        lazy = _lazy(frame)
        names = list(lazy.collect_schema().names())
        chosen = choose_columns(names, columns, path, kind)
        rest = unchosen(names, chosen)
        kept = rest if others == "keep" else {}
        raw = _selected(lazy, chosen, kept)
        found = typed(raw, path, tuple(kept))
        unread = () if kept else tuple(rest.values())
        return cls(
            found, raw, source=source, notes=notes, facts=facts, others=tuple(kept), unread=unread
        )

    @property
    def frame(self) -> LazyRows:
        """The lazy frame with the canonical columns that the log has."""
        return self._frame

    @property
    def raw(self) -> LazyRows:
        """The lazy frame before its values are typed."""
        return self._raw

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns of the log."""
        return tuple(self._frame.collect_schema().names())

    @property
    def counted(self) -> bool:
        """Whether the rows are counts of impressions and clicks, not single impressions."""
        return "impressions" in self.columns

    @property
    def missing(self) -> tuple[str, ...]:
        """The optional columns that the log lacks, except those that few logs have."""
        there = self.columns
        return tuple(name for name in OPTIONAL if name not in there and name not in RARE)

    @property
    def source(self) -> str:
        """The file the log came from, or "memory"."""
        return self._source

    @property
    def notes(self) -> tuple[Note, ...]:
        """Notes about the data."""
        return self._notes

    def with_written(self, names: Collection[str]) -> LazyRows:
        """Returns the rows, and after them the cells of some columns as they were written.

        Args:
            names: The columns; `written_column` names the added ones.
        """
        import narwhals as nw

        cells = [nw.col(name).alias(written_column(name)) for name in names]
        kept = (*self.others, *map(written_column, names))
        return typed(self._raw.with_columns(cells), path_of(self._source), kept, self.zone)

    def collect(self) -> pl.DataFrame:
        """Reads all rows into memory."""
        return gather(self._frame)

    def between(
        self,
        since: str | datetime | None = None,
        until: str | datetime | None = None,
        *,
        month: str | None = None,
        timezone: str | None = None,
    ) -> Sessions:
        """Returns the sessions that begin in [since, until), or in a month.

        A session belongs to the period of its first row: rows up to a day after a boundary belong
        to a session with a row within the day before it. Rows without a time are left out, with a
        note. Only times are read.

        Args:
            since: The first instant that counts: 2026-03, 2026-03-05, 2026-03-05T08:30+08:00, or a
                datetime.
            until: The first instant that no longer counts.
            month: Such as 2026-03; instead of both.
            timezone: The time zone of months, of days, and of times that name none, in the log as
                well: `Asia/Shanghai` or `+08:00`. None keeps that of the log, which is UTC at
                first. Times of a log in Spark or DuckDB have their zone already.

        Raises:
            ParameterError: If one of them is not a time, the time zone is unknown, or the period
                is empty.
            InputError: If the log has no times, or no session begins in the period.

        Examples:
            >>> import polars as pl
            >>> log = pl.DataFrame({
            ...     "session": ["a", "b", "b"], "query": ["tv"] * 3, "position": [1, 1, 2],
            ...     "doc": ["x", "x", "y"],
            ...     "timestamp": ["2026-02-28T12:00", "2026-03-01T08:00", "2026-03-01T08:00"],
            ... })
            >>> Sessions.from_frame(log).between(month="2026-03").collect()["session"].to_list()
            ['b', 'b']
        """
        zone = self.zone if timezone is None else parse_zone(timezone)
        period = parse_period(since, until, month, zone=zone)
        if period is None and zone == self.zone:
            return self
        path = path_of(self._source)
        if timezone is not None and not self._raw.implementation.is_polars():
            raise InputError(
                message("data.time-zone-is-for-files"),
                path=path,
                hint=message("data.write-bounds-with-zone"),
            )
        raw, notes, source = self._raw, self._notes, self._source
        if period is not None:
            raw, new = cut(raw, period, path, zone)
            notes = (*notes, *new, *self._elsewhere(zone, timezone))
            # Row numbers differ from those in the file, so lines can no longer be named.
            source = source if source == "memory" else f"{source} {period}"
        found = self.derived(typed(raw, path, self.others, zone), raw, source=source, notes=notes)
        found.zone = zone
        found.period = period or self.period
        return found

    def _elsewhere(self, zone: tzinfo, named: str | None) -> tuple[Note, ...]:
        """Returns a note if times are written in another zone than months and days are in."""
        if named is not None or zone is not UTC or not self._raw.implementation.is_polars():
            return ()
        offset = written_offset(gather(self._raw.select("timestamp").head(HEAD)))
        return (Note("times-in-another-zone", values={"offset": offset}),) if offset else ()

    def derived(
        self, frame: LazyRows, raw: LazyRows, *, source: str, notes: tuple[Note, ...]
    ) -> Sessions:
        """Returns a part of this log, with what is known of its columns.

        Args:
            frame: Some of the rows.
            raw: The same rows, unconverted.
            source: Their name in messages.
            notes: Notes about them.
        """
        found = Sessions(
            frame, raw, source=source, notes=notes, facts=self.facts, others=self.others,
            unread=self.unread,
        )  # fmt: skip
        found.checked, found.zone, found.period = self.checked, self.zone, self.period
        return found

    def __repr__(self) -> str:
        return f"Sessions({', '.join(self.columns)}; source={self._source!r})"


def written_column(name: str) -> str:
    """Returns the name of the column with the cells of another as they were written.

    Examples:
        >>> written_column("timestamp")
        '__relyon_written_timestamp'
    """
    return f"__relyon_written_{name}"


def _lazy(frame: object) -> LazyRows:
    import narwhals as nw
    import polars as pl

    frame, _ = with_index_columns(frame)
    wrapped = nw.from_native(frame, pass_through=True)
    if isinstance(wrapped, nw.LazyFrame):
        return wrapped
    if isinstance(wrapped, nw.DataFrame):
        return wrapped.lazy("polars") if not isinstance(frame, pl.DataFrame) else wrapped.lazy()
    if hasattr(frame, "__arrow_c_stream__"):
        return nw.from_native(pl.DataFrame(frame).lazy())
    raise InputError(
        message("data.is-not-data-frame", name=type(frame).__name__),
        hint=message("data.give-polars-pandas-pyarrow"),
    )


def choose_columns(
    names: list[str], columns: Mapping[str, str] | None, path: str, kind: str = "sessions"
) -> dict[str, list[str]]:
    """Assigns columns to roles; several columns may form one id.

    Raises:
        ParameterError: If `columns` names a role that does not exist.
        InputError: If a column is missing, if two could be meant, or if the table contains counts
            where single impressions are needed.
    """
    from relyon.data.columns import choose

    columns = {role_of(role, COLUMNS): name for role, name in (columns or {}).items()}
    if is_counted(names, columns):
        if kind != "clicks":
            raise InputError(
                message("data.log-contains-counts"),
                path=path,
                hint=message("data.read-counts-with"),
            )
        kind = "counts"
    elif kind == "clicks":
        kind = "sessions"
    joined: dict[str, list[str]] = {}
    for role, name in columns.items():
        parts = [part.strip() for part in name.split("+")]
        if role in IDS and name not in names and len(parts) > 1 and set(parts) <= set(names):
            joined[role] = parts
            names = [*names, name]
    chosen = choose(names, kind, columns=columns, levels=LOG_LEVELS, path=path)
    return {role: joined.get(role, [chosen[role]]) for role in COLUMNS if role in chosen}


def unchosen(names: list[str], chosen: Mapping[str, list[str]]) -> dict[str, str]:
    """Returns the columns without a role, by a name that no role has.

    Args:
        names: All columns.
        chosen: The columns of each role.

    Examples:
        >>> unchosen(["sid", "price", "doc"], {"session": ["sid"], "doc": ["doc"]})
        {'price': 'price'}
    """
    used = {name for listed in chosen.values() for name in listed}
    rest = [name for name in names if name not in used]
    return {f"{name}_as_given" if name in COLUMNS else name: name for name in rest}


def _selected(
    frame: LazyRows, chosen: Mapping[str, list[str]], others: Mapping[str, str]
) -> LazyRows:
    """Returns the columns under their canonical names, unconverted, and others after them."""
    import narwhals as nw

    parts = []
    for role, names in chosen.items():
        if len(names) == 1:
            parts.append(nw.col(names[0]).alias(role))
        else:
            texts = [nw.col(name).cast(nw.String) for name in names]
            parts.append(nw.concat_str(texts, separator="-").alias(role))
    parts += [nw.col(name).alias(other) for other, name in others.items()]
    return frame.select(parts)
