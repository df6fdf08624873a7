"""The input records: a judgment, a retrieved document."""

from __future__ import annotations

import warnings
from typing import NamedTuple

__all__ = ["GenericQrel", "GenericScoredDoc", "Qrel", "ScoredDoc"]


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


class GenericQrel(Qrel):
    """The old name of `Qrel`."""

    def __new__(
        cls, query_id: str, doc_id: str, relevance: int, iteration: str = "0"
    ) -> GenericQrel:
        warnings.warn("GenericQrel is now Qrel", DeprecationWarning, stacklevel=2)
        return super().__new__(cls, query_id, doc_id, relevance, iteration)


class GenericScoredDoc(ScoredDoc):
    """The old name of `ScoredDoc`."""

    def __new__(cls, query_id: str, doc_id: str, score: float) -> GenericScoredDoc:
        warnings.warn("GenericScoredDoc is now ScoredDoc", DeprecationWarning, stacklevel=2)
        return super().__new__(cls, query_id, doc_id, score)
