"""What a contrast shows about the clusters of its queries."""

from __future__ import annotations

from dataclasses import dataclass

from relyon.core.document.json import json_number

__all__ = ["ClusterFacts"]


@dataclass(frozen=True)
class ClusterFacts:
    """The clusters of a contrast's queries: the independent evidence that it rests on.

    Attributes:
        column: The name of the clusters' column.
        count: Number of clusters; a query without a cluster is one of its own.
        largest: The share of the queries that are in the largest one.
        name: The name of the largest one.
        effective: Clusters of equal size with the same information: 1 / Σ w², with w the share of
            a cluster.
        changed: Clusters with a query on which the runs differ.
        design_effect: The variance of the difference over that of as many independent queries; NaN
            if unknown.
        correlation: The intraclass correlation: how alike differences within a cluster are, 1 if
            equal, 0 if not more than others; NaN if unknown.
        needed: Clusters of such sizes that detect the observed difference with a power of 0.8; 0 if
            unknown.
        alone: Whether each query is a cluster of its own, so that the tests are those of queries.
        decided: Whether one cluster decides: there are fewer than two effective ones.
    """

    column: str
    count: int
    largest: float
    name: str
    effective: float
    changed: int
    design_effect: float
    correlation: float
    needed: int
    alone: bool
    decided: bool

    def to_dict(self) -> dict[str, object]:
        """Returns JSON-ready values; missing numbers are null."""
        return {
            "column": self.column,
            "count": self.count,
            "largest": json_number(self.largest),
            "largest_name": self.name,
            "effective": json_number(self.effective),
            "changed": self.changed,
            "design_effect": json_number(self.design_effect),
            "correlation": json_number(self.correlation),
            "needed": self.needed,
        }
