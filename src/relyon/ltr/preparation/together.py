"""Queries that must not be on two sides of a split: they share rows, or are nearly the same."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from relyon.core.notes import Note
from relyon.core.packages import scipy_part
from relyon.ltr.preparation.duplicates import joined_queries
from relyon.ltr.preparation.near_copies import Links, alike_queries, near_queries

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from relyon.data.labelled import LabelledRows

__all__ = ["Duplicates", "Together", "kept_together"]

#: The treatment of queries that share a row or are nearly copies.
Duplicates = Literal["together", "ignore"]


@dataclass(frozen=True, eq=False)
class Together:
    """Groups of queries that a split keeps in one part.

    Attributes:
        groups: The number of each query's group, from 0.
        certain: The same without near-copies, for when those leave too few groups.
        shared: The number of rows that occur in several queries.
        joined: The number of queries that share such rows.
        largest: The number of queries of the largest group of them.
        clusters: The groups of near-copies and of named groups: such queries are not independent.
        near: Pairs of queries that are nearly copies.
        alike: Pairs of queries with most documents and labels in common.
        notes: Notes on rows and on named groups.
    """

    groups: NDArray[np.int64]
    certain: NDArray[np.int64]
    shared: int
    joined: int
    largest: int
    clusters: NDArray[np.int64]
    near: Links
    alike: Links
    notes: tuple[Note, ...] = ()

    def copies(self, queries: Sequence[str], groups: NDArray[np.int64]) -> tuple[Note, ...]:
        """Returns notes on near-copies, given the groups that a split used.

        Args:
            queries: The name of each query.
            groups: `groups` or `certain`.
        """
        import numpy as np

        found = []
        apart = groups[self.near.first] != groups[self.near.second]
        if len(self.near.first):
            key = "queries-near.apart" if apart.any() else "queries-near.together"
            groups_left = len(np.unique(self.clusters))
            found.append(_pairs("queries-near", self.near, queries, key, groups=groups_left))
        open_pairs = Links(
            *(one[groups[self.alike.first] != groups[self.alike.second]] for one in self.alike)
        )
        if len(open_pairs.first):
            found.append(_pairs("queries-alike", open_pairs, queries))
        return tuple(found)


def kept_together(rows: LabelledRows, duplicates: Duplicates) -> Together:
    """Returns the groups of queries that a split keeps in one part.

    These are queries with a row of the same named group (`rows.together`), and, unless `duplicates`
    is "ignore", queries that share a row or are nearly copies of each other.

    Args:
        rows: Labelled rows.
        duplicates: "together" or "ignore".
    """
    import numpy as np

    queries = len(rows.queries)
    groups, shared, notes = np.arange(queries), 0, []
    clusters = np.arange(queries)
    near = alike = Links(*(np.zeros(0, dtype=np.int64),) * 3)
    if duplicates == "together" and rows.features is not None:
        groups, shared = joined_queries(rows.features, rows.qid, queries)
        near, alike = near_queries(rows), alike_queries(rows)
    sizes = np.bincount(groups, minlength=1)
    joined, largest = int(sizes[sizes > 1].sum()), int(sizes.max(initial=0))
    if joined:
        values = {"rows": shared, "total": queries, "largest": largest}
        notes.append(Note("queries-joined", joined, values=values))
    if rows.together is not None:
        named = _named(rows.together, rows.qid, queries)
        own = np.bincount(named)
        if int(own.max(initial=0)) > 1:
            values = {"total": queries, "groups": len(own), "largest": int(own.max())}
            notes.append(Note("queries-grouped", int(own[own > 1].sum()), values=values))
        order = np.argsort(named, kind="stable")
        same = np.flatnonzero(named[order][1:] == named[order][:-1])
        groups, clusters = (
            _merged(one, order[same], order[same + 1]) for one in (groups, clusters)
        )
    wider, clusters = (_merged(one, near.first, near.second) for one in (groups, clusters))
    return Together(wider, groups, shared, joined, largest, clusters, near, alike, tuple(notes))


def _named(together: NDArray[np.int64], qid: NDArray[np.int64], queries: int) -> NDArray[np.int64]:
    """Returns the group of each query: queries with a row of the same number have the same."""
    import numpy as np

    first = np.full(int(together.max(initial=-1)) + 1, queries, dtype=np.int64)
    np.minimum.at(first, together, qid)
    return _merged(np.arange(queries), qid, first[together])


def _merged(
    groups: NDArray[np.int64], first: NDArray[np.int64], second: NDArray[np.int64]
) -> NDArray[np.int64]:
    """Returns groups of queries, joined where a pair of queries is in two of them."""
    import numpy as np

    if not len(first):
        return groups
    coo_array = scipy_part("sparse").coo_array
    connected_components = scipy_part("sparse.csgraph").connected_components
    count = int(groups.max(initial=-1)) + 1
    pairs = (np.ones(len(first)), (groups[first], groups[second]))
    _, found = connected_components(coo_array(pairs, shape=(count, count)), directed=False)
    return np.asarray(found[groups], dtype=np.int64)


def _pairs(kind: str, links: Links, queries: Sequence[str], key: str = "", **more: object) -> Note:
    """Returns a note on pairs of queries, with the first pair as an example."""
    import numpy as np

    concerned = np.union1d(links.first, links.second)
    values = {
        "total": len(queries),
        "first": queries[int(links.first[0])],
        "second": queries[int(links.second[0])],
        **more,
    }
    return Note(kind, len(concerned), "warning", values=values, key=key)
