"""The candidate is worse, and whether retrieval or ranking loses it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from relyon.analysis.diagnosis.difference import mean_interval
from relyon.analysis.diagnosis.example import Example
from relyon.analysis.diagnosis.rule import Finding, Rule, Subject, register

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["Worse", "fell"]


def fell(subject: Subject, measure: str, least: float) -> bool:
    """Returns whether a measure dropped significantly, by at least `least`."""
    found = subject.difference(measure)
    return -found.difference >= least and subject.significant(found)


@register
@dataclass(frozen=True)
class Worse(Rule):
    """NDCG is significantly lower than the baseline's, and not within the comparison's margin.

    Of systems with repeated runs, the means over them must be significantly lower, too.

    The loss is in the ranking if Recall over the whole lists is the same on every query, or
    equivalent within a margin; it is in retrieval, too, if Recall fell significantly. Otherwise
    the queries cannot tell.

    Attributes:
        k: Cutoff of NDCG.
        fall: NDCG drops by at least this, significantly.
        flat: Margin within which Recall is unchanged.
    """

    name: ClassVar[str] = "worse"
    k: int = 10
    fall: float = 0.005
    flat: float = 0.01

    def measures(self) -> tuple[str, ...]:
        return f"ndcg@{self.k}", f"p@{self.k}", "recall@all"

    def apply(self, subject: Subject) -> Finding | None:
        import numpy as np

        ndcg, precision, recall = self.measures()
        if not fell(subject, ndcg, self.fall) or subject.within_margin(ndcg):
            return None
        if subject.first_runs_alone(ndcg):
            return None
        pairs = subject.pairs(ndcg)
        change = {query: after - before for query, (before, after) in pairs.items()}
        order, found = subject.difference(ndcg), subject.difference(recall)
        first = subject.difference(precision)
        cause = self._cause(subject, recall)
        worst = sorted(change, key=lambda query: (change[query], query))[:5]
        return Finding(
            self.name,
            "high",
            {
                "ndcg": ndcg,
                "ndcg_baseline": order.baseline,
                "ndcg_candidate": order.candidate,
                "ndcg_difference": order.difference,
                "ndcg_p": order.p,
                "ndcg_interval": mean_interval(
                    np.array([*change.values()]), subject.alpha / 2, subject.clusters(change)
                ),
                "confidence": 1 - subject.alpha,
                "queries": len(change),
                "wins": sum(one > 0 for one in change.values()),
                "losses": sum(one < 0 for one in change.values()),
                "precision": precision,
                "precision_baseline": first.baseline,
                "precision_candidate": first.candidate,
                "recall_baseline": found.baseline,
                "recall_candidate": found.candidate,
                "recall_difference": found.difference,
                "recall_p": found.p,
                "cause": cause,
            },
            parts=("text", f"text.{cause}"),
            steps=(f"step.{cause}", "step.slices"),
            examples=tuple(
                Example.of(query, said=f" ({change[query]:+.4f})")
                for query in worst
                if change[query] < 0
            ),
            chart_data=tuple(_row(query, pairs) for query in sorted(change)),
        )

    def _cause(self, subject: Subject, recall: str) -> str:
        """Returns `ranking`, `recall`, or `open` if the queries cannot tell."""
        found = subject.difference(recall)
        if found.difference < 0 and subject.significant(found):
            return "recall"
        same = all(before == after for before, after in subject.pairs(recall).values())
        return "ranking" if same or found.within(self.flat) else "open"


def _row(query: str, pairs: Mapping[str, tuple[float, float]]) -> dict[str, object]:
    before, after = pairs[query]
    return {"query": query, "baseline": before, "candidate": after}
