"""Words and columns as text: what every table is made of."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

from relkit.core.notes import Note

__all__ = [
    "align",
    "count",
    "cut",
    "fold",
    "json_number",
    "json_values",
    "markdown_lines",
    "note_dict",
    "shorten",
    "width",
    "wrap",
]


def json_number(value: float) -> float | None:
    """Returns a number for JSON, which has neither NaN nor infinity: null stands for them."""
    return value if math.isfinite(value) else None


def json_values(value: Any) -> Any:
    """Returns values as JSON has them, however deep: `json_number` of numbers, keys as text."""
    if isinstance(value, Mapping):
        return {str(key): json_values(one) for key, one in value.items()}
    if isinstance(value, list | tuple):
        return [json_values(one) for one in value]
    return json_number(value) if isinstance(value, float) else value


def count(value: float) -> str:
    """Returns a number of pairs or documents: whole, unless half pairs were counted."""
    return f"{value:.0f}" if value == int(value) else f"{value:.1f}"


def note_dict(note: Note) -> dict[str, Any]:
    """Returns a note as JSON-ready values."""
    return {
        "kind": note.kind,
        "level": note.level,
        "message": note.message,
        "count": note.count,
        "examples": list(note.examples),
    }


def width(text: str) -> int:
    """Returns how many terminal columns a text takes: two for a Chinese character."""
    if text.isascii():
        return len(text)
    from unicodedata import category, combining, east_asian_width

    return sum(
        0
        if combining(sign) or category(sign) in {"Cf", "Me", "Mn"}
        else 2
        if east_asian_width(sign) in "WF"
        else 1
        for sign in text
    )


def cut(text: str, columns: int) -> str:
    """Returns a text of at most so many terminal columns; one that is cut ends in `…`.

    Examples:
        >>> cut("正逆序比", 6), cut("short", 6)
        ('正逆…', 'short')
    """
    if width(text) <= columns:
        return text
    while width(text) >= columns:
        text = text[:-1]
    return f"{text}…"


def shorten(
    headings: Sequence[str], rows: Sequence[tuple[str, ...]], columns: int
) -> list[tuple[str, ...]]:
    """Returns rows with first cells so short that an aligned line takes at most so many columns.

    Args:
        headings: One a column.
        rows: Their cells.
        columns: Terminal columns a line may take; the first cell keeps 8 of them at least.
    """
    others = sum(wide + 2 for wide in _widths(headings, rows)[1:])
    room = max(columns - others, 8)
    return [(cut(row[0], room), *row[1:]) for row in rows]


def wrap(text: str, columns: int = 80, indent: str = "", first: str = "") -> list[str]:
    """Returns a text as lines of at most so many terminal columns, where its words allow it.

    Args:
        text: Words between spaces.
        columns: The width.
        indent: Stands before every line but the first.
        first: Stands before the first line.

    Examples:
        >>> wrap("one two three", 8, "  ")
        ['one two', '  three']
    """
    lines = [first]
    fresh = True
    for word in text.split():
        if not fresh and width(lines[-1]) + 1 + width(word) > columns:
            lines.append(indent)
            fresh = True
        lines[-1] += word if fresh else f" {word}"
        fresh = False
    return lines


def _widths(headings: Sequence[str], rows: Sequence[Sequence[str]]) -> list[int]:
    return [max(map(width, column)) for column in zip(headings, *rows, strict=True)]


def align(headings: Sequence[str], rows: Sequence[Sequence[str]], left: int = 1) -> list[str]:
    """Returns lines of aligned columns, the first `left` to the left, numbers to the right."""
    widths = _widths(headings, rows)
    lines = []
    for row in (headings, *rows):
        cells = []
        for place, (text, wide) in enumerate(zip(row, widths, strict=True)):
            padding = " " * (wide - width(text))
            cells.append(text + padding if place < left else padding + text)
        lines.append("  ".join(cells).rstrip())
    lines.insert(1, "  ".join("─" * wide for wide in widths))
    return lines


def fold(
    headings: Sequence[str],
    rows: Sequence[Sequence[str]],
    left: int = 1,
    columns: int | None = None,
) -> list[str]:
    """Returns aligned lines, in blocks that repeat the first columns where one is too wide.

    Args:
        headings: One a column.
        rows: Their cells.
        left: Columns aligned to the left, and repeated in each block.
        columns: Terminal columns a line may take; `None` never folds.
    """
    widths = _widths(headings, rows)
    lines: list[str] = []
    block = list(range(left))
    for place in range(left, len(headings)):
        taken = sum(widths[other] + 2 for other in block) + widths[place]
        if columns is not None and taken > columns and len(block) > left:
            lines += [*_block(headings, rows, block, left), ""]
            block = list(range(left))
        block.append(place)
    return lines + _block(headings, rows, block, left)


def _block(
    headings: Sequence[str], rows: Sequence[Sequence[str]], places: Sequence[int], left: int
) -> list[str]:
    chosen = [[row[place] for place in places] for row in rows]
    return align([headings[place] for place in places], chosen, left)


def markdown_lines(
    headings: Sequence[str], rows: Sequence[Sequence[str]], left: int = 1
) -> list[str]:
    """Returns a Markdown table, the first `left` columns to the left, numbers to the right."""
    sides = [" --- " if place < left else " ---: " for place in range(len(headings))]
    lines = ["| " + " | ".join(map(_cell, headings)) + " |", "|" + "|".join(sides) + "|"]
    return lines + ["| " + " | ".join(map(_cell, row)) + " |" for row in rows]


def _cell(text: str) -> str:
    return text.strip().replace("\\", "\\\\").replace("|", "\\|")
