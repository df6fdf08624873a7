"""Attributes a change of DCG to recall, to ranking, or to the documents there were to find."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from relyon.analysis.funnel import funnel
from relyon.data.convention import Convention
from relyon.data.judgments import Judgments
from relyon.online.monitoring.changes import Difference, difference
from relyon.online.monitoring.domain_means import domain_mean, unknown
from relyon.online.monitoring.month_variance import MonthMean, month_means, nothing
from relyon.online.monitoring.points import ALL
from relyon.online.monitoring.rounds import Round
from relyon.online.sampling import Estimate

if TYPE_CHECKING:
    import polars as pl

__all__ = ["PARTS", "Losses", "attribute_change", "pool_judgments"]

Cause = Literal["recall", "ranking", "both", "neither", "unknown"]

PARTS = ("dcg", "ideal", "recall_loss", "ranking_loss")
#: From this share of the losses' rise on, one of them alone is named.
MOSTLY = 0.6
#: Fewer sessions of a month than this say nothing about its losses.
LEAST = 10


@dataclass(frozen=True)
class Losses:
    """Where the change of DCG@k between two months comes from.

    DCG = ideal - recall loss - ranking loss, and so for the changes: what there was to find, what
    was not among the results, and what was not on top of them.

    Only sessions count of whose query more is judged than the session showed: other months'
    results, or a deeper pool. For the others it is unknown what was missing.

    Attributes:
        tier: The tier, or `all`.
        k: Ranks that count. Results below k count as not returned.
        months: The earlier and the later month.
        before: Means of the earlier month: `dcg`, `ideal` (DCG@k of all documents that are judged
            in any month, in the best order), `recall_loss`, `ranking_loss`.
        after: The same of the later month.
        changes: Their differences.
        share: Share of the tier's sessions for which this is known, in both months.
        sessions: Sampled sessions for which it is known, in both months.
        alpha: The level at which a rise of a loss is more than chance.
    """

    tier: str
    k: int
    months: tuple[str, str]
    before: Mapping[str, Estimate]
    after: Mapping[str, Estimate]
    changes: Mapping[str, Difference]
    share: tuple[float, float]
    sessions: tuple[int, int]
    alpha: float

    @property
    def known(self) -> bool:
        """Whether enough sessions of both months are known."""
        return min(self.sessions) >= LEAST

    @property
    def cause(self) -> Cause:
        """The loss that rose significantly.

        `recall` or `ranking` where 60% or more of the rise is one of them, `both` where neither
        is that much, `neither` where no loss rose, and `unknown` if it cannot be determined.
        """
        if not self.known:
            return "unknown"
        risen = {
            name: self.changes[name].value
            for name in ("recall_loss", "ranking_loss")
            if self.changes[name].value > 0 and self.changes[name].p <= self.alpha
        }
        if not risen:
            return "neither"
        largest = max(risen, key=lambda name: risen[name])
        rises = math.fsum(
            max(self.changes[name].value, 0.0) for name in ("recall_loss", "ranking_loss")
        )
        if risen[largest] / rises >= MOSTLY:
            return "recall" if largest == "recall_loss" else "ranking"
        return "both" if len(risen) == 2 else "recall" if "recall_loss" in risen else "ranking"

    def to_dict(self) -> dict[str, object]:
        """Returns JSON-ready values: NaN becomes null."""
        return {
            "tier": self.tier,
            "k": self.k,
            "months": list(self.months),
            "before": {
                name: one.to_dict() | {"about": "month"} for name, one in self.before.items()
            },
            "after": {name: one.to_dict() | {"about": "month"} for name, one in self.after.items()},
            "changes": {name: one.to_dict() for name, one in self.changes.items()},
            "share": list(self.share),
            "sessions": list(self.sessions),
            "cause": self.cause,
        }


def pool_judgments(rounds: Sequence[Round]) -> Judgments:
    """Returns the grades of all rounds together; of two grades the later month's counts."""
    pooled: dict[str, dict[str, float]] = {}
    for one in rounds:
        for query, grades in one.judgments.to_dict().items():
            pooled.setdefault(query, {}).update(grades)
    scale = next((one.judgments.scale for one in rounds if one.judgments.scale is not None), None)
    return Judgments.from_dict(pooled, scale=scale)


