"""Measures for incomplete judgments."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from relyon.measures.definition import Aspect, Better, Describes, Kernel, Measure, Step
from relyon.measures.formulas import equation, format_number, quotient
from relyon.measures.lookup import register
from relyon.measures.relevance import NeedsRelevant

if TYPE_CHECKING:
    from relyon.data.ranking import Ranking

__all__ = ["Bpref", "InfAP", "Judged", "Unjudged"]

EPSILON = 0.00001


class _SumOverRelevant(NeedsRelevant):
    """Shared by measures that add up a gain at each relevant rank and divide by R."""

    def expanded_formula(self, ranking: "Ranking") -> str:
        terms = [format_number(step.gain) for step in self.steps(ranking) if step.gain]
        relevant = ranking.relevant(self.threshold())
        return equation(quotient(terms, relevant), self.value(ranking))

    def missing_relevant(self, ranking: "Ranking") -> list[str]:
        return self.absent(ranking)


@register
@dataclass(frozen=True)
class Bpref(_SumOverRelevant):
    """Binary preference.

    (1/R) sum over relevant retrieved documents of 1 - min(n, R) / min(N, R), where n is the number
    of judged non-relevant documents above it and N their total number. Unjudged documents do not
    count. Undefined if R = 0.

    Attributes:
        rel: Lowest relevant grade; `None` takes the convention's or the scale's.

    Examples:
        >>> import relyon
        >>> relyon.measure("bpref").score([1, None, 0, 1])
        0.5

    References:
        Buckley and Voorhees (2004), SIGIR; as computed by trec_eval 9.
    """

    name = "bpref"
    aspect: ClassVar[Aspect] = "pairs"
    formula = "(1/R) sum of 1 - min(n above, R) / min(N, R)"
    headings: ClassVar[tuple[str, str]] = ("preferred", "R")
    rel: float | None = None

    def steps(self, ranking: "Ranking") -> Iterator[Step]:
        relevant = ranking.relevant(self.threshold())
        bound = min(relevant, len(ranking.judged) - relevant)
        above, total = 0, 0.0
        for entry in ranking:
            preferred = 0.0
            if self.hit(entry):
                preferred = 1.0 - (min(above, relevant) / bound if above else 0.0)
            elif entry.grade is not None:
                above += 1
            total += preferred
            yield Step(
                entry.rank,
                entry.document,
                entry.grade,
                preferred,
                float(relevant),
                preferred / relevant,
                total / relevant,
            )

    def kernel(self) -> Kernel | None:
        return "bpref", {"rel": self.rel}


@register
@dataclass(frozen=True)
class InfAP(_SumOverRelevant):
    """Inferred average precision.

    An estimate of AP from judgments of a sample: at the rank i of a relevant document,
    1/i + ((i-1)/i) ((r + n + u) / (i-1)) (r + e) / (r + n + 2e), where r and n are the judged
    relevant and non-relevant documents above, u those in the pool but not in the sample (a grade
    below 0 under ``negative=unjudged``) and e = 0.00001; summed and divided by R. Undefined if
    R = 0. A document without a grade is not in the pool.

    Attributes:
        rel: Lowest relevant grade; `None` takes the convention's or the scale's.

    Examples:
        >>> import relyon
        >>> round(relyon.measure("infap").score([1, 0, 1]), 4)
        0.8333

    References:
        Yilmaz and Aslam (2006), CIKM; as computed by trec_eval 9.
    """

    name = "infap"
    aliases = ("inf_ap",)
    trec_names: ClassVar[Mapping[str, str]] = {"infap": "infAP"}
    formula = "(1/R) sum of expected precision at relevant ranks"
    headings: ClassVar[tuple[str, str]] = ("expected P", "R")
    rel: float | None = None

    def steps(self, ranking: "Ranking") -> Iterator[Step]:
        relevant = ranking.relevant(self.threshold())
        found, nonrelevant, pooled, total = 0, 0, 0, 0.0
        for entry in ranking:
            precision = 0.0
            if self.hit(entry):
                above = entry.rank - 1
                precision = 1.0 / entry.rank
                if above:
                    precision += (
                        (above / entry.rank)
                        * ((found + nonrelevant + pooled) / above)
                        * ((found + EPSILON) / (found + nonrelevant + 2 * EPSILON))
                    )
                found += 1
            elif entry.grade is not None:
                nonrelevant += 1
            elif entry.document in ranking.pooled:
                pooled += 1
            total += precision
            yield Step(
                entry.rank,
                entry.document,
                entry.grade,
                precision,
                float(relevant),
                precision / relevant,
                total / relevant,
            )

    def kernel(self) -> Kernel | None:
        return "infap", {"rel": self.rel}


@register
@dataclass(frozen=True)
class Judged(Measure):
    """Share of judged documents.

    Judged documents among the first `k`, divided by min(k, retrieved). Undefined for an empty list.
    Low values mean that other measures are unreliable: unjudged documents count as not relevant.

    Attributes:
        k: Ranks counted; `None` counts the whole list.

    Examples:
        >>> import relyon
        >>> relyon.measure("judged@4").score([1, None, 0, None])
        0.5

    References:
        Yang and Lin (2019), ECIR; ir_measures' `Judged`.
    """

    name = "judged"
    title = "Judged"
    aspect: ClassVar[Aspect] = "judged"
    averages: ClassVar[tuple[str, ...]] = ("macro", "micro")
    formula = "judged in top k / min(k, retrieved)"
    headings: ClassVar[tuple[str, str]] = ("judged", "divisor")
    describes: ClassVar[Describes] = "data"
    k: int | None = None

    def undefined(self, ranking: "Ranking") -> str | None:
        return None if len(ranking) else "nothing was retrieved"

    def steps(self, ranking: "Ranking") -> Iterator[Step]:
        of = len(ranking.top(self.k))
        found = 0
        for entry in ranking.top(self.k):
            judged = entry.grade is not None
            found += judged
            yield Step(
                entry.rank,
                entry.document,
                entry.grade,
                float(judged),
                float(of),
                judged / of,
                found / of,
            )

    def parts(self, ranking: "Ranking") -> tuple[float, float]:
        top = ranking.top(self.k)
        return float(sum(entry.grade is not None for entry in top)), float(len(top))

    def expanded_formula(self, ranking: "Ranking") -> str:
        above, below = self.parts(ranking)
        return equation(f"{format_number(above)} / {format_number(below)}", self.value(ranking))

    def kernel(self) -> Kernel | None:
        return "judged", {"k": self.k}


@register
@dataclass(frozen=True)
class Unjudged(Measure):
    """Share of unjudged documents.

    Unjudged documents among the first `k`, divided by k. Ranks after the end of the
    list count as judged. An empty list counts 0.

    Attributes:
        k: Ranks counted; `None` counts the whole list.

    Examples:
        >>> import relyon
        >>> relyon.measure("unjudged@5").score([1, None, 0, None])
        0.4

    References:
        trec_eval's `unj`.
    """

    name = "unjudged"
    aliases = ("unj",)
    trec_names: ClassVar[Mapping[str, str]] = {"unjudged@{k}": "unj_{k}"}
    averages: ClassVar[tuple[str, ...]] = ("macro", "micro")
    formula = "unjudged in top k / k"
    headings: ClassVar[tuple[str, str]] = ("unjudged", "divisor")
    describes: ClassVar[Describes] = "data"
    better: ClassVar[Better] = "lower"
    k: int | None = None

    def _of(self, ranking: "Ranking") -> int:
        return len(ranking) if self.k is None else self.k

    def steps(self, ranking: "Ranking") -> Iterator[Step]:
        of = self._of(ranking)
        found = 0
        for entry in ranking.top(self.k):
            unjudged = entry.grade is None
            found += unjudged
            yield Step(
                entry.rank,
                entry.document,
                entry.grade,
                float(unjudged),
                float(of),
                unjudged / of,
                found / of,
            )

    def parts(self, ranking: "Ranking") -> tuple[float, float]:
        top = ranking.top(self.k)
        return float(sum(entry.grade is None for entry in top)), float(self._of(ranking))

    def expanded_formula(self, ranking: "Ranking") -> str:
        above, below = self.parts(ranking)
        return equation(f"{format_number(above)} / {format_number(below)}", self.value(ranking))

    def kernel(self) -> Kernel | None:
        return "unjudged", {"k": self.k}
