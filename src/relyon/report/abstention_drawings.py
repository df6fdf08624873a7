"""The drawing of coverage by false answers, and of risk by coverage."""

from __future__ import annotations

from relyon.report.page import Chart
from relyon.report.palette import ROLES, series_channels
from relyon.report.vegalite import Layers, channel, layers, mark

__all__ = ["answer_curves"]


def answer_curves(chart: Chart, width: int) -> Layers:
    """Draws a line per run, and a dot at its threshold."""
    side = min(width, 420) - 55
    end = chart.values.get("end") or 1.0
    ticks = {"values": [0, 0.2, 0.4, 0.6, 0.8, 1]}
    place = {
        "x": channel(
            "x:Q", title=chart.labels["x"], scale={"domain": [0, 1], "nice": False}, axis=ticks
        ),
        "y": channel(
            "y:Q",
            title=chart.labels["y"],
            scale={"domain": [0, end], "nice": False},
            axis=ticks if end > 0.5 else {"tickCount": 5},
        ),
    }
    looks = series_channels(chart.values["series"], "run:N")
    line = {**place, "order": channel("order:Q"), "detail": channel("run:N"), **looks}
    dot = {**place, "color": looks["color"], "description": channel("text:N")}
    chance = [{"x": x, "y": y} for x, y in chart.values["chance"]]
    faint = mark(
        "line",
        place,
        rows=chance,
        color=ROLES["muted"],
        strokeWidth=1,
        strokeDash=[2, 3],
        aria=False,
    )
    return layers(
        chart.rows,
        faint,
        mark("line", line, strokeWidth=2, clip=True, aria=False),
        mark(
            "point",
            dot,
            rows=chart.values["best"],
            filled=True,
            size=90,
            opacity=1,
            stroke=ROLES["paper"],
            strokeWidth=1.5,
        ),
        width=side,
        height=side,
    )
