"""Recall@K behaves like Hit@K: most queries have one relevant document."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar

from relyon.analysis.diagnosis.rule import Finding, Rule, Subject, register

__all__ = ["SingleRelevant"]


@register
@dataclass(frozen=True)
class SingleRelevant(Rule):
    """With one relevant document per query, Recall@K is 0 or 1, like Hit@K.

    Attributes:
        k: Cutoff at which Recall and Success are compared.
        most: At least this share of the queries with a relevant document has exactly one.
    """

    name: ClassVar[str] = "recall-like-hit"
    about_data: ClassVar[bool] = True
    k: int = 10
    most: float = 0.5

    def measures(self) -> tuple[str, ...]:
        return "num_rel", f"recall@{self.k}", f"success@{self.k}"

    def apply(self, subject: Subject) -> Finding | None:
        results = subject.results(subject.baseline)
        relevant = [count for count in results.column("num_rel") if count > 0]
        single = sum(count == 1 for count in relevant)
        if not relevant or single < self.most * len(relevant):
            return None
        recall, success = f"recall@{self.k}", f"success@{self.k}"
        hits = results.values_by_query(success)
        same = [
            value == hits[query]
            for query, value in results.values_by_query(recall).items()
            if not math.isnan(value)
        ]
        counts = {min(int(count), 10) for count in relevant}
        return Finding(
            self.name,
            "low",
            {
                "recall": recall,
                "success": success,
                "queries": len(relevant),
                "single": single,
                "single_share": single / len(relevant),
                "mean_relevant": sum(relevant) / len(relevant),
                "recall_baseline": results[recall],
                "success_baseline": results[success],
                "same_share": sum(same) / len(same),
                "k": self.k,
            },
            chart_data=tuple(
                {
                    "relevant": count if count < 10 else "10+",
                    "queries": sum(min(int(one), 10) == count for one in relevant),
                }
                for count in sorted(counts)
            ),
        )
