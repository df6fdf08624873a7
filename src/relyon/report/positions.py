"""Charts of values by position, such as examination and click prediction."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from relyon.report.catalogue import Catalogue
from relyon.report.click_drawings import PointRow
from relyon.report.number_formats import number
from relyon.report.page import Chart, Key, Table

__all__ = ["PositionCurve", "position_chart", "series_of"]

#: Colours and strokes of series, in their order.
ROLES = ("blue", "orange", "green", "purple", "sky")
DASHES = ("", "7 3", "2 3", "8 3 2 3", "4 2")
#: How far a chart extends beyond its highest value if an interval goes further.
ROOM = 1.25
#: The style of observed rather than estimated values.
COUNTED = ("ink", "1 2")


@dataclass(frozen=True)
class PositionCurve:
    """One line of a chart by position.

    Attributes:
        name: Its name.
        values: One per position, from 1; NaN if missing.
        intervals: Their intervals; may be empty.
        counted: Whether it is observed rather than a model's.
    """

    name: str
    values: Sequence[float]
    intervals: Sequence[tuple[float, float]] = ()
    counted: bool = False


def series_of(names: Sequence[str]) -> tuple[tuple[str, str, str], ...]:
    """Returns the name, colour and dashes of each model, all different.

    Examples:
        >>> series_of(["pbm", "ubm"])
        (('pbm', 'blue', ''), ('ubm', 'orange', '7 3'))
    """
    count = len(ROLES)
    return tuple(
        (name, ROLES[place % count], DASHES[(place + place // count) % count])
        for place, name in enumerate(names)
    )


def position_chart(
    curves: Sequence[PositionCurve],
    names: Sequence[str],
    texts: Catalogue,
    *,
    key: str,
    zero: bool,
    digits: int = 3,
) -> Chart:
    """Returns a chart of curves by position, and the table of their numbers.

    Args:
        curves: The lines.
        names: All models of the page, so that each looks the same in every chart.
        texts: The report's texts.
        key: The prefix of its texts: `clicks.KEY_title`, `_caption` and `_axis`.
        zero: Whether the axis begins at 0.
        digits: Decimals.
    """
    estimated = [one.name for one in curves if not one.counted]
    looks = {one[0]: one for one in series_of(list(dict.fromkeys([*names, *estimated])))}
    series = [(one.name, *COUNTED) if one.counted else looks[one.name] for one in curves]
    rows: list[PointRow] = []
    for curve in curves:
        for place, value in enumerate(curve.values):
            if not math.isfinite(value):
                continue
            low, high = _interval(curve, place)
            held = math.isfinite(low) and math.isfinite(high)
            shown = _shown(curve, place, digits)
            at = texts.say("clicks.at", position=place + 1)
            rows.append(
                {
                    "series": curve.name,
                    "position": place + 1,
                    "value": value,
                    "low": low if held else None,
                    "high": high if held else None,
                    "text": f"{curve.name}, {at}{texts.say('list.colon')}{shown}",
                }
            )
    # An interval far above all values would flatten them: it is cut, and marked as cut.
    highest = ROOM * max((row["value"] for row in rows), default=1.0)
    cut = any(row["high"] is not None and row["high"] > highest for row in rows)
    caption = texts.say(f"clicks.{key}_caption")
    if cut:
        caption += texts.say("list.sentence") + texts.say("clicks.cut")
    deepest = max((len(one.values) for one in curves), default=0)
    cells = tuple(
        (
            str(place + 1),
            *(_shown(one, place, digits) for one in curves),
        )
        for place in range(deepest)
    )
    return Chart(
        drawing="by_position",
        title=texts.say(f"clicks.{key}_title"),
        caption=caption,
        rows=tuple(rows),
        table=Table((texts.say("clicks.position"), *(one.name for one in curves)), cells),
        labels={"x": texts.say("clicks.position"), "y": texts.say(f"clicks.{key}_axis")},
        values={"series": tuple(series), "zero": zero, "end": highest if cut else None},
        legend=tuple(Key("line", role, name, dash) for name, role, dash in series),
    )


def _interval(curve: PositionCurve, place: int) -> tuple[float, float]:
    return curve.intervals[place] if curve.intervals else (math.nan, math.nan)


def _shown(curve: PositionCurve, place: int, digits: int) -> str:
    """Returns a value with its interval, if it has one."""
    if place >= len(curve.values):
        return number(math.nan)
    low, high = _interval(curve, place)
    shown = number(curve.values[place], digits)
    if not low < high:
        return shown
    return f"{shown} ({number(low, digits)} … {number(high, digits)})"
