"""Measures of the order itself: Compat, similarity to an ideal order; Accuracy, correct pairs."""

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar, Literal

from relyon.core.errors import ParameterError
from relyon.core.texts import message
from relyon.measures.definition import Kernel, Measure, Step
from relyon.measures.formulas import equation, format_number
from relyon.measures.lookup import register
from relyon.measures.relevance import BinaryMeasure

if TYPE_CHECKING:
    from relyon.data.ranking import Ranking

__all__ = ["Accuracy", "Compatibility"]

Unretrieved = Literal["last", "zero"]


@register
@dataclass(frozen=True)
class Compatibility(Measure):
    """Compatibility: how similar a ranking is to the ideal one.

    The rank-biased overlap of the list with the ideal list, which contains every document with a
    grade above 0, better grades first and equal grades in the run's order: sum over ranks i of
    p^(i-1) (documents among the first i of both lists) / i, down to the end of the longer
    list, divided by the same sum for the ideal list itself. Undefined if no judged document has
    a grade above 0.

    Attributes:
        p: Persistence: how much lower ranks count, above 0 and at most 1.
        normalize: Whether to divide by the ideal list's own sum; otherwise by the sum of p^(i-1),
            so that short ideal lists never reach 1.
        unretrieved: Where the ideal list puts documents that the run lacks, among those of the same
            grade: `last`, or as if their score were `zero`, like the authors' program and
            ir_measures. They differ if scores are negative.

    Examples:
        >>> import relyon
        >>> relyon.measure("compat(p=0.5)").score([2, 1])
        1.0
        >>> round(relyon.measure("compat(p=0.5)").score([1, 2]), 4)
        0.3333

    References:
        Clarke, Vtyurina and Smucker (2021), ACM TOIS 39(3).
    """

    name = "compat"
    aliases = ("compatibility",)
    formula = "overlap with the ideal list, ranks weighted by p^(rank - 1)"
    headings: ClassVar[tuple[str, str]] = ("in both from", "weight")
    p: float = 0.95
    normalize: bool = True
    unretrieved: Unretrieved = "last"

    def __post_init__(self) -> None:
        super().__post_init__()
        if not 0 < self.p <= 1:
            raise ParameterError(
                message(
                    "measures.parameter-p-of-compat",
                    p=self.p,
                )
            )

    def ideal(self, ranking: "Ranking") -> list[str]:
        """Returns the documents of the ideal list in order."""
        below = {entry.document for entry in ranking if entry.score < 0}
        places = {
            entry.document: (
                2 * (self.unretrieved == "zero" and entry.document in below),
                entry.rank,
            )
            for entry in ranking
        }
        relevant = [document for document, grade in ranking.judged.items() if grade > 0]
        return sorted(
            relevant,
            key=lambda document: (
                -ranking.judged[document],
                places.get(document, (1, 0)),
                document,
            ),
        )

    def undefined(self, ranking: "Ranking") -> str | None:
        if any(grade > 0 for grade in ranking.judged.values()):
            return None
        return "no judged document has a grade above 0"

    def _weights(self, ranking: "Ranking") -> tuple[list[float], float]:
        """A document's contribution by the rank from which it is in both lists, and the divisor."""
        ideal = self.ideal(ranking)
        depth = max(len(ranking), len(ideal))
        powers = [self.p**rank for rank in range(depth)]
        tail = [0.0] * (depth + 2)
        for rank in range(depth, 0, -1):
            tail[rank] = tail[rank + 1] + powers[rank - 1] / rank
        if not self.normalize:
            return tail, math.fsum(powers)
        return tail, math.fsum(
            power * min(rank, len(ideal)) / rank for rank, power in enumerate(powers, 1)
        )

    def steps(self, ranking: "Ranking") -> Iterator[Step]:
        ideal = {document: rank for rank, document in enumerate(self.ideal(ranking), 1)}
        tail, whole = self._weights(ranking)
        total = 0.0
        for entry in ranking:
            both = max(ideal[entry.document], entry.rank) if entry.document in ideal else 0
            weight = tail[both] / whole if both else 0.0
            total += weight
            yield Step(entry.rank, entry.document, entry.grade, float(both), weight, weight, total)

    def ideal_steps(self, ranking: "Ranking") -> Iterator[Step]:
        tail, whole = self._weights(ranking)
        total = 0.0
        for rank, document in enumerate(self.ideal(ranking), 1):
            weight = tail[rank] / whole
            total += weight
            grade = ranking.judged[document]
            yield Step(rank, document, grade, float(rank), weight, weight, total)

    def missing_relevant(self, ranking: "Ranking") -> list[str]:
        found = {entry.document for entry in ranking}
        return [document for document in self.ideal(ranking) if document not in found]

    def kernel(self) -> Kernel | None:
        given = {"p": self.p, "normalize": self.normalize, "unretrieved": self.unretrieved}
        return "compat", given


@register
@dataclass(frozen=True)
class Accuracy(BinaryMeasure):
    """Accuracy of pairs.

    The share of pairs of a relevant and a non-relevant document, both among the first `k`, in which
    the relevant one comes first; unjudged documents are not relevant. Documents that were not
    retrieved do not count. Undefined if the first `k` contain no such pair.

    Attributes:
        k: Ranks counted; `None` counts the whole list.
        rel: Lowest relevant grade; `None` takes the convention's or the scale's.

    Examples:
        >>> import relyon
        >>> relyon.measure("accuracy").score([0, 1, None, 1, 0])
        0.5

    References:
        ir_measures' `Accuracy`; without ties it is the area under the ROC curve of a query.
    """

    name = "accuracy"
    formula = "pairs with the relevant document first / pairs, ranks 1..k"
    headings: ClassVar[tuple[str, str]] = ("wrong pairs", "pairs")
    k: int | None = None
    rel: float | None = None

    def _pairs(self, ranking: "Ranking") -> int:
        counted, hits = len(ranking.top(self.k)), self.hits(ranking, self.k)
        return hits * (counted - hits)

    def undefined(self, ranking: "Ranking") -> str | None:
        if self._pairs(ranking):
            return None
        return "the counted ranks contain no relevant document, or only relevant ones"

    def steps(self, ranking: "Ranking") -> Iterator[Step]:
        pairs = self._pairs(ranking)
        others = len(ranking.top(self.k)) - self.hits(ranking, self.k)
        seen, total = 0, 0.0
        for entry in ranking.top(self.k):
            hit = self.hit(entry)
            added = (others - seen) / pairs if hit else 0.0
            total += added
            wrong = float(seen) if hit else 0.0
            yield Step(entry.rank, entry.document, entry.grade, wrong, float(others), added, total)
            seen += not hit

    def expanded_formula(self, ranking: "Ranking") -> str:
        pairs = self._pairs(ranking)
        wrong = math.fsum(step.gain for step in self.steps(ranking))
        return equation(f"{format_number(pairs - wrong)} / {pairs}", self.value(ranking))

    def kernel(self) -> Kernel | None:
        return "accuracy", {"k": self.k, "rel": self.rel}
