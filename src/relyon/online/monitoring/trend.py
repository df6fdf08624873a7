"""The months in order: points, changes between them, their causes and alarms."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING

from relyon.core.errors import ParameterError, UnknownNameError
from relyon.core.notes import Note
from relyon.core.registry import suggestion
from relyon.core.texts import message
from relyon.data.convention import Convention
from relyon.online.monitoring.alarms import Alarm, find_alarms
from relyon.online.monitoring.change_attribution import Losses
from relyon.online.monitoring.changes import MonthlyChange, compare_points, difference
from relyon.online.monitoring.month_notes import MonthNote
from relyon.online.monitoring.month_variance import renamed
from relyon.online.monitoring.past_changes import PastChanges, past_changes
from relyon.online.monitoring.points import ALL, Depth, Point
from relyon.online.monitoring.powered_months import PoweredMonth
from relyon.online.monitoring.since import Since, correct_since

if TYPE_CHECKING:
    import polars as pl

__all__ = ["Trend"]

#: A query whose mean fell by less has not changed: sums in another order differ by as much.
NOISE = 1e-9


@dataclass(frozen=True, eq=False)
class Trend:
    """Monthly quality of the results users saw, in numbers; `Monitor` documents the attributes."""

    months: tuple[str, ...]
    tiers: tuple[str, ...]
    depths: Mapping[str, int]
    common_k: int
    points: tuple[Point, ...]
    changes: tuple[MonthlyChange, ...]
    losses: tuple[Losses, ...]
    queries: pl.DataFrame
    convention: Convention
    confidence: float
    alpha: float
    notes: tuple[Note, ...] = field(default=())
    month_notes: tuple[MonthNote, ...] = field(default=())
    powered: tuple[PoweredMonth, ...] = field(default=())

    def series(self, tier: str, depth: Depth = "tier") -> list[Point]:
        """Returns the points of a tier, the earliest first; `all` is known at the common k."""
        return [one for one in self.points if (one.tier, one.depth) == (tier, depth)]

    @property
    def alert_series(self) -> list[tuple[str, Depth]]:
        """The series of alarms: all tiers together at the common k, and each tier at its own."""
        tiers: list[tuple[str, Depth]] = [(tier, "tier") for tier in self.tiers]
        return [(ALL, "common"), *tiers]

    def latest(self) -> list[MonthlyChange]:
        """Returns the changes to the last month."""
        return [one for one in self.changes if one.after.month == self.months[-1]]

    def change(self, tier: str, depth: Depth, month: str) -> MonthlyChange | None:
        """Returns the change of a tier to a month, or `None` if there is none."""
        return next(
            (
                one
                for one in self.changes
                if (one.tier, one.depth, one.after.month) == (tier, depth, month)
            ),
            None,
        )

    def compare(self, before: str, after: str) -> list[MonthlyChange]:
        """Returns the changes from any month to a later one, tested as month on month.

        All tiers together and each tier at its own k are one family, corrected by Holm. The
        correction is for this one comparison: whoever compares many months finds some at or below
        alpha by chance more often than that.

        Args:
            before: The earlier month.
            after: The later month.

        Raises:
            UnknownNameError: If there is no such month.
            ParameterError: If the first is not earlier than the second.
        """
        for month in (before, after):
            if month not in self.months:
                raise UnknownNameError(
                    message("online.there-is-no-month", month=month),
                    hint=suggestion(month, list(self.months)),
                )
        if before >= after:
            raise ParameterError(
                message("online.first-month-must-be-earlier", before=before, after=after)
            )
        points = [[one for one in self.points if one.month == month] for month in (before, after)]
        return compare_points(*points, confidence=self.confidence, alpha=self.alpha)

    def alarms(self, tier: str | None = None, max_drop: float | None = None) -> list[Alarm]:
        """Returns the alarms of the last month; none if there is only one month.

        DCG dropped significantly (all tiers together, or one tier at its own k;
        Holm's correction controls the family-wise error rate at alpha); NDCG does not show the
        drop; or DCG dropped by more than was allowed, significant or not.

        Args:
            tier: Only this tier, or `all`.
            max_drop: The share that DCG may fall by: 0.05 is 5%.

        Raises:
            UnknownNameError: If there is no such tier.
            ParameterError: If `max_drop` does not lie between 0 and 1.
        """
        return find_alarms(self.latest(), self.losses, tier=tier, max_drop=max_drop)

    def since_first(self, tier: str, depth: Depth = "tier") -> Since | None:
        """Returns the change of DCG from a tier's first month to its last.

        A slow decline shows here before any single month is an alarm. `p_adjusted` is corrected by
        Holm over the tiers, for one look: computed every month, one of them falls to alpha or below
        more often than that. `None` where there are fewer than three months, or the last one has no
        value at this depth.
        """
        if (tier, depth) in self.alert_series:
            return self._since_first.get((tier, depth))
        return self._since([(one, depth) for one in (*self.tiers, ALL)]).get((tier, depth))

    @cached_property
    def _since_first(self) -> dict[tuple[str, Depth], Since]:
        return self._since(self.alert_series)

    def _since(self, family: Sequence[tuple[str, Depth]]) -> dict[tuple[str, Depth], Since]:
        """Returns the changes since the first month of the series that have one."""
        found = {}
        for tier, depth in family:
            points = self.series(tier, depth)
            if len(points) >= 3 and points[-1].month == self.months[-1]:
                found[tier, depth] = (points[0].dcg_mean, points[-1].dcg_mean)
        alpha = self.alpha / max(len(found), 1)
        return correct_since(
            {
                key: difference(first, last, confidence=self.confidence, alpha=alpha)
                for key, (first, last) in found.items()
            }
        )

    def past_changes(self, tier: str, depth: Depth = "tier") -> PastChanges | None:
        """Returns the spread of a tier's changes before the last; `None` for fewer than six rounds.

        Effects common to a month, such as a season or the graders' mood, are outside the error of
        every change; they are in this spread.
        """
        return past_changes([one for one in self.changes if (one.tier, one.depth) == (tier, depth)])

    def detectable(self, tier: str, depth: Depth = "tier") -> float:
        """Returns the smallest change to the next month that two such samples show.

        With power 0.8, and the level shared among everything that is tested: as from the month
        before to the last, or, without one, as between months that share no query. NaN
        where that is not known.
        """
        points = self.series(tier, depth)
        if not points:
            return math.nan
        change = self.change(tier, depth, points[-1].month)
        if change is not None and not math.isnan(change.dcg.detectable):
            return change.dcg.detectable
        last, alpha = points[-1].dcg_mean, self.alpha / (len(self.tiers) + 1)
        return difference(last, renamed(last), alpha=alpha).detectable

    def worst(self, count: int = 10) -> pl.DataFrame:
        """Returns the worst queries of the last month, by DCG at the common k."""
        return self.queries.head(count)

    def largest_drops(self, count: int = 10) -> pl.DataFrame:
        """Returns the queries that fell most since the month before, of those in both samples."""
        import polars as pl

        return (
            self.queries.filter(pl.col("change") < -NOISE)
            .sort("change", "sessions", "query", descending=[False, True, False])
            .head(count)
        )
