"""One month's estimates for every tier and for all sessions together."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal, TypedDict

from relyon.data.convention import Convention
from relyon.online.monitoring.domain_means import domain_mean, unknown
from relyon.online.monitoring.month_variance import MonthMean, month_means, nothing
from relyon.online.monitoring.rounds import Round
from relyon.online.monitoring.session_values import session_values
from relyon.online.sampling import Estimate

if TYPE_CHECKING:
    import polars as pl

__all__ = ["ALL", "Depth", "Point", "month_points"]

#: The name of all tiers together.
ALL = "all"

Depth = Literal["tier", "common"]

MEANS = ("dcg_mean", "ndcg_mean")


@dataclass(frozen=True)
class Point:
    """One month of one tier, or of all tiers weighted by their traffic.

    Attributes:
        month: Such as `2026-03`.
        tier: The tier, or `all`.
        depth: Whether `k` is the tier's `tier`, or `common` to all tiers.
        k: Ranks that count.
        dcg: Mean DCG@k over the sessions of the tier, with its interval: about the sessions of this
            month, so that a tier that was sampled whole has no error.
        ndcg: Mean NDCG@k, ideal over the retrieved, of the sessions that have one.
        judged: Share of the results shown down to k that are judged; NaN where nothing was shown.
        sessions: Sessions of the tier in the log.
        share: Their share of all sessions.
        sampled: Sampled sessions.
        left_out: Sampled sessions that were shown results of which none is judged.
        empty: Sampled sessions that were shown nothing; they count 0.
        dcg_mean: The mean of DCG by query, from which changes between months are judged.
        ndcg_mean: The same of NDCG.
    """

    month: str
    tier: str
    depth: Depth
    k: int
    dcg: Estimate
    ndcg: Estimate
    judged: float
    sessions: int
    share: float
    sampled: int
    left_out: int
    empty: int
    dcg_mean: MonthMean = field(repr=False)
    ndcg_mean: MonthMean = field(repr=False)

    @property
    def can_alarm(self) -> bool:
        """Whether it can raise an alarm: all tiers together, and each tier at its own k."""
        return self.tier == ALL or self.depth == "tier"

    @property
    def measure(self) -> str:
        """The name of the measure, such as `DCG@20`."""
        return f"DCG@{self.k}"

    def to_dict(self) -> dict[str, object]:
        """Returns JSON-ready values: NaN becomes null."""
        values = {name: value for name, value in vars(self).items() if name not in MEANS}
        values["dcg"] = self.dcg.to_dict() | {"about": "month"}
        values["ndcg"] = self.ndcg.to_dict() | {"about": "month"}
        values["judged"] = None if math.isnan(self.judged) else self.judged
        return values


def month_points(
    one: Round,
    depths: Mapping[str, int],
    common_k: int,
    convention: Convention,
    confidence: float,
) -> list[Point]:
    """Returns all tiers at the common k, each tier at its own, and each at the common one.

    Args:
        one: The round.
        depths: Ranks that count, by tier; a tier that is not named has no point of its own.
        common_k: Common depth at which tiers are compared.
        convention: The rules.
        confidence: Confidence level of the intervals.
    """
    deep = {tier: depths.get(tier, common_k) for tier in one.depths}
    own = session_values(one.sample, one.judgments, convention, deep)
    common = session_values(
        one.sample, one.judgments, convention, dict.fromkeys(one.depths, common_k)
    )
    whole, *tiers = _points(one, common, "common", dict.fromkeys(one.tiers, common_k), confidence)
    return [whole, *_points(one, own, "tier", depths, confidence), *tiers]


def _points(
    one: Round,
    values: pl.DataFrame,
    depth: Depth,
    depths: Mapping[str, int],
    confidence: float,
) -> list[Point]:
    import polars as pl

    whole, by_tier, mean, mean_by_tier = {}, {}, {}, {}
    for name in ("dcg", "ndcg"):
        known = dict(values.filter(pl.col(name).is_not_null()).select("session", name).iter_rows())
        whole[name], by_tier[name] = domain_mean(one.sample, known, confidence=confidence)
        mean[name], mean_by_tier[name] = month_means(one.sample, known)
    total = sum(tier.sessions for tier in one.sample.tiers)
    points = []
    for tier in one.sample.tiers:
        if not tier.sessions or tier.name not in depths:
            continue
        rows = values.filter(pl.col("tier") == tier.name)
        points.append(
            Point(
                one.month,
                tier.name,
                depth,
                depths[tier.name],
                by_tier["dcg"].get(tier.name, unknown(confidence)),
                by_tier["ndcg"].get(tier.name, unknown(confidence)),
                **_counts(rows),
                sessions=tier.sessions,
                share=tier.sessions / total,
                dcg_mean=mean_by_tier["dcg"].get(tier.name, nothing()),
                ndcg_mean=mean_by_tier["ndcg"].get(tier.name, nothing()),
            )
        )
    if depth == "common":
        k = next(iter(depths.values()))
        counts = _counts(values)
        counts["judged"] = _covered(one, values)
        points.insert(
            0,
            Point(
                one.month, ALL, depth, k, whole["dcg"], whole["ndcg"], **counts, sessions=total,
                share=1.0, dcg_mean=mean["dcg"], ndcg_mean=mean["ndcg"],
            ),
        )  # fmt: skip
    return points


class _Counts(TypedDict):
    judged: float
    sampled: int
    left_out: int
    empty: int


def _counts(rows: pl.DataFrame) -> _Counts:
    import polars as pl

    shown = int(rows["shown"].sum())
    return {
        "judged": int(rows["judged"].sum()) / shown if shown else math.nan,
        "sampled": len(rows),
        "left_out": len(rows.filter(pl.col("dcg").is_null())),
        "empty": len(rows.filter(pl.col("shown") == 0)),
    }


def _covered(one: Round, values: pl.DataFrame) -> float:
    """Returns the share of all results shown that are judged, weighted by traffic."""
    shown, _ = domain_mean(one.sample, dict(values.select("session", "shown").iter_rows()))
    judged, _ = domain_mean(one.sample, dict(values.select("session", "judged").iter_rows()))
    return judged.value / shown.value if shown.value > 0 else math.nan
