"""The drawings of comparisons and of months: from a chart and a width to its description."""

from __future__ import annotations

from typing import Any

from relkit.report.page import Chart
from relkit.report.palette import ROLES, SIGNED, TONES, altair, label_width, tick_count

__all__ = ["bands", "curves", "forest", "losses", "trend", "waterfall"]


def forest(chart: Chart, width: int) -> Any:
    alt = altair()
    rows = [dict(row) for row in chart.rows]
    order = [row["name"] for row in rows]
    data = alt.Data(values=rows)
    wide = label_width(order, width)
    y = alt.Y(
        "name:N",
        sort=order,
        title=None,
        axis=alt.Axis(labelLimit=wide * 7 // 8, minExtent=wide + 8),
    )
    color = alt.Color(
        "verdict:N",
        scale=alt.Scale(domain=list(TONES), range=list(TONES.values())),
        legend=None,
    )
    shape = alt.Shape(
        "verdict:N",
        scale=alt.Scale(domain=list(TONES), range=["triangle-up", "triangle-down", "circle"]),
        legend=None,
    )
    base = alt.Chart(data)
    zero = (
        alt.Chart(alt.Data(values=[{"zero": 0}]))
        .mark_rule(color=ROLES["ink"], strokeWidth=1, aria=False)
        .encode(x=alt.X("zero:Q"))
    )
    lines = base.mark_rule(strokeWidth=2, aria=False).encode(
        x=alt.X(
            "low:Q",
            title=chart.labels["axis"],
            axis=alt.Axis(tickCount=tick_count(width - wide - 40)),
        ),
        x2="high:Q",
        y=y,
        color=color,
    )
    filled = base.transform_filter("datum.verdict != 'undecided'").mark_point(
        filled=True, size=90, opacity=1
    )
    hollow = base.transform_filter("datum.verdict == 'undecided'").mark_point(
        filled=False, size=60, opacity=1, fill=ROLES["paper"], strokeWidth=2
    )
    points = [
        mark.encode(x="difference:Q", y=y, color=color, shape=shape, description="text:N")
        for mark in (filled, hollow)
    ]
    return alt.layer(zero, lines, *points).properties(
        width=width - wide - 40, height=max(26 * len(rows), 60)
    )


def waterfall(chart: Chart, width: int) -> Any:
    alt = altair()
    rows = [dict(row) for row in chart.rows]
    step = (width - 60) / max(len(rows), 1)
    color = alt.Color(
        "side:N",
        scale=alt.Scale(domain=["gain", "loss"], range=[ROLES["blue"], ROLES["orange"]]),
        legend=None,
    )
    x = alt.X(
        "place:O",
        title=chart.labels["x"],
        axis=alt.Axis(labels=False, ticks=False, domain=False),
        scale=alt.Scale(paddingInner=0.15 if step > 3 else 0, paddingOuter=0),
    )
    y = alt.Y("delta:Q", title=chart.labels["y"], axis=alt.Axis(format="+.2f", labelExpr=SIGNED))
    base = alt.Chart(alt.Data(values=rows)).mark_bar(stroke=None)
    plain = base.encode(x=x, y=y, color=color, description="text:N")
    bars = [plain.transform_filter("!isValid(datum.link)")]
    if any(row["link"] for row in rows):
        linked = plain.encode(href="link:N").transform_filter("isValid(datum.link)")
        bars.append(linked)
    # Without a value in any query there is no mean to draw.
    means = [chart.values["mean"]] if rows else []
    mean = (
        alt.Chart(alt.Data(values=[{"mean": value} for value in means]))
        .mark_rule(color=ROLES["ink"], strokeDash=[4, 3], aria=False)
        .encode(y="mean:Q")
    )
    zero = (
        alt.Chart(alt.Data(values=[{"zero": 0}]))
        .mark_rule(color=ROLES["ink"], aria=False)
        .encode(y="zero:Q")
    )
    return alt.layer(*bars, zero, mean).properties(width=width - 60, height=220)


def bands(chart: Chart, width: int) -> Any:
    alt = altair()
    rows = [dict(row) for row in chart.rows]
    color = alt.Color(
        "side:N",
        scale=alt.Scale(domain=["gain", "loss"], range=[ROLES["blue"], ROLES["orange"]]),
        legend=None,
    )
    base = alt.Chart(alt.Data(values=rows)).encode(
        x=alt.X(
            "band:N",
            sort=[row["band"] for row in rows],
            title=chart.labels["x"],
            axis=alt.Axis(
                labelAngle=0 if width > 400 else -60,
                labelFontSize=11 if len(rows) > 8 else 12,
                ticks=False,
                domain=False,
            ),
            scale=alt.Scale(paddingInner=0.35, paddingOuter=0.2),
        ),
        y=alt.Y(
            "difference:Q",
            title=chart.labels["y"],
            axis=alt.Axis(format="+.3~f", labelExpr=SIGNED),
            # Room for the share below the lowest bar and above the highest.
            scale=alt.Scale(padding=18, nice=False),
        ),
    )
    layers = [base.mark_bar(stroke=None).encode(color=color, description="text:N")]
    for side, away in (("gain", -7), ("loss", 9)):
        text = base.mark_text(
            aria=False, dy=away, color=ROLES["ink"], fontSize=12 if width > 400 else 10
        )
        layers.append(text.encode(text="share:N").transform_filter(f"datum.side == '{side}'"))
    zero = (
        alt.Chart(alt.Data(values=[{"zero": 0}]))
        .mark_rule(color=ROLES["ink"], aria=False)
        .encode(y="zero:Q")
    )
    return alt.layer(*layers, zero).properties(width=width - 60, height=200)


def curves(chart: Chart, width: int) -> Any:
    alt = altair()
    side = min(width, 420)
    series = chart.values["series"]
    domain = [name for name, _, _ in series]
    unit = alt.Scale(domain=[0, 1], nice=False)
    axis = {"values": [0, 0.2, 0.4, 0.6, 0.8, 1]}
    x = alt.X("x:Q", title=chart.labels["x"], scale=unit, axis=alt.Axis(**axis))
    y = alt.Y("y:Q", title=chart.labels["y"], scale=unit, axis=alt.Axis(**axis))
    lines = (
        alt.Chart(alt.Data(values=[dict(row) for row in chart.rows]))
        .mark_line(strokeWidth=2, clip=True, aria=False)
        .encode(
            x=x,
            y=y,
            order="order:Q",
            detail="run:N",
            color=alt.Color(
                "run:N",
                scale=alt.Scale(domain=domain, range=[ROLES[role] for _, role, _ in series]),
                legend=None,
            ),
            strokeDash=alt.StrokeDash(
                "run:N",
                scale=alt.Scale(
                    domain=domain,
                    range=[
                        [float(one) for one in (dash or "1 0").split()] for _, _, dash in series
                    ],
                ),
                legend=None,
            ),
        )
    )
    chance = (
        alt.Chart(alt.Data(values=[{"x": u, "y": v} for u, v in chart.values["chance"]]))
        .mark_line(color=ROLES["muted"], strokeWidth=1, strokeDash=[2, 3], aria=False)
        .encode(x=x, y=y)
    )
    return alt.layer(chance, lines).properties(width=side - 55, height=side - 55)


def losses(chart: Chart, width: int) -> Any:
    alt = altair()
    rows = [dict(row) for row in chart.rows]
    names = list(dict.fromkeys(row["name"] for row in rows))
    wide = label_width(names, width)
    parts = {"reached": "green", "ranking": "hatch", "recall": "paper"}
    lines = {"reached": "green", "ranking": "purple", "recall": "orange"}
    fill, stroke = (
        alt.Scale(domain=list(roles), range=[ROLES[role] for role in roles.values()])
        for roles in (parts, lines)
    )
    base = alt.Chart(alt.Data(values=rows))
    y = alt.Y(
        "name:N",
        sort=names,
        title=None,
        axis=alt.Axis(labelLimit=wide * 7 // 8, minExtent=wide + 8),
        scale=alt.Scale(paddingInner=0.35, paddingOuter=0.1),
    )
    x = alt.X(
        "value:Q",
        title=chart.labels["x"],
        stack="zero",
        axis=alt.Axis(tickCount=tick_count(width - wide - 40)),
    )
    bars = base.mark_bar(strokeWidth=1.5).encode(
        x=x,
        y=y,
        order="order:Q",
        fill=alt.Fill("part:N", scale=fill, legend=None),
        stroke=alt.Stroke("part:N", scale=stroke, legend=None),
        description="text:N",
    )
    return bars.properties(width=width - wide - 40, height=42 * len(names))


def trend(chart: Chart, width: int) -> Any:
    alt = altair()
    width = min(width, chart.values["width"])
    series = chart.values["series"]
    names = [name for name, _, _ in series]
    base = alt.Chart(alt.Data(values=[dict(row) for row in chart.rows]))
    upright = width > 400 and len(chart.values["months"]) < 9
    x = alt.X(
        "month:O",
        # Slanted labels take the room of a title, and say what they are.
        title=chart.labels["x"] if upright else None,
        sort=list(chart.values["months"]),
        scale=alt.Scale(domain=list(chart.values["months"]), paddingOuter=0.1),
        axis=alt.Axis(labelAngle=0 if upright else -60),
    )
    # Intervals of several series stand beside each other.
    offset = alt.XOffset("series:N", sort=names, scale=alt.Scale(domain=names, padding=1.2))
    y = alt.Y("value:Q", title=chart.labels["y"], scale=alt.Scale(zero=True))
    color = alt.Color(
        "series:N",
        scale=alt.Scale(domain=names, range=[ROLES[role] for _, role, _ in series]),
        legend=None,
    )
    dash = alt.StrokeDash(
        "series:N",
        scale=alt.Scale(
            domain=names,
            range=[[float(one) for one in (dash or "1 0").split()] for _, _, dash in series],
        ),
        legend=None,
    )
    shape = alt.Shape(
        "verdict:N",
        scale=alt.Scale(domain=list(TONES), range=["triangle-up", "triangle-down", "circle"]),
        legend=None,
    )
    lines = base.mark_line(strokeWidth=2, aria=False).encode(
        x=x, xOffset=offset, y=y, color=color, strokeDash=dash
    )
    rules = base.mark_rule(strokeWidth=1.5, aria=False).encode(
        x=x, xOffset=offset, y=alt.Y("low:Q"), y2="high:Q", color=color
    )
    filled = base.transform_filter("datum.verdict != 'undecided'").mark_point(
        filled=True, size=110, opacity=1
    )
    hollow = base.transform_filter("datum.verdict == 'undecided'").mark_point(
        filled=False, size=50, opacity=1, fill=ROLES["paper"], strokeWidth=2
    )
    points = [
        mark.encode(x=x, xOffset=offset, y=y, color=color, shape=shape, description="text:N")
        for mark in (filled, hollow)
    ]
    return alt.layer(rules, lines, *points).properties(width=width - 60, height=220)
