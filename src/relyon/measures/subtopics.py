"""Shared by measures of diversity: the subtopics of documents, and their gains."""

import math
from collections.abc import Callable, Iterator, Mapping
from typing import ClassVar, Literal

from relyon.core.errors import ParameterError
from relyon.core.texts import message
from relyon.data.ranking import Ranking
from relyon.measures.definition import Aspect, Kernel, Measure, Step
from relyon.measures.formulas import equation, format_number

__all__ = ["Diversity", "Novelty"]

NOTHING_RELEVANT = "no document is relevant to any subtopic"


class Diversity(Measure):
    """Shared by these measures: documents with the subtopics that they are relevant to."""

    needs_subtopics: ClassVar[bool] = True
    aspect: ClassVar[Aspect] = "diversity"
    rel: float | None

    def about(self, ranking: Ranking) -> dict[str, list[str]]:
        """Returns the subtopics that each judged document is relevant to."""
        threshold = max(1.0 if self.rel is None else self.rel, 0.0)
        return {
            document: [subtopic for subtopic, grade in grades.items() if grade >= threshold]
            for document, grades in ranking.subtopics.items()
        }

    def relevant_to(self, ranking: Ranking) -> dict[str, int]:
        """Returns the number of relevant documents for each subtopic that has any."""
        counts: dict[str, int] = {}
        for subtopics in self.about(ranking).values():
            for subtopic in subtopics:
                counts[subtopic] = counts.get(subtopic, 0) + 1
        return counts

    def undefined(self, ranking: Ranking) -> str | None:
        return None if self.relevant_to(ranking) else NOTHING_RELEVANT


class Novelty(Diversity):
    """A measure in which each document about a subtopic shrinks its gain."""

    headings: ClassVar[tuple[str, str]] = ("gain", "weight")
    weights: ClassVar[Literal["log2", "inverse", "geometric"]]
    norm: ClassVar[Literal["subtopics", "ideal"]]
    alpha: float

    def __post_init__(self) -> None:
        super().__post_init__()
        if not 0 <= self.alpha <= 1:
            raise ParameterError(
                message(
                    "measures.parameter-alpha-of-name",
                    name=self.name,
                    alpha=self.alpha,
                )
            )
        if not 0 <= self._beta < 1:
            raise ParameterError(
                message(
                    "measures.parameter-beta-of-name",
                    name=self.name,
                    beta=self._beta,
                )
            )

    @property
    def _beta(self) -> float:
        return float(getattr(self, "beta", 0.5))

    @property
    def _k(self) -> int | None:
        return getattr(self, "k", None)

    def _weight(self) -> Callable[[int], float]:
        if self.weights == "log2":
            return lambda rank: 1.0 / math.log2(rank + 1)
        if self.weights == "inverse":
            return lambda rank: 1.0 / rank
        beta = self._beta
        return lambda rank: beta ** (rank - 1)

    def _gains(self, lists: list[list[str]]) -> Iterator[float]:
        """Yields the gain of each document in order, from the subtopics that it is about."""
        left: dict[str, float] = {}
        for subtopics in lists:
            gain = 0.0
            for subtopic in subtopics:
                gain += left.setdefault(subtopic, 1.0)
                left[subtopic] *= 1.0 - self.alpha
            yield gain

    def _ideal(self, ranking: Ranking) -> list[str]:
        """Returns the relevant documents in greedy order of remaining gain.

        Finding the best order is NP-hard; this one is nearly always the best, and the one that
        ndeval uses. Among equal gains the highest id comes first.
        """
        about = {document: found for document, found in self.about(ranking).items() if found}
        left = {subtopic: 1.0 for found in about.values() for subtopic in found}
        # The sort is stable and `max` takes the first.
        waiting = sorted(about, key=_bytes, reverse=True)
        best: list[str] = []
        while waiting and (self._k is None or len(best) < self._k):
            document = max(waiting, key=lambda one: _added(left, about[one]))
            for subtopic in about[document]:
                left[subtopic] *= 1.0 - self.alpha
            waiting.remove(document)
            best.append(document)
        return best

    def _norm(self, ranking: Ranking) -> float:
        """Returns the divisor of the sum."""
        weight = self._weight()
        if self.norm == "ideal":
            about = self.about(ranking)
            gains = self._gains([about[document] for document in self._ideal(ranking)])
            return sum(gain * weight(rank) for rank, gain in enumerate(gains, 1))
        covered = len(self.relevant_to(ranking))
        if self.weights == "geometric":
            return covered / (1.0 - (1.0 - self.alpha) * self._beta)
        ranks = self._k or max(len(ranking), 1)
        return sum(covered * (1.0 - self.alpha) ** (i - 1) * weight(i) for i in range(1, ranks + 1))

    def steps(self, ranking: Ranking) -> Iterator[Step]:
        about, weight, norm = self.about(ranking), self._weight(), self._norm(ranking)
        entries = ranking.top(self._k)
        gains = self._gains([about.get(entry.document, []) for entry in entries])
        running = 0.0
        for entry, gain in zip(entries, gains, strict=True):
            worth = weight(entry.rank)
            running += gain * worth
            yield Step(
                entry.rank,
                entry.document,
                entry.grade,
                gain,
                worth,
                gain * worth / norm,
                running / norm,
            )

    def ideal_steps(self, ranking: Ranking) -> Iterator[Step]:
        about, weight, norm = self.about(ranking), self._weight(), self._norm(ranking)
        best = self._ideal(ranking)
        gains = self._gains([about[document] for document in best])
        running = 0.0
        for rank, (document, gain) in enumerate(zip(best, gains, strict=True), 1):
            worth = weight(rank)
            running += gain * worth
            grade = ranking.judged.get(document)
            yield Step(rank, document, grade, gain, worth, gain * worth / norm, running / norm)

    def expanded_formula(self, ranking: Ranking) -> str:
        value, norm = self.value(ranking), self._norm(ranking)
        return equation(f"{format_number(value * norm)} / {format_number(norm)}", value)

    def kernel(self) -> Kernel | None:
        return "novelty", {
            "k": self._k,
            "alpha": self.alpha,
            "beta": self._beta,
            "rel": self.rel,
            "weight": self.weights,
            "norm": self.norm,
        }


def _added(left: Mapping[str, float], subtopics: list[str]) -> float:
    # One after the other, like the kernel and ndeval: rounding decides between equal gains.
    gain = 0.0
    for subtopic in subtopics:
        gain += left[subtopic]
    return gain


def _bytes(document: str) -> bytes:
    return document.encode("utf-8", "surrogateescape")
