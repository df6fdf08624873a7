"""The AUC of all rows of a cluster: exact pairs, counted range of scores by range of scores.

A range has all rows of its scores, so its own pairs can be counted separately; every positive of a
higher range is above every negative of a lower one. Counts are whole numbers, so any cut into
ranges gives the same area.
"""

from __future__ import annotations

import math
import pickle
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from relyon import _native

if TYPE_CHECKING:
    import numpy as np
    import pyarrow as pa
    from numpy.typing import NDArray
    from pyspark.sql import DataFrame

    from relyon.evaluation.program import Program

__all__ = [
    "PooledScores",
    "RangePairs",
    "areas",
    "counted_apart",
    "joined_pairs",
    "one_query",
    "range_pairs",
]

#: Rows of a range, about; a task counts one range at a time.
RANGE = 2_000_000
#: Scores that a task samples of its rows.
SAMPLE = 256


@dataclass(frozen=True)
class PooledScores:
    """Scores of one measure's classes in a part of the rows.

    Attributes:
        measure: The place of the measure.
        positives: Scores of the positives.
        negatives: Scores of the negatives.
    """

    measure: int
    positives: NDArray[np.float64]
    negatives: NDArray[np.float64]


@dataclass(frozen=True)
class RangePairs:
    """The pairs within a range of scores.

    Attributes:
        positives: Number of positives.
        negatives: Number of negatives.
        twice_won: Twice the pairs in which the positive has the higher score; equal scores count
            once.
    """

    positives: int
    negatives: int
    twice_won: int


def counted_apart(program: Program, weighted: bool) -> tuple[str, ...]:
    """Returns the measures whose pairs can be counted by ranges: AUC of equally weighted rows.

    Args:
        program: The measures.
        weighted: Whether rows have weights.
    """
    if weighted:
        return ()
    return tuple(
        str(asked)
        for asked, one, form in zip(program.asked, program.resolved, program.forms, strict=True)
        if one.name == "auc" and form == "micro" and one.resampled()
    )


def range_pairs(
    positives: Sequence[NDArray[np.float64]], negatives: Sequence[NDArray[np.float64]]
) -> RangePairs:
    """Counts the pairs of one range.

    Args:
        positives: Arrays of scores.
        negatives: Arrays of scores.

    Examples:
        >>> import numpy as np
        >>> range_pairs([np.array([0.9, 0.5])], [np.array([0.5]), np.array([0.1])])
        RangePairs(positives=2, negatives=2, twice_won=7)
    """
    import numpy as np

    above, below = (np.concatenate([*parts, np.empty(0)]) for parts in (positives, negatives))
    below.sort()
    first = np.searchsorted(below, above, "left")
    last = np.searchsorted(below, above, "right")
    return RangePairs(len(above), len(below), int(first.sum()) + int(last.sum()))


def joined_pairs(ranges: Sequence[RangePairs]) -> RangePairs:
    """Returns the pairs of all ranges, which ascend by score.

    Examples:
        >>> joined_pairs([RangePairs(1, 2, 1), RangePairs(2, 1, 4)])
        RangePairs(positives=3, negatives=3, twice_won=13)
    """
    positives = negatives = won = 0
    for one in ranges:
        won += one.twice_won + 2 * one.positives * negatives
        positives += one.positives
        negatives += one.negatives
    return RangePairs(positives, negatives, won)


def area_of(pairs: RangePairs) -> float:
    """Returns the AUC as the native core rounds it; NaN if one class is absent."""
    if not pairs.positives or not pairs.negatives:
        return math.nan
    return float(pairs.twice_won) / 2.0 / (float(pairs.positives) * float(pairs.negatives))


def one_query(area: float) -> _native.Total:
    """Returns the sums of one query with this area, as the native core computes them."""
    total = _native.Total()
    counted = not math.isnan(area)
    total.add([area], [area if counted else 0.0], [float(counted)], 0)
    return total


