"""The mean place of the documents of each label.

The scores of a ranker have no unit, and those of two queries need not be comparable, so a
reliability diagram has no meaning. The place of a document among those of its query does not
change with a strictly increasing function of the scores.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

from relyon.analysis.statistics import interval, mean
from relyon.core.document.json import json_number, json_values

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from relyon.data.labelled import LabelledRows

__all__ = ["LabelPlacement", "label_placements", "places_of"]


@dataclass(frozen=True)
class LabelPlacement:
    """The mean place of the documents of a label among those of their queries.

    Attributes:
        label: The label.
        rows: The number of documents with this label.
        queries: The number of queries with such a document and at least one other document.
        place: The mean over those queries of the mean place: the share of the query's other
            documents whose score is lower, equal ones half. 1 is the top, 0 the bottom.
        interval: Student's interval of that mean, over queries, cut at 0 and 1; NaN for fewer
            than two.
    """

    label: float
    rows: int
    queries: int
    place: float
    interval: tuple[float, float]

    def to_dict(self) -> dict[str, object]:
        """Returns JSON-ready values."""
        return {
            "label": self.label,
            "rows": self.rows,
            "queries": self.queries,
            "place": json_number(self.place),
            "interval": json_values(self.interval),
        }


def places_of(scores: NDArray[np.float64], offsets: NDArray[np.int64]) -> NDArray[np.float64]:
    """Returns each row's place among those of its query.

    Args:
        scores: One per row.
        offsets: Query i has the rows `offsets[i]` to `offsets[i + 1]`.

    Returns:
        The share of the query's other rows with a lower score, equal ones half; NaN in queries of
        one row.

    Examples:
        >>> import numpy as np
        >>> places_of(np.array([3.0, 1.0, 1.0, 5.0]), np.array([0, 3, 4]))
        array([1.  , 0.25, 0.25,  nan])
    """
    import numpy as np

    sizes = np.diff(offsets)
    query = np.repeat(np.arange(len(sizes)), sizes)
    values = np.asarray(scores, dtype=np.float64)
    order = np.lexsort((values, query))
    known, group = values[order], query[order]
    new = np.ones(len(order), dtype=bool)
    new[1:] = (known[1:] != known[:-1]) | (group[1:] != group[:-1])
    starts = np.flatnonzero(new)
    lengths = np.diff(np.append(starts, len(order)))
    middle = np.repeat(starts + (lengths - 1) / 2, lengths)
    places = np.empty(len(order))
    places[order] = middle - np.repeat(offsets[:-1], sizes)
    others = np.repeat(sizes, sizes) - 1
    places[others == 0] = np.nan
    found: NDArray[np.float64] = places / np.maximum(others, 1)
    return found


def label_placements(
    rows: LabelledRows, scores: NDArray[np.float64], *, level: float = 0.95, most: int = 50
) -> tuple[LabelPlacement, ...]:
    """Returns the mean place of the documents of each label, the lowest label first.

    Args:
        rows: Labelled rows.
        scores: A ranker's scores of them.
        level: Confidence level of the intervals.
        most: The maximum number of labels; with more, such as labels of clicks, the result is
            empty.

    Examples:
        >>> import numpy as np, polars as pl, relyon
        >>> frame = pl.DataFrame({"query": [1, 1, 1], "label": [2, 0, 0], "bm25": [3.5, 2, 1]})
        >>> rows = relyon.read_features(frame)
        >>> found = label_placements(rows, np.array([3.0, 1.0, 2.0]))
        >>> [(one.label, one.rows, one.place) for one in found]
        [(0.0, 2, 0.25), (2.0, 1, 1.0)]
    """
    import numpy as np

    places = places_of(scores, rows.groups)
    sizes = np.diff(rows.groups)
    query = np.repeat(np.arange(len(sizes)), sizes)
    labels = np.unique(rows.labels)
    if len(labels) > most:
        return ()
    found = []
    for label in labels:
        own = np.asarray(rows.labels) == label
        placed = own & ~np.isnan(places)
        counts = np.bincount(query[placed], minlength=len(sizes))
        sums = np.bincount(query[placed], weights=places[placed], minlength=len(sizes))
        means = sums[counts > 0] / counts[counts > 0]
        found.append(
            LabelPlacement(
                float(label) + 0.0,
                int(own.sum()),
                len(means),
                mean(means),
                _within(interval("t", means, confidence=level)),
            )
        )
    return tuple(found)


def _within(bounds: tuple[float, float]) -> tuple[float, float]:
    """Returns an interval cut at 0 and 1; NaN is kept."""
    if any(map(math.isnan, bounds)):
        return bounds
    return max(bounds[0], 0.0), min(bounds[1], 1.0)
