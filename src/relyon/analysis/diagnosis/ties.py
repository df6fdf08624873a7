"""The order of ties changes the value more than the runs differ."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

from relyon.analysis.diagnosis.difference import exceeds
from relyon.analysis.diagnosis.example import Example
from relyon.analysis.diagnosis.rule import Finding, Rule, Subject, register
from relyon.core.rules import tie_rule

__all__ = ["TiesDecide"]


@register
@dataclass(frozen=True)
class TiesDecide(Rule):
    """Equal scores leave the order open, and the order matters more than the system.

    Each run is evaluated with tied documents in the worst and in the best order. That the order
    matters more is a fact of these queries; one-sided t-tests show whether it is so for the queries
    behind them: the spread exceeds the difference, and the difference with its sign reversed.

    Attributes:
        k: Cutoff of NDCG.
        least: The least difference between the two orders.
    """

    name: ClassVar[str] = "ties"
    of_lists: ClassVar[bool] = True
    k: int = 10
    least: float = 0.001

    def measures(self) -> tuple[str, ...]:
        return (f"ndcg@{self.k}",)

    def _decides(self, spread: float, difference: float) -> bool:
        return spread >= self.least and spread > abs(difference)

    def _spread(self, subject: Subject) -> float:
        """Returns how much ties can move a run's number, from its evaluation."""
        spans = [
            subject.results(run).entries[f"ndcg@{self.k}"].span
            for run in (subject.baseline, subject.candidate)
        ]
        return max((span[1] - span[0] for span in spans if span is not None), default=0.0)

    def apply(self, subject: Subject) -> Finding | None:
        key = tie_rule(subject.convention.ties).key
        if key == "rank":
            return None
        name = f"ndcg@{self.k}"
        difference = subject.difference(name).difference
        if key != "grade" and not self._decides(self._spread(subject), difference):
            return None
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
        if not self._decides(spread, difference):
            return None
        tied = next(row for row in rows if row["run"] == widest)
        examples.sort(key=lambda one: (-one[0], one[1], one[2]))
        tested = self._tested(subject, {query: change for change, run, query in examples
                                        if run == widest})  # fmt: skip
        return Finding(
            self.name,
            "high" if tested else "medium",
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
                "paired": len(subject.pairs(name)),
                "tested": tested,
            },
            parts=("text", "text.tested" if tested else "text.open"),
            examples=tuple(
                Example.of(query, said=f" ({change:.4f})")
                for change, run, query in examples
                if run == widest
            )[:5],
            chart_data=tuple(rows),
        )

    def _tested(self, subject: Subject, spreads: Mapping[str, float]) -> bool:
        """Returns whether the spread exceeds the difference by one-sided tests over queries."""
        import numpy as np

        pairs = subject.pairs(f"ndcg@{self.k}")
        moved = np.array([after - before for before, after in pairs.values()])
        spread = np.array([spreads.get(query, 0.0) for query in pairs])
        clusters = subject.clusters(pairs)
        return all(
            exceeds((spread + sign * moved) / 2, 0.0, subject.alpha, clusters) for sign in (-1, 1)
        )
