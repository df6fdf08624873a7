"""Measures that trec_eval introduced: averages of NDCG along the list, G, Robertson's YAAP."""

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from relyon.data.convention import Gain, gain_function
from relyon.measures.definition import Kernel, Measure, Step
from relyon.measures.formulas import equation, format_number, quotient
from relyon.measures.gain import ideal_list, native_gain
from relyon.measures.lookup import register
from relyon.measures.relevance import NeedsRelevant

if TYPE_CHECKING:
    from relyon.data.ranking import Ranking

__all__ = ["RNDCG", "YAAP", "BinG", "GMeasure", "NDCGRel"]


class Graded(Measure):
    """Shared by measures of gain that compare with the best order of all judged documents."""

    is_additive: ClassVar[bool] = False

    def worth(self) -> Gain:
        """How a grade becomes a gain."""
        gain: Gain | None = getattr(self, "gain", None)
        return gain or "linear"

    def best(self, ranking: "Ranking") -> list[float]:
        """Returns the gains above 0 of all judged documents, the highest first."""
        worth = gain_function(self.worth())
        return sorted(filter(None, map(worth, ranking.judged.values())), reverse=True)

    def undefined(self, ranking: "Ranking") -> str | None:
        return None if self.best(ranking) else "no judged document has a gain"

    def ideal_steps(self, ranking: "Ranking") -> Iterator[Step]:
        return ideal_list(ranking, None, self.worth(), "log2", "judged")

    def cumulated(self, ranking: "Ranking") -> tuple[list[float], list[float]]:
        """Returns DCG up to each rank, and the ideal DCG of each number of documents."""
        worth = gain_function(self.worth())
        actual, ideal = [0.0], [0.0]
        for entry in ranking:
            actual.append(actual[-1] + worth(entry.grade) / math.log2(entry.rank + 1))
        for rank, gain in enumerate(self.best(ranking), 1):
            ideal.append(ideal[-1] + gain / math.log2(rank + 1))
        return actual, ideal


@register
@dataclass(frozen=True)
class RNDCG(Graded):
    """NDCG averaged over the levels of gain.

    The mean of DCG@i / ideal DCG@i over the ranks i at which the gain of the ideal list drops,
    including its end, and the end of the run's list if that is at least two ranks later. Undefined
    where no judged document has a gain, or R = 0.

    Attributes:
        gain: How a grade becomes a gain; `None` takes the convention's.
        rel: Lowest relevant grade; `None` takes the convention's or the scale's.

    Examples:
        >>> import relyon
        >>> round(relyon.measure("rndcg").score([2, 3, 0]), 4)
        0.79

    References:
        Buckley (2008); trec_eval's `Rndcg`.
    """

    name = "rndcg"
    trec_names: ClassVar[Mapping[str, str]] = {"rndcg": "Rndcg"}
    formula = "mean of NDCG@i where the ideal gain changes"
    headings: ClassVar[tuple[str, str]] = ("gain", "levels")
    gain: Gain | None = None
    rel: float | None = None

    def undefined(self, ranking: "Ranking") -> str | None:
        if not ranking.relevant(1.0 if self.rel is None else self.rel):
            return "no judged document is relevant"
        return super().undefined(ranking)

    def _points(self, ranking: "Ranking") -> list[tuple[int, float]]:
        """Returns ranks, and the ratio of DCG to ideal DCG there."""
        actual, ideal = self.cumulated(ranking)
        best, end = self.best(ranking), len(ranking)
        ranks = [
            rank for rank in range(1, len(best) + 1)
            if rank == len(best) or best[rank] != best[rank - 1]
        ]  # fmt: skip
        points = [(rank, actual[min(rank, end)] / ideal[rank]) for rank in ranks]
        if end > len(best) + 1:
            points.append((end, actual[end] / ideal[-1]))
        return points

    def steps(self, ranking: "Ranking") -> Iterator[Step]:
        worth, points = gain_function(self.worth()), self._points(ranking)
        end, total = len(ranking), 0.0
        for entry in ranking:
            here = [value for rank, value in points if rank == entry.rank]
            if entry.rank == end:
                here += [value for rank, value in points if rank > end]
            share = sum(here) / len(points)
            total += share
            yield Step(
                entry.rank, entry.document, entry.grade, worth(entry.grade), float(len(here)),
                share, total,
            )  # fmt: skip

    def expanded_formula(self, ranking: "Ranking") -> str:
        points = self._points(ranking)
        terms = [format_number(value) for _, value in points]
        return equation(quotient(terms, len(points)), self.value(ranking))

    def kernel(self) -> Kernel | None:
        return "rndcg", {"gain": native_gain(self.gain), "rel": self.rel}


