"""The queries of two runs, side by side."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import ArrayLike, NDArray

__all__ = ["CommonQueries"]


@dataclass(frozen=True, eq=False)
class CommonQueries:
    """The queries that two runs have, sorted.

    Attributes:
        queries: Their ids.
        places: Where each run has them.
    """

    queries: list[str]
    places: tuple[NDArray[np.int64], NDArray[np.int64]]

    @classmethod
    def of(cls, first: Iterable[str], second: Iterable[str]) -> CommonQueries:
        """Finds the queries that two runs have in common.

        Examples:
            >>> CommonQueries.of(["b", "c", "a"], ["a", "b"]).queries
            ['a', 'b']
        """
        import numpy as np

        ours, theirs = (
            {query: place for place, query in enumerate(one)} for one in (first, second)
        )
        queries = sorted(ours.keys() & theirs.keys())
        places = [np.array([one[query] for query in queries], dtype=int) for one in (ours, theirs)]
        return cls(queries, (places[0], places[1]))

    def values(self, first: ArrayLike, second: ArrayLike) -> NDArray[np.float64]:
        """Returns the values of both runs for these queries, from columns over each run's own."""
        import numpy as np

        columns = zip((first, second), self.places, strict=True)
        return np.array([np.asarray(one, dtype=np.float64)[chosen] for one, chosen in columns])