def attribute_change(
    before: Round,
    after: Round,
    pooled: Judgments,
    k: int,
    convention: Convention,
    *,
    tier: str = ALL,
    confidence: float = 0.95,
    alpha: float = 0.05,
) -> Losses:
    """Splits the change of DCG@k into recall, ranking, and what there was to find.

    Args:
        before: The earlier round.
        after: The later round.
        pooled: Grades of all months.
        k: Ranks that count.
        convention: The rules.
        tier: The tier, or `all`.
        confidence: Confidence level of the intervals.
        alpha: The level at which a rise of a loss is more than chance.
    """
    tables = [_losses_by_session(one, other, pooled, k, convention) for one, other in
              ((before, after), (after, before))]  # fmt: skip
    means: list[dict[str, Estimate]] = []
    drawn: list[dict[str, MonthMean]] = []
    shares, counts = [], []
    for one, table in zip((before, after), tables, strict=True):
        found, by_query = {}, {}
        for name in PARTS:
            values = dict(table.select("session", name).iter_rows())
            found[name], by_query[name] = _means(one, values, tier, confidence)
        means.append(found)
        drawn.append(by_query)
        known = set(table["session"])
        share, by_tier = domain_mean(
            one.sample,
            {session: float(session in known) for session in one.sample.sessions["session"]},
        )
        chosen = share if tier == ALL else by_tier.get(tier)
        shares.append(chosen.value if chosen is not None else 0.0)
        counts.append(found["dcg"].sampled)
    return Losses(
        tier,
        k,
        (before.month, after.month),
        means[0],
        means[1],
        {
            name: difference(drawn[0][name], drawn[1][name], confidence=confidence, alpha=alpha)
            for name in PARTS
        },
        (shares[0], shares[1]),
        (counts[0], counts[1]),
        alpha,
    )


def _means(
    one: Round, values: Mapping[str, float], tier: str, confidence: float
) -> tuple[Estimate, MonthMean]:
    """The mean over the month's sessions, and the same by query."""
    whole, by_tier = domain_mean(one.sample, values, confidence=confidence)
    mean, mean_by_tier = month_means(one.sample, values)
    if tier == ALL:
        return whole, mean
    return by_tier.get(tier, unknown(confidence)), mean_by_tier.get(tier, nothing())


def _losses_by_session(
    one: Round, other: Round, pooled: Judgments, k: int, convention: Convention
) -> pl.DataFrame:
    """Returns the losses of sessions of whose query more is known than what they showed."""
    import polars as pl

    comparable = _comparable_sessions(one, other, pooled, k)
    empty = pl.DataFrame(schema={"session": pl.String, **dict.fromkeys(PARTS, pl.Float64)})
    if not comparable:
        return empty
    grades = Judgments.from_dict(
        {session: pooled[query] for session, query in comparable.items()}, scale=pooled.scale
    )
    ties = "doc-desc" if convention.ties == "rank" else convention.ties
    rules = convention.replace(missing="zero", ties=ties, name=convention.name)
    found = funnel(grades, one.sample.to_run(), k, convention=rules, candidates=k)
    return found.per_query.rename({"query": "session", "actual": "dcg"}).select("session", *PARTS)


def _comparable_sessions(one: Round, other: Round, pooled: Judgments, k: int) -> dict[str, str]:
    both = set(one.sample.sessions["query"]) & set(other.sample.sessions["query"])
    graded = pooled.to_dict()
    run = one.sample.to_run()
    comparable = {}
    for session, query in one.sample.sessions.select("session", "query").unique().iter_rows():
        if query not in graded:
            continue
        shown = sorted(run.documents(session) if session in run else [], key=lambda pair: -pair[1])
        top = {document for document, _ in shown[:k]}
        # A query of both months was looked at twice; else something must be judged beyond the list.
        if query in both or graded[query].keys() - top:
            comparable[session] = query
    return comparable
