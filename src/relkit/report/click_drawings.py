"""The drawings of clicks: lines by position, and foreseen against counted."""

from __future__ import annotations

from typing import Any

from relkit.report.page import Chart
from relkit.report.palette import ROLES, altair, tick_count

__all__ = ["by_position", "reliability"]


def by_position(chart: Chart, width: int) -> Any:
    """Draws values by position: a line for each series, with intervals where there are any."""
    alt = altair()
    wide = min(width, 520) - 60
    places = sorted({row["position"] for row in chart.rows})
    # Of many positions, so many have their number below them as fit.
    step = max(1, -(-len(places) * 24 // wide))
    x = alt.X(
        "position:O",
        title=chart.labels["x"],
        axis=alt.Axis(labelAngle=0, values=places[::step]),
        scale=alt.Scale(domain=places, paddingOuter=0.1),
    )
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
