"""The drawings for comparisons and months: from a chart and a width to its description."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import NotRequired, TypedDict

from relyon.report.page import Chart
from relyon.report.palette import (
    MARGIN_TONES,
    ROLES,
    SIGNED,
    TONES,
    label_width,
    series_channels,
    tick_count,
)
from relyon.report.vegalite import Layers, Mark, Spec, channel, layers, mark

__all__ = [
    "BarRow",
    "ForestRow",
    "LossRow",
    "bands",
    "curves",
    "forest",
    "losses",
    "trend",
    "waterfall",
]

SIDES = {"domain": ["gain", "loss"], "range": [ROLES["blue"], ROLES["orange"]]}
SHAPES = {"domain": list(TONES), "range": ["triangle-up", "triangle-down", "circle"]}
DECIDED, OPEN = "datum.verdict != 'undecided'", "datum.verdict == 'undecided'"


#: The shapes of verdicts that need a margin; they are open like that of an undecided one.
MARGIN_SHAPES = {"not-worse": "diamond", "equal": "square"}
SIGNIFICANT = "datum.verdict === 'better' || datum.verdict === 'worse' || datum.filled === true"


class ForestRow(TypedDict):
    """One interval of a forest."""

    name: str
    difference: float
    low: float
    high: float
    verdict: str
    text: str
    margin: NotRequired[float]
    filled: NotRequired[bool]


class BarRow(TypedDict):
    """One bar of a waterfall."""

    place: int
    delta: float
    side: str
    query: str
    text: str
    link: str | None


class LossRow(TypedDict, total=False):
    """One part of a bar of losses."""

    name: str
    part: str
    order: int
    value: float
    text: str
    shown: str


class _Stacked(Mark):
    width: int
    height: int


def forest(chart: Chart, width: int) -> Layers:
    rows = chart.rows
    order = [str(row["name"]) for row in rows]
    wide = label_width(order, width)
    across = width - wide - 40
    y = channel(
        "name:N",
        sort=order,
        title=None,
        axis={"labelLimit": wide, "minExtent": wide + 8},
    )
    colors = {**TONES, **MARGIN_TONES}
    forms = {**dict(zip(SHAPES["domain"], SHAPES["range"], strict=True)), **MARGIN_SHAPES}
    tones = {"domain": list(colors), "range": list(colors.values())}
    shapes = {"domain": list(forms), "range": list(forms.values())}
    color = channel("verdict:N", scale=tones, legend=None)
    ends = {
        "x": channel("low:Q", title=chart.labels["axis"], axis={"tickCount": tick_count(across)}),
        "x2": channel("high"),
    }
    point = {
        "x": channel("difference:Q"),
        "y": y,
        "color": color,
        "shape": channel("verdict:N", scale=shapes, legend=None),
        "description": channel("text:N"),
    }
    return layers(
        rows,
        *_margins(rows, y),
        mark(
            "rule",
            {"x": channel("zero:Q")},
            rows=[{"zero": 0}],
            color=ROLES["ink"],
            strokeWidth=1,
            aria=False,
        ),
        mark("rule", {**ends, "y": y, "color": color}, strokeWidth=2, aria=False),
        mark("point", point, only=SIGNIFICANT, filled=True, size=90, opacity=1),
        mark(
            "point",
            point,
            only=f"!({SIGNIFICANT})",
            filled=False,
            size=60,
            opacity=1,
            fill=ROLES["paper"],
            strokeWidth=2,
        ),
        width=across,
        height=max(26 * len(rows), 60),
    )


def _margins(rows: Sequence[Mapping[str, object]], y: Spec) -> list[Mark]:
    """Returns a band from -M to M behind each row with a margin."""
    found = [
        {"name": row["name"], "from": -margin, "to": margin}
        for row in rows
        if isinstance(margin := row.get("margin"), float)
    ]
    if not found:
        return []
    ends = {"x": channel("from:Q"), "x2": channel("to"), "y": y}
    return [mark("bar", ends, rows=found, color=ROLES["grid"], height=18, aria=False)]


def waterfall(chart: Chart, width: int) -> Layers:
    rows = chart.rows
    step = (width - 60) / max(len(rows), 1)
    signs = chart.values.get("signed", True)
    axis: dict[str, object] = {"format": "+.2f", "labelExpr": SIGNED} if signs else {}
    names = json.dumps([*chart.values.get("names", ())], ensure_ascii=False)
    below = {"labelExpr": f"{names}[datum.value - 1]", "labelAngle": -60, "labelLimit": 140}
    plain = {
        "x": channel(
            "place:O",
            title=chart.labels["x"],
            axis={
                **(below if chart.values.get("names") else {"labels": False}),
                "ticks": False,
                "domain": False,
            },
            scale={"paddingInner": 0.15 if step > 3 else 0, "paddingOuter": 0},
        ),
        "y": channel("delta:Q", title=chart.labels["y"], axis=axis),
        "color": channel("side:N", scale=SIDES, legend=None),
        "description": channel("text:N"),
    }
    bars = [mark("bar", plain, only="!isValid(datum.link)", stroke=None)]
    if any(row["link"] for row in rows):
        linked = {**plain, "href": channel("link:N")}
        bars.append(mark("bar", linked, only="isValid(datum.link)", stroke=None))
    # Without a value in any query, no mean is drawn.
    means = [{"mean": chart.values["mean"]}] if rows else []
    dashed = mark(
        "rule",
        {"y": channel("mean:Q")},
        rows=means,
        color=ROLES["ink"],
        strokeDash=[4, 3],
        aria=False,
    )
    return layers(
        rows,
        *bars,
        _zero(),
        dashed,
        width=width - 60,
        height=220,
    )


def bands(chart: Chart, width: int) -> Layers:
    rows = chart.rows
    base = {
        "x": channel(
            "band:N",
            sort=[row["band"] for row in rows],
            title=chart.labels["x"],
            axis={
                "labelAngle": 0 if width > 400 else -60,
                "labelFontSize": 11 if len(rows) > 8 else 12,
                "ticks": False,
                "domain": False,
            },
            scale={"paddingInner": 0.35, "paddingOuter": 0.2},
        ),
        "y": channel(
            "difference:Q",
            title=chart.labels["y"],
            axis={"format": "+.3~f", "labelExpr": SIGNED},
            # Room for the share below the lowest bar and above the highest.
            scale={"padding": 18, "nice": False},
        ),
    }
    colored = {
        "color": channel("side:N", scale=SIDES, legend=None),
        "description": channel("text:N"),
    }
    shares = [
        mark(
            "text",
            {**base, "text": channel("share:N")},
            only=f"datum.side == '{side}'",
            aria=False,
            dy=away,
            color=ROLES["ink"],
            fontSize=12 if width > 400 else 10,
        )
        for side, away in (("gain", -7), ("loss", 9))
    ]
    bars = mark("bar", {**base, **colored}, stroke=None)
    return layers(rows, bars, *shares, _zero(), width=width - 60, height=200)


def _zero() -> Mark:
    zero = {"y": channel("zero:Q")}
    return mark("rule", zero, rows=[{"zero": 0}], color=ROLES["ink"], aria=False)


def curves(chart: Chart, width: int) -> Layers:
    """Draws a line per run, and a dot at its chosen threshold, if it has one."""
    side, end = min(width, 420) - 55, chart.values.get("end") or 1.0
    ticks = {"values": [0, 0.2, 0.4, 0.6, 0.8, 1]}
    place = {
        one: channel(
            f"{one}:Q",
            title=chart.labels[one],
            scale={"domain": [0, last], "nice": False},
            axis=ticks if last > 0.5 else {"tickCount": 5},
        )
        for one, last in (("x", 1), ("y", end))
    }
    looks = series_channels(chart.values["series"], "run:N")
    line = {**place, "order": channel("order:Q"), "detail": channel("run:N"), **looks}
    chance = [{"x": u, "y": v} for u, v in chart.values["chance"]]
    faint = mark(
        "line",
        place,
        rows=chance,
        color=ROLES["muted"],
        strokeWidth=1,
        strokeDash=[2, 3],
        aria=False,
    )
    marks = [faint, mark("line", line, strokeWidth=2, clip=True, aria=False)]
    if best := chart.values.get("best"):
        dot = {**place, "color": looks["color"], "description": channel("text:N")}
        dots = mark(
            "point",
            dot,
            rows=best,
            filled=True,
            size=90,
            opacity=1,
            stroke=ROLES["paper"],
            strokeWidth=1.5,
        )
        marks.append(dots)
    return layers(chart.rows, *marks, width=side, height=side)


def losses(chart: Chart, width: int) -> _Stacked:
    names = list(dict.fromkeys(str(row["name"]) for row in chart.rows))
    wide = label_width(names, width)
    across = width - wide - 40
    parts = {"reached": "green", "ranking": "hatch", "recall": "paper"}
    lines = {"reached": "green", "ranking": "purple", "recall": "orange"}
    fill, stroke = (
        {"domain": list(roles), "range": [ROLES[role] for role in roles.values()]}
        for roles in (parts, lines)
    )
    encoding = {
        "x": channel(
            "value:Q",
            title=chart.labels["x"],
            stack="zero",
            axis={"tickCount": tick_count(across)},
        ),
        "y": channel(
            "name:N",
            sort=names,
            title=None,
            axis={"labelLimit": wide, "minExtent": wide + 8},
            scale={"paddingInner": 0.35, "paddingOuter": 0.1},
        ),
        "order": channel("order:Q"),
        "fill": channel("part:N", scale=fill, legend=None),
        "stroke": channel("part:N", scale=stroke, legend=None),
        "description": channel("text:N"),
    }
    bars = mark("bar", encoding, rows=chart.rows, strokeWidth=1.5)
    return {**bars, "width": across, "height": 42 * len(names)}


def trend(chart: Chart, width: int) -> Layers:
    width = min(width, chart.values["width"])
    rows = chart.rows
    months = list(chart.values["months"])
    names = [name for name, _, _ in chart.values["series"]]
    upright = width > 400 and len(months) < 9
    place = {
        "x": channel(
            "month:O",
            # Slanted labels take the space of a title, and are self-explanatory.
            title=chart.labels["x"] if upright else None,
            sort=months,
            scale={"domain": months, "paddingOuter": 0.1},
            axis={"labelAngle": 0 if upright else -60},
        ),
        # Intervals of several series are drawn side by side.
        "xOffset": channel("series:N", sort=names, scale={"domain": names, "padding": 1.2}),
    }
    value = {"y": channel("value:Q", title=chart.labels["y"], scale={"zero": True})}
    looks = series_channels(chart.values["series"], "series:N")
    color = {"color": looks["color"]}
    point = {
        **place,
        **value,
        **color,
        "shape": channel("verdict:N", scale=SHAPES, legend=None),
        "description": channel("text:N"),
    }
    ends = {**place, "y": channel("low:Q"), "y2": channel("high"), **color}
    return layers(
        rows,
        mark("rule", ends, strokeWidth=1.5, aria=False),
        mark("line", {**place, **value, **looks}, strokeWidth=2, aria=False),
        mark("point", point, only=DECIDED, filled=True, size=110, opacity=1),
        mark(
            "point",
            point,
            only=OPEN,
            filled=False,
            size=50,
            opacity=1,
            fill=ROLES["paper"],
            strokeWidth=2,
        ),
        *_month_marks(chart, months),
        width=width - 60,
        height=220,
    )


def _month_marks(chart: Chart, months: list[str]) -> list[Mark]:
    """Returns a mark at the top of every month with a note."""
    noted = chart.values.get("noted", [])
    if not noted:
        return []
    place: dict[str, Spec] = {
        "x": channel("month:O", sort=months, scale={"domain": months, "paddingOuter": 0.1}),
        "y": {"value": 6},
        "description": channel("text:N"),
    }
    color = ROLES["muted"]
    return [
        mark(
            "point", place, rows=noted, color=color, filled=True, size=70, opacity=1, shape="square"
        )
    ]
