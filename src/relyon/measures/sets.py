"""Measures of the retrieved set, regardless of order: F, set AP, utility."""

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from relyon.core.errors import ParameterError
from relyon.core.rules import PDenominator
from relyon.core.texts import message
from relyon.measures.definition import Kernel, Step
from relyon.measures.formulas import equation, format_number
from relyon.measures.lookup import register
from relyon.measures.relevance import MACRO_MICRO, BinaryMeasure, NeedsRelevant, retrieved_or_k

if TYPE_CHECKING:
    from relyon.data.ranking import Ranking

__all__ = ["F1", "FBeta", "SetAP", "Utility"]


class WeightedF(NeedsRelevant):
    """Shared by F measures: (1 + b^2) (relevant in top k) / (b^2 R + k)."""

    averages: ClassVar[tuple[str, ...]] = MACRO_MICRO
    sums_undefined: ClassVar[bool] = True
    convention_fields: ClassVar[dict[str, str]] = {"denominator": "p_denominator"}

    def square(self) -> float:
        """How much more recall counts than precision: b^2."""
        return 1.0

    def _precision_of(self, ranking: "Ranking") -> int:
        k: int | None = getattr(self, "k", None)
        return retrieved_or_k(k, len(ranking), getattr(self, "denominator", None))

    def _of(self, ranking: "Ranking") -> float:
        relevant = ranking.relevant(self.threshold())
        return self._precision_of(ranking) + self.square() * relevant

    def steps(self, ranking: "Ranking") -> Iterator[Step]:
        of, weight = self._of(ranking), 1.0 + self.square()
        found = 0
        for entry in ranking.top(self.depth(ranking)):
            hit = self.hit(entry)
            found += hit
            yield Step(
                entry.rank,
                entry.document,
                entry.grade,
                float(hit),
                of / weight,
                weight * hit / of,
                weight * found / of,
            )

    def parts(self, ranking: "Ranking") -> tuple[float, float]:
        found = self.hits(ranking, self.depth(ranking))
        return (1.0 + self.square()) * found, float(self._of(ranking))

    def expanded_formula(self, ranking: "Ranking") -> str:
        found = self.hits(ranking, self.depth(ranking))
        relevant, weight = ranking.relevant(self.threshold()), self.square()
        share = f"{relevant}" if weight == 1 else f"{format_number(weight)} x {relevant}"
        left = f"{format_number(1 + weight)} x {found} / ({self._precision_of(ranking)} + {share})"
        return equation(left, self.value(ranking))

    def missing_relevant(self, ranking: "Ranking") -> list[str]:
        return self.absent(ranking)


@register
@dataclass(frozen=True)
class F1(WeightedF):
    """F1, the harmonic mean of precision and recall.

    2 P R / (P + R) = 2 (relevant in top k) / (k + R). Undefined if R = 0.

    Attributes:
        k: Ranks counted; `None` counts the whole list.
        rel: Lowest relevant grade; `None` takes the convention's or the scale's.
        denominator: The precision's denominator; `None` takes the convention's `p_denominator`.

    Examples:
        >>> import relyon
        >>> relyon.measure("f1@2").score([1, 1, 1, 1])
        0.6666666666666666

    References:
        Van Rijsbergen (1979), Information Retrieval, chapter 7.
    """

    name = "f1"
    aliases = ("f", "setf", "set_f")
    trec_names: ClassVar[Mapping[str, str]] = {"f1": "set_F"}
    formula = "2 (relevant in top k) / (k + R)"
    k: int | None = None
    rel: float | None = None
    denominator: PDenominator | None = None

    def kernel(self) -> Kernel | None:
        return "f1", {"k": self.k, "rel": self.rel, "denominator": self.denominator}


@register
@dataclass(frozen=True)
class FBeta(WeightedF):
    """F-beta, the weighted harmonic mean of precision and recall.

    (1 + beta^2) P R / (beta^2 P + R): recall counts beta times as much as precision. Undefined
    if R = 0. trec_eval's `set_F` takes beta^2 as its parameter.

    Attributes:
        k: Ranks counted; `None` counts the whole list.
        beta: How many times as important recall is; 1 makes it F1.
        rel: Lowest relevant grade; `None` takes the convention's or the scale's.
        denominator: The precision's denominator; `None` takes the convention's `p_denominator`.

    Raises:
        ParameterError: If beta is below 0.

    Examples:
        >>> import relyon
        >>> relyon.measure("f_beta(beta=2)@2").score([1, 1, 1, 1])
        0.5555555555555556

    References:
        Van Rijsbergen (1979), Information Retrieval, chapter 7.
    """

    name = "f_beta"
    aliases = ("fbeta",)
    formula = "(1 + beta^2) (relevant in top k) / (k + beta^2 R)"
    k: int | None = None
    beta: float = 1.0
    rel: float | None = None
    denominator: PDenominator | None = None

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.beta < 0:
            raise ParameterError(
                message(
                    "measures.parameter-beta-of-f-beta",
                    beta=self.beta,
                )
            )

    def square(self) -> float:
        return self.beta * self.beta

    def undefined(self, ranking: "Ranking") -> str | None:
        if self.beta == 0 and not self._precision_of(ranking):
            return "nothing was retrieved"
        return super().undefined(ranking)

    def kernel(self) -> Kernel | None:
        return "f_beta", {
            "k": self.k,
            "weight": self.square(),
            "rel": self.rel,
            "denominator": self.denominator,
        }


