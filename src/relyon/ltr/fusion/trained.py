"""Methods that learn the probability of relevance at each rank of a run from judgments."""

from __future__ import annotations

import dataclasses
import math
from abc import abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar, Protocol, Self

from relyon.core.errors import ParameterError
from relyon.core.texts import message
from relyon.ltr.fusion.method import Kernel, Method, Place, Reads, register

__all__ = [
    "BayesFuse",
    "Lessons",
    "MAPFuse",
    "PosFuse",
    "ProbFuse",
    "SegFuse",
    "SlideFuse",
    "TrainedMethod",
]

Table = tuple[float, ...]
#: One query's list: its number of documents, and the places of relevant ones, from 0.
Hits = tuple[int, list[int]]


class Lessons(Protocol):
    """Training data: runs whose documents were judged."""

    def hits(self) -> list[list[Hits]]:
        """Returns for each run the list of each judged query."""

    def average_precision(self) -> list[float]:
        """Returns the mean average precision of each run."""


class TrainedMethod(Method):
    """A method whose tables are learnt from judgments of training queries.

    Values on the training queries are too high: train on some queries and evaluate on others.
    """

    @abstractmethod
    def learn(self, lessons: Lessons) -> Self:
        """Returns the trained method."""


@dataclass(frozen=True)
class _ByRank(TrainedMethod):
    """A method with one table by rank per run."""

    reads: ClassVar[Reads] = "ranks"
    trained: ClassVar[tuple[str, ...]] = ("probabilities",)

    probabilities: tuple[Table, ...] | None = None

    def learnt(self, run: int) -> Table:
        """Returns the table of one run; `check` has made sure that it exists."""
        return (self.probabilities or ())[run]

    def points(self, place: Place) -> float:
        """The table's value; 0 after its end."""
        table = self.learnt(place.run)
        return table[place.rank - 1] if place.rank <= len(table) else 0.0


@register
@dataclass(frozen=True)
class PosFuse(_ByRank):
    """The probability that the document at this rank is relevant, from lists that reach it.

    Attributes:
        probabilities: Learnt: for each run the share of relevant documents by rank.

    References:
        Lillis et al. (2010), SIGIR.
    """

    name: ClassVar[str] = "posfuse"
    formula: ClassVar[str] = "sum of w x P(relevant | run, r)"

    def learn(self, lessons: Lessons) -> Self:
        """Learns the share of relevant documents at each rank."""
        tables = tuple(_by_rank(hits) for hits in lessons.hits())
        return dataclasses.replace(self, probabilities=tables)


@register
@dataclass(frozen=True)
class SlideFuse(_ByRank):
    """PosFuse with the mean over a window of ranks around that of the document.

    Attributes:
        window: Ranks on either side; fewer at the ends of the list.
        probabilities: Learnt: for each run the share of relevant documents by rank.

    References:
        Lillis, Toolan, Collier and Dunnion (2008), ECIR.
    """

    name: ClassVar[str] = "slidefuse"
    formula: ClassVar[str] = "sum of w x mean of P(relevant | run, ranks within the window)"
    grid: ClassVar[Mapping[str, Sequence[float]]] = {"window": range(1, 101)}

    window: int = 5

    def __post_init__(self) -> None:
        if self.window < 0:
            raise ParameterError(
                message(
                    "ltr.parameter-window-must-be-whole",
                    window=self.window,
                )
            )

    def points(self, place: Place) -> float:
        """The mean of the table over the window."""
        first = max(place.rank - 1 - self.window, 0)
        last = min(place.rank - 1 + self.window, place.retrieved - 1) + 1
        return sum(self.learnt(place.run)[first:last]) / (last - first)

    def learn(self, lessons: Lessons) -> Self:
        """Learns the share of relevant documents at each rank."""
        tables = tuple(_by_rank(hits) for hits in lessons.hits())
        return dataclasses.replace(self, probabilities=tables)

    def kernel(self) -> Kernel:
        """The arguments of the native core."""
        return Kernel("window", self.probabilities, window=self.window)


