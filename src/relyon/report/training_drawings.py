"""The drawings of training: curves by iteration, and bars of features."""

from __future__ import annotations

from relyon.report.page import Chart
from relyon.report.palette import ROLES, label_width, series_channels, tick_count
from relyon.report.vegalite import Layers, channel, layers, mark

__all__ = ["by_iteration", "feature_bars"]


def by_iteration(chart: Chart, width: int) -> Layers:
    """Draws one line per series over iterations, with a point at the held-out maximum."""
    wide = min(width, 560) - 60
    end = max(place for row in chart.rows if isinstance(place := row["iteration"], int))
    line = {
        "x": channel(
            "iteration:Q",
            title=chart.labels["x"],
            scale={"domain": [0, end], "nice": False},
            axis={"tickCount": tick_count(wide), "format": ",d", "tickMinStep": 1, "grid": False},
        ),
        "y": channel("value:Q", title=chart.labels["y"], scale={"zero": False, "nice": True}),
        **series_channels(chart.values["series"], "series:N"),
    }
    best = {
        "x": channel("iteration:Q"),
        "y": channel("value:Q"),
        "description": channel("text:N"),
    }
    return layers(
        chart.rows,
        mark("line", line, strokeWidth=2, aria=False),
        mark(
            "point",
            best,
            rows=chart.values["best"],
            filled=True,
            size=70,
            opacity=1,
            color=ROLES["ink"],
        ),
        width=wide,
        height=230,
    )


def feature_bars(chart: Chart, width: int) -> Layers:
    """Draws one bar per feature, with its interval if it has one."""
    rows = chart.rows
    names = [str(row["name"]) for row in rows]
    wide = label_width(names, width)
    across = width - wide - 40
    y = {
        "y": channel(
            "name:N",
            sort=names,
            title=None,
            axis={"labelLimit": wide * 7 // 8, "minExtent": wide + 8},
            scale={"paddingInner": 0.3, "paddingOuter": 0.1},
        )
    }
    bar = {
        "x": channel("value:Q", title=chart.labels["x"], axis={"tickCount": tick_count(across)}),
        **y,
        "description": channel("text:N"),
    }
    ends = {"x": channel("low:Q"), "x2": channel("high"), **y}
    whisker = mark(
        "rule",
        ends,
        only="isValid(datum.low)",
        strokeWidth=1.5,
        color=ROLES["ink"],
        aria=False,
    )
    return layers(
        rows,
        mark("bar", bar, color=ROLES["blue"], stroke=None),
        whisker,
        width=across,
        height=max(22 * len(rows), 50),
    )