@register
@dataclass(frozen=True)
class SetAP(NeedsRelevant):
    """Set average precision: precision times recall.

    The average precision of a set without an order: every relevant document that was retrieved
    has the set's precision, the others have 0. (relevant retrieved)^2 / (retrieved R). Undefined
    if R = 0.

    Attributes:
        rel: Lowest relevant grade; `None` takes the convention's or the scale's.

    Examples:
        >>> import relyon
        >>> relyon.measure("set_ap").score([1, 0, 1, 0])
        0.5

    References:
        Buckley and Voorhees (2005); trec_eval's `set_map`.
    """

    name = "set_ap"
    aliases = ("setap", "set_map")
    trec_names: ClassVar[Mapping[str, str]] = {"set_ap": "set_map"}
    formula = "(relevant retrieved)^2 / (retrieved R)"
    is_additive: ClassVar[bool] = False
    rel: float | None = None

    def steps(self, ranking: "Ranking") -> Iterator[Step]:
        of = float(len(ranking) * ranking.relevant(self.threshold()))
        found, before = 0, 0.0
        for entry in ranking:
            hit = self.hit(entry)
            found += hit
            total = found * found / of
            yield Step(
                entry.rank, entry.document, entry.grade, float(hit), of, total - before, total
            )
            before = total

    def expanded_formula(self, ranking: "Ranking") -> str:
        found, relevant = self.hits(ranking, None), ranking.relevant(self.threshold())
        left = f"({found} / {len(ranking)}) x ({found} / {relevant})"
        return equation(left if len(ranking) else "0", self.value(ranking))

    def missing_relevant(self, ranking: "Ranking") -> list[str]:
        return self.absent(ranking)

    def kernel(self) -> Kernel | None:
        return "set_ap", {"rel": self.rel}


@register
@dataclass(frozen=True)
class Utility(BinaryMeasure):
    """Linear utility of the retrieved set.

    The sum of each document's worth by its cell of the contingency table:
    tp (relevant retrieved) + fp (other retrieved) + fn (relevant missed) + tn (others missed).
    trec_eval writes the four worths in this order: `utility.2,-1,0,0`.

    Attributes:
        tp: Worth of a relevant document that was retrieved.
        fp: Worth of another document that was retrieved, such as an unjudged one.
        fn: Worth of a relevant document that was not retrieved.
        tn: Worth of any other document of the collection.
        docs: Documents in the collection, which only `tn` needs.
        rel: Lowest relevant grade; `None` takes the convention's or the scale's.

    Examples:
        >>> import relyon
        >>> relyon.measure("utility").score([1, 0, 1])
        1.0
        >>> utility = relyon.measure("utility(tp=2,fn=-1)")
        >>> utility.score([1, 0, 1], unretrieved=[1])
        2.0

    References:
        Lewis (1995), SIGIR; trec_eval's `utility`.
    """

    name = "utility"
    formula = "tp a + fp b + fn c + tn d"
    headings: ClassVar[tuple[str, str]] = ("worth", "divisor")
    bounds: ClassVar[tuple[float, float]] = (-math.inf, math.inf)
    is_additive: ClassVar[bool] = False
    tp: float = 1.0
    fp: float = -1.0
    fn: float = 0.0
    tn: float = 0.0
    docs: float = 0.0
    rel: float | None = None

    def _missed(self, ranking: "Ranking") -> float:
        """The worth of the documents that were not retrieved."""
        found, relevant = self.hits(ranking, None), ranking.relevant(self.threshold())
        others = self.docs + found - len(ranking) - relevant
        return self.fn * (relevant - found) + self.tn * others

    def steps(self, ranking: "Ranking") -> Iterator[Step]:
        total = 0.0
        for entry in ranking:
            worth = self.tp if self.hit(entry) else self.fp
            total += worth
            yield Step(entry.rank, entry.document, entry.grade, worth, 1.0, worth, total)
        missed = self._missed(ranking)
        yield Step(
            len(ranking) + 1,
            "",
            None,
            missed,
            1.0,
            missed,
            total + missed,
        )

    def expanded_formula(self, ranking: "Ranking") -> str:
        found, relevant = self.hits(ranking, None), ranking.relevant(self.threshold())
        others = self.docs + found - len(ranking) - relevant
        counts = (found, len(ranking) - found, relevant - found, others)
        worths = (self.tp, self.fp, self.fn, self.tn)
        terms = [
            f"{format_number(worth)} x {format_number(count)}"
            for worth, count in zip(worths, counts, strict=True)
            if worth
        ]
        return equation(" + ".join(terms) or "0", self.value(ranking))

    def missing_relevant(self, ranking: "Ranking") -> list[str]:
        return self.absent(ranking)

    def kernel(self) -> Kernel | None:
        return "utility", {
            "tp": self.tp,
            "fp": self.fp,
            "fn": self.fn,
            "tn": self.tn,
            "docs": self.docs,
            "rel": self.rel,
        }
