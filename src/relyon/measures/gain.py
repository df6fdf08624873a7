"""Measures of graded gain: CG, DCG, IDCG, NDCG."""

import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from relyon.core.rules import Discount, Gain, Ideal, gain_function
from relyon.core.texts import message
from relyon.measures.definition import UNBOUNDED, Aspect, Describes, Kernel, Measure, Step
from relyon.measures.formulas import equation, format_number, format_sum
from relyon.measures.lookup import register

if TYPE_CHECKING:
    from relyon.data.ranking import Ranking

__all__ = ["CG", "DCG", "IDCG", "NDCG"]

#: Measures with their own grade for unjudged documents.
UNJUDGED = {"unjudged": "unjudged_grade"}


def divisor(discount: str) -> Callable[[int], float]:
    """Returns the function from a rank to the divisor of its gain."""
    if discount == "log2":
        return lambda rank: math.log2(rank + 1)
    if discount == "inverse":
        return float
    return lambda rank: 1.0


def discounted(
    ranking: "Ranking",
    k: int | None,
    gain: Gain,
    discount: str,
    ideal: float = 1.0,
    unjudged: float | None = None,
) -> Iterator[Step]:
    """Yields the discounted gain of the first `k` ranks, as a share of an ideal sum."""
    worth, divide = gain_function(gain), divisor(discount)
    running = 0.0
    for entry in ranking.top(k):
        grade = unjudged if entry.grade is None else entry.grade
        value, by = worth(grade), divide(entry.rank)
        running += value / by
        yield Step(
            entry.rank, entry.document, entry.grade, value, by, value / by / ideal, running / ideal
        )


def written(steps: Iterator[Step]) -> str:
    """Returns a discounted sum as text: gain / discount + …"""
    return format_sum(
        [
            format_number(step.gain)
            if step.discount == 1
            else f"{format_number(step.gain)}/{format_number(step.discount)}"
            for step in steps
            if step.gain
        ]
    )


def ideal_end(ranking: "Ranking", k: int | None, ideal: str) -> int | None:
    """Returns the last rank of the ideal list, `None` if it is not cut."""
    if ideal == "uncut":
        return None
    if ideal == "hits":
        return len(ranking) if k is None else min(k, len(ranking))
    return k


def ideal_list(
    ranking: "Ranking", k: int | None, gain: Gain, discount: str, ideal: str, share: float = 1.0
) -> Iterator[Step]:
    """Yields the best order; documents with equal gain are in the run's order."""
    worth, divide = gain_function(gain), divisor(discount)
    places = {entry.document: entry.rank for entry in ranking}
    grades = ranking.judged
    if ideal == "retrieved":
        grades = {entry.document: entry.grade for entry in ranking if entry.grade is not None}
    last = len(ranking) + 1
    best = sorted(
        grades,
        key=lambda document: (-worth(grades[document]), places.get(document, last), document),
    )
    running = 0.0
    for rank, document in enumerate(best[: ideal_end(ranking, k, ideal)], 1):
        value, by = worth(grades[document]), divide(rank)
        running += value / by
        yield Step(rank, document, grades[document], value, by, value / by / share, running / share)


def ideal_sum(ranking: "Ranking", k: int | None, gain: Gain, discount: str, ideal: str) -> float:
    """Returns the discounted gain of the best order of the judged or retrieved documents."""
    worth, divide = gain_function(gain), divisor(discount)
    grades = ranking.retrieved_grades if ideal == "retrieved" else ranking.judged.values()
    gains = sorted((worth(grade) for grade in grades), reverse=True)
    gains = gains[: ideal_end(ranking, k, ideal)]
    total = 0.0
    for rank, value in enumerate(gains, 1):
        total += value / divide(rank)
    return total


