"""Measures of binary relevance: precision, recall and their relatives."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from relyon.core.errors import ParameterError
from relyon.core.rules import NoRelevant, PDenominator
from relyon.core.texts import message
from relyon.measures.definition import Aspect, Kernel, Step
from relyon.measures.formulas import equation
from relyon.measures.lookup import register
from relyon.measures.relevance import (
    MACRO_MICRO,
    BinaryMeasure,
    MayNeedRelevant,
    NeedsRelevant,
    retrieved_or_k,
)

if TYPE_CHECKING:
    from relyon.data.ranking import Ranking

__all__ = ["RR", "Precision", "RPrec", "Recall", "Success"]


def _first_hit(one: BinaryMeasure, ranking: "Ranking", text: str) -> str:
    for step in one.steps(ranking):
        if step.gain:
            return equation(text.format(rank=step.rank), step.total)
    depth = one.depth(ranking)
    if depth is None:
        return message("measures.nothing-relevant-in-list")
    return message("measures.nothing-relevant-in-top", depth=depth)


@register
@dataclass(frozen=True)
class Precision(MayNeedRelevant):
    """Precision.

    The share of relevant documents among the first `k`: relevant in top k / k. A list shorter than
    k still divides by k, unless ``denominator=retrieved``. An empty list counts 0. With
    ``no_relevant=undefined`` it is undefined if R = 0.

    Attributes:
        k: Ranks counted; `None` counts the whole list.
        rel: Lowest relevant grade; `None` takes the convention's or the scale's.
        denominator: `k`, or the number `retrieved` if it is smaller; `None` takes the
            convention's `p_denominator`.
        no_relevant: A query without a judged relevant document counts `zero`, or has no value
            (`undefined`); `None` takes the convention's.

    Examples:
        >>> import relyon
        >>> relyon.measure("p@4").score([1, 0, 1])
        0.5

    References:
        Manning, Raghavan and Schütze (2008), Introduction to Information Retrieval, chapter 8.
    """

    name = "p"
    trec_names: ClassVar[Mapping[str, str]] = {"p@all": "set_P", "p@{k}": "P_{k}"}
    aspect: ClassVar[Aspect] = "precision"
    several: ClassVar[bool] = True
    aliases = ("precision", "prec", "setp", "set_p")
    averages: ClassVar[tuple[str, ...]] = MACRO_MICRO
    convention_fields: ClassVar[dict[str, str]] = {"denominator": "p_denominator"}
    formula = "relevant in top k / k"
    k: int | None = None
    rel: float | None = None
    denominator: PDenominator | None = None
    no_relevant: NoRelevant | None = None

    def steps(self, ranking: "Ranking") -> Iterator[Step]:
        of = retrieved_or_k(self.k, len(ranking), self.denominator)
        return self.share(ranking, self.k, of)

    def parts(self, ranking: "Ranking") -> tuple[float, float]:
        if self.undefined(ranking) is not None:
            return 0.0, 0.0
        of = retrieved_or_k(self.k, len(ranking), self.denominator)
        return float(self.hits(ranking, self.k)), float(of)

    def expanded_formula(self, ranking: "Ranking") -> str:
        return self.fraction(ranking)

    def kernel(self) -> Kernel | None:
        return "p", {
            "k": self.k,
            "rel": self.rel,
            "denominator": self.denominator,
            "no_relevant": self.no_relevant,
        }


@register
@dataclass(frozen=True)
class Recall(NeedsRelevant):
    """Recall.

    The share of the relevant documents that are among the first `k`: relevant in top k / R.
    Undefined if R = 0.

    Attributes:
        k: Ranks counted; `None` counts the whole list.
        rel: Lowest relevant grade; `None` takes the convention's or the scale's.
        capped: Divide by min(R, k), so that a perfect list of length k counts 1; without k, by
            the smaller of R and the list's length. trec_eval calls this relative precision.

    Examples:
        >>> import relyon
        >>> relyon.measure("recall@2").score([1, 0, 1, 1])
        0.3333333333333333

    References:
        Manning, Raghavan and Schütze (2008), Introduction to Information Retrieval, chapter 8.
    """

    name = "recall"
    title = "Recall"
    trec_names: ClassVar[Mapping[str, str]] = {
        "recall@all": "set_recall",
        "recall@{k}": "recall_{k}",
        "recall(capped=true)@all": "set_relative_P",
        "recall(capped=true)@{k}": "relative_P_{k}",
    }
    aspect: ClassVar[Aspect] = "coverage"
    several: ClassVar[bool] = True
    aliases = ("r", "setr", "set_recall")
    averages: ClassVar[tuple[str, ...]] = MACRO_MICRO
    formula = "relevant in top k / R"
    k: int | None = None
    rel: float | None = None
    capped: bool = False

    def _of(self, ranking: "Ranking") -> int:
        relevant = ranking.relevant(self.threshold())
        if not self.capped:
            return relevant
        return max(1, min(relevant, len(ranking) if self.k is None else self.k))

    def steps(self, ranking: "Ranking") -> Iterator[Step]:
        return self.share(ranking, self.k, self._of(ranking))

    def parts(self, ranking: "Ranking") -> tuple[float, float]:
        return float(self.hits(ranking, self.k)), float(self._of(ranking))

    def expanded_formula(self, ranking: "Ranking") -> str:
        return self.fraction(ranking)

    def missing_relevant(self, ranking: "Ranking") -> list[str]:
        return self.absent(ranking)

    def kernel(self) -> Kernel | None:
        return "recall", {"k": self.k, "rel": self.rel, "capped": self.capped}


@register
@dataclass(frozen=True)
class Success(MayNeedRelevant):
    """Success, also called hit rate.

    1 if any of the first `k` documents is relevant, otherwise 0. With ``no_relevant=undefined`` it
    is undefined if R = 0.

    Attributes:
        k: Ranks counted; `None` counts the whole list.
        rel: Lowest relevant grade; `None` takes the convention's or the scale's.
        no_relevant: A query without a judged relevant document counts `zero`, or has no value
            (`undefined`); `None` takes the convention's.

    Examples:
        >>> import relyon
        >>> relyon.measure("success@2").score([0, 0, 1])
        0.0

    References:
        Craswell, Hawking et al.; trec_eval's `success`.
    """

    name = "success"
    title = "Success"
    trec_names: ClassVar[Mapping[str, str]] = {"success@{k}": "success_{k}"}
    aspect: ClassVar[Aspect] = "hit"
    several: ClassVar[bool] = True
    aliases = ("hit", "hit_rate", "hitrate")
    averages: ClassVar[tuple[str, ...]] = MACRO_MICRO
    formula = "1 if relevant in top k > 0"
    k: int | None = None
    rel: float | None = None
    no_relevant: NoRelevant | None = None

    def steps(self, ranking: "Ranking") -> Iterator[Step]:
        found = False
        for entry in ranking.top(self.k):
            first = self.hit(entry) and not found
            found = found or first
            yield Step(
                entry.rank,
                entry.document,
                entry.grade,
                float(self.hit(entry)),
                1.0,
                float(first),
                float(found),
            )

    def expanded_formula(self, ranking: "Ranking") -> str:
        return _first_hit(self, ranking, "1")

    def missing_relevant(self, ranking: "Ranking") -> list[str]:
        return [] if self.value(ranking) else self.absent(ranking)

    def kernel(self) -> Kernel | None:
        return "success", {"k": self.k, "rel": self.rel, "no_relevant": self.no_relevant}


@register
@dataclass(frozen=True)
class RR(NeedsRelevant):
    """Reciprocal rank; its mean over queries is MRR.

    1 / rank of the first relevant document, 0 without one among the first `k`. Undefined if
    R = 0.

    Attributes:
        k: Ranks counted; `None` counts the whole list.
        rel: Lowest relevant grade; `None` takes the convention's or the scale's.

    Examples:
        >>> import relyon
        >>> relyon.measure("rr@10").score([0, 0, 0, 1])
        0.25

    References:
        Voorhees (1999), TREC-8 Question Answering Track Report.
    """

    name = "rr"
    aliases = ("mrr", "recip_rank")
    trec_names: ClassVar[Mapping[str, str]] = {"rr": "recip_rank"}
    aspect: ClassVar[Aspect] = "first"
    formula = "1 / rank of the first relevant document"
    headings: ClassVar[tuple[str, str]] = ("relevant", "rank")
    k: int | None = None
    rel: float | None = None

    def steps(self, ranking: "Ranking") -> Iterator[Step]:
        total = 0.0
        for entry in ranking.top(self.k):
            hit = self.hit(entry)
            added = 1.0 / entry.rank if hit and total == 0.0 else 0.0
            total += added
            yield Step(
                entry.rank, entry.document, entry.grade, float(hit), float(entry.rank), added, total
            )

    def expanded_formula(self, ranking: "Ranking") -> str:
        return _first_hit(self, ranking, "1 / {rank}")

    def missing_relevant(self, ranking: "Ranking") -> list[str]:
        return [] if self.value(ranking) else self.absent(ranking)

    def kernel(self) -> Kernel | None:
        return "rr", {"k": self.k, "rel": self.rel}


@register
@dataclass(frozen=True)
class RPrec(NeedsRelevant):
    """R-precision.

    Precision at rank R, where R is the number of relevant documents, or at a multiple of R.
    Undefined if R = 0.

    Attributes:
        rel: Lowest relevant grade; `None` takes the convention's or the scale's.
        multiple: Multiple of R: precision is taken at the rank floor(multiple R + 0.9), as
            trec_eval's `Rprec_mult` does, and is 0 if that is not a rank.

    Examples:
        >>> import relyon
        >>> relyon.measure("rprec").score([1, 0, 1])
        0.5

    References:
        Buckley and Voorhees (2005), in TREC: Experiment and Evaluation in Information Retrieval.
    """

    name = "rprec"
    aliases = ("r_precision", "r-precision", "rprecision", "rprec_mult")
    trec_names: ClassVar[Mapping[str, str]] = {
        "rprec": "Rprec",
        "rprec(multiple={multiple})": "Rprec_mult_{multiple:3.2f}",
    }
    aspect: ClassVar[Aspect] = "precision"
    averages: ClassVar[tuple[str, ...]] = MACRO_MICRO
    formula = "relevant in top R / R"
    argument: ClassVar[str] = "multiple"
    rel: float | None = None
    multiple: float = 1.0

    def __post_init__(self) -> None:
        super().__post_init__()
        if not self.multiple > 0:
            raise ParameterError(
                message(
                    "measures.parameter-multiple-of-rprec",
                    multiple=self.multiple,
                )
            )

    def depth(self, ranking: "Ranking") -> int:
        """The rank at which precision is taken."""
        relevant = ranking.relevant(self.threshold())
        return int(self.multiple * relevant + 0.9)

    def steps(self, ranking: "Ranking") -> Iterator[Step]:
        depth = self.depth(ranking)
        return self.share(ranking, depth, max(depth, 1))

    def parts(self, ranking: "Ranking") -> tuple[float, float]:
        if not ranking.relevant(self.threshold()):
            return 0.0, 0.0
        depth = self.depth(ranking)
        return float(self.hits(ranking, depth)), float(max(depth, 1))

    def expanded_formula(self, ranking: "Ranking") -> str:
        return self.fraction(ranking)

    def missing_relevant(self, ranking: "Ranking") -> list[str]:
        return self.absent(ranking)

    def kernel(self) -> Kernel | None:
        return "rprec", {"multiple": self.multiple, "rel": self.rel}
