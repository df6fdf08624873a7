"""Micro and macro averages disagree, and how much weight the largest queries have."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar

from relyon.analysis.diagnosis.example import Example
from relyon.analysis.diagnosis.rule import Finding, Rule, Subject, register

__all__ = ["Averages"]


@register
@dataclass(frozen=True)
class Averages(Rule):
    """The mean over queries and the ratio of sums point in opposite directions.

    Large queries (many relevant documents, many pairs) have more weight in the ratio of sums.
    Checks Recall and the concordance of pairs, which is PNR as a share.

    Attributes:
        depth: Cutoff of Recall.
        least: The least change of each of the two averages.
        large: The share of queries that counts as largest, by denominator.
    """

    name: ClassVar[str] = "micro-macro"
    depth: int = 100
    least: float = 0.002
    large: float = 0.1

    def measures(self) -> tuple[str, ...]:
        return f"recall@{self.depth}", "concordance"

    def apply(self, subject: Subject) -> Finding | None:
        for measure in self.measures():
            found = self._look(subject, measure)
            if found is not None:
                return found
        return None

    def _look(self, subject: Subject, measure: str) -> Finding | None:
        macro, micro, parts = {}, {}, {}
        for name in (subject.baseline, subject.candidate):
            results = subject.results(name)
            above, below = _parts(subject, name, measure)
            values = [value for value in results.column(measure) if not math.isnan(value)]
            if not values or not math.fsum(below) > 0:
                return None
            macro[name] = math.fsum(values) / len(values)
            micro[name] = math.fsum(above) / math.fsum(below)
            parts[name] = above, below
        by_mean = macro[subject.candidate] - macro[subject.baseline]
        by_sum = micro[subject.candidate] - micro[subject.baseline]
        if by_mean * by_sum >= 0 or min(abs(by_mean), abs(by_sum)) < self.least:
            return None
        ours, theirs = (
            dict(zip(subject.results(name).queries, zip(*parts[name], strict=True), strict=True))
            for name in (subject.baseline, subject.candidate)
        )
        sizes = sorted(
            ((theirs[query][1], query) for query in theirs if query in ours),
            key=lambda one: (-one[0], one[1]),
        )
        count = max(1, math.ceil(self.large * len(sizes)))
        whole = math.fsum(size for size, _ in sizes)
        return Finding(
            self.name,
            "medium",
            {
                "measure": measure,
                "macro_baseline": macro[subject.baseline],
                "macro_candidate": macro[subject.candidate],
                "macro_difference": by_mean,
                "micro_baseline": micro[subject.baseline],
                "micro_candidate": micro[subject.candidate],
                "micro_difference": by_sum,
                "large": count,
                "queries": len(sizes),
                "large_share": math.fsum(size for size, _ in sizes[:count]) / whole,
            },
            examples=tuple(Example.of(query, said=f" ({size:g})") for size, query in sizes[:5]),
            chart_data=tuple(
                {
                    "query": query,
                    "size": size,
                    "difference": _value(theirs[query]) - _value(ours[query]),
                }
                for size, query in sizes[: max(count, 50)]
                if theirs[query][1] > 0 and ours[query][1] > 0
            ),
        )


def _parts(subject: Subject, name: str, measure: str) -> tuple[list[float], list[float]]:
    from numpy import asarray

    above, below = subject.results(name).parts(measure)
    return asarray(above, dtype=float).tolist(), asarray(below, dtype=float).tolist()


def _value(parts: tuple[float, float]) -> float:
    return parts[0] / parts[1]
