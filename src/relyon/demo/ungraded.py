"""The evaluation of a ranker that finds ungraded documents.

The judgments are of what BM25 and TF-IDF found, and of what people added. A ranker that finds other
documents is measured in part; two ways to count them say how far that may mislead.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from relyon.core.document.exportable import Exportable
from relyon.core.document.model import Document, Prose, Table
from relyon.core.texts import Language, catalogue
from relyon.data.convention import Convention
from relyon.demo.clicks import MEASURE, SCALE

if TYPE_CHECKING:
    import polars as pl

    from relyon.data.judgments import Judgments
    from relyon.data.run import Run

__all__ = ["Reading", "UngradedStory", "read_ungraded"]

#: How much of a run's first documents is graded.
SHARE = "judged@10"


class Reading(NamedTuple):
    """One way to count ungraded documents.

    Attributes:
        unjudged: `nonrelevant`, or `removed` from the list.
        first: The measure of the ranker whose documents are graded.
        dense: The measure of the other.
        difference: Between them.
        interval: Its 95% interval, paired by question.
    """

    unjudged: str
    first: float
    dense: float
    difference: float
    interval: tuple[float, float]


@dataclass(frozen=True)
class UngradedStory(Exportable):
    """The values of a ranker whose documents are graded in part.

    Attributes:
        readings: Ungraded documents as irrelevant, and left out.
        share: How many of its first ten documents are graded.
        first: What it is compared with.
    """

    readings: tuple[Reading, Reading]
    share: float
    first: str

    def to_frame(self) -> pl.DataFrame:
        """Returns one row per reading."""
        import polars as pl

        return pl.DataFrame(
            [
                {
                    "unjudged": one.unjudged,
                    "first": one.first,
                    "dense": one.dense,
                    "difference": one.difference,
                    "low": one.interval[0],
                    "high": one.interval[1],
                }
                for one in self.readings
            ]
        )

    def to_dict(self) -> dict[str, object]:
        """Returns JSON-ready values."""
        return {
            "measure": MEASURE,
            SHARE: self.share,
            "first": self.first,
            "readings": [one._asdict() for one in self.readings],
        }

    def document(self, *, digits: int = 3, language: Language = "en") -> Document:
        """Returns both readings and the conclusions from them.

        Args:
            digits: Decimals.
            language: `en` or `zh`.
        """
        words = catalogue("demo", language)
        style = words.style
        rows = [
            [
                words.name("unjudged", one.unjudged),
                style.number(one.first, digits),
                style.number(one.dense, digits),
                style.signed(one.difference, digits),
                style.signed_interval(one.interval, digits),
            ]
            for one in self.readings
        ]
        names = [
            words["column.ungraded"],
            words.name("ranker", self.first),
            words.name("ranker", "dense"),
            words["column.difference"],
            words["column.interval"],
        ]
        lowest, highest = (
            min(one.interval[0] for one in self.readings),
            max(one.interval[1] for one in self.readings),
        )
        verdict = "better" if lowest > 0 else "worse" if highest < 0 else "open"
        said = [
            words.say("dense.share", share=1 - self.share, measure=MEASURE),
            words.say(f"dense.{verdict}", first=self.first),
        ]
        return Document([Table(names, rows), Prose(said)])


def read_ungraded(judgments: Judgments, first: Run, dense: Run) -> UngradedStory:
    """Compares with a ranker whose documents are graded, ungraded ones counted in both ways.

    Args:
        judgments: People's grades.
        first: A run whose documents are graded.
        dense: A run whose documents are graded in part.
    """
    from relyon.analysis.comparison import compare

    readings = []
    share = 0.0
    for unjudged in ("nonrelevant", "removed"):
        convention = Convention(unjudged=unjudged)
        found = compare(
            judgments, first, dense, [MEASURE, SHARE], scale=SCALE, convention=convention
        )
        if unjudged == "nonrelevant":
            share = float(found.results[1][SHARE])
        contrast = next(one for one in found.contrasts if str(one.measure) == MEASURE)
        if contrast.interval is None:
            raise ValueError("a comparison of one question has no interval")
        readings.append(
            Reading(
                unjudged,
                float(found.results[0][MEASURE]),
                float(found.results[1][MEASURE]),
                contrast.difference,
                contrast.interval,
            )
        )
    return UngradedStory((readings[0], readings[1]), share, first.name)
