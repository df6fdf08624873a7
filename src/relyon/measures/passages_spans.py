"""Measures of whole passages, each found once, however many chunks contain it."""

import math
from collections.abc import Iterator
from dataclasses import dataclass
from heapq import heappop, heappush
from typing import ClassVar

from relyon.core.errors import ParameterError
from relyon.core.rules import Gain, gain_function
from relyon.core.texts import message
from relyon.data.parts import Covered, JudgedPart
from relyon.data.ranking import Ranking
from relyon.measures.definition import Aspect, Step
from relyon.measures.formulas import equation, format_number
from relyon.measures.lookup import register
from relyon.measures.passages import PassageMeasure
from relyon.measures.relevance import MACRO_MICRO

__all__ = ["SpanNDCG", "SpanRecall"]


class Spans(PassageMeasure):
    """Shared by measures of whole passages, found once enough of their characters are."""

    share: float

    def __post_init__(self) -> None:
        super().__post_init__()
        if not 0 < self.share <= 1:
            raise ParameterError(
                message("measures.parameter-share-of-name", name=self.name, share=self.share)
            )

    def found_at(self, ranking: Ranking, passages: list[JudgedPart]) -> list[int | None]:
        """Returns the rank from which the chunks so far contain enough of each passage, or None."""
        places: dict[str, list[int]] = {}
        for number, one in enumerate(passages):
            if one.part.found:
                places.setdefault(one.part.document, []).append(number)
        ranks: list[int | None] = [None] * len(passages)
        seen = [0] * len(passages)
        covered = Covered()
        for rank, part in enumerate(self.top(ranking), 1):
            waiting = places.get(part.document)
            if not waiting:
                continue
            for start, end in covered.add(part):
                for number in waiting:
                    _, first, last, _ = passages[number].part
                    seen[number] += max(0, min(end, last) - max(start, first))
            for number in [*waiting]:
                if seen[number] / passages[number].part.length >= self.share:
                    ranks[number] = rank
                    waiting.remove(number)
        return ranks


@register
@dataclass(frozen=True)
class SpanRecall(Spans):
    """Recall of passages.

    The share of relevant passages of which the first `k` chunks together contain at least `share`
    of the characters. A passage counts once, however many chunks contain it, and passages whose
    place was not found count in the divisor. Undefined if no judged passage is relevant. Cutting
    chunks finer in their place in the list never raises it: the first k pieces are part of the
    first k chunks. Equal scores, and rules that remove unjudged chunks, can break this.

    Attributes:
        k: Chunks counted; `None` counts the whole list.
        rel: Lowest relevant grade; `None` takes the convention's or the scale's.
        share: The share of a passage's characters that must be found, above 0 and at most 1.

    Raises:
        ParameterError: If the share is not above 0 and at most 1.

    Examples:
        >>> import relyon
        >>> judged = {"q": [("d", 10, 30), ("d", 35, 39)]}
        >>> passages = relyon.Passages.from_dict(judged)
        >>> chunks = relyon.Chunks.from_dict({"a": ("d", 0, 20), "b": ("d", 15, 40)})
        >>> judgments, run = passages.judgments(chunks), {"q": {"a": 2, "b": 1}}
        >>> relyon.evaluate(judgments, run, "span_recall@1")["span_recall@1"]
        0.5

    References:
        Recall of units that several documents can contain: Zhai, Cohen and Lafferty (2003), SIGIR
        (subtopic recall), with passages as subtopics and the union of chunks as their cover.
    """

    name = "span_recall"
    aspect: ClassVar[Aspect] = "coverage"
    averages: ClassVar[tuple[str, ...]] = MACRO_MICRO
    headings: ClassVar[tuple[str, str]] = ("passages found", "passages")
    formula = "relevant passages found in top k / relevant passages"
    k: int | None = None
    rel: float | None = None
    share: float = 0.5

    def steps(self, ranking: Ranking) -> Iterator[Step]:
        passages = self.relevant(ranking)
        ranks, of, total = self.found_at(ranking, passages), len(passages), 0
        for entry in ranking.top(self.k):
            count = ranks.count(entry.rank)
            total += count
            yield Step(
                entry.rank,
                entry.document,
                entry.grade,
                float(count),
                float(of),
                count / of,
                total / of,
            )

    def fraction_of(self, ranking: Ranking) -> tuple[float, float]:
        passages = self.relevant(ranking)
        ranks = self.found_at(ranking, passages)
        return float(len(passages) - ranks.count(None)), float(len(passages))

    def parts(self, ranking: Ranking) -> tuple[float, float]:
        return self.sums(ranking)

    def expanded_formula(self, ranking: Ranking) -> str:
        above, below = self.sums(ranking)
        return equation(f"{format_number(above)} / {format_number(below)}", self.value(ranking))

    def missing_relevant(self, ranking: Ranking) -> list[str]:
        return self.lacking(ranking)