@register
@dataclass(frozen=True)
class NDCGRel(Graded):
    """NDCG averaged over the documents that have a gain.

    The mean of DCG@i / ideal DCG@i over the ranks i of all judged documents with a gain; one that
    was not retrieved counts at the end of the list, with the whole ideal DCG. Undefined if no
    judged document has a gain.

    Attributes:
        gain: How a grade becomes a gain; `None` takes the convention's.

    Examples:
        >>> import relyon
        >>> round(relyon.measure("ndcg_rel").score([2, 3, 0]), 4)
        0.79

    References:
        Buckley (2008); trec_eval's `ndcg_rel`.
    """

    name = "ndcg_rel"
    formula = "mean of NDCG@i over documents with a gain"
    headings: ClassVar[tuple[str, str]] = ("gain", "documents")
    gain: Gain | None = None

    def steps(self, ranking: "Ranking") -> Iterator[Step]:
        worth = gain_function(self.worth())
        actual, ideal = self.cumulated(ranking)
        left = count = len(ideal) - 1
        total = 0.0
        for entry in ranking:
            gain, share = worth(entry.grade), 0.0
            if gain > 0:
                left -= 1
                share = actual[entry.rank] / ideal[min(entry.rank, count)] / count
            total += share
            yield Step(entry.rank, entry.document, entry.grade, gain, float(gain > 0), share, total)
        if left:
            share = left * actual[-1] / ideal[-1] / count
            yield Step(len(ranking) + 1, "", None, 0.0, float(left), share, total + share)

    def missing_relevant(self, ranking: "Ranking") -> list[str]:
        worth = gain_function(self.worth())
        found = {entry.document for entry in ranking}
        return [
            document
            for document, grade in ranking.judged.items()
            if worth(grade) > 0 and document not in found
        ]

    def kernel(self) -> Kernel | None:
        return "ndcg_rel", {"gain": native_gain(self.gain)}


@register
@dataclass(frozen=True)
class GMeasure(Graded):
    """G, a gain that depends on what came before.

    (1 / sum of all gains) sum of g_i / log2(2 + C_i - S_i), where S_i is the gain of the first i
    documents and C_i that of the ideal list, in which each of the first i ranks counts at least 1.
    A document after perfect ranks is not discounted. Undefined if no
    judged document has a gain.

    Attributes:
        gain: How a grade becomes a gain; `None` takes the convention's.

    Examples:
        >>> import relyon
        >>> round(relyon.measure("g").score([3, 0, 2]), 4)
        0.8524

    References:
        Buckley (2008); trec_eval's `G`.
    """

    name = "g"
    trec_names: ClassVar[Mapping[str, str]] = {"g": "G"}
    formula = "sum of g / log2(2 + C - S) / sum of gains"
    headings: ClassVar[tuple[str, str]] = ("gain", "divisor")
    gain: Gain | None = None

    def steps(self, ranking: "Ranking") -> Iterator[Step]:
        worth, best = gain_function(self.worth()), self.best(ranking)
        of = 0.0
        for gain in best:
            of += gain
        spent, gained, total = 0.0, 0.0, 0.0
        for entry in ranking:
            gain = worth(entry.grade)
            gained += gain
            spent += max(best[entry.rank - 1], 1.0) if entry.rank <= len(best) else 1.0
            divisor = math.log2(2.0 + spent - gained)
            share = gain / divisor if gain else 0.0
            total += share
            yield Step(
                entry.rank, entry.document, entry.grade, gain, divisor, share / of, total / of
            )

    def kernel(self) -> Kernel | None:
        return "g", {"gain": native_gain(self.gain)}


