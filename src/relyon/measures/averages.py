"""Averages of precision over ranks: AP, and the mean precision often mistaken for it."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from relyon.core.rules import ApDenominator
from relyon.measures.definition import Aspect, Kernel, Step
from relyon.measures.formulas import equation, format_number, quotient
from relyon.measures.lookup import register
from relyon.measures.relevance import BinaryMeasure, NeedsRelevant

if TYPE_CHECKING:
    from relyon.data.ranking import Ranking

__all__ = ["AP", "MeanP"]


@register
@dataclass(frozen=True)
class AP(NeedsRelevant):
    """Average precision; its mean over queries is MAP.

    (1/R) sum of P@i over the ranks i <= k of relevant documents. Undefined if R = 0.

    Attributes:
        k: Ranks counted; `None` counts the whole list.
        rel: Lowest relevant grade; `None` takes the convention's or the scale's.
        denominator: R (`relevant`), min(R, k) (`capped`), or the relevant documents in the top k
            (`retrieved`); `None` takes the convention's `ap_denominator`.

    Examples:
        >>> import relyon
        >>> relyon.measure("ap").score([1, 0, 1])
        0.8333333333333333

    References:
        Buckley and Voorhees (2005), in TREC: Experiment and Evaluation in Information Retrieval.
    """

    name = "ap"
    aliases = ("map", "map_cut")
    trec_names: ClassVar[Mapping[str, str]] = {"ap": "map", "ap@{k}": "map_cut_{k}"}
    aspect: ClassVar[Aspect] = "top"
    convention_fields: ClassVar[dict[str, str]] = {"denominator": "ap_denominator"}
    formula = "(1/R) sum of P@i at relevant ranks i <= k"
    headings: ClassVar[tuple[str, str]] = ("P@i", "divisor")
    k: int | None = None
    rel: float | None = None
    denominator: ApDenominator | None = None

    def _of(self, ranking: "Ranking") -> int:
        of = ranking.relevant(self.threshold())
        if self.denominator == "capped" and self.k is not None:
            return min(of, self.k)
        return self.hits(ranking, self.k) if self.denominator == "retrieved" else of

    def steps(self, ranking: "Ranking") -> Iterator[Step]:
        of = self._of(ranking)
        found, total = 0, 0.0
        for entry in ranking.top(self.k):
            precision = 0.0
            if self.hit(entry):
                found += 1
                precision = found / entry.rank
            total += precision
            yield Step(
                entry.rank,
                entry.document,
                entry.grade,
                precision,
                float(of),
                precision / of if of else 0.0,
                total / of if of else 0.0,
            )

    def expanded_formula(self, ranking: "Ranking") -> str:
        places = [entry.rank for entry in ranking.top(self.k) if self.hit(entry)]
        terms = [f"{found}/{rank}" for found, rank in enumerate(places, 1)]
        return equation(quotient(terms, self._of(ranking)), self.value(ranking))

    def missing_relevant(self, ranking: "Ranking") -> list[str]:
        return self.absent(ranking)

    def kernel(self) -> Kernel | None:
        return "ap", {"k": self.k, "rel": self.rel, "denominator": self.denominator}


@register
@dataclass(frozen=True)
class MeanP(BinaryMeasure):
    """Mean precision over every rank.

    (1/k) sum of P@i over all ranks i <= k. Some course notes, especially Chinese ones, call this
    AP. It is not: AP takes P@i only at the ranks of relevant documents and divides by the number of
    relevant documents, so a list with all its relevant documents on top has AP = 1, while its MeanP
    is below 1 as soon as k exceeds that number. MeanP also ignores the relevant documents that the
    list missed.

    Attributes:
        k: Ranks counted; `None` counts the whole list. Ranks after the end of the list count as
            not relevant.
        rel: Lowest relevant grade; `None` takes the convention's or the scale's.

    Examples:
        >>> import relyon
        >>> relyon.measure("meanp@2").score([1, 0])
        0.75

    References:
        Compare with AP: Buckley and Voorhees (2005).
    """

    name = "meanp"
    aliases = ("mean_p", "mean_precision")
    aspect: ClassVar[Aspect] = "precision"
    formula = "(1/k) sum of P@i, every rank i <= k"
    headings: ClassVar[tuple[str, str]] = ("P@i", "k")
    k: int | None = None
    rel: float | None = None

    def steps(self, ranking: "Ranking") -> Iterator[Step]:
        depth = self.k if self.k is not None else len(ranking)
        found, total = 0, 0.0
        for rank in range(1, depth + 1):
            entry = ranking.documents[rank - 1] if rank <= len(ranking) else None
            found += entry is not None and self.hit(entry)
            total += found / rank
            yield Step(
                rank,
                entry.document if entry else "",
                entry.grade if entry else None,
                found / rank,
                float(depth),
                found / rank / depth,
                total / depth,
            )

    def expanded_formula(self, ranking: "Ranking") -> str:
        depth = self.k if self.k is not None else len(ranking)
        terms = [
            f"{format_number(step.gain * step.rank)}/{step.rank}" for step in self.steps(ranking)
        ]
        return equation(quotient(terms, depth), self.value(ranking))

    def kernel(self) -> Kernel | None:
        return "meanp", {"k": self.k, "rel": self.rel}
