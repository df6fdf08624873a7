"""The candidate's scores seem to have the wrong sign."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from relyon.analysis.diagnosis.difference import exceeds
from relyon.analysis.diagnosis.example import Example
from relyon.analysis.diagnosis.rule import Finding, Rule, Subject, register
from relyon.analysis.diagnosis.worse import fell

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["ReversedScores"]

#: Fewer common documents than this have no order to compare.
FEWEST = 3


@register
@dataclass(frozen=True)
class ReversedScores(Rule):
    """NDCG fell, and the candidate's order is opposite to the baseline's or to the grades.

    For each query, Spearman's correlation of the ranks of the documents that both runs return; and
    Goodman and Kruskal's γ, the share of right minus that of wrong pairs of different grades. The
    rule fires if either is negative on most queries and its mean is below `far` by a one-sided
    t-test. Two unrelated orders have a mean of 0, and so does a random run.

    Attributes:
        k: Cutoff of NDCG.
        fall: NDCG drops by at least this, significantly.
        far: The mean correlation is significantly below this.
        most: It is negative on at least this share of the queries.
    """

    name: ClassVar[str] = "scores-reversed"
    of_lists: ClassVar[bool] = True
    k: int = 10
    fall: float = 0.005
    far: float = -0.25
    most: float = 0.75

    def measures(self) -> tuple[str, ...]:
        return (f"ndcg@{self.k}",)

    def apply(self, subject: Subject) -> Finding | None:
        # Whole runs are read only if the candidate is worse.
        ndcg = f"ndcg@{self.k}"
        if not fell(subject, ndcg, self.fall):
            return None
        for against, orders in (("baseline", _ranks), ("grades", _grades)):
            found = orders(subject)
            if not self._reversed(found, subject):
                continue
            lowest = sorted(found, key=lambda query: (found[query], query))[:5]
            change = subject.difference(ndcg)
            return Finding(
                self.name,
                "high",
                {
                    "ndcg": ndcg,
                    "ndcg_baseline": change.baseline,
                    "ndcg_candidate": change.candidate,
                    "against": against,
                    "correlation": math.fsum(found.values()) / len(found),
                    "queries": len(found),
                    "negative": sum(one < 0 for one in found.values()),
                },
                parts=(f"text.{against}",),
                examples=tuple(
                    Example.of(query, said=f" ({found[query]:+.2f})") for query in lowest
                ),
                chart_data=tuple(
                    {"query": query, "correlation": found[query]} for query in sorted(found)
                ),
            )
        return None

    def _reversed(self, found: Mapping[str, float], subject: Subject) -> bool:
        import numpy as np

        values = np.array([*found.values()], dtype=np.float64)
        if not len(values) or (values < 0).sum() < self.most * len(values):
            return False
        return exceeds(-values, -self.far, subject.alpha, subject.clusters(found))


def _ranks(subject: Subject) -> dict[str, float]:
    """Returns Spearman's correlation of both runs' scores, for each query, of common documents."""
    import numpy as np

    from relyon.analysis.statistics.correlation import correlate

    ours, theirs = (subject.run(name).table for name in (subject.baseline, subject.candidate))
    found = {}
    for query in subject.judgments.queries:
        if query not in ours or query not in theirs:
            continue
        scores = dict(zip(*theirs.documents(query)[:2], strict=True))
        common = [
            (score, scores[document])
            for document, score in zip(*ours.documents(query)[:2], strict=True)
            if document in scores
        ]
        if len(common) < FEWEST:
            continue
        one = correlate("spearman", *np.array(common).T)
        if not math.isnan(one):
            found[query] = one
    return found


def _grades(subject: Subject) -> dict[str, float]:
    """Returns Goodman and Kruskal's γ of the candidate, for each query with different grades."""
    pairs = subject.pairs("concordance(label_ties=ignore)")
    return {query: 2 * after - 1 for query, (_, after) in pairs.items()}
