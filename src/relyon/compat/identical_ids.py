"""Results that are their own query: BEIR leaves them out by default, MTEB in some tasks."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

__all__ = ["IdenticalIds", "without_identical_ids"]

IdenticalIds = Literal["keep", "drop"]


def without_identical_ids(
    run: Mapping[str, Mapping[str, float]],
) -> dict[str, dict[str, float]]:
    """Returns a run without documents whose id is that of their query; the run stays as it is.

    Examples:
        >>> without_identical_ids({"a": {"a": 9.0, "b": 1.0}})
        {'a': {'b': 1.0}}
    """
    return {
        query: {document: score for document, score in scores.items() if document != query}
        for query, scores in run.items()
    }
