"""The drawings of leaderboards: a line per run, and quality against cost."""

from __future__ import annotations

from relyon.report.page import Chart
from relyon.report.palette import ROLES, label_width, tick_count
from relyon.report.vegalite import Layers, channel, layers, mark

__all__ = ["against_cost", "standings"]


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
    scale = {"zero": False, "padding": 24}
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
    names = [
        mark(
            "text",
            {"x": x, "y": y, "text": channel("name:N")},
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
    front, behind = "!datum.dominated", "datum.dominated"
    return layers(
        chart.rows,
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
        height=260,
    )
