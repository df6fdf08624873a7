"""Names beside points: none covers another, and each is nearest to its own point."""

from __future__ import annotations

import random

from relyon.report.label_places import AWAY, HALF, LETTER, LabelPlace, label_places


def box(point: tuple[float, float], name: str, place: LabelPlace) -> tuple[float, ...]:
    """Returns left, top, right and bottom of a name."""
    long = LETTER * len(name)
    left = point[0] + AWAY if place.side == "left" else point[0] - AWAY - long
    return left, point[1] + place.dy - HALF, left + long, point[1] + place.dy + HALF


def test_no_two_names_overlap() -> None:
    draw = random.Random(5)
    for _ in range(20):
        points = [(draw.uniform(0, 400), draw.uniform(0, 260)) for _ in range(15)]
        names = [f"model-{number}" for number in range(15)]
        places = label_places(points, names, 400, 260)
        boxes = [
            box(point, name, place)
            for point, name, place in zip(points, names, places, strict=True)
            if place is not None
        ]
        assert len(boxes) > 3
        for place, one in enumerate(boxes):
            assert one[0] >= 0
            assert one[2] <= 400
            for other in boxes[:place]:
                apart = one[2] <= other[0] or other[2] <= one[0]
                assert apart or one[3] <= other[1] or other[3] <= one[1]


def test_names_without_room_are_left_out() -> None:
    assert label_places([(20, 20)], ["a name that is far too long"], 60, 40) == [None]
    assert label_places([(20, 20)], [""], 60, 40) == [None]


def test_points_at_one_place_have_different_names() -> None:
    places = label_places([(100, 100)] * 3, ["one", "two", "three"], 200, 200)
    assert None not in places
    assert len(set(places)) == 3
