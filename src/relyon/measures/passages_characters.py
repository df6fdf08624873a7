"""Measures of characters: those of judged passages that a list of chunks contains."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar, Literal

from relyon.data.parts import Covered, by_document, length_of, shared_length
from relyon.data.ranking import Ranking
from relyon.measures.definition import Aspect, Measure, Step
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
    needs_relevant: ClassVar[bool] = True
    needs_retrieved: ClassVar[bool] = True

    def divisor(self, relevant: int, retrieved: int, both: int) -> int:
        """Returns the divisor of the relevant characters found.

        Args:
            relevant: Characters of relevant passages, each once.
            retrieved: Characters of the chunks counted.
            both: Characters of relevant passages in these chunks, each once.
        """
        raise NotImplementedError

    def steps(self, ranking: Ranking) -> Iterator[Step]:
        below = self.sums(ranking)[1]
        wanted = Covered(one.part for one in self.relevant(ranking))
        covered, seen = Covered(), 0
        for entry, part in zip(ranking.top(self.k), self.top(ranking), strict=True):
            count = sum(wanted.shared(part.document, *new) for new in covered.add(part))
            seen += count
            share, total = (count / below, seen / below) if below else (0.0, 0.0)
            yield Step(entry.rank, entry.document, entry.grade, float(count), below, share, total)

    def fraction_of(self, ranking: Ranking) -> tuple[float, float]:
        passages = self.relevant(ranking)
        if self.needs_relevant and not passages:
            return 0.0, 0.0
        chunks = self.top(ranking)
        wanted = by_document(one.part for one in passages)
        found = by_document(
            chunks if self.needs_retrieved else [one for one in chunks if one.document in wanted]
        )
        lost = sum(one.part.length for one in passages if not one.part.found)
        both = shared_length(wanted, found)
        retrieved = 0
        if self.needs_retrieved:
            each = getattr(self, "repeated", "once") == "each"
            counted = [one.length for one in chunks if each or not one.found]
            retrieved = sum(counted) + (0 if each else length_of(found))
        return float(both), float(self.divisor(length_of(wanted) + lost, retrieved, both))

    def parts(self, ranking: Ranking) -> tuple[float, float]:
        return self.sums(ranking)

    def expanded_formula(self, ranking: Ranking) -> str:
        above, below = self.sums(ranking)
        return equation(f"{format_number(above)} / {format_number(below)}", self.value(ranking))


@register
@dataclass(frozen=True)
class CharRecall(Characters):
    """Recall by characters.

    The characters of relevant passages that the first `k` chunks contain, divided by all characters
    of relevant passages. Each character counts once. A passage whose place was not found counts
    with its length in the divisor. Undefined if no judged passage is relevant. Cutting chunks finer
    in their place in the list never raises it: the first k pieces are part of the first k chunks.
    Equal scores, and rules that remove unjudged chunks, can break this.

    Attributes:
        k: Chunks counted; `None` counts the whole list.
        rel: Lowest relevant grade; `None` takes the convention's or the scale's.

    Examples:
        >>> import relyon
        >>> passages = relyon.Passages.from_dict({"q": [("d", 10, 30)]})
        >>> chunks = relyon.Chunks.from_dict({"a": ("d", 0, 20), "b": ("d", 15, 40)})
        >>> judgments, run = passages.judgments(chunks), {"q": {"a": 2, "b": 1}}
        >>> relyon.evaluate(judgments, run, "char_recall@1")["char_recall@1"]
        0.5

    References:
        Smith and Troynikov (2024), Evaluating Chunking Strategies for Retrieval, Chroma; with
        characters in place of tokens. Overlapping passages count once here, twice there.
    """

    name = "char_recall"
    needs_retrieved: ClassVar[bool] = False
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
    needs_relevant: ClassVar[bool] = False
    aliases = ("char_p",)
    aspect: ClassVar[Aspect] = "precision"
    formula = "relevant characters in top k / characters in top k"
    k: int | None = None
    rel: float | None = None
    repeated: Repeated = "once"
    undefined = Measure.undefined

    def divisor(self, relevant: int, retrieved: int, both: int) -> int:
        return retrieved

    def value(self, ranking: Ranking) -> float:
        above, below = self.sums(self.seen(ranking))
        return above / below if below else 0.0


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
