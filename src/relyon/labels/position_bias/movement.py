"""Why documents moved: over time, by user, or by the arm of an experiment."""

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
            from one span of the log to another? `user`: does its position depend on who searches,
            within an arm where the log has arms? `bucket`: does it depend on the arm?
        tested: Whether the log has what the test needs: times, users who come back to a query, or
            several arms.
        size: For `time`, by how much the click rate at a fixed position rises per rank that a
            document moved up; for `user` and `bucket`, the share of the variance of a document's
            positions that lies between users, or between arms.
        p: The p-value of no such dependence; NaN for `bucket`, which is no doubt.
        queries: Queries that the test rests on, those of little weight counting less.
        arms: Whether the log has arms.
    """

    kind: Literal["time", "user", "bucket"]
    tested: bool = False
    size: float = math.nan
    p: float = math.nan
    queries: float = 0.0
    arms: bool = False

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
        if self.kind == "user" and self.arms:
            state += "-arms"
        signed, percent = words.style.signed, words.style.percent
        size = signed(self.size) if self.kind == "time" else percent(self.size)
        return words.say(f"moved.{self.kind}-{state}", size=size, queries=round(self.queries))


def find_movements(sessions: Sessions, rules: Rules) -> tuple[Movement, ...]:
    """Tests whether documents moved over time with their click rates, with users, and with arms.

    The arms are those of the column `bucket`; without one, that test is left out.

    Neither test can show that documents moved for unrelated reasons: if each moved once, and to
    where it was not before, or if no user searches twice, there is nothing to compare.

    Args:
        sessions: The log.
        rules: Which rows and clicks count.
    """
    arms = "bucket" in sessions.columns
    if sessions.counted or is_spark_frame(sessions.frame.to_native()):
        found = Movement("time"), Movement("user", arms=arms)
        return (*found, Movement("bucket", arms=True)) if arms else found
    found = _over_time(sessions, rules), _by_user(sessions, rules)
    return (*found, _by_arm(sessions, rules)) if arms else found


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

    arms = ["bucket"] if "bucket" in sessions.columns else []
    untested = Movement("user", arms=bool(arms))
    if "user" not in sessions.columns:
        return untested
    # What an arm shows to everybody is no matter of users.
    keys = ["query", "doc", *arms]
    rows = _rows(sessions, rules, "user", *arms).drop_nulls("user")
    cells = rows.group_by(*keys, "user").agg(_moments()).sort(*keys, "user")
    if cells.is_empty():
        return untested
    pairs = cells.select(pl.struct(keys).rle_id()).to_series().to_numpy()
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
        return untested
    p, effective = _tested(moved, scale)
    # Only that users are more alike than chance is meant, so the test is one-sided.
    size = float(moved.sum() / scale.sum())
    return Movement("user", True, size, p / 2 if size > 0 else 1 - p / 2, effective, bool(arms))


def _by_arm(sessions: Sessions, rules: Rules) -> Movement:
    """The share of the variance of documents' positions that lies between arms."""
    import polars as pl

    keys = ["query", "doc"]
    cells = _rows(sessions, rules, "bucket").group_by(*keys, "bucket").agg(_moments())
    n, total, square = (pl.col(name).sum() for name in ("n", "sum", "square"))
    around = (pl.col("square") - pl.col("sum") ** 2 / pl.col("n")).clip(0)
    by_query = (
        cells.group_by(keys)
        .agg(within=around.sum(), whole=(square - total**2 / n).clip(0))
        .group_by("query")
        .agg(pl.col("within", "whole").sum())
    )
    within, whole = (float(by_query.get_column(name).sum()) for name in ("within", "whole"))
    if not whole > 0 or cells.get_column("bucket").n_unique() < 2:
        return Movement("bucket", arms=True)
    queries = whole**2 / float((by_query.get_column("whole") ** 2).sum())
    return Movement("bucket", True, 1 - within / whole, queries=queries, arms=True)


def _moments() -> list[pl.Expr]:
    """How often, and the sum and the squares of the positions."""
    import polars as pl

    place = pl.col("position").cast(pl.Float64)
    return [
        pl.len().cast(pl.Float64).alias("n"),
        place.sum().alias("sum"),
        (place**2).sum().alias("square"),
    ]


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
