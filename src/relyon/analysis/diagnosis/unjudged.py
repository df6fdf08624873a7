"""Many documents in the top k are unjudged: the comparison is biased against new results."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, ClassVar

from relyon import _native
from relyon.analysis.comparison.decision import GAP, MANY_UNJUDGED
from relyon.analysis.diagnosis.example import Example
from relyon.analysis.diagnosis.rule import Finding, Rule, Severity, Subject, register
from relyon.data.convention import gain_function
from relyon.data.judgments import Judgments
from relyon.evaluation import Evaluator
from relyon.evaluation.program import Program
from relyon.measures.gain import DCG, divisor

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

__all__ = ["Unjudged"]


#: The rounding error of floating-point sums.
ROUNDING = 1e-9


@dataclass(frozen=True)
class _Pair:
    """An unjudged document, and its contribution to the difference with the highest grade."""

    query: str
    document: str
    baseline_rank: int | None
    candidate_rank: int | None
    influence: float


@register
@dataclass(frozen=True)
class Unjudged(Rule):
    """The top k contains many unjudged documents, which count as not relevant.

    DCG@k is a sum, so each unjudged document can change the difference between the runs by at most
    the highest gain times the difference of its two discounts. The sums in favour of each run bound
    the difference. The documents to judge first are those in favour of the run that is behind,
    largest influence first: only they can flip the sign. If the convention has no single order of
    ties, that of `doc-desc` is used. If the judgments are of passages, chunks without one are
    unjudged by definition, and the severity is low.

    Attributes:
        k: Cutoff.
        most: At least this share of one run's top k is unjudged,
        gap: or the runs' shares differ by at least this.
        shown: Number of pairs to list.
    """

    name: ClassVar[str] = "unjudged"
    of_lists: ClassVar[bool] = True
    k: int = 10
    most: float = MANY_UNJUDGED
    gap: float = GAP
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
        tops = _native.UnjudgedTops(
            subject.judgments.table,
            subject.run(subject.baseline).table,
            subject.run(subject.candidate).table,
            Program.compile(measure, subject.convention, subject.scale, None).plan,
            self.k,
            list(values),
        )
        weight = gain_function(gain)(best) / len(values)
        pairs = _Pairs.of(tops, list(values), weight, self._shares(measure), difference)
        against = math.fsum(pairs.influence[pairs.influence < 0].tolist())
        inside = math.fsum(pairs.influence[pairs.influence > 0].tolist())
        bounds = (difference + against, difference + inside)
        high = self._optimistic(subject, tops, best)
        needed = _enough(pairs.influence, difference)
        open_sign = len(pairs) > 0 and bounds[0] <= slack and bounds[1] >= -slack
        severity: Severity = "high" if open_sign else "medium"
        parts = ("text", "text.open" if open_sign else "text.settled")
        step = "step" if open_sign else "step.settled"
        if (
            subject.judgments.passages is not None
        ):  # a judged passage is looked for in documents, not in chunks
            severity, parts, step = "low", ("text", "text.passages"), "step.passages"
        return Finding(
            self.name,
            severity,
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
            parts=parts,
            steps=(step,),
            examples=tuple(Example.of(pair.query, pair.document) for pair in pairs.first(5)),
            chart_data=tuple(asdict(pair) for pair in pairs.first(self.shown)),
        )

    def _shares(self, measure: DCG) -> NDArray[np.float64]:
        """Returns the share of a gain that counts at each rank, 0 outside the top k."""
        import numpy as np

        divide = divisor(measure.discount or "log2")
        return np.array([0.0, *(1 / divide(rank) for rank in range(1, self.k + 1))])

    def _optimistic(self, subject: Subject, tops: _native.UnjudgedTops, best: float) -> list[float]:
        """Returns NDCG of both runs if every unjudged document of a top k had the best grade."""
        evaluator = Evaluator(
            Judgments(tops.judged_as(best)), convention=subject.convention, scale=subject.scale
        )
        measure = f"ndcg@{self.k}"
        return [
            evaluator.evaluate(subject.run(name), [measure])[measure] for name in _both(subject)
        ]


def _both(subject: Subject) -> tuple[str, str]:
    return subject.baseline, subject.candidate


@dataclass(frozen=True)
class _Pairs:
    """Unjudged documents of either top k that can change the difference.

    Only documents in favour of the run that is behind can flip the sign: they come first, by
    influence, then query, then document.

    Attributes:
        places: Their indices among all unjudged documents.
        influence: Each one's contribution to the difference with the highest grade.
        tops: All unjudged documents.
        queries: The queries searched.
    """

    places: NDArray[np.int64]
    influence: NDArray[np.float64]
    tops: _native.UnjudgedTops
    queries: Sequence[str]

    @classmethod
    def of(
        cls,
        tops: _native.UnjudgedTops,
        queries: Sequence[str],
        weight: float,
        shares: NDArray[np.float64],
        difference: float,
    ) -> _Pairs:
        import numpy as np

        moved = shares[tops.after] - shares[tops.before]
        places = np.flatnonzero(moved)
        influence = weight * moved[places]
        order = np.lexsort((-np.abs(influence), influence * difference > 0))
        return cls(places[order], influence[order], tops, queries)

    def __len__(self) -> int:
        return len(self.places)

    def first(self, count: int) -> Iterator[_Pair]:
        """Yields the first pairs with their names."""
        query, before, after = self.tops.query, self.tops.before, self.tops.after
        for place, influence in zip(
            self.places[:count].tolist(), self.influence[:count].tolist(), strict=True
        ):
            yield _Pair(
                self.queries[query[place]],
                self.tops.document(place),
                int(before[place]) or None,
                int(after[place]) or None,
                influence,
            )


def _enough(influence: NDArray[np.float64], difference: float) -> int:
    """Returns how many pairs to judge until the rest cannot flip the sign of the difference.

    In the order of the list, if each of them turns out not relevant.
    """
    import numpy as np

    if difference == 0:
        return len(influence)
    against = np.abs(influence[influence * difference < 0])
    rest = np.subtract.accumulate(np.append(math.fsum(against.tolist()), against))
    settled = np.flatnonzero(rest < abs(difference) * (1 - ROUNDING))
    return int(settled[0]) if len(settled) else len(against)
