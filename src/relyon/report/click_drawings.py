"""The drawings for clicks: lines by position, and predicted against observed rates."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypedDict

from relyon.report.page import Chart
from relyon.report.palette import ROLES, label_width, series_channels, tick_count
from relyon.report.vegalite import Layers, Spec, channel, layers, mark

__all__ = ["PointRow", "by_position", "panels", "reliability", "side_by_side"]

HELD = "isValid(datum.low)"


class PointRow(TypedDict):
    """One point of a series by position, with its interval if it has one."""

    series: str
    position: int
    value: float
    low: float | None
    high: float | None
    text: str


class _Panel(Layers):
    title: Spec


class _Panels(TypedDict):
    vconcat: list[_Panel]
    resolve: Spec
    spacing: int
    padding: int


def by_position(chart: Chart, width: int) -> Layers:
    """Draws values by position: one line per series, with intervals if there are any."""
    wide = min(width, 520) - 60
    rows = chart.rows
    places = {place for row in rows if isinstance(place := row["position"], int)}
    x = {"x": _position_axis(chart, sorted(places), wide)}
    end = chart.values["end"]
    scale: dict[str, object] = {"zero": chart.values["zero"], "nice": True}
    if end is not None:
        scale = {"domain": [0, end], "nice": False}
    axis = {"axis": {"format": "~%"}} if chart.values.get("percent") else {}
    y = {"y": channel("value:Q", title=chart.labels["y"], scale=scale, **axis)}
    looks = series_channels(chart.values["series"], "series:N")
    color = {"color": looks["color"]}
    ends = {**x, "y": channel("low:Q"), "y2": channel("high"), **color}
    described = {**x, **y, **color, "description": channel("text:N")}
    return layers(
        rows,
        mark("rule", ends, only=HELD, strokeWidth=1.5, aria=False, clip=True),
        mark("line", {**x, **y, **looks}, strokeWidth=2, aria=False),
        mark("point", described, filled=True, size=30, opacity=1, shape="circle"),
        width=wide,
        height=230,
    )


def panels(chart: Chart, width: int) -> _Panels:
    """Draws several charts by position below each other, each with its title and legend.

    The legends are in the picture itself, which may be used alone.
    """
    drawn: list[_Panel] = []
    for one in chart.values["charts"]:
        spec = by_position(one, width)
        names = [name for name, _, _ in one.values["series"]]
        legend = {
            "title": None,
            "symbolType": "stroke",
            "symbolSize": 500,
            "columnPadding": 24,
            "columns": max(1, spec["width"] // (label_width(names, spec["width"] * 3) + 64)),
            "labelLimit": spec["width"],
        }
        for layer in spec["layer"]:
            for name in ("color", "strokeDash"):
                if name in layer["encoding"]:
                    layer["encoding"][name] = {**layer["encoding"][name], "legend": legend}
        title = {"text": one.title, "color": ROLES["ink"], "fontSize": 14, "offset": 12}
        drawn.append({"title": title, **spec})
    apart = {"color": "independent", "strokeDash": "independent"}
    return {"vconcat": drawn, "resolve": {"scale": apart}, "spacing": 32, "padding": 16}


def side_by_side(chart: Chart, width: int) -> Layers:
    """Draws points with their intervals, side by side for each position, and a legend.

    The legend is in the picture itself, which may be used alone.
    """
    series = chart.values["series"]
    names = [name for name, _, _ in series]
    place = {
        "x": _position_axis(chart, list(chart.values["positions"]), width - 60),
        "xOffset": channel("series:N", sort=names, scale={"domain": names, "padding": 1.2}),
    }
    end = chart.values["end"]
    scale: dict[str, object] = (
        {"zero": True} if end is None else {"domain": [0, end], "nice": False}
    )
    y = {"y": channel("value:Q", title=chart.labels["y"], scale=scale)}
    color, shape = (
        channel(
            "series:N",
            sort=names,
            scale={"domain": names, "range": looks},
            legend={"title": None},
        )
        for looks in (
            [ROLES[role] for _, role, _ in series],
            [shape for _, _, shape in series],
        )
    )
    ends = {**place, "y": channel("low:Q"), "y2": channel("high"), "color": color}
    described = {
        **place,
        **y,
        "color": color,
        "shape": shape,
        "description": channel("text:N"),
    }
    return layers(
        chart.rows,
        mark("rule", ends, strokeWidth=1.5, aria=False, clip=True),
        mark("point", described, filled=True, size=60, opacity=1),
        width=width - 60,
        height=240,
    )


def _position_axis(chart: Chart, places: Sequence[int], wide: int) -> Spec:
    """Returns the axis of positions; if there are many, only as many labels as fit."""
    step = max(1, -(-len(places) * 24 // wide))
    return channel(
        "position:O",
        title=chart.labels["x"],
        axis={"labelAngle": 0, "values": list(places[::step])},
        scale={"domain": list(places), "paddingOuter": 0.1},
    )


def reliability(chart: Chart, width: int) -> Layers:
    """Draws observed against predicted frequencies, and the diagonal."""
    side = min(width, 420) - 55
    end = chart.values["end"]
    rows = chart.rows
    axis = {"tickCount": tick_count(side)}
    scale = {"domain": [0, end], "nice": False, "zero": True}
    x = {"x": channel("foreseen:Q", title=chart.labels["x"], scale=scale, axis=axis)}
    y = {"y": channel("clicked:Q", title=chart.labels["y"], scale=scale, axis=axis)}
    looks = series_channels(chart.values["series"], "series:N")
    color = {"color": looks["color"]}
    diagonal = {
        "x": channel("at:Q", scale=scale, title=chart.labels["x"]),
        "y": channel("at:Q"),
    }
    faint = mark(
        "line",
        diagonal,
        rows=[{"at": 0}, {"at": end}],
        color=ROLES["muted"],
        strokeWidth=1,
        strokeDash=[2, 3],
        aria=False,
    )
    ends = {**x, "y": channel("low:Q"), "y2": channel("high"), **color}
    line = {**x, **y, **looks, "order": channel("order:Q")}
    described = {**x, **y, **color, "description": channel("text:N")}
    return layers(
        rows,
        faint,
        mark("rule", ends, only=HELD, strokeWidth=1.5, aria=False, clip=True),
        mark("line", line, strokeWidth=1.5, aria=False),
        mark("point", described, filled=True, size=50, opacity=1, shape="circle"),
        width=side,
        height=side,
    )
