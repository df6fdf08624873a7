"""Rules that give some of several numbers, if none give all of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from relyon.analysis.matching.chance import accident_of_any

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from relyon.analysis.matching.printed import PrintedNumber
    from relyon.analysis.matching.ways import Way

__all__ = ["PartialMatch", "partial_matches"]


@dataclass(frozen=True)
class PartialMatch:
    """Rules that give some of the printed numbers.

    Attributes:
        way: The simplest of them.
        values: The values of the measures whose numbers they give.
        accident: The probability that so many numbers of so many rules match by accident.
        options: The options of `relyon evaluate` that count so; None if it has none.
    """

    way: Way
    values: Mapping[str, float]
    accident: float
    options: str | None


def partial_matches(
    tried: Sequence[Way],
    table: NDArray[np.float64],
    printed: Sequence[PrintedNumber],
    grid: Sequence[float],
) -> tuple[PartialMatch, ...]:
    """Returns few ways that together give as many of the numbers as any do.

    A script of one's own often counts each measure by other rules. The way that gives most of the
    numbers comes first, then the one that gives most of the others; of several, the simplest.

    Args:
        tried: The ways of counting.
        table: Their numbers: one row per way, one column per measure.
        printed: The printed numbers.
        grid: The step between possible numbers of each measure; 0 if any is possible.
    """
    if len(printed) < 2:
        return ()
    given = np.array(
        [
            [one.matches(float(value)) for one, value in zip(printed, row, strict=True)]
            for row in table
        ],
        dtype=bool,
    ).reshape(len(tried), len(printed))
    tiers = np.array([way.tier for way in tried], dtype=int)
    left = np.ones(len(printed), dtype=bool)
    found = []
    while left.any():
        counts = (given & left).sum(axis=1)
        best = int(counts.max(initial=0))
        if not best:
            break
        # The first of the most numbers is the simplest: ways are sorted by their changes.
        place = int(np.flatnonzero(counts == best)[0])
        columns = np.flatnonzero(given[place] & left)
        near = table[tiers <= tiers[place]][:, columns]
        chosen = [printed[column] for column in map(int, columns)]
        found.append(
            PartialMatch(
                tried[place],
                {
                    one.name: float(value)
                    for one, value in zip(chosen, table[place, columns], strict=True)
                },
                accident_of_any(
                    near,
                    [one.value for one in chosen],
                    [one.half for one in chosen],
                    [grid[column] for column in map(int, columns)],
                ),
                tried[place].options([one.measure for one in chosen]),
            )
        )
        left[columns] = False
    return tuple(found)
