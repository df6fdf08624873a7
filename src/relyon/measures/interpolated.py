"""Interpolated precision at levels of recall."""

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from relyon.core.errors import ParameterError
from relyon.core.rules import IprecRounding
from relyon.core.texts import message
from relyon.measures.definition import Kernel, Step
from relyon.measures.formulas import equation
from relyon.measures.lookup import register
from relyon.measures.relevance import NeedsRelevant

if TYPE_CHECKING:
    from relyon.data.ranking import Ranking

__all__ = ["IAP", "IPrec"]


def needed(level: float, relevant: int, rounding: str | None) -> int:
    """Returns how many relevant documents a level of recall needs.

    Examples:
        >>> [needed(0.3, 4, rule) for rule in ("up", "nearest", "nine-tenths")]
        [2, 1, 2]
    """
    if rounding == "nearest":
        return math.floor(level * relevant + 0.5)
    if rounding == "nine-tenths":
        return int(level * relevant + 0.9)
    return math.ceil(level * relevant - 1e-9)


class Interpolated(NeedsRelevant):
    """Shared by measures of interpolated precision: the highest at a rank or any later one."""

    is_additive: ClassVar[bool] = False
    convention_fields: ClassVar[dict[str, str]] = {"rounding": "iprec_rounding"}

    def _needed(self, level: float, ranking: "Ranking") -> int:
        rounding: str | None = getattr(self, "rounding", None)
        return needed(level, ranking.relevant(self.threshold()), rounding)

    def _precisions(self, ranking: "Ranking") -> list[float]:
        """Returns P@i at the relevant ranks."""
        places = [entry.rank for entry in ranking if self.hit(entry)]
        return [found / rank for found, rank in enumerate(places, 1)]

    def _interpolated(self, count: int, precisions: list[float]) -> float:
        """Returns the precision once `count` relevant documents are found, 0 if never."""
        return max(precisions[max(count, 1) - 1 :], default=0.0)

    def missing_relevant(self, ranking: "Ranking") -> list[str]:
        return self.absent(ranking)


@register
@dataclass(frozen=True)
class IPrec(Interpolated):
    """Interpolated precision at a level of recall.

    The highest P@i over the ranks i at which recall is `recall` or more; 0 if the list never
    reaches it. Undefined if R = 0. A point of the recall-precision curve.

    Attributes:
        recall: The level of recall, from 0 to 1.
        rel: Lowest relevant grade; `None` takes the convention's or the scale's.
        rounding: How recall times R becomes a number of documents: `up`, `nearest` (trec_eval 10)
            or `nine-tenths`, floor(x + 0.9) (trec_eval 9); `None` takes the convention's
            `iprec_rounding`.

    Raises:
        ParameterError: If the level is not from 0 to 1.

    Examples:
        >>> import relyon
        >>> relyon.measure("iprec@0.5").score([1, 0, 1, 0, 1, 0, 1])
        0.6666666666666666
        >>> relyon.measure("iprec_at_recall.0.5") == relyon.measure("IPrec@0.5")
        True

    References:
        Manning, Raghavan and Schütze (2008), Introduction to Information Retrieval, chapter 8.
    """

    name = "iprec"
    aliases = ("iprec_at_recall",)
    trec_names: ClassVar[Mapping[str, str]] = {"iprec@{recall}": "iprec_at_recall_{recall:3.2f}"}
    formula = "max of P@i over ranks i with recall >= level"
    headings: ClassVar[tuple[str, str]] = ("P@i", "found")
    at: ClassVar[str] = "recall"
    argument: ClassVar[str] = "recall"
    several: ClassVar[bool] = True
    recall: float = 0.0
    rel: float | None = None
    rounding: IprecRounding | None = None

    def __post_init__(self) -> None:
        super().__post_init__()
        if not 0 <= self.recall <= 1:
            raise ParameterError(
                message(
                    "measures.parameter-recall-of-iprec",
                    recall=self.recall,
                )
            )

    def steps(self, ranking: "Ranking") -> Iterator[Step]:
        count = max(self._needed(self.recall, ranking), 1)
        found, best = 0, 0.0
        for entry in ranking:
            hit = self.hit(entry)
            found += hit
            precision = found / entry.rank
            better = max(precision - best, 0.0) if hit and found >= count else 0.0
            if better:
                best = precision
            yield Step(
                entry.rank, entry.document, entry.grade, precision, float(found), better, best
            )

    def expanded_formula(self, ranking: "Ranking") -> str:
        count = max(self._needed(self.recall, ranking), 1)
        best = self.value(ranking)
        for found, precision in enumerate(self._precisions(ranking), 1):
            if found >= count and precision == best:
                rank = round(found / precision)
                return equation(f"{found} / {rank}", best)
        return f"fewer than {count} relevant retrieved: 0"

    def kernel(self) -> Kernel | None:
        return "iprec", {"recall": self.recall, "rel": self.rel, "rounding": self.rounding}


@register
@dataclass(frozen=True)
class IAP(Interpolated):
    """Interpolated average precision, also called 11-point average.

    The mean of `iprec` over `points` equally spaced levels of recall from 0 to 1: with 11 points 0,
    0.1 … 1. Undefined if R = 0.

    Attributes:
        points: Number of levels, 2 or more.
        rel: Lowest relevant grade; `None` takes the convention's or the scale's.
        rounding: As in `iprec`; `None` takes the convention's `iprec_rounding`.

    Raises:
        ParameterError: If there are fewer than 2 points.

    Examples:
        >>> import relyon
        >>> round(relyon.measure("iap").score([1, 0, 1]), 4)
        0.8485

    References:
        Manning, Raghavan and Schütze (2008), chapter 8; trec_eval's `11pt_avg`.
    """

    name = "iap"
    aliases = ("eleven_point_ap", "11pt_avg")
    trec_names: ClassVar[Mapping[str, str]] = {"iap": "11pt_avg"}
    formula = "mean of iprec at recall 0, 0.1 .. 1"
    headings: ClassVar[tuple[str, str]] = ("P@i", "levels")
    points: int = 11
    rel: float | None = None
    rounding: IprecRounding | None = None

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.points < 2:
            raise ParameterError(
                message(
                    "measures.parameter-points-of-iap",
                    points=self.points,
                )
            )

    def levels(self) -> list[float]:
        """Returns the levels of recall."""
        return [place / (self.points - 1) for place in range(self.points)]

    def steps(self, ranking: "Ranking") -> Iterator[Step]:
        # the relevant document that reaches a level accounts for it
        precisions = self._precisions(ranking)
        counts = [max(self._needed(level, ranking), 1) for level in self.levels()]
        found, total = 0, 0.0
        for entry in ranking:
            hit, before = self.hit(entry), total
            found += hit
            reached = counts.count(found) if hit else 0
            for _ in range(reached):
                total += self._interpolated(found, precisions)
            yield Step(
                entry.rank,
                entry.document,
                entry.grade,
                found / entry.rank,
                float(reached),
                (total - before) / self.points,
                total / self.points,
            )

    def kernel(self) -> Kernel | None:
        return "iap", {"points": self.points, "rel": self.rel, "rounding": self.rounding}
