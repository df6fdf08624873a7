"""How likely a number matches some class of rules by accident."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["DOUBTFUL", "accident", "accident_of_any", "distinct_rows", "steps"]

#: Above this probability of an accident, a match proves nothing.
DOUBTFUL = 0.01
#: How many of the nearest other numbers show how densely numbers lie.
NEIGHBOURS = 8
#: Numbers that differ by less are one.
SAME = 1e-9
#: Largest denominator of a measure's values in which a step is looked for.
MOST_PARTS = 100


def distinct_rows(table: NDArray[np.float64]) -> NDArray[np.float64]:
    """Returns the rows that differ, in their order; rows with NaN are left out."""
    rows = table[~np.isnan(table).any(axis=1)]
    if not len(rows):
        return rows
    _, first = np.unique(np.round(rows / SAME), axis=0, return_index=True)
    return rows[np.sort(first)]


def steps(values: Sequence[float], queries: int) -> float:
    """Returns the distance between neighbouring means, 0 if any number is possible.

    P@10 of one query is a multiple of 1/10, so that its mean over 50 queries is one of 1/500.

    Args:
        values: Values of single queries.
        queries: How many are averaged.

    Examples:
        >>> steps([0.1, 0.3, 0.9], 50), steps([0.6309, 0.5], 50)
        (0.002, 0.0)
    """
    found = np.asarray(values, dtype=float)
    found = found[np.isfinite(found)]
    if not len(found) or not queries:
        return 0.0
    for parts in range(1, MOST_PARTS + 1):
        scaled = found * parts
        if np.abs(scaled - np.round(scaled)).max() < 1e-6:
            return 1 / (parts * queries)
    return 0.0


def accident(
    tried: NDArray[np.float64],
    printed: Sequence[float],
    halves: Sequence[float],
    grid: Sequence[float] = (),
) -> float:
    """Returns the probability that some of the tried numbers matches by accident.

    If the rules behind a number are not among those tried, it lies somewhere between the numbers
    that were tried. The k nearest that do not match (k = 8, or all) lie within r half units of the
    last decimal in every measure; numbers of that density match a given one with an expected count
    of k / r^m for m measures, and at least one with probability 1 - exp(-k / r^m); if so many
    numbers spread evenly from 0 to the largest (at least 1) would match it more often, that counts.
    Where only
    multiples of a step are possible, half the step takes the place of the half unit.

    Args:
        tried: One row per distinct number tried, one column per measure.
        printed: The printed numbers.
        halves: Half a unit of the last decimal of each.
        grid: The step between possible numbers of each measure; 0 if any is possible.

    Examples:
        >>> rows = np.linspace(0.4, 0.6, 201).reshape(-1, 1)
        >>> round(accident(rows, [0.5034], [0.00005]), 3)
        0.105
    """
    count, measures = tried.shape
    if not count:
        return 0.0
    half = np.asarray(halves, dtype=float)
    step = np.asarray(grid or [0.0] * measures)
    wide = np.maximum(half, step / 2)
    # Only numbers that are multiples of the step can match one that is.
    off = np.abs(tried - np.round(tried / np.where(step, step, 1)) * step)
    tried = tried[((off <= half) | (step == 0)).all(axis=1)]
    apart = np.abs(tried - np.asarray(printed))
    other = (apart / half).max(axis=1) > 1 + 1e-6
    distances = np.sort((apart[other] / wide).max(axis=1))[:NEIGHBOURS]
    span = np.maximum(1.0, np.abs(tried).max(axis=0, initial=0.0))
    expected = len(tried) * float(np.minimum(1.0, 2 * half / span).prod())
    if len(distances):
        radius = max(float(distances[-1]), 1.0)
        expected = max(expected, len(distances) / radius**measures)
    return -math.expm1(-expected)


def accident_of_any(
    tried: NDArray[np.float64],
    printed: Sequence[float],
    halves: Sequence[float],
    grid: Sequence[float] = (),
) -> float:
    """Returns the probability that all numbers match by accident, or one of them does.

    Numbers of several measures seldom match together by accident. But a rule that only one of the
    measures reads, such as the gain of NDCG, is decided by that measure's number alone: AP matches
    regardless of the gain. So the largest probability counts: of all numbers together, and of each
    one among the ways of counting that give all the others.

    Args:
        tried: One row per number tried, one column per measure; rows with NaN are left out.
        printed: The printed numbers.
        halves: Half a unit of the last decimal of each.
        grid: The step between possible numbers of each measure; 0 if any is possible.

    Examples:
        >>> ndcg = np.linspace(0.4, 0.6, 201)
        >>> rows = np.column_stack([ndcg, np.full(201, 0.3)])
        >>> round(accident(rows, [0.5034, 0.3], [0.00005] * 2), 3)
        0.002
        >>> round(accident_of_any(rows, [0.5034, 0.3], [0.00005] * 2), 3)
        0.105
    """
    rows = distinct_rows(tried)
    values, half = np.asarray(printed), np.asarray(halves)
    found = accident(rows, printed, halves, grid)
    if len(values) < 2 or not len(rows):
        return found
    matches = np.abs(rows - values) <= half * (1 + 1e-6)
    steps_of = grid or [0.0] * len(values)
    for column in range(len(values)):
        others = np.delete(matches, column, axis=1).all(axis=1)
        alone = distinct_rows(rows[others][:, [column]])
        one = accident(alone, [printed[column]], [halves[column]], [steps_of[column]])
        found = max(found, one)
    return found
