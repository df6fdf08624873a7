"""Which queries are held out, and the rows of some queries."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from relkit.core.errors import InputError
from relkit.core.texts import message

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from relkit.data.labelled import LabelledRows

__all__ = ["deal_queries", "pick_queries", "rows_at"]


def deal_queries(rows: LabelledRows, folds: int, seed: int = 0) -> list[NDArray[np.int64]]:
    """Deals queries to folds, so that each has about as many queries of few and of many good ones.

    Queries are sorted by how many of their rows have a label above 0, at random among equal ones,
    and dealt like cards.

    Args:
        rows: Labelled rows.
        folds: How many folds.
        seed: The same seed deals alike.

    Raises:
        InputError: If there are fewer queries than folds.
    """
    import numpy as np

    count = len(rows.queries)
    if count < folds:
        raise InputError(
            message(
                "{folds} folds need as many queries, and there are {count}",
                folds=folds,
                count=count,
            ),
            path="" if rows.source == "memory" else rows.source,
        )
    sums = np.concatenate([[0], np.cumsum(np.asarray(rows.labels) > 0)])
    good = sums[rows.groups[1:]] - sums[rows.groups[:-1]]
    random = np.random.default_rng(seed)
    order = np.lexsort((random.random(count), good))
    return [np.sort(order[first::folds]) for first in range(folds)]


def rows_at(rows: LabelledRows, places: Sequence[int] | NDArray[np.int64]) -> NDArray[np.int64]:
    """Returns the numbers of the rows of some queries.

    Args:
        rows: Labelled rows.
        places: The queries' numbers.
    """
    import numpy as np

    starts, ends = rows.groups[:-1], rows.groups[1:]
    found = [np.arange(starts[place], ends[place]) for place in places]
    return np.concatenate(found) if found else np.empty(0, dtype=np.int64)


def pick_queries(rows: LabelledRows, places: Sequence[int] | NDArray[np.int64]) -> LabelledRows:
    """Returns the rows of some queries.

    Args:
        rows: Labelled rows.
        places: The queries' numbers, in the order that they shall have.
    """
    from relkit.data.labelled import offsets_of

    kept = rows_at(rows, places)

    def taken(values: Any) -> Any:
        return None if values is None else values[kept]

    features = rows.features
    documents = rows.documents
    return replace(
        rows,
        labels=rows.labels[kept],
        scores=taken(rows.scores),
        groups=offsets_of(int(rows.groups[at + 1] - rows.groups[at]) for at in places),
        queries=[rows.queries[at] for at in places],
        documents=None if documents is None else [documents[at] for at in kept],
        weights=taken(rows.weights),
        features=None if features is None else replace(features, values=features.values[kept]),
    )