@register
@dataclass(frozen=True)
class CG(Measure):
    """Cumulative gain.

    The gains of the first `k` documents, added up: sum of g(y_i) for i <= k. The order within the
    first k does not matter.

    Attributes:
        k: Ranks counted; `None` counts the whole list.
        gain: How a grade becomes a gain; `None` takes the convention's.
        unjudged: The grade of unjudged retrieved documents; `None` takes the convention's if it is
            a grade; otherwise they have no gain.

    Examples:
        >>> import relyon
        >>> relyon.measure("cg@2").score([2, 3, 0])
        5.0

    References:
        Järvelin and Kekäläinen (2002), ACM TOIS 20(4).
    """

    name = "cg"
    aspect: ClassVar[Aspect] = "precision"
    bounds: ClassVar[tuple[float, float]] = UNBOUNDED
    formula = "sum of gain, ranks 1..k"
    convention_fields: ClassVar[dict[str, str]] = UNJUDGED
    k: int | None = None
    gain: Gain | None = None
    unjudged: float | None = None

    def steps(self, ranking: "Ranking") -> Iterator[Step]:
        return discounted(ranking, self.k, self.gain or "linear", "none", unjudged=self.unjudged)

    def ideal_steps(self, ranking: "Ranking") -> Iterator[Step]:
        return ideal_list(ranking, self.k, self.gain or "linear", "none", "judged")

    def kernel(self) -> Kernel | None:
        return "cg", {"k": self.k, "gain": native_gain(self.gain), "unjudged": self.unjudged}


@register
@dataclass(frozen=True)
class DCG(Measure):
    """Discounted cumulative gain.

    Each document's gain divided by log2(rank + 1), summed over the first `k` ranks. It is not
    normalised: a query for which nothing relevant was retrieved counts 0, so a failing recall stage
    shows.

    Attributes:
        k: Ranks counted; `None` counts the whole list.
        gain: How a grade becomes a gain; `None` takes the convention's.
        discount: How gains shrink with the rank; `None` takes the convention's.
        unjudged: The grade of unjudged retrieved documents; `None` takes the convention's if it is
            a grade; otherwise they have no gain.

    Examples:
        >>> import relyon
        >>> round(relyon.measure("dcg@3").score([3, 2, 1]), 10)
        4.7618595071

    References:
        Järvelin and Kekäläinen (2002), ACM TOIS 20(4).
    """

    name = "dcg"
    aspect: ClassVar[Aspect] = "top"
    bounds: ClassVar[tuple[float, float]] = UNBOUNDED
    formula = "sum of gain / log2(rank + 1), ranks 1..k"
    convention_fields: ClassVar[dict[str, str]] = UNJUDGED
    k: int | None = None
    gain: Gain | None = None
    discount: Discount | None = None
    unjudged: float | None = None

    def steps(self, ranking: "Ranking") -> Iterator[Step]:
        gain, discount = self.gain or "linear", self.discount or "log2"
        return discounted(ranking, self.k, gain, discount, unjudged=self.unjudged)

    def ideal_steps(self, ranking: "Ranking") -> Iterator[Step]:
        return ideal_list(ranking, self.k, self.gain or "linear", self.discount or "log2", "judged")

    def expanded_formula(self, ranking: "Ranking") -> str:
        return equation(written(self.steps(ranking)), self.value(ranking))

    def kernel(self) -> Kernel | None:
        return "dcg", {
            "k": self.k,
            "gain": native_gain(self.gain),
            "discount": self.discount,
            "unjudged": self.unjudged,
        }


@register
@dataclass(frozen=True)
class IDCG(Measure):
    """Ideal discounted cumulative gain.

    DCG of the best order, the denominator of NDCG. Over all judged documents it is the DCG of a
    perfect system; over the retrieved ones, that of a perfect ranker. The gap between the two is
    lost before ranking.

    Attributes:
        k: Ranks counted; `None` counts the whole list.
        gain: How a grade becomes a gain; `None` takes the convention's.
        discount: How gains shrink with the rank; `None` takes the convention's.
        ideal: The ideal list contains all `judged` documents or the `retrieved` ones, and is cut at
            k; `hits` also cuts the judged documents at the number retrieved, `uncut` never cuts;
            `None` takes the convention's.

    Examples:
        >>> import relyon
        >>> relyon.measure("idcg@1").score([2, 0], unretrieved=[3])
        3.0
        >>> relyon.measure("idcg(ideal=retrieved)@1").score([2, 0], unretrieved=[3])
        2.0

    References:
        Järvelin and Kekäläinen (2002), ACM TOIS 20(4).
    """

    name = "idcg"
    trec_names: ClassVar[Mapping[str, str]] = {"idcg": "ideal_dcg"}
    aspect: ClassVar[Aspect] = "coverage"
    bounds: ClassVar[tuple[float, float]] = UNBOUNDED
    formula = "DCG of the best order, ranks 1..k"
    k: int | None = None
    gain: Gain | None = None
    discount: Discount | None = None
    ideal: Ideal | None = None

    @property
    def describes(self) -> Describes:  # type: ignore[override]
        """`quality` for the ideal of retrieved documents, `data` for that of judged ones."""
        return "quality" if self.ideal == "retrieved" else "data"

    def steps(self, ranking: "Ranking") -> Iterator[Step]:
        return ideal_list(
            ranking, self.k, self.gain or "linear", self.discount or "log2", self.ideal or "judged"
        )

    def expanded_formula(self, ranking: "Ranking") -> str:
        return equation(written(self.steps(ranking)), self.value(ranking))

    def kernel(self) -> Kernel | None:
        return "idcg", {
            "k": self.k,
            "gain": native_gain(self.gain),
            "discount": self.discount,
            "ideal": self.ideal,
        }


