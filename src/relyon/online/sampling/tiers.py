"""Head, middle and tail: queries in tiers by how often they are asked."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Literal

from relyon.core.errors import ParameterError
from relyon.core.parameters import check_choice
from relyon.core.texts import message
from relyon.online.sampling.frames import count_queries

if TYPE_CHECKING:
    import polars as pl

__all__ = ["METHODS", "NAMES", "Method", "Tiers", "build_tiers", "order_tiers", "tiers_of"]

Method = Literal["share", "quantile", "count"]
METHODS: tuple[Method, ...] = ("share", "quantile", "count")
NAMES = ("head", "middle", "tail")


def order_tiers(names: Iterable[str]) -> list[str]:
    """Returns names of tiers, the usual ones from head to tail and then others as they come.

    Examples:
        >>> order_tiers(["tail", "mobile", "head"])
        ['head', 'tail', 'mobile']
    """
    places = {name: place for place, name in enumerate(NAMES)}
    return sorted(names, key=lambda name: places.get(name, len(NAMES)))


@dataclass(frozen=True)
class Tiers:
    """Queries in tiers, the most frequent ones first.

    Attributes:
        frame: One row per query, most sessions first, then by query: `query`, `sessions`, and
            `tier`, the number of its tier from 0.
        names: The tiers' names.
        method: How they are cut.
        cuts: Where they are cut: one number less than there are tiers.
    """

    frame: pl.DataFrame
    names: tuple[str, ...]
    method: Method
    cuts: tuple[float, ...]

    @property
    def sessions(self) -> tuple[int, ...]:
        """Sessions of each tier."""
        return tuple(self._sums("sessions"))

    @property
    def queries(self) -> tuple[int, ...]:
        """Distinct queries of each tier."""
        return tuple(self._sums(None))

    def _sums(self, column: str | None) -> list[int]:
        import polars as pl

        value = pl.len() if column is None else pl.col(column).sum()
        found = dict(self.frame.group_by("tier").agg(value.alias("value")).iter_rows())
        return [int(found.get(number, 0)) for number in range(len(self.names))]


def build_tiers(
    sessions: object,
    method: Method = "share",
    cuts: Sequence[float] | None = None,
    *,
    names: Sequence[str] = NAMES,
) -> Tiers:
    """Returns the tiers of a log's queries; one row per query is all that is kept of the log.

    Args:
        sessions: What `relyon.read_sessions` takes.
        method: As in `tiers_of`.
        cuts: As in `tiers_of`.
        names: As in `tiers_of`.

    Raises:
        InputError: If it is no log of sessions.
        ParameterError: As in `tiers_of`.

    Examples:
        >>> import polars as pl
        >>> log = pl.DataFrame({
        ...     "session": ["s1", "s2", "s3"], "query": ["a", "a", "b"],
        ...     "position": [1, 1, 1], "doc": ["d1", "d2", "d1"],
        ... })
        >>> build_tiers(log, "share", [0.5], names=["head", "tail"]).queries
        (1, 1)
    """
    return tiers_of(count_queries(sessions), method, cuts, names=names)


def tiers_of(
    counts: pl.DataFrame,
    method: Method = "share",
    cuts: Sequence[float] | None = None,
    *,
    names: Sequence[str] = NAMES,
) -> Tiers:
    """Cuts queries into tiers by their number of sessions.

    Queries are in order of falling frequency; equally frequent ones by their text, so that the
    order of the rows does not matter.

    Args:
        counts: `query` and `sessions`, one row per query.
        method: `share`: a tier begins where the queries before it have this share of all sessions,
            and the query that crosses a cut belongs to the tier before it. `quantile`: where they
            are this share of all distinct queries. `count`: a query belongs to the first tier whose
            least number of sessions it reaches.
        cuts: Rising shares between 0 and 1, or falling numbers of sessions. `None` cuts `share` and
            `quantile` into equal parts.
        names: One per tier.

    Raises:
        ParameterError: If the method is unknown, or the cuts do not fit the tiers.

    Examples:
        >>> import polars as pl
        >>> counts = pl.DataFrame({"query": ["b", "a", "c"], "sessions": [1, 8, 1]})
        >>> tiers_of(counts, "count", [5], names=["head", "tail"]).frame["tier"].to_list()
        [0, 1, 1]
    """
    import polars as pl

    names = tuple(names)
    chosen = _checked_cuts(method, cuts, names)
    ordered = counts.sort("sessions", "query", descending=[True, False])
    if method == "count":
        level = pl.sum_horizontal(pl.lit(0), *(pl.col("sessions") < cut for cut in chosen))
    else:
        size = pl.col("sessions") if method == "share" else pl.lit(1)
        before = size.cum_sum() - size if method == "share" else pl.int_range(pl.len())
        total = size.sum() if method == "share" else pl.len()
        level = pl.sum_horizontal(pl.lit(0), *(before >= total * cut for cut in chosen))
    frame = ordered.with_columns(level.cast(pl.Int64).alias("tier"))
    return Tiers(frame.select("query", "sessions", "tier"), names, method, chosen)


def _checked_cuts(
    method: str, cuts: Sequence[float] | None, names: tuple[str, ...]
) -> tuple[float, ...]:
    check_choice("method", method, METHODS)
    if not names or len(set(names)) != len(names) or not all(names):
        raise ParameterError(message("online.parameter-names-must-hold"))
    if cuts is None:
        if method == "count":
            raise ParameterError(
                message("online.tiers-by-count-need"),
                hint=message("online.such-as-cuts-1000"),
            )
        return tuple(place / len(names) for place in range(1, len(names)))
    chosen = tuple(float(cut) for cut in cuts)
    if len(chosen) != len(names) - 1:
        raise ParameterError(
            message(
                "online.tiers-need-cuts",
                count=len(names),
                count_2=len(names) - 1,
                count_3=len(chosen),
            )
        )
    falling = method == "count"
    if any((a <= b) if falling else (a >= b) for a, b in pairwise(chosen)):
        raise ParameterError(
            message(
                "online.cuts-must-be-falling" if falling else "online.cuts-must-be-rising",
                method=method,
                chosen=[f"{cut:g}" for cut in chosen],
            )
        )
    if any(not (cut > 0 and (falling or cut < 1)) for cut in chosen):
        where = "above 0" if falling else "between 0 and 1"
        raise ParameterError(
            message("online.cuts-by-method-must-be-where", method=method, where=where)
        )
    return chosen
