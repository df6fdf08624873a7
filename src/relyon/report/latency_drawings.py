"""The drawing of quality against latency."""

from __future__ import annotations

from relyon.report.page import Chart
from relyon.report.palette import ROLES, tick_count
from relyon.report.vegalite import Layers, channel, layers, mark

__all__ = ["against_latency"]


def against_latency(chart: Chart, width: int) -> Layers:
    """Draws a point per run, with the intervals of both of its numbers, and its name."""
    across = min(width, 560) - 60
    scale = {"zero": False, "padding": 24}
    x = channel(
        "p95:Q",
        title=chart.labels["x"],
        scale=scale,
        axis={"tickCount": tick_count(across), "grid": False},
    )
    y = channel("value:Q", title=chart.labels["y"], scale=scale)
    point = {"x": x, "y": y, "description": channel("text:N")}
    name = {"x": x, "y": y, "text": channel("name:N")}
    up = {"x": x, "y": channel("low:Q"), "y2": channel("high")}
    along = {"y": y, "x": channel("fast:Q"), "x2": channel("slow")}
    names = [
        mark(
            "text",
            name,
            only=f"datum.named && datum.side == '{side}'",
            aria=False,
            align=side,
            dx=8 if side == "left" else -8,
            dy=-8,
            limit=across // 2,
            color=ROLES["ink"],
            fontSize=12,
        )
        for side in ("left", "right")
    ]
    return layers(
        chart.rows,
        *(
            mark("rule", ends, color=ROLES["muted"], strokeWidth=1.5, aria=False)
            for ends in (up, along)
        ),
        mark(
            "point",
            point,
            only="!datum.dominated",
            filled=True,
            size=90,
            opacity=1,
            color=ROLES["blue"],
        ),
        mark(
            "point",
            point,
            only="datum.dominated",
            filled=False,
            size=70,
            opacity=1,
            fill=ROLES["paper"],
            strokeWidth=2,
            color=ROLES["muted"],
        ),
        *names,
        width=across,
        height=260,
    )
