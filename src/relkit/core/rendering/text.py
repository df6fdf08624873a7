"""Tables as lines of Markdown, and first columns cut to fit."""

from __future__ import annotations

from collections.abc import Sequence

from relkit.core.document.terminal import align, fold, width, wrap

__all__ = ["align", "cut", "fold", "markdown_lines", "shorten", "width", "wrap"]


def cut(text: str, columns: int) -> str:
    """Returns a text of at most so many terminal columns; one that is cut ends in `…`."""
    if width(text) <= columns:
        return text
    while width(text) >= columns:
        text = text[:-1]
    return f"{text}…"


def shorten(
    headings: Sequence[str], rows: Sequence[tuple[str, ...]], columns: int
) -> list[tuple[str, ...]]:
    """Returns rows with first cells so short that an aligned line takes at most so many columns."""
    widths = [max(map(width, column)) for column in zip(headings, *rows, strict=True)]
    room = max(columns - sum(wide + 2 for wide in widths[1:]), 8)
    return [(cut(row[0], room), *row[1:]) for row in rows]


def markdown_lines(
    headings: Sequence[str], rows: Sequence[Sequence[str]], left: int = 1
) -> list[str]:
    """Returns a Markdown table, the first `left` columns to the left, numbers to the right."""
    sides = [" --- " if place < left else " ---: " for place in range(len(headings))]
    lines = ["| " + " | ".join(map(_cell, headings)) + " |", "|" + "|".join(sides) + "|"]
    return lines + ["| " + " | ".join(map(_cell, row)) + " |" for row in rows]


def _cell(text: str) -> str:
    return text.strip().replace("\\", "\\\\").replace("|", "\\|")
