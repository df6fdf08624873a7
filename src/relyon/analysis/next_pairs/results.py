"""What the draw and the estimate return."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from relyon.analysis.next_pairs.drawn import frame_of
from relyon.analysis.next_pairs.facts import DrawFacts, EstimateFacts
from relyon.core.document.exportable import Exportable
from relyon.core.document.json import json_number, note_dict
from relyon.core.texts.numbers import DIGITS

if TYPE_CHECKING:
    import polars

    from relyon.core.document.model import Document
    from relyon.core.texts import Language
    from relyon.io.descriptions import Role

__all__ = ["NextPairs", "PairsEstimate"]

#: The numbers of an estimate that may not exist.
NUMBERS = ("value", "low", "high", "error", "draw_error", "next_half")


@dataclass(frozen=True)
class PairsEstimate(EstimateFacts, Exportable):
    """The mean of one run, or the difference of two, from pairs that were drawn.

    Attributes:
        measure: The measure.
        value: The estimate.
        low: The lower end of the interval; NaN if there is none.
        high: The upper end.
        confidence: The level of the interval.
        error: The standard error; NaN without an interval.
        draw_error: The part of it that is due to the draws, which grading all pairs would remove:
            the square of `error` is the sum of its square and that due to the queries.
        queries: The number of queries.
        drawn: How many draws count.
        left: How many pairs can still be drawn.
        batches: How many batches there are.
        skipped: How many drawn pairs were not judged; the interval spans all their grades.
        next_half: Half the width of the interval that is expected after the next batch.
        next_budget: The number of pairs of that batch.
        values: The estimate for each query; few or no pairs of a query may be graded, so that
            single values say little.
        notes: What was noticed.

    Examples:
        >>> import relyon
        >>> old, new = ({f"q{n}": {one: 1.0} for n in range(12)} for one in "ab")
        >>> drawn = relyon.next_pairs({}, old, new, budget=20)
        >>> grades = {}
        >>> for one in drawn.drawn:
        ...     worth = 0 if one.document == "a" else int(one.query[1:]) % 3
        ...     grades.setdefault(one.query, {})[one.document] = worth
        >>> found = relyon.estimate_pairs(grades, old, new, drawn=drawn)
        >>> found.drawn, found.left, found.low < found.value < found.high
        (20, 4, True)
    """

    def document(self, *, digits: int = DIGITS, language: Language = "en") -> Document:
        """Returns the estimate, what it rests on, and how to read it.

        Args:
            digits: Decimals.
            language: `en` or `zh`.
        """
        from relyon.analysis.next_pairs.tables import estimate_document

        return estimate_document(self, digits=digits, language=language)

    def to_dict(self) -> dict[str, object]:
        """Returns JSON-ready values."""
        return {
            "measure": self.measure,
            "value": json_number(self.value),
            "low": json_number(self.low),
            "high": json_number(self.high),
            "confidence": self.confidence,
            "error": json_number(self.error),
            "draw_error": json_number(self.draw_error),
            "queries": self.queries,
            "drawn": self.drawn,
            "left": self.left,
            "batches": self.batches,
            "skipped": self.skipped,
            "complete": self.complete,
            "next_half": json_number(self.next_half),
            "next_budget": self.next_budget,
            "notes": [note_dict(note) for note in self.notes],
        }

    def to_frame(self) -> polars.DataFrame:
        """Returns one row; numbers that do not exist are null."""
        import polars

        row = {name: value for name, value in self.to_dict().items() if name != "notes"}
        numbers = dict.fromkeys(NUMBERS, polars.Float64)
        return polars.DataFrame([row], schema_overrides=numbers)


@dataclass(frozen=True)
class NextPairs(DrawFacts, Exportable):
    """The pairs to grade next.

    Attributes:
        drawn: The pairs, in the order in which they should be graded.
        left: How many pairs could be drawn.
        covered: The share of the summed sizes (|weight| times expected deviation) of all these
            pairs that was drawn; NaN without any.
        estimate: The estimate from what is graded so far.
        notes: What was noticed.

    Examples:
        >>> import relyon
        >>> found = relyon.next_pairs({}, {"q": {"a": 2, "b": 1}}, None, "dcg@2", budget=1)
        >>> len(found), found.left, found.drawn[0].order
        (1, 2, 1)
        >>> found.to_csv().splitlines()[0][:27]
        'query,document,grade,draw_b'
    """

    estimate: PairsEstimate

    def document(
        self, *, digits: int = DIGITS, language: Language = "en", limit: int = 10
    ) -> Document:
        """Returns the first pairs, and the estimate so far.

        Args:
            digits: Decimals.
            language: `en` or `zh`.
            limit: How many pairs are shown.
        """
        from relyon.analysis.next_pairs.tables import pairs_document

        return pairs_document(self, digits=digits, language=language, limit=limit)

    def to_dict(self) -> dict[str, object]:
        """Returns JSON-ready values."""
        return {
            "pairs": [
                {
                    "query": one.query,
                    "document": one.document,
                    "batch": one.batch,
                    "order": one.order,
                    "probability": one.probability,
                    "weight": one.weight,
                }
                for one in self.drawn
            ],
            "left": self.left,
            "covered": json_number(self.covered),
            "estimate": self.estimate.to_dict(),
            "notes": [note_dict(note) for note in self.notes],
        }

    def to_frame(
        self, *, query_texts: object = None, document_titles: object = None
    ) -> polars.DataFrame:
        """Returns one row per pair with an empty grade: the file that `estimate_pairs` reads.

        Args:
            query_texts: Texts of queries, which people need to grade: a mapping, a frame or a file;
                they are in a further column `query_text`.
            document_titles: Titles of documents, in a further column `title`.
        """
        import polars

        from relyon.io.descriptions import Descriptions

        frame = frame_of(self.drawn)
        given: tuple[tuple[Role, object, str], ...] = (
            ("query", query_texts, "query_text"),
            ("document", document_titles, "title"),
        )
        place = 2
        for role, source, name in given:
            if source is not None:
                ids = frame[role].to_list()
                texts = Descriptions.of(source, role).find(ids)
                column = [texts.get(one, "") for one in ids]
                frame.insert_column(place, polars.Series(name, column, dtype=polars.String))
                place += 1
        return frame
