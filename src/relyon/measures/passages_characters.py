"""Measures of characters: those of judged passages that a list of chunks contains."""

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar, Literal

from relyon.data.parts import Covered
from relyon.data.ranking import Ranking
from relyon.measures.definition import Aspect, Step
from relyon.measures.formulas import equation, format_number
from relyon.measures.lookup import register
from relyon.measures.passages import PassageMeasure
from relyon.measures.relevance import MACRO_MICRO

__all__ = ["CharIoU", "CharPrecision", "CharRecall"]

Repeated = Literal["once", "each"]


class Characters(PassageMeasure):
    """Shared by measures of characters: those found, as a share of others."""

    averages: ClassVar[tuple[str, ...]] = MACRO_MICRO
    headings: ClassVar[tuple[str, str]] = ("relevant characters", "divisor")

    def divisor(self, relevant: int, retrieved: int, both: int) -> int:
        """Returns the divisor of the relevant characters found.

        Args:
            relevant: Characters of relevant passages, each once.
            retrieved: Characters of the chunks counted.
            both: Characters of relevant passages in these chunks, each once.
        """
        raise NotImplementedError

    def _counts(self, ranking: Ranking) -> tuple[list[int], int]:
        """Returns the relevant characters new at each rank, and the divisor."""
        passages = self.relevant(ranking)
        wanted = Covered(one.part for one in passages)
        lost = sum(one.part.length for one in passages if not one.part.found)
        covered, lengths, found = Covered(), 0, list[int]()
        each = getattr(self, "repeated", "once") == "each"
        for entry in ranking.top(self.k):
            part = self.part(ranking, entry.document)
            new = covered.add(part)
            found.append(sum(wanted.shared(part.document, *piece) for piece in new))
            # A chunk whose place is unknown was retrieved; only what it covers is unknown.
            lengths += part.length if each or not part.found else 0
        retrieved = lengths + (0 if each else covered.length)
        return found, self.divisor(wanted.length + lost, retrieved, sum(found))

    def steps(self, ranking: Ranking) -> Iterator[Step]:
        found, below = self._counts(ranking)
        seen = 0
        for entry, count in zip(ranking.top(self.k), found, strict=True):
            seen += count
            share, total = (count / below, seen / below) if below else (0.0, 0.0)
            yield Step(
                entry.rank, entry.document, entry.grade, float(count), float(below), share, total
            )

    def parts(self, ranking: Ranking) -> tuple[float, float]:
        if self.undefined(ranking) is not None:
            return 0.0, 0.0
        found, below = self._counts(ranking)
        return float(sum(found)), float(below)

    def expanded_formula(self, ranking: Ranking) -> str:
        above, below = self.parts(ranking)
        return equation(f"{format_number(above)} / {format_number(below)}", self.value(ranking))

    def value(self, ranking: Ranking) -> float:
        ranking = self.seen(ranking)
        if self.undefined(ranking) is not None:
            return math.nan
        found, below = self._counts(ranking)
        return sum(found) / below if below else 0.0


@register
@dataclass(frozen=True)
class CharRecall(Characters):
    """Recall by characters.

    The characters of relevant passages that the first `k` chunks contain, divided by all characters
    of relevant passages. Each character counts once. A passage whose place was not found counts
    with its length in the divisor. Undefined if no judged passage is relevant. Cutting chunks finer
    in their place in the list never raises it: the first k pieces are part of the first k chunks.

    Attributes:
        k: Chunks counted; `None` counts the whole list.
        rel: Lowest relevant grade; `None` takes the convention's or the scale's.

    Examples:
        >>> import relyon
        >>> passages = relyon.Passages.from_dict({"q": [("d", 10, 30)]})
        >>> chunks = relyon.Chunks.from_dict({"a": ("d", 0, 20), "b": ("d", 15, 40)})
        >>> judgments = passages.judgments(chunks)
        >>> relyon.evaluate(judgments, {"q": {"a": 2, "b": 1}}, "char_recall@1")["char_recall@1"]
        0.5

    References:
        Smith and Troynikov (2024), Evaluating Chunking Strategies for Retrieval, Chroma; with
        characters in place of tokens. Overlapping passages count once here, twice there.
    """

    name = "char_recall"
    aspect: ClassVar[Aspect] = "coverage"
    formula = "relevant characters in top k / relevant characters"
    k: int | None = None
    rel: float | None = None

    def divisor(self, relevant: int, retrieved: int, both: int) -> int:
        return relevant

    def missing_relevant(self, ranking: Ranking) -> list[str]:
        return self.lacking(ranking)


