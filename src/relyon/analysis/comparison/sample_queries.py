"""Some of the queries of a sample."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import replace
from typing import TypeVar

from relyon.analysis.comparison.pairing import Sample

__all__ = ["only_queries"]

T = TypeVar("T")


def only_queries(sample: Sample, queries: Collection[str]) -> Sample:
    """Returns a sample with some of its queries.

    Args:
        sample: One measure of one run.
        queries: The queries to keep.

    Examples:
        >>> only_queries(Sample({"a": 1.0, "b": 0.5}), {"b"}).values
        {'b': 0.5}
    """

    def kept(part: Mapping[str, T]) -> dict[str, T]:
        return {query: one for query, one in part.items() if query in queries}

    values = kept(sample.values)
    whole = len(values) == len(sample.values)
    return replace(
        sample,
        values=values,
        numerators=None if sample.numerators is None else kept(sample.numerators),
        denominators=None if sample.denominators is None else kept(sample.denominators),
        scores=None if sample.scores is None else kept(sample.scores),
        equal=kept(sample.equal),
        # Those of a mean over all queries are not those of some.
        details=sample.details if whole or sample.average == "micro" else {},
    )
