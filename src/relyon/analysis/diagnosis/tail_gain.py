"""AUC rose but DCG dropped: the list improved at ranks that users do not see."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, TypedDict

from relyon.analysis.diagnosis.difference import effective_units, paired_p
from relyon.analysis.diagnosis.example import Example
from relyon.analysis.diagnosis.rule import Finding, Rule, Subject, register

__all__ = ["TailGain"]


class _Band(TypedDict):
    """The contribution of a band of ranks to a difference."""

    ranks: str
    first: int
    last: int | None
    dcg: float
    cg: float


@register
@dataclass(frozen=True)
class TailGain(Rule):
    """AUC is up but DCG is down: the tail improved, the head got worse.

    AUC counts an inversion at rank 900 the same as one at rank 1. The difference of DCG, and of the
    undiscounted gain, by bands of ranks shows where documents moved. Both changes are tested.

    Attributes:
        k: Cutoff of DCG.
        rise: The least rise of AUC, significant by the jackknife over queries.
        fall: DCG drops by at least this share of the baseline's, significantly at the
            comparison's level.
        bands: Last ranks of the bands.
    """

    name: ClassVar[str] = "auc-up-dcg-down"
    k: int = 10
    rise: float = 0.005
    fall: float = 0.01
    bands: tuple[int, ...] = (3, 10, 30, 100)

    def measures(self) -> tuple[str, ...]:
        return (f"dcg@{self.k}",)

    def apply(self, subject: Subject) -> Finding | None:
        from relyon.analysis.comparison.pairing import Sample, pair
        from relyon.analysis.statistics import is_significant

        dcg = subject.difference(f"dcg@{self.k}")
        if not dcg.baseline > 0 or -dcg.difference < self.fall * dcg.baseline:
            return None
        if not subject.significant(dcg):
            return None
        # A pooled AUC sorts all rows: it is computed only if DCG dropped, like the bands.
        cutoffs = [f"{name}@{band}" for name in ("dcg", "cg") for band in self.bands]
        measured = tuple(
            subject.comparison.measured(name, ["auc", "dcg", "cg", *cutoffs])
            for name in (subject.baseline, subject.candidate)
        )
        auc = tuple(one["auc"] for one in measured)
        if not auc[1] - auc[0] >= self.rise:
            return None
        paired = pair("auc", Sample.of(measured[0], "auc"), Sample.of(measured[1], "auc"))
        clusters = subject.clusters(paired.queries)
        auc_p = paired_p(paired.differences, clusters)
        if not paired.difference > 0:
            return None
        units = len(paired.queries) if clusters is None else effective_units(clusters)
        if not is_significant(units, auc_p, subject.alpha):
            return None
        rows = self._bands(subject)
        head = [row for row in rows if row["first"] <= self.k]
        tail = [row for row in rows if row["first"] > self.k] or head
        worst = min(head, key=lambda row: row["dcg"])
        best = max(tail, key=lambda row: row["cg"])
        losses = sorted(
            (after - before, query)
            for query, (before, after) in subject.pairs(f"dcg@{self.k}").items()
        )
        return Finding(
            self.name,
            "high",
            {
                "dcg": f"dcg@{self.k}",
                "auc_baseline": auc[0],
                "auc_candidate": auc[1],
                "auc_difference": auc[1] - auc[0],
                "auc_p": auc_p,
                "dcg_baseline": dcg.baseline,
                "dcg_candidate": dcg.candidate,
                "dcg_difference": dcg.difference,
                "dcg_p": dcg.p,
                "worst_ranks": worst["ranks"],
                "worst_difference": worst["dcg"],
                "best_ranks": best["ranks"],
                "best_difference": best["cg"],
            },
            examples=tuple(
                Example.of(query, said=f" ({change:+.4f})")
                for change, query in losses[:5]
                if change < 0
            ),
            chart_data=tuple(rows),
        )

    def _bands(self, subject: Subject) -> list[_Band]:
        """Returns the contribution of each rank band, discounted (dcg) and not (cg)."""
        rows: list[_Band] = []
        before = {"dcg": 0.0, "cg": 0.0}
        start = 1
        for band in (*self.bands, None):
            now = {
                name: subject.difference(f"{name}@{band}" if band else name).difference
                for name in before
            }
            rows.append(
                {
                    "ranks": f"{start}-{band}" if band else f"{start}-",
                    "first": start,
                    "last": band,
                    "dcg": now["dcg"] - before["dcg"],
                    "cg": now["cg"] - before["cg"],
                }
            )
            before = now
            start = (band or 0) + 1
        return rows
