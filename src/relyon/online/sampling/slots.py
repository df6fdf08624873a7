"""Places in a sample: first how many of each query, then which of its sessions.

Only distinct queries with their counts, and the sessions of queries that were drawn, are ever read
out of the engine; of those, the ones with the lowest keys are kept, part by part. So memory does
not grow with the log's rows, and the sample depends on nothing but the seed and the ids.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from relyon.core.errors import InputError
from relyon.core.texts import message
from relyon.data.keys import GOLDEN, hashed, mix, mix_all, series
from relyon.online.sampling.frames import folded, searches

if TYPE_CHECKING:
    import numpy as np
    import polars as pl
    from numpy.typing import NDArray

    from relyon.data.sessions import Sessions

__all__ = ["choose_sessions", "draw_queries", "places_of"]

#: Salts: what is drawn by one must not depend on what is drawn by another.
PLACES, SESSIONS, DRAWS, WITHIN = 1, 2, 3, 4
PART = 1 << 20


def _salt(seed: int, purpose: int) -> int:
    return mix(seed + GOLDEN) + purpose


def places_of(queries: pl.DataFrame, count: int, seed: int) -> NDArray[np.int64]:
    """Returns how many of `count` sessions, drawn without replacement, each query gets.

    Every session of a query is a candidate for a place, with a key, made of the seed, the query and
    the place's number; the lowest keys win. This is a simple random sample: every set of places has
    the same chance. A larger sample contains the smaller ones, and a query's keys do not depend on
    what else is in the log.

    Args:
        queries: `query` and `sessions`.
        count: Sessions wanted, at most as many as there are.
        seed: Chooses the sample.
    """
    import numpy as np

    ordered = queries.sort("query")
    sizes = ordered["sessions"].to_numpy()
    ends = np.cumsum(sizes)
    total = int(ends[-1]) if len(ends) else 0
    keys = hashed(ordered["query"], _salt(seed, PLACES))
    best = np.empty(0, dtype=np.uint64)
    where = np.empty(0, dtype=np.int64)
    for start in range(0, total, PART) if count else ():
        place = np.arange(start, min(start + PART, total))
        query = np.searchsorted(ends, place, side="right")
        drawn = series(keys[query], place - (ends[query] - sizes[query]))
        if len(best) >= count:
            low = drawn <= best[count - 1]
            drawn, query = drawn[low], query[low]
        best, where = np.concatenate([best, drawn]), np.concatenate([where, query])
        order = np.argsort(best, kind="stable")[:count]
        best, where = best[order], where[order]
    found = np.bincount(where, minlength=len(sizes)).astype(np.int64)
    place_of = ordered.with_columns(_integers("places", found))
    joined = queries.join(place_of.select("query", "places"), on="query", maintain_order="left")
    return joined["places"].to_numpy()


def draw_queries(queries: pl.DataFrame, count: int, seed: int) -> pl.DataFrame:
    """Draws queries with replacement, with probability proportional to their sessions.

    Args:
        queries: `query` and `sessions`.
        count: Draws.
        seed: Chooses the sample.

    Returns:
        One row per draw: `draw`, from 1, and `query`.
    """
    import numpy as np
    import polars as pl

    ordered = queries.sort("query")
    ends = np.cumsum(ordered["sessions"].to_numpy())
    total = int(ends[-1])
    start = mix(_salt(seed, DRAWS))
    # Whole numbers: a 64-bit key times the total, of which the upper half counts.
    points = [mix(start + number * GOLDEN) * total >> 64 for number in range(1, count + 1)]
    found = np.searchsorted(ends, np.array(points, dtype=np.int64), side="right")
    return pl.DataFrame({"draw": range(1, count + 1), "query": ordered["query"][found]})


def choose_sessions(sessions: Sessions, slots: pl.DataFrame, seed: int) -> pl.DataFrame:
    """Chooses the sessions of queries that were drawn: those with the lowest keys.

    Args:
        sessions: The log.
        slots: `slot`, a number; `query`; `take`, how many different sessions the query gets in this
            slot. What a query gets in one slot does not depend on what it gets in another.
        seed: Chooses the sessions.

    Returns:
        `slot`, `query` and `session`, `take` rows a slot and query.

    Raises:
        InputError: If the log has fewer sessions than when they were counted.
    """
    import polars as pl

    wanted = searches(sessions, slots["query"].unique().sort().to_list())
    keyed = slots.with_columns(_whole("salt", _slot_keys(slots, seed)))
    draw = _Draw(keyed, seed)
    kept = _lowest(pl.concat([draw(()), *folded(wanted, draw)]))
    if len(kept) != slots["take"].sum():
        raise InputError(
            message("online.log-changed-while"),
            hint=message("online.sample-copy-that-nothing"),
        )
    return kept.select("slot", "query", "session")


@dataclass(frozen=True)
class _Draw:
    """Keeps the sessions with the lowest keys, part by part.

    Attributes:
        slots: `slot`, `query`, `take` and `salt`.
        seed: Chooses the sessions.
    """

    slots: pl.DataFrame
    seed: int

    def __call__(self, parts: Iterable[pl.DataFrame]) -> pl.DataFrame:
        import polars as pl

        empty = pl.DataFrame(schema={"session": pl.String, "query": pl.String})
        kept = self._keyed(empty)
        for part in parts:
            kept = _lowest(pl.concat([kept, self._keyed(part)]))
        return kept

    def _keyed(self, part: pl.DataFrame) -> pl.DataFrame:
        rows = part.select("session", "query").join(self.slots, on="query")
        key = mix_all(hashed(rows["session"], _salt(self.seed, SESSIONS)) ^ rows["salt"].to_numpy())
        return rows.with_columns(_whole("key", key)).drop("salt")


def _slot_keys(slots: pl.DataFrame, seed: int) -> NDArray[np.uint64]:
    query = hashed(slots["query"], _salt(seed, WITHIN))
    return series(query, slots["slot"].to_numpy())


def _lowest(rows: pl.DataFrame) -> pl.DataFrame:
    import polars as pl

    ordered = rows.sort("slot", "query", "key", "session")
    return ordered.filter(pl.int_range(pl.len()).over("slot", "query") < pl.col("take"))


def _whole(name: str, values: NDArray[np.generic]) -> pl.Series:
    import polars as pl

    return pl.Series(name, values, dtype=pl.UInt64)


def _integers(name: str, values: NDArray[np.generic]) -> pl.Series:
    import polars as pl

    return pl.Series(name, values, dtype=pl.Int64)
