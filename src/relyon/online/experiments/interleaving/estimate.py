"""From the outcomes of sessions to a preference: by user and by query, at one look and at all."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from relyon.analysis.statistics import (
    ClusterSizes,
    RatioEstimate,
    always_valid,
    jackknife_mean,
    paired_test,
    queries_needed,
    smallest_detectable,
)
from relyon.online.experiments.interleaving.preference import Look, Preference

if TYPE_CHECKING:
    import numpy as np
    import polars as pl
    from numpy.typing import NDArray

__all__ = ["Searches"]


@dataclass(frozen=True)
class Searches:
    """Sessions that were shown a mixed list, in the order in which they began.

    Attributes:
        frame: One row per session: `mixture`, `query`, `day`, empty without times, and `user`,
            where the log has users.
        clicked: Whether each has a click.
        level: Confidence level of the intervals.
        comparisons: How many runs are compared with the baseline.
    """

    frame: pl.DataFrame
    clicked: NDArray[np.bool_]
    level: float
    comparisons: int

    @property
    def has_users(self) -> bool:
        """Whether the log says who searched."""
        return "user" in self.frame.columns

    @cached_property
    def groups(self) -> tuple[NDArray[np.int64], ...]:
        """The query of each session, and its user where there are users, as numbers from 0."""
        names = ("query", *(["user"] if self.has_users else []))
        return tuple(
            self.frame.get_column(name).rank("dense").to_numpy().astype("int64") - 1
            for name in names
        )

    @cached_property
    def sizes(self) -> tuple[ClusterSizes, ...]:
        """How unequal the shares of the queries are, and those of the users."""
        import numpy as np

        return tuple(ClusterSizes.of(np.bincount(group).astype(float)) for group in self.groups)

    def preference(self, candidate: str, outcomes: NDArray[np.float64]) -> Preference:
        """Returns the preference for a run over the baseline.

        Args:
            candidate: The run.
            outcomes: The outcome of each session, from −1 to 1.
        """
        mean, _ = jackknife_mean(outcomes, self.groups)
        known = mean.error > 0
        deviation = mean.error * math.sqrt(len(outcomes)) if known else math.nan
        p = mean.p if known else 1.0 if mean.error == 0 and mean.value == 0 else math.nan
        return Preference(
            candidate=candidate,
            wins=int((outcomes > 0).sum()),
            ties=int(((outcomes == 0) & self.clicked).sum()),
            losses=int((outcomes < 0).sum()),
            value=mean.value,
            interval=_bounded(mean, self.level) if known else (math.nan, math.nan),
            p=p,
            p_corrected=p,
            sign_p=self._sign(outcomes),
            looks=self._looks(outcomes),
            smallest=smallest_detectable(len(outcomes), deviation, 1 - self.level),
            needed=queries_needed(mean.value, deviation, 1 - self.level) if known else 0,
        )

    def _sign(self, outcomes: NDArray[np.float64]) -> float:
        """Returns the sign test over queries; NaN where users come back, whom queries share."""
        import numpy as np

        if self.has_users and self.sizes[1].count < len(outcomes):
            return math.nan
        return paired_test("sign", np.bincount(self.groups[0], outcomes).astype(float)).p

    def _looks(self, outcomes: NDArray[np.float64]) -> tuple[Look, ...]:
        """Runs the always-valid test, day by day.

        Its values are the outcomes of sessions, of the first one of each mixed list: later ones
        know its luck already. People who come back are alike from session to session, so where the
        log has users each counts once, by the mean of the day on which they came first: it does not
        change after that day. Where several runs are compared with the baseline, intervals and
        p-values are valid for all of them together (Bonferroni).
        """
        import polars as pl

        frame = self.frame.with_columns(outcome=outcomes)
        fresh = frame.filter(pl.col("mixture").is_first_distinct())
        if self.has_users:
            fresh = fresh.filter(pl.col("day") == pl.col("day").first().over("user"))
            values = fresh.group_by("user", maintain_order=True).agg(
                pl.col("day").first(), pl.col("outcome").mean(), pl.len().alias("sessions")
            )
        else:
            values = fresh.select("day", "outcome", sessions=pl.lit(1))
        days = values.group_by("day", maintain_order=True).agg(
            pl.len().alias("count"), pl.col("sessions").sum()
        )
        days = days.with_columns(pl.col("count", "sessions").cum_sum())
        found = always_valid(
            values.get_column("outcome").to_numpy(),
            days.get_column("count").to_numpy().astype("int64"),
            confidence=1 - (1 - self.level) / self.comparisons,
        )
        return tuple(
            Look(
                day=day,
                sessions=int(sessions),
                preference=float(found.means[at]),
                interval=(float(found.low[at]), float(found.high[at])),
                p=min(1.0, float(found.p[at]) * self.comparisons),
                users=int(count) if self.has_users else 0,
            )
            for at, (day, count, sessions) in enumerate(days.rows())
        )


def _bounded(mean: RatioEstimate, level: float) -> tuple[float, float]:
    """Returns the interval within what a preference can be."""
    low, high = mean.interval(level)
    return (low, high) if math.isnan(low) else (max(low, -1.0), min(high, 1.0))
