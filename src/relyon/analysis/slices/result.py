"""Slices of queries in which a candidate loses, as a result."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from relyon.analysis.slices.found import SliceFacts
from relyon.core.document.exportable import Exportable
from relyon.core.document.json import note_dict
from relyon.core.texts import Language
from relyon.core.texts.numbers import DIGITS

if TYPE_CHECKING:
    import polars

    from relyon.core.document.model import Document

__all__ = ["Slices"]

#: The columns of `to_frame`.
COLUMNS = (
    *("candidate", "measure", "where", "queries", "tested", "difference", "rest", "searched"),
    *("p_loss", "p_elsewhere", "verdict", "interval_low", "interval_high", "examples"),
)


@dataclass(frozen=True)
class Slices(SliceFacts, Exportable):
    """Where candidates lose: the slices that were tested, the certain ones first.

    Attributes:
        tested: All slices that were tested, of all candidates and measures.
        queries: How many queries there are.
        features: The names of the features, without the words of texts.
        words: How many words of queries are features.
        predicates: How many predicates the features have.
        depth: The most predicates of a slice.
        least: The least number of queries of a slice, in both halves together.
        alpha: The significance level.
        confidence: The level of the intervals.
        seed: The seed of the halves and of the draws.
        left_out: By column that is not used, why: `constant`, `unique`, `two-values`, `run-value`,
            `one-sided`.
        query_texts: The texts of queries, as far as they are known.
        notes: Notes about the data.

    Examples:
        >>> import relyon
        >>> changes = {f"q{n}": -0.5 + n % 5 / 10 if n < 60 else n % 5 / 20 for n in range(240)}
        >>> tiers = {query: "tail" if int(query[1:]) < 60 else "head" for query in changes}
        >>> found = relyon.find_slices(changes, {"tier": tiers})
        >>> one = found.slices[0]
        >>> one.where(), len(one.queries), one.verdict
        ('tier = tail', 60, 'loses')
    """

    def document(self, *, digits: int = DIGITS, language: Language = "en") -> Document:
        """Returns the slices that were found, or that there are none, and how to read them.

        Args:
            digits: Decimals.
            language: `en` or `zh`.
        """
        from relyon.analysis.slices.tables import slices_document

        return slices_document(self, digits=digits, language=language)

    def to_dict(self) -> dict[str, object]:
        """Returns JSON-ready values."""
        return {
            "queries": self.queries,
            "slices": [one.to_dict() for one in self.slices],
            "undecided": [one.to_dict() for one in self.tested if one.verdict == "undecided"],
            "features": list(self.features),
            "words": self.words,
            "predicates": self.predicates,
            "depth": self.depth,
            "least": self.least,
            "alpha": self.alpha,
            "confidence": self.confidence,
            "seed": self.seed,
            "left_out": dict(self.left_out),
            "notes": [note_dict(note) for note in self.notes],
        }

    def to_frame(self) -> polars.DataFrame:
        """Returns one row per tested slice; without any, no rows."""
        import polars

        rows = [one.to_row() for one in self.tested]
        if not rows:
            return polars.DataFrame(schema=dict.fromkeys(COLUMNS, polars.String))
        return polars.DataFrame(rows, infer_schema_length=None)
