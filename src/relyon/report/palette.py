"""Shared by all drawings: colours by role, styles of series, space for names.

Colours come from the page's style sheet: an SVG names them by role, and the page gives them a value
for light, dark and print. They are those of Okabe and Ito (2008), which people with common colour
vision deficiencies can distinguish; shape, side or text repeats the information.
"""

from __future__ import annotations

from collections.abc import Sequence

from relyon.core.document.terminal import width as columns_of
from relyon.report.vegalite import Spec, channel

__all__ = [
    "FONT",
    "MARGIN_TONES",
    "ROLES",
    "SIGNED",
    "TONES",
    "label_width",
    "series_channels",
    "tick_count",
]

#: Placeholder colours that Vega-Lite draws with, by their role in the style sheet.
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
#: Those of verdicts that need a margin.
MARGIN_TONES = {"not-worse": ROLES["green"], "equal": ROLES["green"]}
SIGNED = "datum.value === 0 ? '0' : datum.label"
FONT = "system-ui, sans-serif"


def label_width(names: Sequence[str], width: int) -> int:
    """Returns the pixels for the longest name in common fonts, at most a third of the width."""
    return min(8 * max(map(columns_of, names), default=0), width // 3)


def tick_count(width: int) -> int:
    """Returns how many labels fit under an axis."""
    return max(2, width // 90)


def series_channels(series: Sequence[tuple[str, str, str]], field: str) -> dict[str, Spec]:
    """Returns the colour and the dashes of every series.

    Args:
        series: Name, colour role, and lengths of strokes and gaps of each.
        field: The field with the name.
    """
    names = [name for name, _, _ in series]
    dashes = [[float(one) for one in (dash or "1 0").split()] for _, _, dash in series]
    colors = [ROLES[role] for _, role, _ in series]
    return {
        "color": channel(field, scale={"domain": names, "range": colors}, legend=None),
        "strokeDash": channel(field, scale={"domain": names, "range": dashes}, legend=None),
    }
