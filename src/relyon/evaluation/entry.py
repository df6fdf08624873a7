"""One measure of one run, with the data behind it."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from relyon.core.document.json import json_number
from relyon.measures.fingerprint import definition_fingerprint

if TYPE_CHECKING:
    from relyon.data.convention import Convention

__all__ = ["Entry"]


@dataclass(frozen=True)
class Entry:
    """One measure of one run.

    Attributes:
        value: The number; NaN if it is undefined for all queries.
        average: How queries became one number: `macro`, `micro`, or `sum`.
        queries: Number of queries behind the value.
        undefined: Queries for which the measure has no value.
        missing: Judged queries that the run lacks, among those counted.
        tie_sensitive: Queries whose cutoff falls inside a tie with a relevant document.
        definition: The measure with all parameters filled in.
        details: Details besides the value: for PNR the positive and negative pairs and the `share`
            of positive ones; the value without pairs of equal labels (`strict`, `strict_share`),
            and the value of random orders (`random`, `random_share`).
        ties: The tie rule behind the value.
        tie_decided: Queries whose value depends on the order of tied documents.
        span: The lowest and the highest number over the orders of tied documents; `None` if no
            query depends on them.
    """

    value: float
    average: str
    queries: int
    undefined: int
    missing: int
    tie_sensitive: int
    definition: str
    details: Mapping[str, float] = field(default_factory=dict)
    ties: str = ""
    tie_decided: int = 0
    span: tuple[float, float] | None = None

    def fingerprint(self, convention: Convention) -> str:
        """Returns `relyon.ltr.fingerprint`, which is equal if two numbers are comparable.

        Args:
            convention: The rules behind the value.
        """
        return definition_fingerprint(self.definition, convention, self.average)

    def to_dict(self) -> dict[str, object]:
        """Returns JSON-ready values: NaN and infinity become null."""
        values: dict[str, object] = {
            "value": self.value if math.isfinite(self.value) else None,
            "queries": self.queries,
            "undefined": self.undefined,
            "missing": self.missing,
            "tie_sensitive": self.tie_sensitive,
            "average": self.average,
            "definition": self.definition,
        }
        if math.isinf(self.value):
            values["infinite"] = True
        if self.ties:
            values["ties"] = self.ties
        if self.span is not None:
            values["tie_decided"] = self.tie_decided
            values["span"] = [json_number(bound) for bound in self.span]
        return values | {name: json_number(one) for name, one in self.details.items()}