@register
@dataclass(frozen=True)
class SpanNDCG(Spans):
    """NDCG of passages, each credited once.

    A passage is found at the first rank at which the chunks so far together contain at least
    `share` of its characters. The positions 1, 2, … are then filled from the top: position p goes
    to the passage with the highest gain among those that are found at rank p or before and have no
    position yet; it stays empty if there is none. The value is the sum of gain / log2(position + 1)
    over the positions 1 to k, divided by that of all judged passages in the order of their gains.

    Where each chunk contains one passage of its own this is NDCG. No position can have two
    passages, so the value is at most 1; a whole text that is one chunk has the value 1. Filling
    positions so gives the highest sum of all ways to give passages positions of their own, none
    before its rank: exchanging a passage with one of lower gain, or an empty position, never loses.
    Cutting chunks finer in their place in the list, with or without overlap, only raises these
    ranks, which leaves fewer ways: it never raises the value, without equal scores or rules that
    remove unjudged chunks. Undefined if no gain is above 0.

    Attributes:
        k: Chunks and positions counted; `None` counts all.
        gain: How a grade becomes a gain; `None` takes the convention's.
        share: The share of a passage's characters that must be found, above 0 and at most 1.

    Raises:
        ParameterError: If the share is not above 0 and at most 1.

    Examples:
        >>> import relyon
        >>> judged = {"q": [("d", 10, 30), ("d", 35, 39)]}
        >>> passages = relyon.Passages.from_dict(judged)
        >>> chunks = relyon.Chunks.from_dict({"a": ("d", 0, 20), "b": ("d", 15, 40)})
        >>> judgments, run = passages.judgments(chunks), {"q": {"b": 2, "a": 1}}
        >>> relyon.evaluate(judgments, run, "span_ndcg@1")["span_ndcg@1"]
        1.0

    References:
        Järvelin and Kekäläinen (2002), ACM TOIS 20(4), for NDCG; that a unit is credited once is
        from novelty: Clarke et al. (2008), SIGIR, with alpha = 1. The positions are relyon's own.
    """

    name = "span_ndcg"
    aspect: ClassVar[Aspect] = "top"
    formula = "DCG@k of passages, each once, / ideal DCG@k"
    k: int | None = None
    gain: Gain | None = None
    share: float = 0.5

    def _gains(self, ranking: Ranking) -> list[tuple[float, JudgedPart]]:
        worth = gain_function(self.gain or "linear")
        return [(worth(one.grade), one) for one in self.passages(ranking)]

    def _ideal(self, ranking: Ranking) -> float:
        gains = sorted((gain for gain, _ in self._gains(ranking)), reverse=True)[: self.k]
        total = 0.0
        for position, gain in enumerate(gains, 1):
            total += gain / math.log2(position + 1)
        return total

    def relevant(self, ranking: Ranking) -> list[JudgedPart]:
        """Returns the passages with a gain above 0."""
        return [one for gain, one in self._gains(ranking) if gain > 0]

    def undefined(self, ranking: Ranking) -> str | None:
        return None if self._ideal(ranking) > 0 else "the ideal DCG of passages is 0"

    def positions(self, ranking: Ranking) -> list[tuple[int, int, float]]:
        """Returns the position, the rank and the gain of each passage found, by position."""
        gains = [one for one in self._gains(ranking) if one[0] > 0]
        ranks = self.found_at(ranking, [passage for _, passage in gains])
        arriving = sorted(
            (rank, gain) for (gain, _), rank in zip(gains, ranks, strict=True) if rank is not None
        )
        waiting: list[tuple[float, int]] = []
        placed: list[tuple[int, int, float]] = []
        position = next_one = 0
        while (next_one < len(arriving) or waiting) and position != self.k:
            position += 1
            while next_one < len(arriving) and arriving[next_one][0] <= position:
                rank, gain = arriving[next_one]
                heappush(waiting, (-gain, rank))
                next_one += 1
            if waiting:
                lost, rank = heappop(waiting)
                placed.append((position, rank, -lost))
        return placed

    def fraction_of(self, ranking: Ranking) -> tuple[float, float]:
        ideal, total = self._ideal(ranking), 0.0
        for position, _, gain in self.positions(ranking):
            total += gain / math.log2(position + 1)
        return total, ideal

    def expanded_formula(self, ranking: Ranking) -> str:
        found, ideal = self.sums(ranking)
        left = message(
            "measures.dcg-ideal-dcg",
            dcg=format_number(found),
            ideal=format_number(ideal),
        )
        return equation(left, self.value(ranking))

    def steps(self, ranking: Ranking) -> Iterator[Step]:
        ideal, running = self._ideal(ranking), 0.0
        gains: dict[int, float] = {}
        worths: dict[int, float] = {}
        for position, rank, gain in self.positions(ranking):
            gains[rank] = gains.get(rank, 0.0) + gain
            worths[rank] = worths.get(rank, 0.0) + gain / math.log2(position + 1)
        for entry in ranking.top(self.k):
            gain, worth = gains.get(entry.rank, 0.0), worths.get(entry.rank, 0.0)
            running += worth
            by = gain / worth if worth else math.log2(entry.rank + 1)
            yield Step(
                entry.rank, entry.document, entry.grade, gain, by, worth / ideal, running / ideal
            )

    def missing_relevant(self, ranking: Ranking) -> list[str]:
        return self.lacking(ranking)
