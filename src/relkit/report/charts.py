"""Charts as SVG: drawn by Vega-Lite when the report is written, so that the page needs no script.

Colours are taken from the page's own style sheet: an SVG names them by their role, and the page
gives them a value for light, dark and paper. They are those of Okabe and Ito (2008), which people
with any of the common colour deficiencies tell apart; shape, side or text says the same again.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping, Sequence
from html import escape
from typing import Any

from relkit.core.document.terminal import width as columns_of
from relkit.core.packages import optional_package
from relkit.report.page import Chart

__all__ = ["DRAWINGS", "WIDTHS", "draw"]

#: Pixels of a chart on a page and on a telephone.
WIDTHS = {"wide": 640, "narrow": 330}

#: Stand-ins that Vega-Lite draws with, by the role that the style sheet gives a colour to.
ROLES = {
    "ink": "#010101",
    "muted": "#020202",
    "line": "#030303",
    "grid": "#040404",
    "paper": "#050505",
    "blue": "#060606",
    "orange": "#070707",
    "green": "#080808",
    "purple": "#090909",
    "sky": "#0a0a0a",
    "hatch": "#0b0b0b",
}
TONES = {"better": ROLES["blue"], "worse": ROLES["orange"], "undecided": ROLES["muted"]}
SIGNED = "datum.value === 0 ? '0' : datum.label"
FONT = "system-ui, sans-serif"


def altair() -> Any:
    """Returns the library that describes charts.

    Raises:
        DependencyError: If it is not installed.
    """
    return optional_package("altair", purpose="a report", install="relkit[report]")


def _label_width(names: Sequence[str], width: int) -> int:
    """Returns pixels for the longest name in any of the usual fonts, at most a third of all."""
    return min(8 * max(map(columns_of, names), default=0), width // 3)


def _ticks(width: int) -> int:
    """Returns how many numbers stand beside each other under an axis without touching."""
    return max(2, width // 90)


def _forest(chart: Chart, width: int) -> Any:
    alt = altair()
    rows = [dict(row) for row in chart.rows]
    order = [row["name"] for row in rows]
    data = alt.Data(values=rows)
    wide = _label_width(order, width)
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
            axis=alt.Axis(tickCount=_ticks(width - wide - 40)),
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


def _waterfall(chart: Chart, width: int) -> Any:
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


def _bands(chart: Chart, width: int) -> Any:
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


def _curves(chart: Chart, width: int) -> Any:
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


def _losses(chart: Chart, width: int) -> Any:
    alt = altair()
    rows = [dict(row) for row in chart.rows]
    names = list(dict.fromkeys(row["name"] for row in rows))
    wide = _label_width(names, width)
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
        axis=alt.Axis(tickCount=_ticks(width - wide - 40)),
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


def _trend(chart: Chart, width: int) -> Any:
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


#: By kind: from a chart and a width in pixels to its description.
DRAWINGS: dict[str, Callable[[Chart, int], Any]] = {
    "forest": _forest,
    "waterfall": _waterfall,
    "bands": _bands,
    "curves": _curves,
    "losses": _losses,
    "trend": _trend,
}


def draw(chart: Chart, name: str, size: str = "wide") -> str:
    """Returns a chart as an SVG element.

    Args:
        chart: What to draw.
        name: Told apart by it from others on the page: a prefix of its ids.
        size: `wide` or `narrow`.

    Raises:
        DependencyError: If altair or vl-convert-python is not installed.
    """
    description = DRAWINGS[chart.drawing](chart, WIDTHS[size]).to_dict()
    description["config"] = CONFIG
    description["background"] = None
    vl_convert = optional_package(
        "vl_convert", purpose="a report", package="vl-convert-python", install="relkit[report]"
    )
    version = ".".join(altair().SCHEMA_VERSION.lstrip("v").split(".")[:2])
    known = version if version in vl_convert.get_vegalite_versions() else None
    text = json.dumps(description, ensure_ascii=False)
    # Ids that are not UTF-8 hold surrogates, which Vega-Lite does not take.
    text = text.encode("utf-8", "replace").decode("utf-8")
    svg: str = vl_convert.vegalite_to_svg(text, vl_version=known)
    return _fit(svg, chart, name)


def _fit(svg: str, chart: Chart, name: str) -> str:
    """Makes an SVG part of a page: its own ids, the page's colours and fonts, bars that tell."""
    found = re.search(r'viewBox="([^"]*)"', svg)
    box = found.group(1) if found else "0 0 640 300"
    body = svg[svg.index(">", svg.index("<svg")) + 1 : svg.rindex("</svg>")]
    # Ids are counted over all charts that a process draws; here they start anew.
    for place, identity in enumerate(dict.fromkeys(re.findall(r'\bid="([^"]*)"', body)), 1):
        body = body.replace(f'id="{identity}"', f'id="{name}-{place}"')
        body = body.replace(f"url(#{identity})", f"url(#{name}-{place})")
    hatched = ROLES["hatch"] in body.lower()
    body = re.sub(f'"{ROLES["hatch"]}"', f'"url(#{name}-hatch)"', body, flags=re.IGNORECASE)
    for role, color in ROLES.items():
        body = re.sub(f'"{color}"', f'"var(--{role})"', body, flags=re.IGNORECASE)
    body = body.replace(f'font-family="{FONT}"', "")
    # Vega makes links absolute, to a place of its own; those of a report stay on the page.
    body = re.sub(r'\bxlink:href="[^"#]*#', 'href="#', body)
    # A layer without marks would be an image without a name.
    body = re.sub(r'<g class="mark-[^>]*/>', "", body)
    # What a screen reader says of a mark, the pointer shows.
    body = re.sub(r'(<path aria-label="([^"]*)"[^>]*?)/>', r"\1><title>\2</title></path>", body)
    if hatched:
        body = HATCH.format(name=name) + body
    # The parts of an image are hidden from screen readers; links must not be.
    role = "group" if "<a " in body else "img"
    wide = float(box.split()[2])
    return (
        f'<svg viewBox="{box}" width="{wide:.0f}" role="{role}"'
        f' aria-label="{escape(chart.title)}">{body}</svg>'
    )


HATCH = (
    '<defs><pattern id="{name}-hatch" width="6" height="6" patternUnits="userSpaceOnUse"'
    ' patternTransform="rotate(45)"><rect width="6" height="6" fill="var(--paper)"/>'
    '<path d="M1 0V6" stroke="var(--purple)" stroke-width="2"/></pattern></defs>'
)
CONFIG: Mapping[str, Any] = {
    "font": FONT,
    "view": {"stroke": None},
    "axis": {
        "aria": False,
        "labelColor": ROLES["muted"],
        "titleColor": ROLES["muted"],
        "labelFontSize": 12,
        "titleFontSize": 12,
        "titleFontWeight": "normal",
        "domainColor": ROLES["line"],
        "tickColor": ROLES["line"],
        "gridColor": ROLES["grid"],
        # A label at an end stands below its tick, as the others do.
        "labelFlush": False,
        "labelSeparation": 6,
    },
    "axisY": {"domain": False, "ticks": False, "labelPadding": 6, "minExtent": 44},
    "legend": {
        "labelColor": ROLES["ink"],
        "titleColor": ROLES["muted"],
        "labelFontSize": 12,
        "titleFontSize": 12,
        "titleFontWeight": "normal",
        "orient": "top",
        "symbolStrokeWidth": 2,
    },
    "header": {"labelColor": ROLES["ink"], "titleColor": ROLES["muted"]},
}
