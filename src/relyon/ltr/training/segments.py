"""Segments: the values of a ranker on groups of queries."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from relyon.analysis.statistics import adjust
from relyon.core.errors import InputError
from relyon.core.texts import message
from relyon.ltr.training.held_out import HeldOut, held_out

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from relyon.data.labelled import LabelledRows

__all__ = ["Segment", "relevant_counts", "segment_table", "sizes_of"]

#: The first number of relevant documents of each segment.
FROM = (0, 1, 2, 5, 10)


@dataclass(frozen=True)
class Segment:
    """A group of queries.

    Attributes:
        name: A number of relevant documents, such as `2-4`, or a value of a column.
        queries: The number of queries, including those without a value.
        found: The values of the ranker and the baseline on them; p-values are corrected by Holm for
            the number of segments.
    """

    name: str
    queries: int
    found: HeldOut

    def to_dict(self) -> dict[str, object]:
        """Returns JSON-ready values."""
        return {**self.found.to_dict(), "name": self.name, "all_queries": self.queries}


def segment_table(
    names: Sequence[str],
    values: Sequence[float],
    baseline: Sequence[float] = (),
    *,
    order: Sequence[str] = (),
    level: float = 0.95,
    groups: NDArray[np.int64] | None = None,
) -> tuple[Segment, ...]:
    """Returns the values on each segment.

    Args:
        names: The segment of each query.
        values: One per query, NaN if the measure is undefined.
        baseline: The baseline's values on the same queries; empty without a baseline.
        order: The segments in the order of the table; the others follow by name.
        level: Confidence level of the intervals.
        groups: The group of each query, if some are not independent of each other.

    Raises:
        InputError: If the number of names is not that of the values.

    Examples:
        >>> table = segment_table(["head", "tail", "tail"], [0.9, 0.5, 0.3])
        >>> [(one.name, one.queries, round(one.found.value, 2)) for one in table]
        [('head', 1, 0.9), ('tail', 2, 0.4)]
    """
    if len(names) != len(values):
        raise InputError(
            message(
                "ltr.there-are-segments",
                count=len(names),
                count_2=len(values),
            ),
            hint=message("ltr.give-one-segment-per"),
        )
    present = set(names)
    listed = [name for name in order if name in present]
    listed += sorted(present.difference(listed))
    places = {name: [at for at, one in enumerate(names) if one == name] for name in listed}
    found = [
        held_out(
            [values[at] for at in rows],
            [baseline[at] for at in rows] if len(baseline) else (),
            level=level,
            groups=None if groups is None else groups[rows],
        )
        for rows in places.values()
    ]
    corrected = adjust([one.p for one in found], "holm")
    return tuple(
        Segment(name, len(places[name]), replace(one, p=p))
        for name, one, p in zip(listed, found, corrected, strict=True)
    )


def relevant_counts(rows: LabelledRows) -> list[int]:
    """Returns the number of relevant documents of each query.

    Relevant is a label of at least 1; if no label reaches 1, as where labels are click rates, it is
    one above 0, as in a split.

    Args:
        rows: Labelled rows.
    """
    import numpy as np

    labels = np.asarray(rows.labels)
    relevant = labels >= 1
    sums = np.concatenate([[0], np.cumsum(relevant if relevant.any() else labels > 0)])
    return [int(one) for one in sums[rows.groups[1:]] - sums[rows.groups[:-1]]]


def sizes_of(counts: Sequence[int]) -> tuple[list[str], list[str]]:
    """Returns the segment of each number of relevant documents, and all segments in order.

    Examples:
        >>> sizes_of([0, 3, 12])
        (['0', '2-4', '10+'], ['0', '1', '2-4', '5-9', '10+'])
    """
    ends = [*(start - 1 for start in FROM[1:]), None]
    names = [
        f"{start}+" if end is None else f"{start}" if start == end else f"{start}-{end}"
        for start, end in zip(FROM, ends, strict=True)
    ]
    return [names[sum(count >= start for start in FROM) - 1] for count in counts], names
