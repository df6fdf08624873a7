"""Shared by measures of binary relevance: a document is relevant from a threshold on."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from relyon.measures.definition import Measure, Step
from relyon.measures.formulas import equation, format_number

if TYPE_CHECKING:
    from relyon.data.ranking import RankedDocument, Ranking

__all__ = ["MACRO_MICRO", "BinaryMeasure", "MayNeedRelevant", "NeedsRelevant", "retrieved_or_k"]

MACRO_MICRO = ("macro", "micro")


@dataclass(frozen=True)
class BinaryMeasure(Measure):
    """Shared by measures that only ask whether a document is relevant: grade >= rel."""

    headings: ClassVar[tuple[str, str]] = ("relevant", "divisor")

    def threshold(self) -> float:
        """The grade from which a document is relevant: 0 or more."""
        rel: float | None = getattr(self, "rel", None)
        return 1.0 if rel is None else max(rel, 0.0)

    def hit(self, entry: "RankedDocument") -> bool:
        """Whether a retrieved document is judged relevant."""
        return entry.grade is not None and entry.grade >= self.threshold()

    def depth(self, ranking: "Ranking") -> int | None:
        """How many ranks count; `None` for the whole list."""
        k: int | None = getattr(self, "k", None)
        return k

    def absent(self, ranking: "Ranking") -> list[str]:
        """Returns relevant documents missing from the counted ranks, best grades first."""
        found = {entry.document for entry in ranking.top(self.depth(ranking))}
        lacking = [
            document
            for document, grade in ranking.judged.items()
            if grade >= self.threshold() and document not in found
        ]
        return sorted(lacking, key=lambda document: (-ranking.judged[document], document))

    def fraction(self, ranking: "Ranking") -> str:
        """Returns numerator / denominator = value."""
        above, below = self.parts(ranking)
        return equation(f"{format_number(above)} / {format_number(below)}", self.value(ranking))

    def hits(self, ranking: "Ranking", k: int | None) -> int:
        """How many of the first `k` documents are relevant."""
        return sum(self.hit(entry) for entry in ranking.top(k))

    def share(self, ranking: "Ranking", k: int | None, of: float) -> Iterator[Step]:
        """Yields relevant documents among the first `k`, divided by `of`."""
        found = 0
        for entry in ranking.top(k):
            hit = self.hit(entry)
            found += hit
            yield Step(
                entry.rank, entry.document, entry.grade, float(hit), of, hit / of, found / of
            )


class NeedsRelevant(BinaryMeasure):
    """Shared by measures that divide by R, the number of judged relevant documents."""

    def undefined(self, ranking: "Ranking") -> str | None:
        return None if ranking.relevant(self.threshold()) else "no judged document is relevant"


class MayNeedRelevant(BinaryMeasure):
    """Shared by measures that are 0 without a relevant document, unless `no_relevant` differs."""

    def undefined(self, ranking: "Ranking") -> str | None:
        if getattr(self, "no_relevant", None) != "undefined":
            return None
        return None if ranking.relevant(self.threshold()) else "no judged document is relevant"


def retrieved_or_k(k: int | None, retrieved: int, denominator: str | None) -> int:
    """Returns the denominator for a share of the first `k` documents."""
    if k is None:
        return retrieved
    return min(k, retrieved) if denominator == "retrieved" else k
