"""What goes in and comes out: a judgment, a retrieved document, a value."""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from relkit.compat.ir_measures.measures import Measure

__all__ = [
    "CalcResults",
    "CwlMetric",
    "GenericQrel",
    "GenericScoredDoc",
    "Metric",
    "Qrel",
    "ScoredDoc",
]


class Qrel(NamedTuple):
    """A judgment; `iteration` is the subtopic in measures of diversity."""

    query_id: str
    doc_id: str
    relevance: int
    iteration: str = "0"


class ScoredDoc(NamedTuple):
    """A retrieved document."""

    query_id: str
    doc_id: str
    score: float


class Metric(NamedTuple):
    """A measure's value for one query."""

    query_id: str
    measure: Measure
    value: float


class CwlMetric(NamedTuple):
    """A value with the other numbers of the C/W/L framework; relkit returns a `Metric` instead."""

    query_id: str
    measure: Measure
    value: float
    expected_total_utility: float
    expected_cost: float
    expected_total_cost: float
    expected_items: float


class CalcResults(NamedTuple):
    """The mean and the values of the queries."""

    aggregated: Any
    per_query: list[Metric]


class GenericQrel(Qrel):
    """The old name of `Qrel`."""

    def __new__(cls, *args: Any, **named: Any) -> GenericQrel:
        warnings.warn("GenericQrel is now Qrel", DeprecationWarning, stacklevel=2)
        return super().__new__(cls, *args, **named)


class GenericScoredDoc(ScoredDoc):
    """The old name of `ScoredDoc`."""

    def __new__(cls, *args: Any, **named: Any) -> GenericScoredDoc:
        warnings.warn("GenericScoredDoc is now ScoredDoc", DeprecationWarning, stacklevel=2)
        return super().__new__(cls, *args, **named)
