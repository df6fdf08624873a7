"""Descriptions of charts in Vega-Lite, as plain mappings.

Importing a library that validates them would take longer than drawing them. The tests check every
drawing against the schema of Vega-Lite.

References:
    https://vega.github.io/vega-lite/docs/spec.html
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TypeAlias, TypedDict

__all__ = ["VERSION", "Layers", "Mark", "Spec", "channel", "layers", "mark"]

#: The version of Vega-Lite of the drawings.
VERSION = "6.4"

Spec: TypeAlias = dict[str, object]
KINDS = {"N": "nominal", "O": "ordinal", "Q": "quantitative"}


class _Data(TypedDict):
    values: list[dict[str, object]]


class Mark(TypedDict, total=False):
    """One layer of a chart."""

    data: _Data
    mark: Spec
    encoding: dict[str, Spec]
    transform: list[Spec]


class Layers(TypedDict):
    """Marks in one frame."""

    data: _Data
    layer: list[Mark]
    width: int
    height: int


def channel(field: str, **options: object) -> Spec:
    """Returns the encoding of a field of the rows.

    Args:
        field: Its name and type: `:N` nominal, `:O` ordinal, `:Q` quantitative; the other end of an
            interval has only a name.
        **options: `axis`, `legend`, `scale`, `sort`, `stack` or `title`; `None` leaves it out.

    Examples:
        >>> channel("name:N", title=None)
        {'field': 'name', 'type': 'nominal', 'title': None}
    """
    name, _, kind = field.partition(":")
    return {"field": name, **({"type": KINDS[kind]} if kind else {}), **options}


def mark(
    kind: str,
    encoding: Mapping[str, Spec],
    *,
    rows: Iterable[Mapping[str, object]] | None = None,
    only: str = "",
    **look: object,
) -> Mark:
    """Returns a layer: one mark per row, or one line per series.

    Args:
        kind: `bar`, `line`, `point`, `rule` or `text`.
        encoding: The results of `channel`, by channel.
        rows: The rows to draw, if not those of the whole chart.
        only: An expression that filters the rows.
        **look: Colours, strokes, sizes; `aria=False` hides the mark from screen readers.

    Examples:
        >>> mark("rule", {"x": channel("zero:Q")}, rows=[{"zero": 0}], aria=False)["mark"]
        {'type': 'rule', 'aria': False}
    """
    found: Mark = {} if rows is None else {"data": _data(rows)}
    found["mark"] = {"type": kind, **look}
    found["encoding"] = dict(encoding)
    if only:
        found["transform"] = [{"filter": only}]
    return found


def layers(rows: Iterable[Mapping[str, object]], *marks: Mark, width: int, height: int) -> Layers:
    """Returns marks in one frame, later ones on top.

    Args:
        rows: The rows of marks without their own.
        *marks: The results of `mark`.
        width: Width of the frame in pixels, without axes.
        height: Height of the frame.
    """
    return {"data": _data(rows), "layer": list(marks), "width": width, "height": height}


def _data(rows: Iterable[Mapping[str, object]]) -> _Data:
    return {"values": [dict(row) for row in rows]}
