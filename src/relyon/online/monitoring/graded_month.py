"""The sessions of a month that are graded so far, as means by query."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Literal

from relyon.data.convention import Convention
from relyon.online.monitoring.look_order import follows_traffic
from relyon.online.monitoring.month_variance import MonthMean, month_means
from relyon.online.monitoring.points import ALL, Depth
from relyon.online.monitoring.rounds import Round
from relyon.online.monitoring.session_values import session_values

if TYPE_CHECKING:
    import polars as pl

__all__ = ["FIRST_LOOK", "FIRST_OF_TIER", "GradedMonth", "Untested"]

#: Why nothing is tested yet: no month before; a sample of too few queries; fewer graded queries
#: than the first look needs; a tier without graded queries; grading followed traffic or the length
#: of the lists; queries that do not differ.
Untested = Literal[
    "", "no-month-before", "few-queries", "first-look", "tier-missing", "order", "no-error"
]

#: Graded queries from which on a mean is taken for nearly normal.
FIRST_LOOK = 20
#: Of those, in each tier that all tiers together are made of.
FIRST_OF_TIER = 5


@dataclass(frozen=True)
class GradedMonth:
    """A month's means over the sessions that are graded.

    Attributes:
        means: By tier and depth.
        ks: Ranks that count, by tier and depth.
        graded: Graded queries, by tier and depth.
        sampled: Sampled queries, by tier and depth.
        ordered: The tiers whose grading followed traffic or the length of lists, by depth.
        every: The tiers that have sessions.
    """

    means: Mapping[tuple[str, Depth], MonthMean]
    ks: Mapping[tuple[str, Depth], int]
    graded: Mapping[tuple[str, Depth], int]
    sampled: Mapping[tuple[str, Depth], int]
    ordered: frozenset[tuple[str, Depth]]
    every: tuple[str, ...]

    @classmethod
    def of(
        cls, one: Round, convention: Convention, depths: Mapping[str, int], common: int
    ) -> GradedMonth:
        import polars as pl

        means: dict[tuple[str, Depth], MonthMean] = {}
        ks: dict[tuple[str, Depth], int] = {}
        graded: dict[tuple[str, Depth], int] = {}
        sampled: dict[tuple[str, Depth], int] = {}
        ordered: set[tuple[str, Depth]] = set()
        wanted: list[tuple[Depth, dict[str, int]]] = [
            ("tier", {tier: depths.get(tier, common) for tier in one.depths}),
            ("common", dict.fromkeys(one.depths, common)),
        ]
        for depth, own in wanted:
            values = session_values(one.sample, one.judgments, convention, own)
            done = values.filter((pl.col("shown") > 0) & (pl.col("judged") == pl.col("shown")))
            kept = dict(done.select("session", "dcg").iter_rows()) | _in_pace(values, done)
            # Draws in proportion to traffic are a simple random sample within a tier.
            sample = replace(
                one.sample,
                sessions=one.sample.sessions.filter(pl.col("session").is_in(list(kept))),
                design="stratified",
            )
            whole, by_tier = month_means(sample, kept)
            means |= {(tier, depth): mean for tier, mean in by_tier.items()} | {(ALL, depth): whole}
            traffic = dict(
                one.sample.sessions.select("query", "query_sessions").unique().iter_rows()
            )
            for tier in one.tiers:
                rows, of_tier = (each.filter(pl.col("tier") == tier) for each in (values, done))
                ks[tier, depth] = own[tier]
                sampled[tier, depth] = rows["query"].n_unique()
                graded[tier, depth] = of_tier["query"].n_unique()
                if follows_traffic(rows, set(of_tier["query"]), traffic):
                    ordered.add((tier, depth))
            ks[ALL, depth] = common
            graded[ALL, depth] = sum(graded[tier, depth] for tier in one.tiers)
            sampled[ALL, depth] = sum(sampled[tier, depth] for tier in one.tiers)
            if any(each == depth for _, each in ordered):
                ordered.add((ALL, depth))
        return cls(means, ks, graded, sampled, frozenset(ordered), one.tiers)

    def missing(self, tier: str, depth: Depth) -> Untested:
        """Returns why the mean of a tier is not known well enough."""
        if (tier, depth) in self.ordered:
            return "order"
        if self.sampled.get((tier, depth), 0) < FIRST_LOOK:
            return "few-queries"
        if self.graded.get((tier, depth), 0) < FIRST_LOOK:
            return "first-look"
        parts = self.every if tier == ALL else ()
        if any(self.graded[one, depth] < FIRST_OF_TIER for one in parts):
            return "tier-missing"
        return ""


def _in_pace(values: pl.DataFrame, done: pl.DataFrame) -> dict[str, float]:
    """Returns sessions that were shown nothing, as many as there are graded ones in proportion.

    They are known to be worth 0 before any grading: all at once they would draw the mean to 0.
    """
    import polars as pl

    found: dict[str, float] = {}
    for tier in values["tier"].unique().sort():
        rows = values.filter(pl.col("tier") == tier)
        empty = rows.filter(pl.col("shown") == 0)["session"].to_list()
        shown = len(rows) - len(empty)
        share = len(done.filter(pl.col("tier") == tier)) / shown if shown else 1.0
        found |= dict.fromkeys(sorted(empty, key=_shuffled)[: round(share * len(empty))], 0.0)
    return found


def _shuffled(session: str) -> str:
    return hashlib.sha256(session.encode()).hexdigest()
