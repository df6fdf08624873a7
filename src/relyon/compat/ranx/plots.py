"""ranx's `plot`, which relyon does not draw."""

from __future__ import annotations

from typing import NoReturn

from relyon.core.errors import ParameterError
from relyon.core.texts import message

__all__ = ["plot"]


def plot(*arguments: object, **options: object) -> NoReturn:
    """Refuses: ranx's interpolated precision-recall curves are values here, not a picture.

    Raises:
        ParameterError: Always; the hint names the measures with the curve's points.

    Examples:
        >>> import relyon
        >>> points = [f"iprec@{level / 10}" for level in range(11)]
        >>> judgments, run = {"q": {"a": 1, "b": 1}}, {"q": {"a": 3.0, "c": 2.0, "b": 1.0}}
        >>> results = relyon.evaluate(judgments, run, points)
        >>> [round(results[point], 4) for point in points]
        [1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 0.6667, 0.6667, 0.6667, 0.6667, 0.6667]
    """
    raise ParameterError(
        message("compat.relyon-compat-ranx-draws"),
        hint=message("compat.points-of-ranxs-curves"),
    )
