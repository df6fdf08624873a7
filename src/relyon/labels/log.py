"""A search log for click models: distinct sessions and their frequencies."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, NamedTuple

from relyon import _native
from relyon.core.errors import InputError
from relyon.core.notes import Note
from relyon.core.texts import message
from relyon.data.columns.batches import batches
from relyon.data.columns.spark_partitions import is_spark_frame
from relyon.data.source import Sourced
from relyon.io.log_checks import read_log
from relyon.labels.cluster_log import count_in_cluster
from relyon.labels.counted_log import read_counts
from relyon.labels.log_counts import Dropped, Fold, counted, fill
from relyon.labels.rules import Rules

if TYPE_CHECKING:
    import numpy as np
    import polars as pl
    from numpy.typing import NDArray

    from relyon.data.lazy import LazyRows
    from relyon.data.sessions import Sessions

__all__ = ["ClickLog", "Fold", "Patterns", "read_clicks", "read_folds"]

#: Rows handed to the native log at once.
ROWS = 1 << 20


class Patterns(NamedTuple):
    """Distinct sessions: the results of session i are `starts[i]` to `starts[i + 1]`.

    Attributes:
        starts: Offsets of the sessions, one more than there are.
        counts: How often each session came.
        pairs: The pair of query and document of each result: a row of `ClickLog.pairs`.
        positions: The position of each result, from 1, ascending within a session.
        clicked: Whether each result was clicked.
    """

    starts: NDArray[np.int64]
    counts: NDArray[np.uint64]
    pairs: NDArray[np.uint32]
    positions: NDArray[np.uint16]
    clicked: NDArray[np.bool_]


class ClickLog(Sourced):
    """A log for click models; `read_clicks` reads it.

    Attributes:
        native: The native log.
        depth: Ignore positions after this one.
        source: The file it came from, or "memory".
        notes: What was left out, and why.
        counted: Whether it was a table of counts: every list has one result, and what users did
            with others is unknown.

    Examples:
        >>> import polars as pl
        >>> log = read_clicks(
        ...     pl.DataFrame(
        ...         {
        ...             "session": [1, 1, 2, 2],
        ...             "query": ["tv"] * 4,
        ...             "doc": ["a", "b", "a", "b"],
        ...             "position": [1, 2, 1, 2],
        ...             "clicked": [0, 1, 0, 1],
        ...         }
        ...     )
        ... )
        >>> log
        ClickLog(sessions=2, results=4, pairs=2, source='memory')
        >>> int(log.patterns.counts[0])
        2
    """

    __slots__ = ("_native", "_pairs", "counted", "depth", "notes", "source")

    def __init__(
        self,
        native: _native.ClickLog,
        *,
        depth: int,
        source: str,
        notes: tuple[Note, ...],
        counted: bool = False,
    ) -> None:
        self._native = native
        self._pairs: pl.DataFrame | None = None
        self.depth = depth
        self.source = source
        self.notes = notes
        self.counted = counted

    @property
    def native(self) -> _native.ClickLog:
        """The native log."""
        return self._native

    @property
    def sessions(self) -> int:
        """The number of sessions."""
        return self._native.sessions

    @property
    def results(self) -> int:
        """The number of results that were shown."""
        return self._native.rows

    @property
    def pairs(self) -> pl.DataFrame:
        """The distinct pairs, with the columns `query` and `document`."""
        if self._pairs is None:
            import polars as pl

            self._pairs = pl.DataFrame(
                {
                    "query": pl.Series(self._native.queries(), dtype=pl.String),
                    "document": pl.Series(self._native.documents(), dtype=pl.String),
                }
            )
        return self._pairs

    @property
    def patterns(self) -> Patterns:
        """The distinct sessions."""
        found = self._native.patterns()
        return Patterns(**found | {"clicked": found["clicked"].view(bool)})

    def __repr__(self) -> str:
        return (
            f"ClickLog(sessions={self.sessions}, results={self.results},"
            f" pairs={self._native.pairs}, source={self.source!r})"
        )


def read_clicks(
    sessions: object,
    *,
    depth: int = 10,
    min_dwell: float | None = None,
    fold: Fold | None = None,
    threads: int = 0,
) -> ClickLog:
    """Reads a log for click models. It is streamed: memory grows with distinct sessions.

    A session is one search: a query and its results. Its results count by their positions; a
    document that was shown twice counts at its first position, clicked if it was clicked at all.
    Results of which no impression was logged are left out, and so are rows that lack an id.

    A table of counts, with the columns `query`, `doc`, `position`, `impressions` and `clicks`, is
    read as lists of one result; models that need whole lists refuse it.

    Args:
        sessions: What `relyon.read_sessions` takes, or a table of counts.
        depth: The last position that counts, at most 1000.
        min_dwell: Clicks after which the user stayed for fewer seconds do not count: mis-clicks.
            Clicks without a dwell time do.
        fold: Only a part of the sessions.
        threads: Threads to use; 0 uses all cores.

    Raises:
        InputError: If the log has no clicks, contains no sessions, or counts positions from 0.
        ParameterError: If `depth` is not a whole number from 1 to 1000.
    """
    return read_folds(sessions, [fold], rules=Rules(depth, min_dwell), threads=threads)[0]


def read_folds(
    sessions: object,
    folds: Sequence[Fold | None],
    *,
    rules: Rules | None = None,
    threads: int = 0,
) -> list[ClickLog]:
    """Reads several parts of a log at once, as `read_clicks` reads one: the log is read once.

    What was left out is counted over all the parts together.

    Args:
        sessions: What `relyon.read_sessions` takes.
        folds: The parts; `None` is the whole log.
        rules: Which rows count, and which of their clicks.
        threads: Threads to use; 0 uses all cores.

    Returns:
        One log per part.

    Raises:
        InputError: If the log has no clicks, a part contains no sessions, or positions count
            from 0.

    Examples:
        >>> import polars as pl
        >>> columns = {"session": range(50), "query": ["tv"] * 50, "doc": ["a"] * 50}
        >>> log = pl.DataFrame(columns | {"position": [1] * 50, "clicked": [0, 1] * 25})
        >>> held, others = read_folds(log, [Fold(0, 5), Fold(0, 5, inside=False)])
        >>> held.sessions + others.sessions
        50
    """
    rules = rules or Rules()
    whole = all(fold is None for fold in folds)
    log = read_log(sessions, kind="clicks" if whole else "sessions", uses=())
    rules.check(log)
    if log.counted:
        native, left_out = read_counts(log, rules, threads)
        return [_click_log(log, native, [*log.notes, *left_out], rules) for _ in folds]
    frame = log.frame.to_native()
    if is_spark_frame(frame):
        frame = frame.select(*rules.columns(log))
        natives, dropped = count_in_cluster(frame, folds, rules, threads)
    else:
        natives, dropped = _counted(log, folds, rules, threads)
    notes = [*log.notes, *_notes(natives, dropped, rules.depth)]
    return [_click_log(log, native, notes, rules) for native in natives]


def _click_log(
    log: Sessions, native: _native.ClickLog, notes: Sequence[Note], rules: Rules
) -> ClickLog:
    if not native.sessions:
        raise InputError(
            message("labels.no-session-in-log", depth=rules.depth),
            path=log.path,
        )
    return ClickLog(
        native, depth=rules.depth, source=log.source, notes=tuple(notes), counted=log.counted
    )


def _counted(
    log: Sessions, folds: Sequence[Fold | None], rules: Rules, threads: int
) -> tuple[list[_native.ClickLog], Dropped]:
    # Most logs list the rows of a session together, and many in the order of its ids; outside
    # Polars there is no order until one is asked for.
    tries = [(False, False), (True, False), (True, True)]
    for remember, sort in tries if log.frame.implementation.is_polars() else tries[-1:]:
        natives = [_native.ClickLog(rules.depth, remember=remember, threads=threads) for _ in folds]
        dropped = Dropped()
        if fill(natives, folds, _parts(log, rules, sort, dropped)):
            return natives, dropped
    raise InputError(message("labels.rows-of-session"), path=log.path)


def _parts(log: Sessions, rules: Rules, sort: bool, dropped: Dropped) -> Iterator[pl.DataFrame]:
    for rows in _rows(log.frame, rules.columns(log), sort):
        yield counted(rows, rules, dropped)


def _rows(frame: LazyRows, columns: list[str], sort: bool) -> Iterator[pl.DataFrame]:
    """Returns the rows in their order, or by session and query."""
    wanted = frame.select(*columns)
    if sort:
        wanted = wanted.sort("session", "query", nulls_last=True)
    return batches(wanted, ROWS, order="kept")


def _notes(natives: Sequence[_native.ClickLog], dropped: Dropped, depth: int) -> list[Note]:
    counts = {
        "clicks-rows-left-out": dropped.rows,
        "clicks-short": dropped.clicks,
        "clicks-repeated": sum(native.repeated for native in natives),
        "clicks-shared": sum(native.shared for native in natives),
    }
    notes = [Note(kind, count, "warning") for kind, count in counts.items() if count]
    deep = sum(native.deep for native in natives)
    if deep:
        notes.append(Note("clicks-deep", deep, values={"depth": depth}))
    return notes