@register
@dataclass(frozen=True)
class ProbFuse(_ByRank):
    """Segments of equal length; P(relevant) divided by the number of the segment.

    Attributes:
        segments: The number of segments.
        probabilities: Learnt: for each run the share of relevant documents by segment, the mean
            over all training queries.

    References:
        Lillis, Toolan, Collier and Dunnion (2006), SIGIR.
    """

    name: ClassVar[str] = "probfuse"
    formula: ClassVar[str] = "sum of w x P(relevant | run, segment) / segment"
    grid: ClassVar[Mapping[str, Sequence[float]]] = {"segments": range(1, 101)}

    segments: int = 25

    def __post_init__(self) -> None:
        if self.segments < 1:
            raise ParameterError(
                message(
                    "ltr.parameter-segments-must-be-whole",
                    segments=self.segments,
                )
            )

    def points(self, place: Place) -> float:
        """The contribution of the segment's probability."""
        table = self.learnt(place.run)
        segment = (place.rank - 1) // math.ceil(place.retrieved / len(table))
        return table[segment] / (segment + 1)

    def learn(self, lessons: Lessons) -> Self:
        """Learns the share of relevant documents in each segment."""
        tables = []
        for lists in lessons.hits():
            sums = [0.0] * self.segments
            for retrieved, places in lists:
                size = math.ceil(retrieved / self.segments)
                for place in places:
                    segment = place // size
                    sums[segment] += 1 / min(size, retrieved - segment * size)
            tables.append(tuple(value / len(lists) for value in sums))
        return dataclasses.replace(self, probabilities=tuple(tables))

    def kernel(self) -> Kernel:
        """The arguments of the native core."""
        tables = [
            [value / (number + 1) for number, value in enumerate(table)]
            for table in self.probabilities or ()
        ]
        return Kernel("segments", tables)


@register
@dataclass(frozen=True)
class SegFuse(_ByRank):
    """Segments of 5, 15, 35, 75 … documents; P(relevant) times score + 1.

    Documents after the tenth segment contribute nothing.

    Attributes:
        probabilities: Learnt: for each run the share of relevant documents by segment, the mean
            over all training queries.

    References:
        Shokouhi (2007), ECIR.
    """

    name: ClassVar[str] = "segfuse"
    formula: ClassVar[str] = "sum of w x P(relevant | run, segment) x (s + 1)"
    reads: ClassVar[Reads] = "scores"
    #: The ends of the segments; the first begins at 0.
    ends: ClassVar[tuple[int, ...]] = tuple(
        sum(10 * 2**number - 5 for number in range(count)) for count in range(1, 11)
    )

    def points(self, place: Place) -> float:
        """The contribution of the segment's probability and the score."""
        return self._by_rank(place.run, place.rank) * (place.score + 1)

    def _by_rank(self, run: int, rank: int) -> float:
        for end, value in zip(self.ends, self.learnt(run), strict=True):
            if rank <= end:
                return value
        return 0.0

    def learn(self, lessons: Lessons) -> Self:
        """Learns the share of relevant documents in each segment."""
        starts = (0, *self.ends[:-1])
        tables = []
        for lists in lessons.hits():
            counts = [0] * len(self.ends)
            for _, places in lists:
                for place in places:
                    if place < self.ends[-1]:
                        counts[_segment(place, self.ends)] += 1
            sizes = (end - start for start, end in zip(starts, self.ends, strict=True))
            tables.append(
                tuple(count / size / len(lists) for count, size in zip(counts, sizes, strict=True))
            )
        return dataclasses.replace(self, probabilities=tuple(tables))

    def kernel(self) -> Kernel:
        """The arguments of the native core."""
        tables = [
            [self._by_rank(run, rank) for rank in range(1, self.ends[-1] + 1)]
            for run in range(len(self.probabilities or ()))
        ]
        return Kernel("table_score", tables)


