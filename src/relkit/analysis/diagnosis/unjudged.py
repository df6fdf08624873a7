"""Many documents in the top k are unjudged: the comparison leans against what is new."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import ClassVar

from relkit.analysis.diagnosis.base import Finding, Rule, Subject, register
from relkit.data.convention import gain_function
from relkit.data.judgments import Judgments
from relkit.evaluation import Evaluator
from relkit.measures.gain import DCG, divisor

__all__ = ["Unjudged"]


#: What sums of floating-point numbers may be off by.
ROUNDING = 1e-9


@dataclass(frozen=True)
class _Pair:
    """An unjudged document, and what it adds to the difference if it has the highest grade."""

    query: str
    document: str
    baseline_rank: int | None
    candidate_rank: int | None
    influence: float


@register
@dataclass(frozen=True)
class Unjudged(Rule):
    """The top k holds many documents that nobody judged; they count as worth nothing.

    DCG@k is a sum, so each unjudged document can change the difference between the runs by its
    gain times the difference of its two discounts, and by no more than that for the highest grade.
    The sums of what is in favour of each run bound the difference. The documents to judge first are
    those that speak for the run that is behind, the largest influence first: only they can turn
    the sign. Where the convention names no single order of ties, that of `doc-desc` stands for it.

    Attributes:
        k: Cutoff.
        most: At least this share of one run's top k is unjudged,
        gap: or the runs' shares differ by at least this.
        shown: So many pairs are listed.
    """

    name: ClassVar[str] = "unjudged"
    k: int = 10
    most: float = 0.2
    gap: float = 0.1
    shown: int = 1000

    def measures(self) -> tuple[str, ...]:
        return f"judged@{self.k}", f"dcg@{self.k}", f"ndcg@{self.k}"

    def apply(self, subject: Subject) -> Finding | None:
        judged = [subject.value(name, f"judged@{self.k}") for name in _both(subject)]
        shares = [0.0 if math.isnan(share) else 1.0 - share for share in judged]
        if not max(shares) >= self.most and not abs(shares[1] - shares[0]) >= self.gap:
            return None
        measure, ndcg = subject.resolved(f"dcg@{self.k}"), f"ndcg@{self.k}"
        if subject.convention.unjudged == "removed" or not isinstance(measure, DCG):
            return None
        gain = measure.gain or "linear"
        best = subject.best_grade(gain)
        values = subject.pairs(f"dcg@{self.k}")
        if math.isnan(best) or not values:
            return None
        difference = math.fsum(after - before for before, after in values.values()) / len(values)
        slack = ROUNDING * max(1.0, *map(max, values.values()))
        if abs(difference) <= slack:
            difference = 0.0
        lists = {query: self._unjudged(subject, query) for query in values}
        weight = gain_function(gain)(best) / len(values)
        # Only what is in favour of the run that is behind can turn the sign: it comes first.
        pairs = sorted(
            _pairs(lists, weight, divisor(measure.discount or "log2")),
            key=lambda pair: (
                pair.influence * difference > 0,
                -abs(pair.influence),
                pair.query,
                pair.document,
            ),
        )
        against = math.fsum(pair.influence for pair in pairs if pair.influence < 0)
        inside = math.fsum(pair.influence for pair in pairs if pair.influence > 0)
        bounds = (difference + against, difference + inside)
        high = self._optimistic(subject, lists, best)
        needed = _enough(pairs, difference)
        open_sign = bool(pairs) and bounds[0] <= slack and bounds[1] >= -slack
        return Finding(
            self.name,
            "high" if open_sign else "medium",
            {
                "k": self.k,
                "dcg": f"dcg@{self.k}",
                "ndcg": ndcg,
                "share_baseline": shares[0],
                "share_candidate": shares[1],
                "difference": difference,
                "lowest": bounds[0],
                "highest": bounds[1],
                "ndcg_baseline_none": subject.value(subject.baseline, ndcg),
                "ndcg_candidate_none": subject.value(subject.candidate, ndcg),
                "ndcg_baseline_high": high[0],
                "ndcg_candidate_high": high[1],
                "pairs": len(pairs),
                "needed": needed,
            },
            parts=("text", "text.open" if open_sign else "text.settled"),
            steps=("step",) if open_sign else ("step.settled",),
            examples=tuple(f"{pair.query}: {pair.document}" for pair in pairs[:5]),
            chart_data=tuple(
                {
                    "query": pair.query,
                    "document": pair.document,
                    "baseline_rank": pair.baseline_rank,
                    "candidate_rank": pair.candidate_rank,
                    "influence": pair.influence,
                }
                for pair in pairs[: self.shown]
            ),
        )

    def _unjudged(self, subject: Subject, query: str) -> list[dict[str, int]]:
        """Returns the unjudged documents of both top k with their ranks."""
        counts = subject.convention.negative != "unjudged"
        grades = subject.judgments.table.grades(query).items()
        judged = {document for document, grade in grades if grade >= 0 or counts}
        return [
            {
                document: rank
                for rank, document in enumerate(subject.top(name, query, self.k), 1)
                if document not in judged
            }
            for name in _both(subject)
        ]

    def _optimistic(
        self, subject: Subject, lists: Mapping[str, list[dict[str, int]]], best: float
    ) -> list[float]:
        """Returns NDCG of both runs if every unjudged document of a top k had the best grade."""
        grades = {query: subject.judgments[query] for query in subject.judgments.queries}
        for query, sides in lists.items():
            grades[query] = grades[query] | dict.fromkeys(sides[0] | sides[1], best)
        evaluator = Evaluator(
            Judgments.from_dict(grades), convention=subject.convention, scale=subject.scale
        )
        measure = f"ndcg@{self.k}"
        return [
            evaluator.evaluate(subject.run(name), [measure])[measure] for name in _both(subject)
        ]


def _both(subject: Subject) -> tuple[str, str]:
    return subject.baseline, subject.candidate


def _pairs(
    lists: Mapping[str, list[dict[str, int]]], weight: float, divide: Callable[[int], float]
) -> Iterator[_Pair]:
    """Yields the unjudged documents of either top k that can change the difference."""
    for query, (ours, theirs) in lists.items():
        for document in sorted(ours.keys() | theirs.keys()):
            before, after = ours.get(document), theirs.get(document)
            moved = (1 / divide(after) if after else 0.0) - (1 / divide(before) if before else 0.0)
            if moved:
                yield _Pair(query, document, before, after, weight * moved)


def _enough(pairs: list[_Pair], difference: float) -> int:
    """Returns how many pairs to judge until the rest cannot turn the sign of the difference.

    In the order of the list, and should each of them turn out as worth nothing.
    """
    if difference == 0:
        return len(pairs)
    against = [abs(pair.influence) for pair in pairs if pair.influence * difference < 0]
    rest = math.fsum(against)
    judged = 0
    while rest >= abs(difference) * (1 - ROUNDING) and judged < len(against):
        rest -= against[judged]
        judged += 1
    return judged
