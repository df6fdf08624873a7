"""The value depends on the order of ties by more than the runs differ."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar

from relkit.analysis.diagnosis.base import Finding, Rule, Subject, register

__all__ = ["TiesDecide"]


@register
@dataclass(frozen=True)
class TiesDecide(Rule):
    """Equal scores leave the order open, and the order decides more than the system.

    Each run is measured with tied documents in the worst and in the best order.

    Attributes:
        k: Cutoff of NDCG.
        least: The two orders differ by at least so much.
    """

    name: ClassVar[str] = "ties"
    k: int = 10
    least: float = 0.001

    def measures(self) -> tuple[str, ...]:
        return (f"ndcg@{self.k}",)

    def apply(self, subject: Subject) -> Finding | None:
        if subject.convention.ties == "rank":
            return None
        name = f"ndcg@{self.k}"
        difference = subject.difference(name).difference
        rows, examples, spreads = [], [], {}
        for run in dict.fromkeys((subject.baseline, subject.candidate)):
            worst, best = (
                subject.evaluator_under(subject.convention.replace(ties=ties)).evaluate(
                    subject.run(run), [name], name=run
                )
                for ties in ("worst", "best")
            )
            low, high = worst.values_by_query(name), best.values_by_query(name)
            spreads[run] = best[name] - worst[name]
            rows.append({"run": run, "worst": worst[name], "best": best[name],
                         "value": subject.value(run, name)})  # fmt: skip
            examples += [
                (high[query] - low[query], run, query)
                for query in low
                if not math.isnan(low[query]) and high[query] > low[query]
            ]
        widest = max(spreads, key=lambda run: spreads[run])
        spread = spreads[widest]
        if not spread >= self.least or not spread > abs(difference):
            return None
        tied = next(row for row in rows if row["run"] == widest)
        examples.sort(key=lambda one: (-one[0], one[1], one[2]))
        return Finding(
            self.name,
            "high",
            {
                "measure": name,
                "difference": difference,
                "run": widest,
                "worst": tied["worst"],
                "best": tied["best"],
                "spread": spread,
                "queries": sum(run == widest for _, run, _ in examples),
                "ties": subject.convention.ties,
                "spread_baseline": spreads[subject.baseline],
                "spread_candidate": spreads[subject.candidate],
            },
            examples=tuple(
                f"{query} ({change:.4f})" for change, run, query in examples if run == widest
            )[:5],
            chart_data=tuple(rows),
        )
