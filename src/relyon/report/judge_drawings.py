"""The drawings about judges: who graded when, and which grades."""

from __future__ import annotations

from relyon.report.page import Chart
from relyon.report.palette import ROLES, label_width, tick_count
from relyon.report.vegalite import Layers, channel, layers, mark

__all__ = ["shares", "stacked_columns"]


def stacked_columns(chart: Chart, width: int) -> Layers:
    """Draws a column per period, with a part per judge."""
    periods = list(chart.values["months"])
    names, roles = zip(*((name, role) for name, role, _ in chart.values["series"]), strict=True)
    upright = width > 400 and len(periods) < 9
    encoding = {
        "x": channel(
            "period:O",
            title=chart.labels["x"] if upright else None,
            sort=periods,
            scale={"domain": periods, "paddingInner": 0.3, "paddingOuter": 0.2},
            axis={"labelAngle": 0 if upright else -60},
        ),
        "y": channel(
            "value:Q",
            title=chart.labels["y"],
            stack="zero",
            axis={"tickMinStep": 1, "format": ",d"},
        ),
        "color": channel(
            "series:N",
            scale={"domain": list(names), "range": [ROLES[role] for role in roles]},
            legend=None,
        ),
        "order": channel("order:Q"),
        "description": channel("text:N"),
    }
    bars = mark("bar", encoding, stroke=ROLES["paper"], strokeWidth=1, opacity=1)
    return layers(chart.rows, bars, width=width - 60, height=200)


def shares(chart: Chart, width: int) -> Layers:
    """Draws a bar per judge, whose parts are the shares of the grades: the higher, the darker."""
    names = list(dict.fromkeys(str(row["name"]) for row in chart.rows))
    wide = label_width(names, width)
    across = width - wide - 40
    encoding = {
        "x": channel(
            "value:Q",
            title=chart.labels["x"],
            stack="zero",
            scale={"domain": [0, 1], "nice": False},
            axis={"format": "%", "tickCount": tick_count(across)},
        ),
        "y": channel(
            "name:N",
            sort=names,
            title=None,
            axis={"labelLimit": wide, "minExtent": wide + 8},
            scale={"paddingInner": 0.3, "paddingOuter": 0.1},
        ),
        "order": channel("order:Q"),
        "fillOpacity": channel("depth:Q", scale=None, legend=None),
        "description": channel("text:N"),
    }
    bars = mark("bar", encoding, fill=ROLES["blue"], stroke=ROLES["blue"], strokeWidth=1, opacity=1)
    return layers(chart.rows, bars, width=across, height=30 * len(names))
