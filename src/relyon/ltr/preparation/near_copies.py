"""Queries that are nearly copies of others: found by hashes of rounded rows, without comparing all.

References:
    Kaufman, Rosset, Perlich and Stitelman (2012), Leakage in data mining: formulation, detection,
    and avoidance, ACM TKDD 6.
    Indyk and Motwani (1998), Approximate nearest neighbors, STOC: hashes that near points share.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

from relyon.data.keys import GOLDEN, hashed, mix_all
from relyon.ltr.preparation.duplicates import BLOCK, bits, salts_of

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from relyon.data.features import Features
    from relyon.data.labelled import LabelledRows

__all__ = ["Links", "alike_queries", "copied_queries", "grid_of", "near_queries"]

#: Features in this many parts; near-copies are equal in all parts but one.
PARTS = 4
#: A feature is rounded to this share of its spread.
STEP = 0.25
#: The number of rows that show how far features spread.
SEEN = 4_000
#: Two queries are near-copies if at least this share of the shorter one's rows are.
MOST = 0.5
#: The expected number of pairs of different queries that are called near-copies by chance.
CHANCE = 0.01
#: Keys in more than this share of queries are as common as they are, however rare within queries.
COMMON = 0.25
#: The distance from the median to the 90th percentile of a normal distribution.
NORMAL = 1.2816


class Links(NamedTuple):
    """Pairs of queries: one query of each, the other, and how many rows they share."""

    first: NDArray[np.int64]
    second: NDArray[np.int64]
    rows: NDArray[np.int64]


def near_queries(rows: LabelledRows) -> Links:
    """Returns pairs of queries that are nearly copies of each other.

    Two rows are near-copies if they have the same label and, rounded to a quarter of their spread,
    the same features, except for at most a quarter of the features. Two queries are if that holds
    for at least half of the shorter one's rows, and chance would make less than 0.01 such pairs of
    queries: rows of few different values, and rows that many queries have, do not count.

    Args:
        rows: Labelled rows with features.
    """
    import numpy as np

    keys = _near_keys(rows, grid_of(rows.known_features()))
    return _links(keys, rows.qid, np.diff(rows.groups))


def copied_queries(rows: LabelledRows, others: LabelledRows) -> tuple[list[str], str]:
    """Returns the queries of other rows that are nearly copies of one in the first rows.

    Args:
        rows: Training rows with features.
        others: Rows with the same features.

    Returns:
        The names of these queries, and the query that the first of them copies.
    """
    import numpy as np

    first, second = rows.known_features(), others.known_features()
    if first.names != second.names or first.sparse != second.sparse:
        return [], ""
    grid, own = grid_of(first), len(rows.queries)
    keys = [
        np.concatenate(both)
        for both in zip(_near_keys(rows, grid), _near_keys(others, grid), strict=True)
    ]
    sizes = np.concatenate([np.diff(rows.groups), np.diff(others.groups)])
    links = _links(keys, np.concatenate([rows.qid, others.qid + own]), sizes)
    across = (links.first < own) & (links.second >= own)
    if not across.any():
        return [], ""
    # Of several copies of a query on the other side, the first one is next to it.
    copied = set((links.second[across] - own).tolist())
    inside = links.first >= own
    pairs = (links.first[inside] - own, links.second[inside] - own)
    for one, other in sorted(zip(*(side.tolist() for side in pairs), strict=True)):
        copied |= {other} if one in copied else set()
    named = [others.queries[place] for place in sorted(copied)]
    return named, rows.queries[int(links.first[across][np.argmin(links.second[across])])]


def alike_queries(rows: LabelledRows) -> Links:
    """Returns pairs of queries that share most of their documents, by id, with the same labels.

    The shorter query shares at least half of its rows, and chance would make less than 0.01 such
    pairs: documents `1`, `2`, … that every query has do not count.

    Args:
        rows: Labelled rows; without documents there are no pairs.
    """
    import numpy as np
    import polars as pl

    if rows.documents is None or not rows.documents:
        return _nothing()
    keys = hashed(pl.Series(rows.documents, dtype=pl.String), 0)
    return _links([_labelled(keys, rows.labels)], rows.qid, np.diff(rows.groups), distinct=False)


def grid_of(features: Features) -> NDArray[np.float64]:
    """Returns the step to which each feature is rounded: a quarter of its spread.

    The spread is that of a normal distribution with the same 10th and 90th percentiles, or, if
    these are equal, the standard deviation.

    Args:
        features: The features of each row.
    """
    import numpy as np

    height, width = features.values.shape
    chosen = np.unique(np.linspace(0, height - 1, min(height, SEEN)).astype(np.int64))
    some = features.values[chosen]
    values = np.sort(np.asarray(some.toarray() if features.sparse else some, np.float64), axis=0)
    known = (~np.isnan(values)).sum(axis=0)
    at = np.arange(width)
    low, high = (
        values[np.clip((share * (known - 1)).astype(np.int64), 0, None), at] for share in (0.1, 0.9)
    )
    spread = (high - low) / (2 * NORMAL)
    filled = np.where(np.isnan(values), 0.0, values)
    spread = np.where(spread > 0, spread, filled.std(axis=0))
    return np.where(np.isfinite(spread) & (spread > 0), spread, 1.0) * STEP


def _near_keys(rows: LabelledRows, grid: NDArray[np.float64]) -> list[NDArray[np.uint64]]:
    """Returns for each part of the features a hash of each row's label and other features.

    Args:
        rows: Labelled rows with features.
        grid: The step to which each feature is rounded.
    """
    import numpy as np

    values = rows.known_features().values
    height, width = values.shape
    if width < 2:
        return []
    count = min(PARTS, width)
    salts = salts_of(width)
    parts = np.zeros((count, height), dtype=np.uint64)
    if rows.known_features().sparse:
        place = values.indices
        mixed = mix_all(bits(np.rint(values.data / grid[place])) * salts[place])
        for part in range(count):
            own = np.where(place % count == part, mixed, np.uint64(0))
            sums = np.concatenate([np.zeros(1, dtype=np.uint64), np.cumsum(own, dtype=np.uint64)])
            parts[part] = sums[values.indptr[1:]] - sums[values.indptr[:-1]]
    else:
        step = max(1, BLOCK // width)
        for start in range(0, height, step):
            block = slice(start, start + step)
            mixed = mix_all(bits(np.rint(values[block] / grid)) * salts)
            for part in range(count):
                parts[part, block] = mixed[:, part::count].sum(axis=1, dtype=np.uint64)
    whole = parts.sum(axis=0, dtype=np.uint64)
    return [_labelled(whole - one, rows.labels) for one in parts]


def _labelled(keys: NDArray[np.uint64], labels: NDArray[np.float64]) -> NDArray[np.uint64]:
    import numpy as np

    return mix_all(keys ^ mix_all(bits(np.asarray(labels)) + np.uint64(GOLDEN)))


def _links(
    keys: Sequence[NDArray[np.uint64]],
    owner: NDArray[np.int64],
    sizes: NDArray[np.int64],
    *,
    distinct: bool = True,
) -> Links:
    """Returns pairs of queries that share more keys than they would by chance.

    Args:
        keys: One array of a key per row, or several.
        owner: The query of each row.
        sizes: The number of rows of each query.
        distinct: Whether how often two rows of a query share a key tells how often two rows do by
            chance; documents occur once in each query.
    """
    import numpy as np

    total = len(sizes)
    if not keys or total < 2:
        return _nothing()
    found = [_neighbours(key, owner, sizes, len(keys) if distinct else 0) for key in keys]
    first, second, row, chance = np.concatenate(found, axis=1)
    code = (first * total + second).astype(np.int64)
    # The same row is found once per part: it counts once, with its largest probability.
    order = np.lexsort((-chance, row, code))
    code, row, chance = code[order], row[order], chance[order]
    new = np.ones(len(code), dtype=bool)
    new[1:] = (code[1:] != code[:-1]) | (row[1:] != row[:-1])
    pairs, at = np.unique(code[new], return_inverse=True)
    shared = np.bincount(at, minlength=len(pairs))
    unlikely = np.bincount(at, weights=chance[new], minlength=len(pairs))
    one, other = pairs // total, pairs % total
    shorter = np.minimum(sizes[one], sizes[other])
    kept = np.flatnonzero(shared >= np.maximum(2, np.ceil(MOST * shorter)))
    # Each choice of the shared rows among the shorter query's has the probability of its keys.
    choices = [
        _log_choices(*each)
        for each in zip(shorter[kept].tolist(), shared[kept].tolist(), strict=True)
    ]
    known = np.asarray(choices, dtype=np.float64) + unlikely[kept]
    kept = kept[known + math.log(total * (total - 1) / 2) < math.log(CHANCE)]
    return Links(one[kept], other[kept], shared[kept])


def _log_choices(total: int, chosen: int) -> float:
    """Returns the logarithm of the number of ways to choose some of a number of rows."""
    if not 0 <= chosen <= total:
        return 0.0
    return math.lgamma(total + 1) - math.lgamma(chosen + 1) - math.lgamma(total - chosen + 1)


def _neighbours(
    keys: NDArray[np.uint64], owner: NDArray[np.int64], sizes: NDArray[np.int64], parts: int
) -> NDArray[np.float64]:
    """Returns rows with the same key in two queries that follow each other.

    Four rows of an array: the two queries, the row of the second, and the logarithm of the
    probability that a query has such a row.
    """
    import numpy as np

    order = np.lexsort((owner, keys))
    keys, owner = keys[order], owner[order]
    same = keys[1:] == keys[:-1]
    other = owner[1:] != owner[:-1]
    links = np.flatnonzero(same & other)
    number = np.concatenate([np.zeros(1, dtype=np.int64), np.cumsum(~same)])
    twice = np.bincount(number[1:][same & ~other], minlength=int(number[-1]) + 1) > 0
    holders = np.bincount(number[1:][links], minlength=int(number[-1]) + 1) + 1
    share = holders[number[1:][links]] / len(sizes)
    if parts:
        inside = float((sizes * (sizes - 1.0) / 2).sum())
        rate = (float((same & ~other).sum()) + 1) / (inside + 1) * float(sizes.mean()) * parts
        rare = ~twice[number[1:][links]] & (share <= COMMON)
        share = np.where(rare, rate, share * parts)
    found = (owner[links], owner[links + 1], order[links + 1], np.log(np.minimum(share, 1.0)))
    return np.stack([np.asarray(one, dtype=np.float64) for one in found])


def _nothing() -> Links:
    import numpy as np

    nothing = np.zeros(0, dtype=np.int64)
    return Links(nothing, nothing, nothing)
