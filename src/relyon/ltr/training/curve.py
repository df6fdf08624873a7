"""The learning curve: the measure after each iteration."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from relyon.core.document.json import json_number

__all__ = ["CurvePoint", "mean_curve", "thinned"]


@dataclass(frozen=True)
class CurvePoint:
    """The measure after some iterations.

    Attributes:
        iteration: The number of iterations: trees, or passes over the data.
        train: The measure on the training queries; NaN if it was not computed.
        held_out: The measure on the held-out queries; NaN if it was not computed.
    """

    iteration: int
    train: float
    held_out: float

    def to_dict(self) -> dict[str, object]:
        """Returns JSON-ready values."""
        return {
            "iteration": self.iteration,
            "train": json_number(self.train),
            "held_out": json_number(self.held_out),
        }


def mean_curve(curves: Sequence[Sequence[CurvePoint]]) -> tuple[CurvePoint, ...]:
    """Returns the mean of the curves of several folds, at the iterations that all of them have.

    Args:
        curves: One per fold.

    Examples:
        >>> one = [CurvePoint(1, 0.5, 0.25), CurvePoint(2, 0.75, 0.25)]
        >>> mean_curve([one, [CurvePoint(1, 0.25, 0.25)]])
        (CurvePoint(iteration=1, train=0.375, held_out=0.25),)
    """
    found = [{point.iteration: point for point in curve} for curve in curves]
    if not found:
        return ()
    shared = sorted(set.intersection(*(set(curve) for curve in found)))
    return tuple(
        CurvePoint(
            at,
            math.fsum(curve[at].train for curve in found) / len(found),
            math.fsum(curve[at].held_out for curve in found) / len(found),
        )
        for at in shared
    )


def thinned(curve: Sequence[CurvePoint], most: int = 12) -> list[CurvePoint]:
    """Returns some points of a curve: the first, the last and evenly spaced ones between.

    Examples:
        >>> points = [CurvePoint(at, 0.5, 0.5) for at in range(1, 101)]
        >>> [point.iteration for point in thinned(points, 5)]
        [1, 26, 51, 75, 100]
    """
    if len(curve) <= most:
        return list(curve)
    last = len(curve) - 1
    places = dict.fromkeys(round(step * last / (most - 1)) for step in range(most))
    return [curve[place] for place in places]
