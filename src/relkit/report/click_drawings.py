"""The drawings of clicks: lines by position, and foreseen against counted."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from relkit.report.page import Chart
from relkit.report.palette import ROLES, altair, tick_count

__all__ = ["by_position", "reliability", "side_by_side"]


def by_position(chart: Chart, width: int) -> Any:
    """Draws values by position: a line for each series, with intervals where there are any."""
    alt = altair()
    wide = min(width, 520) - 60
    x = _position_axis(chart, sorted({row["position"] for row in chart.rows}), wide)
    end = chart.values["end"]
    scale = alt.Scale(zero=chart.values["zero"], nice=True)
    if end is not None:
        scale = alt.Scale(domain=[0, end], nice=False)
    y = alt.Y("value:Q", title=chart.labels["y"], scale=scale)
    color, dash = _series(chart)
    base = alt.Chart(alt.Data(values=[dict(row) for row in chart.rows]))
    rules = (
        base.transform_filter("isValid(datum.low)")
        .mark_rule(strokeWidth=1.5, aria=False, clip=True)
        .encode(x=x, y=alt.Y("low:Q"), y2="high:Q", color=color)
    )
    lines = base.mark_line(strokeWidth=2, aria=False).encode(x=x, y=y, color=color, strokeDash=dash)
    points = base.mark_point(filled=True, size=30, opacity=1, shape="circle").encode(
        x=x, y=y, color=color, description="text:N"
    )
    return alt.layer(rules, lines, points).properties(width=wide, height=230)


def side_by_side(chart: Chart, width: int) -> Any:
    """Draws points with their intervals, those of a position beside each other, and a legend.

    The signs are named in the picture itself: it may stand alone.
    """
    alt = altair()
    series = chart.values["series"]
    names = [name for name, _, _ in series]
    x = _position_axis(chart, list(chart.values["positions"]), width - 60)
    offset = alt.XOffset("series:N", sort=names, scale=alt.Scale(domain=names, padding=1.2))
    end = chart.values["end"]
    scale = alt.Scale(zero=True) if end is None else alt.Scale(domain=[0, end], nice=False)
    y = alt.Y("value:Q", title=chart.labels["y"], scale=scale)
    looks = [
        channel(
            "series:N",
            sort=names,
            scale=alt.Scale(domain=names, range=looks),
            legend=alt.Legend(title=None),
        )
        for channel, looks in (
            (alt.Color, [ROLES[role] for _, role, _ in series]),
            (alt.Shape, [shape for _, _, shape in series]),
        )
    ]
    base = alt.Chart(alt.Data(values=[dict(row) for row in chart.rows]))
    rules = base.mark_rule(strokeWidth=1.5, aria=False, clip=True).encode(
        x=x, xOffset=offset, y=alt.Y("low:Q"), y2="high:Q", color=looks[0]
    )
    points = base.mark_point(filled=True, size=60, opacity=1).encode(
        x=x, xOffset=offset, y=y, color=looks[0], shape=looks[1], description="text:N"
    )
    return alt.layer(rules, points).properties(width=width - 60, height=240)


def _position_axis(chart: Chart, places: Sequence[int], wide: int) -> Any:
    """Positions below the chart; of many, so many have their number there as fit."""
    alt = altair()
    step = max(1, -(-len(places) * 24 // wide))
    return alt.X(
        "position:O",
        title=chart.labels["x"],
        axis=alt.Axis(labelAngle=0, values=list(places[::step])),
        scale=alt.Scale(domain=list(places), paddingOuter=0.1),
    )


def reliability(chart: Chart, width: int) -> Any:
    """Draws how often something happened against how often it was foreseen, and the diagonal."""
    alt = altair()
    side = min(width, 420) - 55
    end = chart.values["end"]
    axis = alt.Axis(tickCount=tick_count(side))
    scale = alt.Scale(domain=[0, end], nice=False, zero=True)
    x = alt.X("foreseen:Q", title=chart.labels["x"], scale=scale, axis=axis)
    y = alt.Y("clicked:Q", title=chart.labels["y"], scale=scale, axis=axis)
    color, dash = _series(chart)
    base = alt.Chart(alt.Data(values=[dict(row) for row in chart.rows]))
    diagonal = (
        alt.Chart(alt.Data(values=[{"at": 0}, {"at": end}]))
        .mark_line(color=ROLES["muted"], strokeWidth=1, strokeDash=[2, 3], aria=False)
        .encode(x=alt.X("at:Q", scale=scale, title=chart.labels["x"]), y=alt.Y("at:Q"))
    )
    rules = (
        base.transform_filter("isValid(datum.low)")
        .mark_rule(strokeWidth=1.5, aria=False, clip=True)
        .encode(x=x, y=alt.Y("low:Q"), y2="high:Q", color=color)
    )
    lines = base.mark_line(strokeWidth=1.5, aria=False).encode(
        x=x, y=y, color=color, strokeDash=dash, order="order:Q"
    )
    points = base.mark_point(filled=True, size=50, opacity=1, shape="circle").encode(
        x=x, y=y, color=color, description="text:N"
    )
    return alt.layer(diagonal, rules, lines, points).properties(width=side, height=side)


def _series(chart: Chart) -> tuple[Any, Any]:
    """Returns the colour and the dashes of every series."""
    alt = altair()
    series = chart.values["series"]
    names = [name for name, _, _ in series]
    dashes = [[float(one) for one in (dash or "1 0").split()] for _, _, dash in series]
    color = alt.Color(
        "series:N",
        scale=alt.Scale(domain=names, range=[ROLES[role] for _, role, _ in series]),
        legend=None,
    )
    dash = alt.StrokeDash("series:N", scale=alt.Scale(domain=names, range=dashes), legend=None)
    return color, dash
