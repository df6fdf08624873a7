"""Some sessions of a log, drawn so that their queries stay as dense as they are."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from relyon import _native
from relyon.labels.log import ClickLog

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

__all__ = ["QueryCounts", "part_of", "query_counts", "sample_of", "split"]

#: A query has at most this share of the sessions drawn.
SHARE = 20


class QueryCounts(NamedTuple):
    """How often the queries of a log were searched, by their numbers in the order of its pairs.

    Attributes:
        of: The number of each distinct session's query.
        counts: How often each distinct session occurred.
        sessions: Sessions of each query.
        shown: Impressions of each query.
        pairs: Results of each query.
    """

    of: NDArray[np.int64]
    counts: NDArray[np.int64]
    sessions: NDArray[np.int64]
    shown: NDArray[np.int64]
    pairs: NDArray[np.int64]


def query_counts(log: ClickLog) -> QueryCounts:
    """Counts the sessions and impressions of each query of a log."""
    import numpy as np

    patterns = log.patterns
    queries = log.pairs.get_column("query").rle_id().to_numpy().astype(np.int64)
    counts = patterns.counts.astype(np.int64)
    of = queries[patterns.pairs[patterns.starts[:-1]]]
    pairs = np.bincount(queries)
    sessions, shown = (
        np.bincount(of, values, len(pairs)).astype(np.int64)
        for values in (counts, counts * np.diff(patterns.starts))
    )
    return QueryCounts(of, counts, sessions, shown, pairs)


def sample_of(
    log: ClickLog, sessions: int, seed: int = 0, *, found: QueryCounts | None = None, dense: int = 0
) -> ClickLog:
    """Returns a log of at most so many sessions; the log itself if it has no more.

    Whole queries are drawn, the more probably the more sessions they have (Efraimidis and Spirakis
    2006), so that documents keep their numbers of impressions. Of a query with more than a
    twentieth of the sessions wanted, only so many are drawn.

    Args:
        log: The log.
        sessions: The most sessions.
        seed: The same seed draws the same sessions, in any order of the log's rows.
        found: What `query_counts(log)` returned.
        dense: Leave out queries whose results have fewer impressions on average.
    """
    import numpy as np

    found = query_counts(log) if found is None else found
    wanted = found.shown >= dense * found.pairs
    if wanted.all() and log.sessions <= sessions:
        return log
    sizes = np.where(wanted, found.sessions, 0)
    if sizes.sum() <= sessions:
        return part_of(log, np.where(wanted[found.of], found.counts, 0))
    generator = np.random.default_rng(seed)
    most = max(1, sessions // SHARE)
    with np.errstate(divide="ignore"):
        keys = np.log(generator.random(len(sizes))) / sizes
    order = np.argsort(-keys, kind="stable")
    taken = np.cumsum(np.minimum(sizes[order], most))
    chosen = np.zeros(len(sizes), bool)
    chosen[order[: max(1, int(np.searchsorted(taken, sessions, "right")))]] = True
    kept = np.where((chosen & wanted)[found.of], found.counts, 0)
    for query in np.flatnonzero(chosen & (sizes > most)):
        rows = np.flatnonzero(found.of == query)
        kept[rows] = generator.multivariate_hypergeometric(kept[rows], most, method="marginals")
    return part_of(log, kept)


def split(log: ClickLog, parts: int, seed: int = 0) -> tuple[ClickLog, ClickLog]:
    """Returns a part of the sessions, one in so many, and the others.

    Args:
        log: The log.
        parts: One session in so many is in the first log.
        seed: The same seed draws the same sessions.
    """
    import numpy as np

    counts = log.patterns.counts.astype(np.int64)
    held = np.random.default_rng(seed).binomial(counts, 1 / parts)
    return part_of(log, held), part_of(log, counts - held)


def part_of(log: ClickLog, counts: NDArray[np.int64]) -> ClickLog:
    """Returns a log in which each distinct session occurs so often.

    Args:
        log: The log.
        counts: How often, in the order of `ClickLog.patterns`; 0 leaves it out.
    """
    import numpy as np
    import polars as pl

    patterns = log.patterns
    kept = counts > 0
    sizes = np.diff(patterns.starts)
    rows = np.repeat(kept, sizes)
    heads = patterns.pairs[patterns.starts[:-1][kept]]
    pairs = patterns.pairs[rows]
    native = _native.ClickLog(log.depth, remember=True)
    native.merge(
        log.pairs.get_column("query").gather(heads),
        pl.Series(counts[kept].astype(np.int64)),
        pl.Series(sizes[kept].astype(np.int64)),
        log.pairs.get_column("document").gather(pairs),
        pl.Series(patterns.positions[rows].astype(np.int64)),
        pl.Series(patterns.clicked[rows].astype(np.int8)),
        (0, 0, 0),
    )
    native.finish()
    return ClickLog(native, depth=log.depth, source=log.source, notes=())
