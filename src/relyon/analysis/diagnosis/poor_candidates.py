"""NDCG is high but DCG is low: the order is good, the candidates are poor."""

from __future__ import annotations

import math
from dataclasses import dataclass
from heapq import nsmallest
from typing import TYPE_CHECKING, ClassVar

from relyon.analysis.diagnosis.difference import exceeds
from relyon.analysis.diagnosis.example import Example
from relyon.analysis.diagnosis.rule import Finding, Rule, Subject, register
from relyon.analysis.funnel import Funnel, funnel
from relyon.analysis.funnel.losses import attribute, funnel_measures
from relyon.measures.gain import CG

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

__all__ = ["PoorCandidates"]


#: The gain of a query's best candidate.
BEST = "idcg(ideal=retrieved)@1"


@register
@dataclass(frozen=True)
class PoorCandidates(Rule):
    """The ranker does well with its candidates, but they are poor.

    There are two cases. If some judged documents were not retrieved, DCG@k reaches most of the
    ideal over the candidates, while that ideal falls far short of the one over all judged
    documents: recall loss. If only retrieved documents are judged, recall loss cannot be measured;
    then a high NDCG over a judged top k whose best candidates have low grades shows that nothing
    good was retrieved. Every share is compared with its threshold by a one-sided t-test of the
    queries, and all of them must exceed it.

    Attributes:
        k: Cutoff.
        order: The least share of the ideal over the candidates that DCG reaches.
        reach: That ideal reaches at most this share of the ideal over all judged documents.
        part: The recall loss is at least this share of the whole loss.
        worth: In the second case, a query's best candidate has on average at most this share of
            the gain of the highest grade.
        known: In the second case, at least this share of the top k is judged.
    """

    name: ClassVar[str] = "ndcg-high-dcg-low"
    of_lists: ClassVar[bool] = True
    k: int = 10
    order: float = 0.8
    reach: float = 0.7
    part: float = 0.5
    worth: float = 0.5
    known: float = 0.8

    def measures(self) -> tuple[str, ...]:
        losses = map(str, funnel_measures(self.k, ()))
        return f"ndcg@{self.k}", f"judged@{self.k}", BEST, *losses

    def apply(self, subject: Subject) -> Finding | None:
        import numpy as np

        rules, scale = subject.convention, subject.comparison.scale
        if subject.stages is None:
            results = [subject.results(subject.candidate)]
            found = attribute(subject.judgments, results, self.k, rules, scale, ())
        else:
            found = funnel(
                subject.judgments,
                subject.stages,
                self.k,
                convention=rules,
                scale=scale,
                cutoffs=(),
            )
        ceiling = found.stages[-1].ideal
        if not found.ideal > 0 or not ceiling > 0:
            return None
        order, reach = found.actual / ceiling, ceiling / found.ideal
        evidence: dict[str, object] = {
            "ndcg": f"ndcg@{self.k}",
            "dcg": f"dcg@{self.k}",
            "ndcg_candidate": subject.value(subject.candidate, f"ndcg@{self.k}"),
            "dcg_candidate": found.actual,
            "reachable": ceiling,
            "ideal": found.ideal,
            "order": order,
            "reach": reach,
            "recall_loss": found.recall_loss,
            "ranking_loss": found.ranking_loss,
            "recall_share": found.recall_share,
        }
        ranked = {name: _column(found, name) for name in ("actual", "ranking_loss", "recall_loss")}
        known = found.values_by_query("actual").items()
        clusters = subject.clusters(query for query, one in known if math.isfinite(one))
        held = ranked["actual"] + ranked["ranking_loss"]
        loss = ranked["recall_loss"] + ranked["ranking_loss"]

        def shown(values: NDArray[np.float64]) -> bool:
            scaled = values / max(float(abs(values).max()), 1e-300)
            return exceeds(scaled, 0.0, subject.alpha, clusters)

        if not shown(ranked["actual"] - self.order * held):
            return None
        far = self.reach * (held + ranked["recall_loss"]) - held
        if shown(far) and shown(ranked["recall_loss"] - self.part * loss):
            return self._finding(subject, found, evidence, "text", "step")
        best = subject.value(subject.candidate, BEST)
        judged = subject.value(subject.candidate, f"judged@{self.k}")
        highest = self._highest(subject)
        worth = best / highest if highest > 0 else math.nan
        evidence |= {"worth": worth, "judged": judged}
        if reach < 0.99 or not judged >= self.known:
            return None
        values = subject.results(subject.candidate).column(BEST)
        bests = np.array([value for value in values if not math.isnan(value)])
        if not worth <= self.worth or not shown(self.worth * highest - bests):
            return None
        return self._finding(subject, found, evidence, "text.pool", "step.pool")

    def _highest(self, subject: Subject) -> float:
        """Returns the gain of the highest grade, NaN if nothing is judged."""
        measure = subject.resolved("cg@1")
        if not isinstance(measure, CG) or measure.gain is None:
            return math.nan
        grade = subject.best_grade(measure.gain)
        return math.nan if math.isnan(grade) else measure.score([grade])

    def _finding(
        self, subject: Subject, found: Funnel, evidence: dict[str, object], part: str, step: str
    ) -> Finding:
        loss, sign = ("recall_loss", -1) if part == "text" else ("actual", 1)
        values = found.values_by_query(loss)
        worst = nsmallest(5, values, key=lambda query: (sign * values[query], query))
        chart = [{"stage": stage.name, "loss": stage.loss} for stage in found.stages]
        chart.append({"stage": "ranking", "loss": found.ranking_loss})
        return Finding(
            self.name,
            "high",
            evidence,
            parts=(part,),
            steps=(step,),
            examples=tuple(Example.of(query, said=f" ({values[query]:.4f})") for query in worst),
            chart_data=tuple(chart),
        )


def _column(found: Funnel, name: str) -> NDArray[np.float64]:
    """Returns a column of the losses by query, without queries that have none."""
    import numpy as np

    values = np.array([*found.values_by_query(name).values()], dtype=np.float64)
    kept: NDArray[np.float64] = values[np.isfinite(values)]
    return kept
