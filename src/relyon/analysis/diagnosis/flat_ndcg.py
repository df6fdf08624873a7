"""Recall rose and NDCG did not: where did the newly found documents land?"""

from __future__ import annotations

from dataclasses import dataclass
from statistics import median
from typing import ClassVar

from relyon.analysis.diagnosis.difference import Difference
from relyon.analysis.diagnosis.example import Example
from relyon.analysis.diagnosis.rule import Finding, Rule, Subject, register

__all__ = ["FlatNDCG"]

#: Upper ends of the rank bands for counting newly found documents.
BANDS = (3, 10, 20, 50, 100, 200, 500, 1000)


@register
@dataclass(frozen=True)
class FlatNDCG(Rule):
    """Recall is up but NDCG is flat: the ranker does not promote what retrieval found.

    Counts the relevant documents among the candidate's first `depth` but not the baseline's, by the
    candidate's rank. NDCG fell if its difference is significant; it is flat if two one-sided tests
    exclude a change of `flat`; otherwise the finding is that the queries are too few.

    Attributes:
        k: Cutoff of NDCG.
        depth: Cutoff of Recall.
        rise: The least significant rise of Recall.
        flat: The margin: a change of NDCG below this, up or down, does not count.

    References:
        Schuirmann (1987), Journal of Pharmacokinetics and Biopharmaceutics 15(6): two one-sided
        tests of equivalence.
    """

    name: ClassVar[str] = "recall-up-ndcg-flat"
    of_lists: ClassVar[bool] = True
    k: int = 10
    depth: int = 100
    rise: float = 0.01
    flat: float = 0.01

    def measures(self) -> tuple[str, ...]:
        return f"recall@{self.depth}", f"ndcg@{self.k}"

    def apply(self, subject: Subject) -> Finding | None:
        recall, ndcg = (subject.difference(name) for name in self.measures())
        if recall.difference < self.rise or not subject.significant(recall):
            return None
        fell = ndcg.difference < 0 and subject.significant(ndcg)
        flat = not fell and ndcg.within(self.flat)
        if ndcg.difference >= self.flat or (not flat and self._rose(subject, ndcg)):
            return None
        new, lost = self._moved(subject)
        if not new:
            return None
        ranks = sorted(rank for rank, _, _ in new)
        below = sum(rank > self.k for rank in ranks)
        outcome = "fell" if fell else "flat" if flat else "open"
        return Finding(
            self.name,
            "low" if outcome == "open" else "high",
            {
                "recall": f"recall@{self.depth}",
                "ndcg": f"ndcg@{self.k}",
                "recall_baseline": recall.baseline,
                "recall_candidate": recall.candidate,
                "recall_difference": recall.difference,
                "recall_p": recall.p,
                "ndcg_baseline": ndcg.baseline,
                "ndcg_candidate": ndcg.candidate,
                "ndcg_difference": ndcg.difference,
                "ndcg_p": ndcg.p,
                "ndcg_interval": ndcg.interval,
                "margin": self.flat,
                "confidence": 1 - 2 * subject.alpha,
                "outcome": outcome,
                "new": len(new),
                "lost": lost,
                "below": below,
                "below_share": below / len(new),
                "median_rank": int(median(ranks)),
                "k": self.k,
            },
            examples=tuple(
                Example.of(query, document, f" #{rank}")
                for rank, query, document in sorted(new, reverse=True)[:5]
            ),
            chart_data=tuple(self._histogram(ranks)),
            parts=("text", f"text.{outcome}", "text.found"),
            steps=("step.open",) if outcome == "open" else ("step",),
            heading="title.open" if outcome == "open" else "title",
        )

    def _rose(self, subject: Subject, ndcg: Difference) -> bool:
        return ndcg.difference > 0 and subject.significant(ndcg)

    def _moved(self, subject: Subject) -> tuple[list[tuple[int, str, str]], int]:
        """Returns new relevant documents as (rank, query, document), and the number lost."""
        table = subject.judgments.table
        rel = subject.threshold
        new, lost = [], 0
        for query, (before, after) in subject.pairs(f"recall@{self.depth}").items():
            if before == after == 0.0:
                continue
            relevant = {name for name, grade in table.grades(query).items() if grade >= rel}
            ours = relevant.intersection(subject.top(subject.baseline, query, self.depth))
            theirs = subject.top(subject.candidate, query, self.depth)
            found = [(rank, name) for rank, name in enumerate(theirs, 1) if name in relevant]
            new += [(rank, query, name) for rank, name in found if name not in ours]
            lost += len(ours.difference(name for _, name in found))
        return new, lost

    def _histogram(self, ranks: list[int]) -> list[dict[str, object]]:
        rows: list[dict[str, object]] = []
        start = 1
        for end in (*(band for band in BANDS if band < self.depth), self.depth):
            inside = sum(start <= rank <= end for rank in ranks)
            rows.append({"ranks": f"{start}-{end}", "first": start, "last": end, "new": inside})
            start = end + 1
        return rows
