"""Why a ranker ranks one document above another: the difference of their contributions."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

from relyon.core.document.exportable import Exportable
from relyon.core.document.json import json_number
from relyon.core.document.model import Document, Prose, Table
from relyon.core.texts import Language, catalogue
from relyon.core.texts.numbers import DIGITS

if TYPE_CHECKING:
    import polars as pl

__all__ = ["FeatureReason", "OrderExplanation"]


@dataclass(frozen=True)
class FeatureReason:
    """The part of a feature in the order of two documents.

    Attributes:
        feature: Its name.
        first: Its value for the first document; NaN if it is missing.
        second: Its value for the second one.
        difference: Its contribution to the score of the first minus that to the second's.
    """

    feature: str
    first: float
    second: float
    difference: float

    def to_dict(self) -> dict[str, object]:
        """Returns JSON-ready values."""
        return {
            "feature": self.feature,
            "first": json_number(self.first),
            "second": json_number(self.second),
            "difference": json_number(self.difference),
        }


@dataclass(frozen=True)
class OrderExplanation(Exportable):
    """Why a ranker ranks one document of a query above another.

    Attributes:
        ranker: The name of the ranker.
        query: The query.
        first: A document.
        second: Another document.
        first_score: The ranker's score of the first.
        second_score: That of the second.
        reasons: One per feature, the largest differences first.
    """

    ranker: str
    query: str
    first: str
    second: str
    first_score: float
    second_score: float
    reasons: tuple[FeatureReason, ...]

    @property
    def difference(self) -> float:
        """The first document's score minus the second's."""
        return self.first_score - self.second_score

    @property
    def total(self) -> float:
        """The sum over the features: `difference`, except for rounding."""
        return math.fsum(one.difference for one in self.reasons)

    def to_dict(self) -> dict[str, object]:
        """Returns the object that ``--format json`` prints."""
        return {
            "ranker": self.ranker,
            "query": self.query,
            "first": self.first,
            "second": self.second,
            "first_score": json_number(self.first_score),
            "second_score": json_number(self.second_score),
            "difference": json_number(self.difference),
            "reasons": [one.to_dict() for one in self.reasons],
        }

    def to_frame(self) -> pl.DataFrame:
        """Returns one row per feature."""
        import polars as pl

        names = ("feature", "first", "second", "difference")
        columns = {name: [getattr(one, name) for one in self.reasons] for name in names}
        kinds = [pl.String, pl.Float64, pl.Float64, pl.Float64]
        return pl.DataFrame(columns, schema=dict(zip(names, kinds, strict=True))).fill_nan(None)

    def document(
        self, *, digits: int = DIGITS, language: Language = "en", limit: int | None = 10
    ) -> Document:
        """Returns a table of the features that differ, and their sum.

        Args:
            digits: Decimals.
            language: `en` or `zh`.
            limit: The number of features listed; the others are one row. None lists all.
        """
        words = catalogue("training", language)
        style = words.style
        said = words.say(
            f"why.{self.verdict}",
            query=self.query,
            first=self.first,
            second=self.second,
            first_score=style.number(self.first_score, digits),
            second_score=style.number(self.second_score, digits),
        )
        moving = [one for one in self.reasons if one.difference != 0]
        shown = moving[:limit]
        rest = moving[len(shown) :]
        rows = [
            (
                one.feature,
                _value(one.first, style.nothing),
                _value(one.second, style.nothing),
                style.signed(one.difference, digits),
            )
            for one in shown
        ]
        if rest:
            added = sum(one.difference for one in rest)
            rows.append(
                (words.say("why.others", count=len(rest)), "", "", style.signed(added, digits))
            )
        rows.append((words["why.sum"], "", "", style.signed(self.total, digits)))
        headings = (words["column.feature"], self.first, self.second, words["column.adds"])
        table = Table(headings, rows, strong=frozenset({len(rows) - 1}), long=(0,))
        return Document([Prose([said]), table, Prose([words["why.note"]])])

    @property
    def verdict(self) -> str:
        """Whether the first is `above` or `below` the second, or they are `equal`."""
        return "above" if self.difference > 0 else "below" if self.difference < 0 else "equal"


def _value(value: float, nothing: str) -> str:
    """Returns a feature's value with six digits."""
    return nothing if math.isnan(value) else f"{value:.6g}"