@register
@dataclass(frozen=True)
class CharPrecision(Characters):
    """Precision by characters.

    The characters of relevant passages that the first `k` chunks contain, each once, divided by the
    characters of these chunks: each once, or for ``repeated=each`` as often as they are retrieved,
    which is what a reader of the chunks pays for. 0 if no character was retrieved. Cutting finer
    can raise it, as smaller chunks contain less beside the passage.

    Attributes:
        k: Chunks counted; `None` counts the whole list.
        rel: Lowest relevant grade; `None` takes the convention's or the scale's.
        repeated: Whether a character in several chunks is divided by `once` or `each` time.

    Examples:
        >>> import relyon
        >>> passages = relyon.Passages.from_dict({"q": [("d", 10, 30)]})
        >>> chunks = relyon.Chunks.from_dict({"a": ("d", 0, 20), "b": ("d", 15, 40)})
        >>> judgments, run = passages.judgments(chunks), {"q": {"a": 2, "b": 1}}
        >>> relyon.evaluate(judgments, run, "char_precision@2")["char_precision@2"]
        0.5

    References:
        Smith and Troynikov (2024), Evaluating Chunking Strategies for Retrieval, Chroma, which
        counts retrieved tokens each time.
    """

    name = "char_precision"
    aliases = ("char_p",)
    aspect: ClassVar[Aspect] = "precision"
    formula = "relevant characters in top k / characters in top k"
    k: int | None = None
    rel: float | None = None
    repeated: Repeated = "once"

    def divisor(self, relevant: int, retrieved: int, both: int) -> int:
        return retrieved

    def undefined(self, ranking: Ranking) -> str | None:
        return None


@register
@dataclass(frozen=True)
class CharIoU(Characters):
    """Intersection over union of characters.

    The characters of relevant passages that the first `k` chunks contain, divided by the characters
    that are in a relevant passage or in one of these chunks. With ``repeated=each`` retrieved
    characters count as often as they are retrieved. A passage whose place was not found counts with
    its length in the divisor. Undefined if no judged passage is relevant. Like precision, it can
    rise if chunks are cut finer.

    Attributes:
        k: Chunks counted; `None` counts the whole list.
        rel: Lowest relevant grade; `None` takes the convention's or the scale's.
        repeated: Whether a character in several chunks is divided by `once` or `each` time.

    Examples:
        >>> import relyon
        >>> passages = relyon.Passages.from_dict({"q": [("d", 10, 30)]})
        >>> chunks = relyon.Chunks.from_dict({"a": ("d", 0, 20), "b": ("d", 15, 40)})
        >>> judgments, run = passages.judgments(chunks), {"q": {"a": 2, "b": 1}}
        >>> relyon.evaluate(judgments, run, "char_iou@2")["char_iou@2"]
        0.5

    References:
        Smith and Troynikov (2024), Evaluating Chunking Strategies for Retrieval, Chroma, which
        counts retrieved tokens each time.
    """

    name = "char_iou"
    aspect: ClassVar[Aspect] = "precision"
    formula = "relevant characters in top k / characters relevant or in top k"
    k: int | None = None
    rel: float | None = None
    repeated: Repeated = "once"

    def divisor(self, relevant: int, retrieved: int, both: int) -> int:
        return relevant + retrieved - both