@register
@dataclass(frozen=True)
class MAPFuse(TrainedMethod):
    """Reciprocal ranks, weighted by the runs' mean average precision on the training queries.

    Attributes:
        scores: Learnt: the mean average precision of each run.

    References:
        Lillis et al. (2010), SIGIR.
    """

    name: ClassVar[str] = "mapfuse"
    formula: ClassVar[str] = "sum of w x MAP / r"
    reads: ClassVar[Reads] = "ranks"
    trained: ClassVar[tuple[str, ...]] = ("scores",)

    scores: tuple[float, ...] | None = None

    def points(self, place: Place) -> float:
        """The run's mean average precision divided by the rank."""
        return (self.scores or ())[place.run] / place.rank

    def learn(self, lessons: Lessons) -> Self:
        """Learns each run's mean average precision."""
        return dataclasses.replace(self, scores=tuple(lessons.average_precision()))


@register
@dataclass(frozen=True)
class BayesFuse(TrainedMethod):
    """The sum of the log odds of relevance at each rank: naive Bayes.

    Segments of ranks end at 5, 10, 15, 20, 30, 100, 200, 500 and 1,000. A document that a run
    lacks, or returns after rank 1,000, contributes the log odds of a probability of 0.001.

    Attributes:
        log_odds: Learnt: for each run ln(P / (1 - P)) by rank, P the share of relevant documents in
            the rank's segment; 0.001 replaces P = 0, and 1 - P if P is 1.

    References:
        Aslam and Montague (2001), SIGIR.
    """

    name: ClassVar[str] = "bayesfuse"
    formula: ClassVar[str] = "sum of w x ln(P(relevant | run, r) / P(not relevant | run, r))"
    reads: ClassVar[Reads] = "ranks"
    trained: ClassVar[tuple[str, ...]] = ("log_odds",)
    #: The ends of the segments.
    ends: ClassVar[tuple[int, ...]] = (5, 10, 15, 20, 30, 100, 200, 500, 1000)
    least: ClassVar[float] = math.log(0.001 / 0.999)

    log_odds: tuple[Table, ...] | None = None

    def points(self, place: Place) -> float:
        """The table's value."""
        table = (self.log_odds or ())[place.run]
        return table[place.rank - 1] if place.rank <= len(table) else self.least

    def absent(self, run: int, retrieved: int, candidates: int) -> float | None:
        """The log odds of a probability of 0.001."""
        return self.least

    def learn(self, lessons: Lessons) -> Self:
        """Learns the log odds of relevance at each rank."""
        tables = []
        for lists in lessons.hits():
            table: list[float] = []
            for start, end in zip((0, *self.ends[:-1]), self.ends, strict=True):
                found = sum(start <= place < end for _, places in lists for place in places)
                chance = found / (end - start) / len(lists) or 0.001
                table += [math.log(chance / ((1 - chance) or 0.001))] * (end - start)
            tables.append(tuple(table))
        return dataclasses.replace(self, log_odds=tuple(tables))

    def kernel(self) -> Kernel:
        """The arguments of the native core."""
        return Kernel(
            "table",
            self.log_odds,
            beyond=self.least,
            absent="value",
            absent_value=self.least,
        )


def _by_rank(lists: Iterable[Hits]) -> Table:
    """Returns the share of relevant documents at each rank, of the lists that reach it."""
    lists = list(lists)
    lengths = [0] * (max((retrieved for retrieved, _ in lists), default=0) + 1)
    found = [0] * len(lengths)
    for retrieved, places in lists:
        lengths[retrieved] += 1
        for place in places:
            found[place] += 1
    shares = []
    reaching = sum(lengths)
    for rank in range(1, len(lengths)):
        reaching -= lengths[rank - 1]
        shares.append(found[rank - 1] / reaching)
    return tuple(shares)


def _segment(place: int, ends: Sequence[int]) -> int:
    return next(number for number, end in enumerate(ends) if place < end)