@register
@dataclass(frozen=True)
class BinG(NeedsRelevant):
    """Binary G.

    (1/R) sum over relevant retrieved documents of 1 / log2(2 + n), where n is the number of other
    documents above, judged or not. Undefined if R = 0.

    Attributes:
        rel: Lowest relevant grade; `None` takes the convention's or the scale's.

    Examples:
        >>> import relyon
        >>> round(relyon.measure("bin_g").score([1, 0, 1]), 4)
        0.8155

    References:
        Buckley (2008); trec_eval's `binG`.
    """

    name = "bin_g"
    aliases = ("bing",)
    trec_names: ClassVar[Mapping[str, str]] = {"bin_g": "binG"}
    formula = "(1/R) sum of 1 / log2(2 + non-relevant above)"
    headings: ClassVar[tuple[str, str]] = ("relevant", "divisor")
    rel: float | None = None

    def steps(self, ranking: "Ranking") -> Iterator[Step]:
        relevant = ranking.relevant(self.threshold())
        found, total = 0, 0.0
        for entry in ranking:
            hit = self.hit(entry)
            divisor = math.log2(2.0 + entry.rank - 1 - found)
            share = 1.0 / divisor if hit else 0.0
            found += hit
            total += share
            yield Step(
                entry.rank,
                entry.document,
                entry.grade,
                float(hit),
                divisor,
                share / relevant,
                total / relevant,
            )

    def missing_relevant(self, ranking: "Ranking") -> list[str]:
        return self.absent(ranking)

    def kernel(self) -> Kernel | None:
        return "bin_g", {"rel": self.rel}


@register
@dataclass(frozen=True)
class YAAP(NeedsRelevant):
    """Yet another average precision.

    log((1 + s) / (1 + R - s)), where s is the sum of P@i at the relevant ranks: average precision
    on an unbounded scale, so that easy queries do not dominate a mean. Undefined if R = 0.

    Attributes:
        rel: Lowest relevant grade; `None` takes the convention's or the scale's.

    Examples:
        >>> import relyon
        >>> round(relyon.measure("yaap").score([1, 0, 1]), 4)
        0.6931

    References:
        Robertson (2012), On Smoothing Average Precision, ECIR; trec_eval's `yaap`.
    """

    name = "yaap"
    formula = "log((1 + s) / (1 + R - s)), s = sum of P@i"
    headings: ClassVar[tuple[str, str]] = ("P@i", "R")
    bounds: ClassVar[tuple[float, float]] = (-math.inf, math.inf)
    is_additive: ClassVar[bool] = False
    rel: float | None = None

    def steps(self, ranking: "Ranking") -> Iterator[Step]:
        relevant = ranking.relevant(self.threshold())

        def smoothed(above: float) -> float:
            return math.log((1.0 + above) / (1.0 + relevant - above))

        found, above = 0, 0.0
        nothing = before = smoothed(0.0)
        for entry in ranking:
            hit = self.hit(entry)
            found += hit
            precision = found / entry.rank if hit else 0.0
            above += precision
            now = smoothed(above)
            yield Step(
                entry.rank, entry.document, entry.grade, precision, float(relevant),
                now - before, now - nothing,
            )  # fmt: skip
            before = now
        yield Step(len(ranking) + 1, "", None, 0.0, float(relevant), nothing, before)

    def missing_relevant(self, ranking: "Ranking") -> list[str]:
        return self.absent(ranking)

    def kernel(self) -> Kernel | None:
        return "yaap", {"rel": self.rel}
