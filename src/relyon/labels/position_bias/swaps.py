"""Documents shown at two positions, which separate position from relevance."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from relyon.labels.log import ClickLog
    from relyon.labels.model import Values

    Places = NDArray[np.int64]

__all__ = ["Cells", "Swaps", "Weighting", "count_cells", "count_swaps"]

#: The weight of a document that was shown at two positions.
Weighting = Literal["harmonic", "equal"]

#: Queries beyond so many share groups: intervals need no more of them.
GROUPS = 10_000


@dataclass(frozen=True)
class Cells:
    """Impressions and clicks of each pair of query and document at each position.

    Attributes:
        positions: The positions that were shown, ascending; `places` are indices of them.
        groups: How many groups of queries there are: one per query, unless there are very many.
        pairs: The pair of each cell, ascending.
        group: The group of its query.
        places: Its position, ascending within a pair.
        shown: Impressions.
        clicks: Those that were clicked.
    """

    positions: Places
    groups: int
    pairs: Places
    group: Places
    places: Places
    shown: Values
    clicks: Values

    def neighbours(self, step: int) -> tuple[Places, Places]:
        """Returns the cells that have another of their pair so many cells further, and those."""
        import numpy as np

        first = np.flatnonzero(self.pairs[:-step] == self.pairs[step:])
        return first, first + step

    def by_place(self, values: Values) -> Values:
        """Returns the sum of a value of each cell for each position."""
        import numpy as np

        return np.bincount(self.places, values, len(self.positions)).astype(np.float64)


def count_cells(log: ClickLog) -> Cells:
    """Counts impressions and clicks of each pair at each position."""
    import numpy as np

    found = log.native.cells()
    positions, places = np.unique(found["positions"], return_inverse=True)
    # The pairs of a query are adjacent.
    queries = log.pairs.get_column("query").rle_id().to_numpy().astype(np.int64)
    pairs = found["pairs"].astype(np.int64)
    return Cells(
        positions=positions.astype(np.int64),
        groups=min(GROUPS, int(queries.max(initial=-1)) + 1),
        pairs=pairs,
        group=queries[pairs] % GROUPS,
        places=places.astype(np.int64).reshape(-1),
        shown=found["shown"].astype(np.float64),
        clicks=found["clicks"].astype(np.float64),
    )


@dataclass(frozen=True)
class Swaps:
    """Sums over the documents shown at both of two positions, by group of queries.

    One row per group and pair of positions, `first` above `second`. A document of n and m
    impressions there, a share c and d of which was clicked, adds h, hc and hd, where h is
    nm / (n + m) (`harmonic`) or 1 (`equal`).

    Attributes:
        size: How many positions there are.
        groups: How many groups of queries.
        group: The group of each row.
        first: A position: an index.
        second: One below it.
        weight: Σ h.
        first_clicks: Σ hc.
        second_clicks: Σ hd.
        swaps: Effective swaps: Σ 2nm / (n + m), so that n impressions at each are n swaps.
    """

    size: int
    groups: int
    group: Places
    first: Places
    second: Places
    weight: Values
    first_clicks: Values
    second_clicks: Values
    swaps: Values

    def keep(self, wanted: NDArray[np.bool_]) -> Swaps:
        """Returns some of the rows."""
        return Swaps(
            self.size,
            self.groups,
            self.group[wanted],
            self.first[wanted],
            self.second[wanted],
            self.weight[wanted],
            self.first_clicks[wanted],
            self.second_clicks[wanted],
            self.swaps[wanted],
        )

    def table(self, values: Values) -> Values:
        """Returns sums over groups in a matrix: by first and second position."""
        import numpy as np

        keys = self.first * self.size + self.second
        sums = np.bincount(keys, values, self.size**2).astype(np.float64)
        return sums.reshape(self.size, self.size)


def count_swaps(cells: Cells, weighting: Weighting = "harmonic") -> Swaps:
    """Sums over all documents shown at two positions."""
    import numpy as np

    size = len(cells.positions)
    rates = cells.clicks / cells.shown
    parts: list[tuple[Places, Values]] = []
    for step in range(1, size):
        one, other = cells.neighbours(step)
        if not len(one):
            break  # no pair has so many cells
        n, m = cells.shown[one], cells.shown[other]
        half = n * m / (n + m)
        weight = half if weighting == "harmonic" else np.ones_like(half)
        keys = (cells.group[one] * size + cells.places[one]) * size + cells.places[other]
        values = np.stack([weight, weight * rates[one], weight * rates[other], 2 * half])
        distinct, numbers = np.unique(keys, return_inverse=True)
        sums = [np.bincount(numbers.reshape(-1), row, len(distinct)) for row in values]
        parts.append((distinct, np.stack(sums)))
    keys = np.concatenate([np.empty(0, np.int64), *(part for part, _ in parts)])
    values = np.concatenate([np.empty((4, 0)), *(part for _, part in parts)], axis=1)
    distinct, numbers = np.unique(keys, return_inverse=True)
    whole = [
        np.bincount(numbers.reshape(-1), row, len(distinct)).astype(np.float64, copy=False)
        for row in values
    ]
    return Swaps(
        size,
        cells.groups,
        distinct // size**2,
        distinct // size % size,
        distinct % size,
        *whole,
    )
