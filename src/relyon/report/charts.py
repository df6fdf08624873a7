"""Charts as SVG: drawn by Vega-Lite when the report is written; the page needs no script."""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Callable, Mapping
from html import escape
from types import ModuleType

from relyon.core.errors import RelyonError
from relyon.core.packages import optional_package
from relyon.core.texts import message
from relyon.report import (
    click_drawings,
    drawings,
    judge_drawings,
    latency_drawings,
    leaderboard_drawings,
    training_drawings,
)
from relyon.report.page import Chart
from relyon.report.palette import FONT, ROLES
from relyon.report.vegalite import VERSION

__all__ = [
    "CONFIG",
    "DRAWINGS",
    "WIDTHS",
    "check_address_space",
    "draw",
    "fit",
    "svg_of",
    "svg_of_nothing",
]

#: Pixels of a chart on a page and on a telephone.
WIDTHS = {"wide": 640, "narrow": 330}

#: Address space that V8, which draws, reserves; far less of it becomes memory.
ADDRESS_SPACE = 65 << 30

#: By kind: from a chart and a width in pixels to its description.
DRAWINGS: dict[str, Callable[[Chart, int], Mapping[str, object]]] = {
    "forest": drawings.forest,
    "waterfall": drawings.waterfall,
    "bands": drawings.bands,
    "curves": drawings.curves,
    "losses": drawings.losses,
    "trend": drawings.trend,
    "by_position": click_drawings.by_position,
    "panels": click_drawings.panels,
    "side_by_side": click_drawings.side_by_side,
    "reliability": click_drawings.reliability,
    "by_iteration": training_drawings.by_iteration,
    "feature_bars": training_drawings.feature_bars,
    "stacked_columns": judge_drawings.stacked_columns,
    "shares": judge_drawings.shares,
    "against_latency": latency_drawings.against_latency,
    "standings": leaderboard_drawings.standings,
    "against_cost": leaderboard_drawings.against_cost,
}


def draw(chart: Chart, name: str, size: str = "wide") -> str:
    """Returns a chart as an SVG element.

    Args:
        chart: The chart.
        name: Distinguishes it from others on the page: a prefix of its ids.
        size: `wide` or `narrow`.

    Raises:
        DependencyError: If vl-convert-python is not installed.
        RelyonError: If the process may not take the address space that drawing needs.
    """
    return fit(svg_of(chart, size), chart, name)


def svg_of(chart: Chart, size: str = "wide") -> str:
    """Returns a chart as Vega-Lite draws it, before `fit`; see `draw`."""
    drawing = DRAWINGS[chart.drawing](chart, WIDTHS[size])
    return _svg({**drawing, "config": CONFIG, "background": None})


def svg_of_nothing() -> str:
    """Returns an empty drawing: what draws has then started; see `draw`."""
    return _svg({"data": {"values": []}, "mark": "point"})


def _svg(description: Mapping[str, object]) -> str:
    check_address_space()
    vl_convert = _converter()
    known = VERSION if VERSION in vl_convert.get_vegalite_versions() else None
    text = json.dumps(description, ensure_ascii=False)
    # Ids that are not UTF-8 contain surrogates, which Vega-Lite does not accept.
    text = text.encode("utf-8", "replace").decode("utf-8")
    svg: str = vl_convert.vegalite_to_svg(text, vl_version=known)
    return svg


def check_address_space() -> None:
    """Refuses to draw if V8 would end the process, under a small `ulimit -v`.

    Raises:
        RelyonError: If the process may not take the address space that drawing needs.
    """
    if sys.platform != "linux":
        return
    from resource import RLIM_INFINITY, RLIMIT_AS, getpagesize, getrlimit

    limit = getrlimit(RLIMIT_AS)[0]
    if limit == RLIM_INFINITY:
        return
    with open("/proc/self/statm", encoding="ascii") as file:
        left = limit - int(file.read().split()[0]) * getpagesize()
    if left < ADDRESS_SPACE:
        raise RelyonError(
            message(
                "report.charts-need-gib",
                needed=ADDRESS_SPACE / 2**30,
                left=left / 2**30,
            ),
            hint=message("report.raise-limit"),
        )


def _converter() -> ModuleType:
    """Returns the package that draws.

    Raises:
        DependencyError: If it is not installed.
    """
    return optional_package(
        "vl_convert",
        purpose=message("report.a-report"),
        package="vl-convert-python",
        install="relyon[report]",
    )


def fit(svg: str, chart: Chart, name: str) -> str:
    """Fits an SVG into a page: unique ids, the page's colours and fonts, marks with tooltips.

    Args:
        svg: The result of `svg_of`.
        chart: The chart.
        name: As for `draw`.
    """
    found = re.search(r'viewBox="([^"]*)"', svg)
    box = found.group(1) if found else "0 0 640 300"
    body = svg[svg.index(">", svg.index("<svg")) + 1 : svg.rindex("</svg>")]
    # Ids are counted over all charts that a process draws; here they start again.
    for place, identity in enumerate(dict.fromkeys(re.findall(r'\bid="([^"]*)"', body)), 1):
        body = body.replace(f'id="{identity}"', f'id="{name}-{place}"')
        body = body.replace(f"url(#{identity})", f"url(#{name}-{place})")
    hatched = ROLES["hatch"] in body.lower()
    body = re.sub(f'"{ROLES["hatch"]}"', f'"url(#{name}-hatch)"', body, flags=re.IGNORECASE)
    for role, color in ROLES.items():
        body = re.sub(f'"{color}"', f'"var(--{role})"', body, flags=re.IGNORECASE)
    body = body.replace(f'font-family="{FONT}"', "")
    # Vega makes links absolute; those of a report must stay on the page.
    body = re.sub(r'\bxlink:href="[^"#]*#', 'href="#', body)
    # A layer without marks would be an image without a name.
    body = re.sub(r'<g class="mark-[^>]*/>', "", body)
    # The label for screen readers is also the tooltip.
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
CONFIG: Mapping[str, object] = {
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
        # A label at an end goes below its tick, like the others.
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
