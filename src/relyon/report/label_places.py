"""Places of names beside the points of a chart, so that none covers another."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

__all__ = ["LabelPlace", "label_places"]

#: Pixels from a point up (negative) or down to the middle of its name, the best first.
STEPS = (-8, 12, -22, 26)
#: Pixels from a point to the end of its name that is near.
AWAY = 8
#: Pixels of a letter of 12 pixels, and half of its height.
LETTER, HALF = 6.8, 7
#: Half the size of a point.
POINT = 5


@dataclass(frozen=True)
class LabelPlace:
    """Where a name is, seen from its point.

    Attributes:
        side: `left`: the name begins right of its point; `right`: it ends left of it.
        dy: Pixels down to the middle of the name.
    """

    side: Literal["left", "right"]
    dy: int


Point = tuple[float, float]
Box = tuple[float, float, float, float]


def label_places(
    points: Sequence[tuple[float, float]], names: Sequence[str], width: float, height: float
) -> list[LabelPlace | None]:
    """Returns the place of each name; None if there is no room for it.

    Names are placed in their order, each in the first place that covers no other name and no other
    point, and is nearest to its own point.

    Args:
        points: Pixels from the left and from the top.
        names: The names; an empty one has no place.
        width: Of the chart, in pixels.
        height: Of the chart, in pixels.

    Examples:
        >>> label_places([(20, 50), (20, 50)], ["one", "two"], 100, 100)
        [LabelPlace(side='left', dy=-8), LabelPlace(side='left', dy=12)]
        >>> label_places([(95, 50)], ["at the end"], 100, 100)
        [LabelPlace(side='right', dy=-8)]
    """
    taken: list[Box] = []
    found: list[LabelPlace | None] = []
    for place, ((x, y), name) in enumerate(zip(points, names, strict=True)):
        others = [one for other, one in enumerate(points) if other != place]
        chosen = None
        if name:
            chosen = _first_free((x, y), _length(name), taken, others, (width, height))
        if chosen is not None:
            taken.append(_box(x, y, _length(name), chosen))
        found.append(chosen)
    return found


def _first_free(
    point: Point,
    long: float,
    taken: Sequence[Box],
    others: Sequence[Point],
    size: tuple[float, float],
) -> LabelPlace | None:
    (x, y), (width, height) = point, size
    around = [(left - POINT, top - POINT, left + POINT, top + POINT) for left, top in others]
    sides: tuple[Literal["left", "right"], ...] = ("left", "right")
    for dy in STEPS:
        for side in sides if x <= width / 2 else sides[::-1]:
            one = LabelPlace(side, dy)
            box = _box(x, y, long, one)
            inside = box[0] >= 0 and box[2] <= width and box[1] >= 0 and box[3] <= height
            if not inside or any(_overlap(box, other) for other in [*taken, *around]):
                continue
            if all(_distance(box, point) <= _distance(box, other) for other in others):
                return one
    return None


def _length(name: str) -> float:
    """Returns the pixels of a name: Chinese characters are twice as wide."""
    return sum(LETTER if ord(letter) < 0x2E80 else 12 for letter in name)


def _box(x: float, y: float, long: float, place: LabelPlace) -> Box:
    left = x + AWAY if place.side == "left" else x - AWAY - long
    return left, y + place.dy - HALF, left + long, y + place.dy + HALF


def _distance(box: Box, point: Point) -> float:
    """Returns how far a point is from a box."""
    x, y = point
    return math.hypot(max(box[0] - x, x - box[2], 0), max(box[1] - y, y - box[3], 0))


def _overlap(one: Box, other: Box) -> bool:
    return one[0] < other[2] and other[0] < one[2] and one[1] < other[3] and other[1] < one[3]
