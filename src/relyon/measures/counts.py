"""Counts of judged and retrieved documents."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from relyon.measures.definition import UNBOUNDED, Aspect, Combine, Describes, Kernel, Step
from relyon.measures.formulas import format_number
from relyon.measures.lookup import register
from relyon.measures.relevance import BinaryMeasure

if TYPE_CHECKING:
    from relyon.data.ranking import Ranking

__all__ = ["NumNonrelRet", "NumQ", "NumRel", "NumRelRet", "NumRet"]


@dataclass(frozen=True)
class Count(BinaryMeasure):
    """Shared by counts, which are summed over queries."""

    combine: ClassVar[Combine] = "sum"
    averages: ClassVar[tuple[str, ...]] = ("sum",)
    bounds: ClassVar[tuple[float, float]] = UNBOUNDED
    headings: ClassVar[tuple[str, str]] = ("counted", "divisor")

    def expanded_formula(self, ranking: "Ranking") -> str:
        return format_number(self.value(ranking))


@register
@dataclass(frozen=True)
class NumRet(Count):
    """Number of retrieved documents.

    Summed over queries.

    Examples:
        >>> import relyon
        >>> relyon.measure("num_ret").score([1, None, 0])
        3.0

    References:
        trec_eval's `num_ret`.
    """

    name = "num_ret"
    aliases = ("numret",)
    becomes: ClassVar[Mapping[str, str]] = {"rel": "num_rel_ret"}
    formula = "retrieved documents"
    describes: ClassVar[Describes] = "data"

    def steps(self, ranking: "Ranking") -> Iterator[Step]:
        for entry in ranking:
            yield Step(entry.rank, entry.document, entry.grade, 1.0, 1.0, 1.0, float(entry.rank))

    def kernel(self) -> Kernel | None:
        return "num_ret", {}


@register
@dataclass(frozen=True)
class NumRel(Count):
    """Number of relevant documents.

    All judged documents with a grade of `rel` or more, retrieved or not; summed over queries.

    Attributes:
        rel: Lowest relevant grade; `None` takes the convention's or the scale's.

    Examples:
        >>> import relyon
        >>> relyon.measure("num_rel").score([1, None, 0], unretrieved=[1])
        2.0

    References:
        trec_eval's `num_rel`.
    """

    name = "num_rel"
    aliases = ("numrel",)
    formula = "judged documents with grade >= rel"
    describes: ClassVar[Describes] = "data"
    rel: float | None = None

    def steps(self, ranking: "Ranking") -> Iterator[Step]:
        total = 0
        for document, grade in ranking.judged.items():
            if grade >= self.threshold():
                total += 1
                yield Step(total, document, grade, 1.0, 1.0, 1.0, float(total))

    def kernel(self) -> Kernel | None:
        return "num_rel", {"rel": self.rel}


@register
@dataclass(frozen=True)
class NumRelRet(Count):
    """Number of relevant documents retrieved.

    Summed over queries.

    Attributes:
        k: Ranks counted; `None` counts the whole list.
        rel: Lowest relevant grade; `None` takes the convention's or the scale's.

    Examples:
        >>> import relyon
        >>> relyon.measure("num_rel_ret").score([1, None, 0], unretrieved=[1])
        1.0

    References:
        trec_eval's `num_rel_ret`.
    """

    name = "num_rel_ret"
    aliases = ("numrelret", "hits")
    aspect: ClassVar[Aspect] = "coverage"
    formula = "relevant in top k"
    k: int | None = None
    rel: float | None = None

    def steps(self, ranking: "Ranking") -> Iterator[Step]:
        return self.share(ranking, self.k, 1)

    def missing_relevant(self, ranking: "Ranking") -> list[str]:
        return self.absent(ranking)

    def kernel(self) -> Kernel | None:
        return "num_rel_ret", {"k": self.k, "rel": self.rel}


@register
@dataclass(frozen=True)
class NumNonrelRet(Count):
    """Number of retrieved documents that were judged not relevant.

    Summed over queries. Unjudged documents do not count.

    Attributes:
        rel: Lowest relevant grade; `None` takes the convention's or the scale's.

    Examples:
        >>> import relyon
        >>> relyon.measure("num_nonrel_ret").score([1, None, 0], unretrieved=[0])
        1.0

    References:
        trec_eval's `num_nonrel_judged_ret`.
    """

    name = "num_nonrel_ret"
    aliases = ("num_nonrel_judged_ret",)
    trec_names: ClassVar[Mapping[str, str]] = {"num_nonrel_ret": "num_nonrel_judged_ret"}
    formula = "retrieved documents judged not relevant"
    describes: ClassVar[Describes] = "data"
    rel: float | None = None

    def steps(self, ranking: "Ranking") -> Iterator[Step]:
        total = 0.0
        for entry in ranking:
            counted = float(entry.grade is not None and not self.hit(entry))
            total += counted
            yield Step(entry.rank, entry.document, entry.grade, counted, 1.0, counted, total)

    def kernel(self) -> Kernel | None:
        return "num_nonrel_ret", {"rel": self.rel}


@register
@dataclass(frozen=True)
class NumQ(Count):
    """Number of queries.

    Every evaluated query counts 1, even if nothing was retrieved for it.

    Examples:
        >>> import relyon
        >>> relyon.measure("num_q").score([1, None, 0])
        1.0

    References:
        trec_eval's `num_q`.
    """

    name = "num_q"
    aliases = ("numq",)
    counts_queries: ClassVar[bool] = True
    formula = "evaluated queries"
    describes: ClassVar[Describes] = "data"
    is_additive: ClassVar[bool] = False

    def steps(self, ranking: "Ranking") -> Iterator[Step]:
        yield Step(1, "", None, 1.0, 1.0, 1.0, 1.0)

    def kernel(self) -> Kernel | None:
        return "num_q", {}