def areas(pooled: DataFrame, measures: Sequence[str], apart: Sequence[str]) -> dict[str, float]:
    """Counts the pairs of pooled scores in the cluster.

    Args:
        pooled: A frame with a column `pool` of pickled `PooledScores`.
        measures: All measures, by place.
        apart: The measures whose scores these are.

    Returns:
        The AUC of each.
    """
    samples: dict[int, list[NDArray[np.float64]]] = {}
    rows: dict[int, int] = {}
    for row in pooled.mapInArrow(_sample, "content binary").collect():
        for place, (count, scores) in pickle.loads(bytes(row[0])).items():
            samples.setdefault(place, []).append(scores)
            rows[place] = rows.get(place, 0) + count
    edges = {place: _edges(parts, rows[place]) for place, parts in samples.items()}
    parts = pooled.mapInArrow(_Cut(edges), "place int, span int, content binary")
    keys = ("place", "span")
    counted = (
        parts.repartition(*keys)
        .sortWithinPartitions(*keys)
        .mapInArrow(_count, "place int, span int, content binary")
    )
    found: dict[int, dict[int, RangePairs]] = {}
    for place, span, content in counted.collect():
        found.setdefault(place, {})[span] = pickle.loads(bytes(content))
    return {
        name: area_of(joined_pairs([one for _, one in sorted(spans.items())]))
        for name in apart
        for spans in [found.get(measures.index(name), {})]
    }


def _edges(samples: Sequence[NDArray[np.float64]], rows: int) -> NDArray[np.float64]:
    """Returns the scores at which ranges begin, all but the first."""
    import numpy as np

    whole = np.sort(np.concatenate(samples))
    count = -(-rows // RANGE)
    places = np.linspace(0, len(whole), count + 1)[1:-1].astype(np.int64)
    return np.unique(whole[places])


def _pools(batches: Iterator[pa.RecordBatch]) -> Iterator[PooledScores]:
    for batch in batches:
        for content in batch.column("pool"):
            yield pickle.loads(content.as_py())


def _sample(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    """Yields, for each measure, the number of rows and a sample of their scores."""
    import numpy as np
    import pyarrow as pa

    kept: dict[int, list[NDArray[np.float64]]] = {}
    rows: dict[int, int] = {}
    for one in _pools(batches):
        scores = np.concatenate([one.positives, one.negatives])
        step = max(1, len(scores) // SAMPLE)
        kept.setdefault(one.measure, []).append(np.sort(scores)[step // 2 :: step])
        rows[one.measure] = rows.get(one.measure, 0) + len(scores)
    found = {place: (rows[place], np.concatenate(parts)) for place, parts in kept.items()}
    yield pa.RecordBatch.from_pydict({"content": pa.array([pickle.dumps(found)], pa.binary())})


@dataclass(frozen=True)
class _Cut:
    """Cuts pooled scores into ranges.

    Attributes:
        edges: By measure, the lower ends of all ranges but the first.
    """

    edges: Mapping[int, NDArray[np.float64]]

    def __call__(self, batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        import numpy as np

        for one in _pools(batches):
            edges = self.edges[one.measure]
            classes = [np.sort(scores) for scores in (one.positives, one.negatives)]
            # A score at an edge belongs to the range that begins there.
            cuts = [
                [0, *np.searchsorted(scores, edges, "left").tolist(), len(scores)]
                for scores in classes
            ]
            for span in range(len(edges) + 1):
                parts = [
                    scores[places[span] : places[span + 1]]
                    for scores, places in zip(classes, cuts, strict=True)
                ]
                if len(parts[0]) or len(parts[1]):
                    yield _row(one.measure, span, parts)


def _count(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    """Counts the pairs of ranges, which arrive in order."""
    held: list[list[NDArray[np.float64]]] = [[], []]
    last: tuple[int, int] | None = None
    for batch in batches:
        for place, span, content in zip(*(batch.column(i) for i in range(3)), strict=True):
            key = (place.as_py(), span.as_py())
            if last is not None and key != last:
                yield _row(*last, range_pairs(*held))
                held = [[], []]
            last = key
            for parts, scores in zip(held, pickle.loads(content.as_py()), strict=True):
                parts.append(scores)
    if last is not None:
        yield _row(*last, range_pairs(*held))


def _row(place: int, span: int, content: object) -> pa.RecordBatch:
    import pyarrow as pa

    return pa.RecordBatch.from_pydict(
        {
            "place": pa.array([place], pa.int32()),
            "span": pa.array([span], pa.int32()),
            "content": pa.array([pickle.dumps(content)], pa.binary()),
        }
    )
