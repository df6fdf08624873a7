"""Whether documents moved for reasons that may have to do with relevance: over time, or by user."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from relyon.core.document.json import json_number
from relyon.core.packages import scipy_part
from relyon.core.texts import Catalogue
from relyon.data.columns.spark_partitions import is_spark_frame

if TYPE_CHECKING:
    import numpy as np
    import polars as pl
    from numpy.typing import NDArray

    from relyon.data.sessions import Sessions
    from relyon.labels.model import Values
    from relyon.labels.rules import Rules

    Places = NDArray[np.int64]

__all__ = ["Movement", "find_movements"]

#: The log is parted into so many spans of equal length.
SPANS = 4
#: The level of both tests together.
LEVEL = 0.05


@dataclass(frozen=True)
class Movement:
    """A test of why documents moved.

    Attributes:
        kind: `time`: do a document's position and its click rate at a fixed position move together
            from one span of the log to another? `user`: does its position depend on who searches?
        tested: Whether the log has what the test needs: times, or users who come back to a query.
        size: For `time`, by how much the click rate at a fixed position rises per rank that a
            document moved up; for `user`, the share of the variance of a document's positions that
            lies between users.
        p: The p-value of no such dependence.
        queries: Queries that the test rests on, those of little weight counting less.
    """

    kind: Literal["time", "user"]
    tested: bool = False
    size: float = math.nan
    p: float = math.nan
    queries: float = 0.0

    @property
    def doubtful(self) -> bool:
        """Whether it is significant, both tests together."""
        return self.p <= LEVEL / 2

    def to_dict(self) -> dict[str, object]:
        """Returns JSON-ready values."""
        return {
            "kind": self.kind,
            "tested": self.tested,
            "size": json_number(self.size),
            "p": json_number(self.p),
            "queries": json_number(self.queries),
            "doubtful": self.doubtful,
        }

    def sentence(self, words: Catalogue) -> str:
        """Returns what was found, or that it could not be looked at."""
        state = "untested" if not self.tested else "doubt" if self.doubtful else "nothing"
        size = (
            words.style.percent(self.size) if self.kind == "user" else words.style.signed(self.size)
        )
        return words.say(f"moved.{self.kind}-{state}", size=size, queries=round(self.queries))


def find_movements(sessions: Sessions, rules: Rules) -> tuple[Movement, ...]:
    """Tests whether documents moved over time with their click rates, and with users.

    Neither test can show that documents moved for unrelated reasons: if each moved once, and to
    where it was not before, or if no user searches twice, there is nothing to compare.

    Args:
        sessions: The log.
        rules: Which rows and clicks count.
    """
    if sessions.counted or is_spark_frame(sessions.frame.to_native()):
        return Movement("time"), Movement("user")
    return _over_time(sessions, rules), _by_user(sessions, rules)


def _rows(sessions: Sessions, rules: Rules, *columns: str) -> pl.DataFrame:
    """The rows that count, with the clicks that count."""
    import narwhals as nw

    names = [*dict.fromkeys(("query", "doc", "position", *columns))]
    frame = sessions.frame.filter(
        rules.complete(sessions.columns), nw.col("position") <= rules.depth
    )
    clicked = rules.clicked.cast(nw.Int64).alias("clicked")
    found = frame.select(*(nw.col(name) for name in names), clicked)
    rows: pl.DataFrame = found.collect(backend="polars").to_native()
    return rows


def _over_time(sessions: Sessions, rules: Rules) -> Movement:
    import numpy as np
    import polars as pl

    if "timestamp" not in sessions.columns:
        return Movement("time")
    rows = _rows(sessions, rules, "timestamp").drop_nulls("timestamp")
    times = rows.get_column("timestamp").dt.timestamp("ms")
    if rows.is_empty() or times.min() == times.max():
        return Movement("time")
    low, high = float(times.min()), float(times.max())  # type: ignore[arg-type]
    span = ((times - low) / (high - low) * SPANS).floor().clip(0, SPANS - 1).cast(pl.Int64)
    cells = (
        rows.with_columns(span=span)
        .group_by("query", "doc", "position", "span")
        .agg(shown=pl.len().cast(pl.Float64), clicks=pl.col("clicked").sum().cast(pl.Float64))
        .sort("query", "doc", "position", "span")
    )
    queries = cells.get_column("query").rle_id().to_numpy().astype(np.int64)
    pairs = cells.select(pl.struct("query", "doc").rle_id()).to_series().to_numpy()
    held = cells.select(pl.struct("query", "doc", "position").rle_id()).to_series().to_numpy()
    size = int(held.max()) + 1
    place = np.zeros(size, np.int64)
    place[held] = cells.get_column("position").to_numpy()
    pair, query = np.zeros((2, size), np.int64)
    pair[held], query[held] = pairs, queries
    shown, clicks = np.zeros((2, size, SPANS))
    at = cells.get_column("span").to_numpy()
    shown[held, at] = cells.get_column("shown").to_numpy()
    clicks[held, at] = cells.get_column("clicks").to_numpy()
    return _drift(shown, clicks, pair, query, place)


def _drift(shown: Values, clicks: Values, pair: Places, query: Places, place: Places) -> Movement:
    """Σ (ranks moved up) × (change of clicks at fixed positions), with queries as what varies."""
    import numpy as np

    many = int(pair.max()) + 1
    totals = np.stack([np.bincount(pair, shown[:, at], many) for at in range(SPANS)])
    sums = np.stack([np.bincount(pair, shown[:, at] * place, many) for at in range(SPANS)])
    with np.errstate(invalid="ignore", divide="ignore"):
        means, rates = sums / totals, clicks / shown
    moved, scale = np.zeros((2, int(query.max()) + 1))
    for one in range(SPANS):
        for other in range(one + 1, SPANS):
            n, m = shown[:, one], shown[:, other]
            both = (n > 0) & (m > 0)
            weight = n[both] * m[both] / (n[both] + m[both])
            up = (means[one] - means[other])[pair[both]]
            change = rates[both, other] - rates[both, one]
            moved += np.bincount(query[both], weight * up * change, len(moved))
            scale += np.bincount(query[both], weight * up * up, len(moved))
    if not scale.sum() > 0:
        return Movement("time")
    size = float(moved.sum() / scale.sum())
    p, queries = _tested(moved, scale)
    return Movement("time", True, size, p, queries)


def _by_user(sessions: Sessions, rules: Rules) -> Movement:
    import numpy as np
    import polars as pl

    if "user" not in sessions.columns:
        return Movement("user")
    place = pl.col("position").cast(pl.Float64)
    rows = _rows(sessions, rules, "user").drop_nulls("user")
    cells = (
        rows.group_by("query", "doc", "user")
        .agg(n=pl.len().cast(pl.Float64), sum=place.sum(), square=(place**2).sum())
        .sort("query", "doc", "user")
    )
    if cells.is_empty():
        return Movement("user")
    pairs = cells.select(pl.struct("query", "doc").rle_id()).to_series().to_numpy()
    queries = cells.get_column("query").rle_id().to_numpy().astype(np.int64)
    n, sums, squares = (cells.get_column(name).to_numpy() for name in ("n", "sum", "square"))
    whole = np.bincount(pairs, n)
    mean = np.bincount(pairs, sums) / whole
    around = np.maximum(np.bincount(pairs, squares) - whole * mean**2, 0)
    mine = sums - n * mean[pairs]
    spread = squares - 2 * mean[pairs] * sums + n * mean[pairs] ** 2
    # Of ordered pairs of sessions of one user, and what they would be if users did not matter.
    partners = np.bincount(pairs, n * (n - 1))
    found = np.bincount(pairs, mine**2 - spread)
    found += partners * around / np.maximum(whole * (whole - 1), 1)
    query = np.zeros(len(whole), np.int64)
    query[pairs] = queries
    moved = np.bincount(query, found).astype(np.float64)
    scale = np.bincount(query, partners * around / whole).astype(np.float64)
    if not scale.sum() > 0:
        return Movement("user")
    p, effective = _tested(moved, scale)
    # Only that users are more alike than chance is meant, so the test is one-sided.
    size = float(moved.sum() / scale.sum())
    return Movement("user", True, size, p / 2 if size > 0 else 1 - p / 2, effective)


def _tested(moved: Values, scale: Values) -> tuple[float, float]:
    """The two-sided p-value of a sum over queries, and how many queries of equal weight it has."""
    import numpy as np

    stdtr = scipy_part("special").stdtr

    queries = float(scale.sum() ** 2 / (scale**2).sum())
    around = moved - moved.sum() / scale.sum() * scale
    spread = math.sqrt(float(np.square(around).sum()))
    if queries < 2 or not spread:
        return math.nan, queries
    freedom = queries - 1
    t = abs(float(moved.sum())) / spread * math.sqrt(freedom / (freedom + 1))
    return float(2 * stdtr(freedom, -t)), queries
