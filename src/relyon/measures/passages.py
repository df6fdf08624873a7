"""Measures of judged passages: characters and passages found, however the text is cut.

A run ranks chunks; judgments are about passages, parts of documents. Both are places in characters
of a document's text, so that the same judgments measure every way of cutting it (see
`relyon.Passages`). A character counts once, however many chunks contain it, and a passage once,
however many chunks contain parts of it.

Judgments without passages count each judged document as a passage of one character that only it
contains: `char_recall` is then `recall`, and `span_ndcg` is `ndcg`.
"""

import math
from abc import abstractmethod
from collections.abc import Sequence
from typing import ClassVar

from relyon.core.errors import InputError
from relyon.core.texts import message
from relyon.data.parts import Covered, JudgedPart, Part
from relyon.data.ranked_chunks import RankedChunks
from relyon.data.ranking import Ranking
from relyon.measures.definition import Measure

__all__ = ["PassageMeasure"]

NOTHING_RELEVANT = "no judged passage is relevant"


class PassageMeasure(Measure):
    """Shared by these measures: the judged passages of a query, and the places of its chunks."""

    needs_passages: ClassVar[bool] = True
    k: int | None

    def passages(self, ranking: Ranking) -> tuple[JudgedPart, ...]:
        """Returns the judged passages; without any, each judged document is one."""
        if ranking.passages is not None:
            return ranking.passages
        return tuple(
            JudgedPart(document, Part(document, 0, 1), grade)
            for document, grade in ranking.judged.items()
        )

    def relevant(self, ranking: Ranking) -> list[JudgedPart]:
        """Returns the passages whose grade is `rel` or more."""
        rel: float | None = getattr(self, "rel", None)
        threshold = 1.0 if rel is None else max(rel, 0.0)
        return [one for one in self.passages(ranking) if one.grade >= threshold]

    def part(self, ranking: Ranking, chunk: str) -> Part:
        """Returns the place of a chunk.

        Raises:
            InputError: If the table of chunks does not have it.
        """
        if ranking.passages is None:
            return Part(chunk, 0, 1)
        found = ranking.chunks.get(chunk)
        if found is None:
            raise InputError(
                message("measures.chunk-without-place", query=ranking.query, chunk=chunk),
                hint=message("measures.give-chunks-of-run"),
            )
        return found

    def top(self, ranking: Ranking) -> Sequence[Part]:
        """Returns the places of the chunks counted, best ranked first."""
        if isinstance(ranking, RankedChunks):
            return ranking.places[: self.k]
        return [self.part(ranking, entry.document) for entry in ranking.top(self.k)]

    def sums(self, ranking: Ranking) -> tuple[float, float]:
        """Returns numerator and denominator of the value."""
        if not isinstance(ranking, RankedChunks):
            return self.fraction_of(ranking)
        found = ranking.known.get(self)
        if found is None:
            found = ranking.known[self] = self.fraction_of(ranking)
        return found

    @abstractmethod
    def fraction_of(self, ranking: Ranking) -> tuple[float, float]:
        """Returns numerator and denominator of the value; both are 0 if it is undefined."""

    def value(self, ranking: Ranking) -> float:
        above, below = self.sums(self.seen(ranking))
        return above / below if below else math.nan

    def undefined(self, ranking: Ranking) -> str | None:
        return None if self.relevant(ranking) else NOTHING_RELEVANT

    def lacking(self, ranking: Ranking) -> list[str]:
        """Returns the judged chunks outside the counted ranks that would add to a passage.

        A passage of which no chunk contains enough is listed by the name that `judged` has for it.
        """
        counted = {entry.document for entry in ranking.top(self.k)}
        covered = Covered(self.part(ranking, chunk) for chunk in counted)
        short = [
            one
            for one in self.relevant(ranking)
            if not one.part.found or covered.shared(*one.part[:3]) < one.part.length
        ]

        def adds(chunk: str) -> bool:
            if ranking.passages is not None and chunk not in ranking.chunks:
                return any(chunk.endswith(one.name) for one in short)
            place = self.part(ranking, chunk)
            return any(_new(covered, place, one.part) for one in short)

        lacking = [chunk for chunk in ranking.judged if chunk not in counted and adds(chunk)]
        return sorted(lacking, key=lambda chunk: (-ranking.judged[chunk], chunk))


def _new(covered: Covered, chunk: Part, passage: Part) -> int:
    """Returns how many characters of a passage are in a chunk, but not yet covered."""
    start, end = max(chunk.start, passage.start), min(chunk.end, passage.end)
    if chunk.document != passage.document or not (chunk.found and passage.found) or end <= start:
        return 0
    return end - start - covered.shared(chunk.document, start, end)
