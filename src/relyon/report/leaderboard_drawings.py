"""The drawings of leaderboards: a line per run, and quality against cost."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

from relyon.report.label_places import AWAY, LabelPlace, label_places
from relyon.report.page import Chart
from relyon.report.palette import ROLES, label_width, tick_count
from relyon.report.vegalite import Layers, channel, layers, mark

__all__ = ["against_cost", "standings"]

#: Pixels of the chart of costs: its height, and around its points.
HEIGHT, PADDING = 260, 24


def standings(chart: Chart, width: int) -> Layers:
    """Draws a dot and its interval per run, in the order of the rows: values or ranks."""
    rows = chart.rows
    order = [str(row["name"]) for row in rows]
    wide = label_width(order, width)
    across = width - wide - 40
    y = channel(
        "name:N",
        sort=order,
        title=None,
        axis={"labelLimit": wide, "minExtent": wide + 8, "grid": True},
    )
    ranks = not chart.values.get("zero", True)
    axis: dict[str, object] = {"tickCount": tick_count(across)}
    scale: dict[str, object] = {"zero": False, "nice": not ranks}
    if ranks:
        last = len(rows)
        scale |= {"domain": [1, max(last, 2)], "padding": 12}
        axis |= {"tickMinStep": 1, "format": "d"}
    x = channel("low:Q", title=chart.labels["x"], axis=axis, scale=scale)
    point = {
        "x": channel("value:Q", scale=scale),
        "y": y,
        "description": channel("text:N"),
    }
    line = {"x": x, "x2": channel("high"), "y": y}
    return layers(
        rows,
        mark("rule", line, color=ROLES["muted"], strokeWidth=3, aria=False),
        mark(
            "point", point, only="datum.best", filled=True, size=80, opacity=1, color=ROLES["blue"]
        ),
        mark(
            "point",
            point,
            only="!datum.best",
            filled=False,
            fill=ROLES["paper"],
            strokeWidth=2,
            size=60,
            opacity=1,
            color=ROLES["ink"],
        ),
        width=across,
        height=max((22 if len(rows) < 60 else 16) * len(rows), 60),
    )


def against_cost(chart: Chart, width: int) -> Layers:
    """Draws a point per run, with the interval of its value, and its name."""
    across = min(width, 560) - 60
    scale = {"zero": False, "nice": False, "padding": PADDING}
    costs = [float(str(row["cost"])) for row in chart.rows]
    wide = min(costs) > 0 and max(costs) > 30 * min(costs)
    x = channel(
        "cost:Q",
        title=chart.labels["x"],
        scale={**scale, "type": "log"} if wide else scale,
        axis={"tickCount": tick_count(across), "grid": False},
    )
    y = channel("value:Q", title=chart.labels["y"], scale=scale)
    point = {"x": x, "y": y, "description": channel("text:N")}
    up = {"x": x, "y": channel("low:Q"), "y2": channel("high")}
    places = _places(chart.rows, costs, across, log=wide)
    rows = [
        {**row, "place": "" if one is None else f"{one.side}{one.dy}"}
        for row, one in zip(chart.rows, places, strict=True)
    ]
    names = [
        mark(
            "text",
            {"x": x, "y": y, "text": channel("name:N")},
            only=f"datum.place == '{one.side}{one.dy}'",
            aria=False,
            align=one.side,
            dx=AWAY if one.side == "left" else -AWAY,
            dy=one.dy,
            color=ROLES["ink"],
            fontSize=12,
        )
        for one in dict.fromkeys(places)
        if one is not None
    ]
    front, behind = "!datum.dominated", "datum.dominated"
    return layers(
        rows,
        mark("rule", up, color=ROLES["muted"], strokeWidth=1.5, aria=False),
        mark("point", point, only=front, filled=True, size=90, opacity=1, color=ROLES["blue"]),
        mark(
            "point",
            point,
            only=behind,
            filled=False,
            fill=ROLES["paper"],
            strokeWidth=2,
            size=70,
            opacity=1,
            color=ROLES["muted"],
        ),
        *names,
        width=across,
        height=HEIGHT,
    )


def _places(
    rows: Sequence[Mapping[str, object]], costs: Sequence[float], across: float, *, log: bool
) -> list[LabelPlace | None]:
    """Returns where the names of the runs are: those on the front first, then the best."""
    placed = [math.log(cost) for cost in costs] if log else list(costs)
    ends = [float(str(row[end])) for row in rows for end in ("low", "value", "high")]
    values = [float(str(row["value"])) for row in rows]
    points = [
        (
            PADDING + _share(cost, placed) * (across - 2 * PADDING),
            HEIGHT - PADDING - _share(value, ends) * (HEIGHT - 2 * PADDING),
        )
        for cost, value in zip(placed, values, strict=True)
    ]
    names = [str(row["name"]) for row in rows]
    order = sorted(range(len(rows)), key=lambda place: (not rows[place]["front"], points[place][1]))
    found = label_places(
        [points[place] for place in order], [names[place] for place in order], across, HEIGHT
    )
    by_place = dict(zip(order, found, strict=True))
    return [by_place[place] for place in range(len(rows))]


def _share(value: float, all_values: Sequence[float]) -> float:
    low, high = min(all_values), max(all_values)
    return (value - low) / (high - low) if high > low else 0.5
