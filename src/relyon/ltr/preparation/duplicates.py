"""Rows with the same features, in any queries."""

from __future__ import annotations

from typing import TYPE_CHECKING

from relyon.core.packages import scipy_part
from relyon.data.keys import GOLDEN, mix_all

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from relyon.data.features import Features

__all__ = ["BLOCK", "bits", "joined_queries", "row_keys", "salts_of", "telling_rows"]

#: The number of values in a block.
BLOCK = 1 << 21


def row_keys(features: Features) -> NDArray[np.uint64]:
    """Returns a hash of each row: equal for equal values, almost surely different otherwise.

    64 bits: among a million different rows two have the same hash with a probability of 3e-8.
    A value that is 0 counts as one that is not stored, a float32 as the same float64, and all NaNs
    are equal.
    """
    import numpy as np

    values = features.values
    rows, width = values.shape
    salts = salts_of(width)
    keys = np.zeros(rows, dtype=np.uint64)
    if features.sparse:
        parts = mix_all(bits(values.data) * salts[values.indices])
        sums = np.concatenate([np.zeros(1, dtype=np.uint64), np.cumsum(parts, dtype=np.uint64)])
        return sums[values.indptr[1:]] - sums[values.indptr[:-1]]  # type: ignore[no-any-return]
    step = max(1, BLOCK // max(width, 1))
    for start in range(0, rows, step):
        block = bits(values[start : start + step]) * salts
        keys[start : start + step] = mix_all(block).sum(axis=1, dtype=np.uint64)
    return keys


def salts_of(width: int) -> NDArray[np.uint64]:
    """Returns an odd number for each column, so that equal values of two columns differ."""
    import numpy as np

    return mix_all(np.arange(1, width + 1, dtype=np.uint64) * np.uint64(GOLDEN)) | np.uint64(1)


def bits(values: NDArray[np.float64]) -> NDArray[np.uint64]:
    """Returns the bits of numbers, one pattern for 0 and -0, and one for NaN."""
    import numpy as np

    found = values.astype(np.float64) + 0.0
    found[np.isnan(found)] = np.nan
    return found.view(np.uint64)


def telling_rows(features: Features) -> NDArray[np.bool_]:
    """Returns for each row whether two of its values differ.

    Rows of one value, such as all 0, may be equal without being the same document.
    """
    import numpy as np

    values = features.values
    rows, width = values.shape
    if width < 2:
        return np.zeros(rows, dtype=bool)
    if features.sparse:
        lowest = values.min(axis=1).toarray().ravel()
        highest = values.max(axis=1).toarray().ravel()
        return np.asarray(~(lowest == highest))
    return np.asarray(((values != values[:, :1]) & ~np.isnan(values)).any(axis=1))


def joined_queries(
    features: Features, qid: NDArray[np.int64], queries: int
) -> tuple[NDArray[np.int64], int]:
    """Groups queries that share a row with the same features.

    Args:
        features: The features of each row.
        qid: The place of its query.
        queries: The number of queries.

    Returns:
        The number of each query's group, and how many rows occur in several queries.
    """
    import numpy as np

    coo_array = scipy_part("sparse").coo_array
    connected_components = scipy_part("sparse.csgraph").connected_components

    telling = np.flatnonzero(telling_rows(features))
    keys, owner = row_keys(features)[telling], qid[telling]
    order = np.lexsort((owner, keys))
    keys, owner = keys[order], owner[order]
    same = keys[1:] == keys[:-1]
    links = same & (owner[1:] != owner[:-1])
    graph = coo_array(
        (np.ones(int(links.sum())), (owner[:-1][links], owner[1:][links])), shape=(queries, queries)
    )
    _, groups = connected_components(graph, directed=False)
    number = np.concatenate([np.zeros(1, dtype=np.int64), np.cumsum(~same)])[: len(keys)]
    several = np.zeros(int(number[-1]) + 1 if len(number) else 0, dtype=bool)
    several[number[1:][links]] = True
    return groups.astype(np.int64), int(several[number].sum())