@register
@dataclass(frozen=True)
class NDCG(Measure):
    """Normalised discounted cumulative gain.

    Each document's gain divided by log2(rank + 1), summed over the first `k` ranks, divided by the
    same sum for the best order of the judged documents. Undefined if that ideal sum is 0. With a
    grade for `unjudged` documents it can exceed 1, since the ideal list contains only judged ones.

    Attributes:
        k: Ranks counted; `None` counts the whole list.
        gain: How a grade becomes a gain; `None` takes the convention's.
        discount: How gains shrink with the rank; `None` takes the convention's.
        ideal: The ideal list contains all `judged` documents or the `retrieved` ones, and is cut at
            k; `hits` also cuts the judged documents at the number retrieved, `uncut` never cuts;
            `None` takes the convention's.
        unjudged: The grade of unjudged retrieved documents; `None` takes the convention's if it is
            a grade; otherwise they have no gain.

    Examples:
        >>> import relyon
        >>> round(relyon.measure("ndcg@3").score([2, 3, 0]), 4)
        0.9134

    References:
        Järvelin and Kekäläinen (2002), ACM TOIS 20(4); with ``gain=exp``, Burges et al. (2005),
        ICML.
    """

    name = "ndcg"
    trec_names: ClassVar[Mapping[str, str]] = {"ndcg@{k}": "ndcg_cut_{k}"}
    aspect: ClassVar[Aspect] = "top"
    formula = "DCG@k / ideal DCG@k"
    convention_fields: ClassVar[dict[str, str]] = UNJUDGED
    k: int | None = None
    gain: Gain | None = None
    discount: Discount | None = None
    ideal: Ideal | None = None
    unjudged: float | None = None

    def _ideal(self, ranking: "Ranking") -> float:
        return ideal_sum(
            ranking, self.k, self.gain or "linear", self.discount or "log2", self.ideal or "judged"
        )

    def undefined(self, ranking: "Ranking") -> str | None:
        return None if self._ideal(ranking) > 0 else "the ideal DCG is 0"

    def steps(self, ranking: "Ranking") -> Iterator[Step]:
        gain, discount = self.gain or "linear", self.discount or "log2"
        return discounted(ranking, self.k, gain, discount, self._ideal(ranking), self.unjudged)

    def ideal_steps(self, ranking: "Ranking") -> Iterator[Step]:
        return ideal_list(
            ranking,
            self.k,
            self.gain or "linear",
            self.discount or "log2",
            self.ideal or "judged",
            self._ideal(ranking),
        )

    def expanded_formula(self, ranking: "Ranking") -> str:
        value, ideal = self.value(ranking), self._ideal(ranking)
        left = message(
            "measures.dcg-ideal-dcg",
            dcg=format_number(value * ideal),
            ideal=format_number(ideal),
        )
        return equation(left, value)

    def kernel(self) -> Kernel | None:
        return "ndcg", {
            "k": self.k,
            "gain": native_gain(self.gain),
            "discount": self.discount,
            "ideal": self.ideal,
            "unjudged": self.unjudged,
        }


def native_gain(gain: Gain | None) -> str | dict[float, float] | None:
    """Returns a gain in the form that kernels take.

    Raises:
        ParameterError: If it is an unresolved `scale`.
    """
    if gain == "scale":
        gain_function(gain)
    return dict(gain) if isinstance(gain, tuple) else gain
