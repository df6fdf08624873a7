"""Lists of results in arrays: the input of predictions and simulations."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np
    import polars as pl
    from numpy.typing import NDArray

    from relyon.labels.log import ClickLog

__all__ = ["Lists", "lists_of"]


@dataclass(frozen=True)
class Lists:
    """Distinct lists of results, one per row; those of fewer results end in empty places.

    Attributes:
        names: The distinct pairs: `query` and `document`.
        pairs: The pair of each result: a row of `names`; 0 in empty places.
        positions: The position of each result; 1 in empty places.
        shown: Whether there is a result.
        clicked: Whether it was clicked.
        counts: How often each list came with these clicks.
    """

    names: pl.DataFrame
    pairs: NDArray[np.int64]
    positions: NDArray[np.int64]
    shown: NDArray[np.bool_]
    clicked: NDArray[np.bool_]
    counts: NDArray[np.float64]

    def __len__(self) -> int:
        """The number of distinct lists."""
        return len(self.counts)

    @property
    def last_clicks(self) -> NDArray[np.int64]:
        """The position of the last click above each result; 0 if there is none."""
        import numpy as np

        here = np.where(self.clicked, self.positions, 0)
        found = np.zeros_like(here)
        np.maximum.accumulate(here[:, :-1], axis=1, out=found[:, 1:])
        return found

    def rows(self, which: slice) -> Lists:
        """Returns some of the lists.

        Args:
            which: Which ones.
        """
        return Lists(
            self.names,
            self.pairs[which],
            self.positions[which],
            self.shown[which],
            self.clicked[which],
            self.counts[which],
        )

    def head(self, count: int) -> Lists:
        """Returns the first lists.

        Args:
            count: How many.
        """
        return self.rows(slice(count))


def lists_of(log: ClickLog) -> Lists:
    """Returns the lists of a log."""
    import numpy as np

    patterns = log.patterns
    sizes = np.diff(patterns.starts)
    shape = (len(sizes), int(sizes.max(initial=0)))
    shown = np.arange(shape[1]) < sizes[:, None]
    pairs = np.zeros(shape, np.int64)
    positions = np.ones(shape, np.int64)
    clicked = np.zeros(shape, bool)
    pairs[shown] = patterns.pairs
    positions[shown] = patterns.positions
    clicked[shown] = patterns.clicked
    return Lists(log.pairs, pairs, positions, shown, clicked, patterns.counts.astype(np.float64))
