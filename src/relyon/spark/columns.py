"""The columns of a whole evaluation, from the results of its partitions."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from functools import partial
from typing import TYPE_CHECKING

from relyon.evaluation.measure_columns import Column

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from relyon.evaluation.results import Parts, Pool
    from relyon.spark.tasks import Arrays, State

__all__ = ["joined_columns", "joined_queries"]


def joined_queries(state: State, arrays: Sequence[Arrays] | None) -> list[str]:
    """Returns the queries whose values are here, sorted: all, or some without a value."""
    if arrays is not None:
        return sorted(query for part in arrays for query in part.queries)
    return sorted({query for found in state.undefined.values() for query in found})


def joined_columns(state: State, arrays: Sequence[Arrays] | None) -> dict[str, Column]:
    """Returns the measures over everything; their values are those of `joined_queries`."""
    queries = joined_queries(state, None) if arrays is None else []
    order = _order(arrays or ())

    def column(name: str) -> Column:
        total, counted = state.totals[name], state.weighty[name]
        if arrays is None:
            known = set(state.undefined[name])
            values = [math.nan if query in known else 0.0 for query in queries]
            return Column(lambda: values, total, lambda: ([], []), counted=counted)
        pairs: Callable[[], list[list[float]]] | None = None
        pool: Callable[[], Pool] | None = None
        if all(name in part.equal_pairs for part in arrays):
            pairs = partial(_pairs, name, arrays, order)
        if all(name in part.pools for part in arrays):
            pool = partial(_pool, name, arrays, order)
        return Column(
            lambda: _joined([part.values[name] for part in arrays], order).tolist(),
            total,
            lambda: _parts(name, arrays, order),
            pairs,
            pool,
            counted,
        )

    return {name: column(name) for name in state.totals}


def _order(arrays: Sequence[Arrays]) -> list[int]:
    """Returns the indices of the sorted queries, as parts are in any order."""
    queries = [query for part in arrays for query in part.queries]
    return sorted(range(len(queries)), key=queries.__getitem__)


def _joined(parts: Sequence[NDArray[np.float64]], order: Sequence[int]) -> NDArray[np.float64]:
    import numpy as np

    return np.concatenate(parts)[order] if parts else np.empty(0)


def _parts(name: str, arrays: Sequence[Arrays], order: Sequence[int]) -> Parts:
    numerators, denominators = (
        _joined([part.parts[name][place] for part in arrays], order) for place in range(2)
    )
    return numerators, denominators


def _pairs(name: str, arrays: Sequence[Arrays], order: Sequence[int]) -> list[list[float]]:
    listed = (
        [one for part in arrays for one in part.equal_pairs[name][place]] for place in range(2)
    )
    return [[counts[place] for place in order] if counts else [] for counts in listed]


def _pool(name: str, arrays: Sequence[Arrays], order: Sequence[int]) -> Pool:
    import numpy as np

    sorted_place = {place: at for at, place in enumerate(order)}
    rows: list[int] = []
    before = 0
    pools = [part.pools[name] for part in arrays]
    for part, pool in zip(arrays, pools, strict=True):
        rows += [sorted_place[before + row] for row in pool[2]]
        before += len(part.queries)
    return (
        np.concatenate([pool[0] for pool in pools]),
        np.concatenate([pool[1] for pool in pools]),
        rows,
        [size for pool in pools for size in pool[3]],
        [size for pool in pools for size in pool[4]],
    )
