"""Charts as pictures of their own, with the title, legend and caption that a page has outside."""

from __future__ import annotations

import re
from collections.abc import Sequence
from html import escape
from importlib import resources

from relyon.core.document.signs import width as columns_of, wrap
from relyon.io.picture import Picture
from relyon.report.charts import draw
from relyon.report.page import Chart, Key
from relyon.report.palette import ROLES

__all__ = ["draw_alone", "framed"]

#: Pixels around the frame, between its parts, per line of text, and of a column of text.
MARGIN, GAP, LINE, COLUMN = 16, 14, 18, 6.2
#: Pixels of a column of the title, which is larger.
TITLE_LINE, TITLE_COLUMN = 22, 8.4
LEGEND_KEY = 26
#: The least width of title and caption.
NARROWEST = 460.0


def draw_alone(chart: Chart) -> Picture:
    """Returns a chart without a frame, for drawings that have their own titles and legends.

    Args:
        chart: The chart.

    Raises:
        DependencyError: If vl-convert-python is not installed.
    """
    opening, rest = draw(chart, "chart").split(">", 1)
    return _picture(f'{opening} xmlns="http://www.w3.org/2000/svg"', rest, chart.title)


def framed(chart: Chart) -> Picture:
    """Returns a chart below its title and legend, and above its caption.

    Args:
        chart: The chart.

    Raises:
        DependencyError: If vl-convert-python is not installed.
    """
    drawn = draw(chart, "chart")
    wide, high = (float(one) for one in re.findall(r'viewBox="\S+ \S+ (\S+) (\S+)"', drawn)[0])
    across = max(wide, NARROWEST)
    parts, top = [], float(MARGIN)
    title = wrap(chart.title, int(across / TITLE_COLUMN))
    parts.append(_lines(title, top, TITLE_LINE, 'font-size="15" font-weight="600"', "ink"))
    top += TITLE_LINE * len(title) + GAP / 2
    for row in _rows_of_keys(chart.legend, across):
        parts.append(_keys(row, top))
        top += LINE
    top += GAP / 2 if chart.legend else 0
    inside = re.sub(r' width="[^"]*"', f' width="{wide:.0f}" height="{high:.0f}"', drawn, count=1)
    parts.append(inside.replace("<svg ", f'<svg x="{MARGIN}" y="{top:g}" ', 1))
    top += high + GAP
    caption = wrap(chart.caption, int(across / COLUMN)) if chart.caption else []
    parts.append(_lines(caption, top, LINE, 'font-size="12"', "muted"))
    top += LINE * len(caption) + MARGIN
    size = f"{across + 2 * MARGIN:.0f}", f"{top:.0f}"
    opening = (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {size[0]} {size[1]}"'
        f' width="{size[0]}" height="{size[1]}" role="img" aria-label="{escape(chart.title)}"'
    )
    return _picture(opening, "".join(parts) + "</svg>", chart.title)


def _picture(opening: str, body: str, title: str) -> Picture:
    """Returns an SVG in the colours of a page, light or dark."""
    style = (resources.files("relyon.report") / "templates" / "page.css").read_text("utf-8")
    names = "|".join(ROLES)
    light, dark = (
        "".join(re.findall(rf"--(?:{names}): [^;]*;", block))
        for block in re.findall(r':root(?:\[data-theme="dark"\])? \{(.*?)\}', style, re.DOTALL)
    )
    rules = (
        f"svg{{{light}background:var(--paper);font-family:system-ui,sans-serif}}"
        f"@media(prefers-color-scheme:dark){{svg{{{dark}}}}}"
    )
    return Picture(f"{opening}><style>{rules}</style>{body}", title)


def _lines(lines: Sequence[str], top: float, height: int, look: str, role: str) -> str:
    """Returns lines of text below each other; `top` is the upper edge of the first."""
    return "".join(
        f'<text x="{MARGIN}" y="{top + (place + 0.75) * height:g}" {look}'
        f' fill="var(--{role})">{escape(line)}</text>'
        for place, line in enumerate(lines)
    )


def _rows_of_keys(legend: Sequence[Key], across: float) -> list[list[tuple[float, Key]]]:
    """Returns the entries of a legend with their places, in as many rows as they need."""
    rows: list[list[tuple[float, Key]]] = []
    place = across
    for key in legend:
        wide = LEGEND_KEY + 10 + COLUMN * columns_of(key.text) + GAP
        if not rows or place + wide > across:
            rows.append([])
            place = 0.0
        rows[-1].append((place, key))
        place += wide
    return rows


def _keys(row: Sequence[tuple[float, Key]], top: float) -> str:
    """Returns one row of a legend."""
    middle, found = top + LINE / 2, []
    for place, key in row:
        left, color = MARGIN + place, f"var(--{key.role})"
        if key.shape == "line":
            dashes = f' stroke-dasharray="{key.dash}"' if key.dash else ""
            shape = (
                f'<path d="M{left:g} {middle:g}h{LEGEND_KEY}" stroke="{color}"'
                f' stroke-width="2.5"{dashes}/>'
            )
        else:
            fill = {"solid": color, "hatched": "url(#chart-hatch)"}.get(key.shape, "var(--paper)")
            shape = (
                f'<rect x="{left + 5:g}" y="{middle - 6:g}" width="16" height="12" fill="{fill}"'
                f' stroke="{color}" stroke-width="1.5"/>'
            )
        found.append(
            f'{shape}<text x="{left + LEGEND_KEY + 6:g}" y="{middle + 4:g}" font-size="12"'
            f' fill="var(--ink)">{escape(key.text)}</text>'
        )
    return "".join(found)
