"""Titled tables: what every explanation is shown as, in the terminal, in Markdown and in HTML."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from html import escape
from typing import Any

from relkit.core.rendering import align, markdown_lines, width, wrap

__all__ = [
    "Section",
    "document_html",
    "document_markdown",
    "document_text",
    "plain",
    "shorten",
]

COLUMNS = 80
#: Shorter than this, an id says nothing any more.
SHORTEST = 12


@dataclass(frozen=True)
class Section:
    """A table or sentences under a title.

    Attributes:
        title: What it shows; may be empty.
        headings: Names of the columns; none where there is no table.
        rows: Cells as text.
        lines: Sentences below the table.
        long: Columns of ids, which are shortened where a table is too wide.
        left: How many of the first columns are aligned to the left.
    """

    title: str = ""
    headings: tuple[str, ...] = ()
    rows: tuple[tuple[str, ...], ...] = ()
    lines: tuple[str, ...] = ()
    long: tuple[int, ...] = ()
    left: int = 0

    def text(self, columns: int | None = COLUMNS) -> list[str]:
        """Returns lines for the terminal; `None` shortens no id."""
        lines = wrap(self.title, columns or COLUMNS, "  ") if self.title else []
        if self.rows:
            rows = _fitting(self.headings, self.rows, self.long, columns)
            lines += align(self.headings, rows, self.left)
        for line in self.lines:
            lines += wrap(line, columns or COLUMNS, "  ")
        return lines

    def markdown(self) -> list[str]:
        """Returns lines of Markdown."""
        lines = [f"**{self.title}**", ""] if self.title and self.rows else []
        if self.title and not self.rows:
            lines += [self.title, ""]
        if self.rows:
            lines += [*markdown_lines(self.headings, self.rows, self.left), ""]
        for line in self.lines:
            lines += [line, ""]
        return lines

    def html(self) -> str:
        """Returns the section as HTML."""
        parts = [f"<p><b>{escape(self.title)}</b></p>"] if self.title else []
        if self.rows:
            head = "".join(f"<th>{escape(name)}</th>" for name in self.headings)
            body = "".join(
                "<tr>" + "".join(f"<td>{escape(cell)}</td>" for cell in row) + "</tr>"
                for row in self.rows
            )
            parts.append(f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>")
        parts += [f"<p>{escape(line)}</p>" for line in self.lines]
        return "<div>" + "".join(parts) + "</div>"


def document_text(sections: Sequence[Section], columns: int | None = COLUMNS) -> str:
    """Returns sections for the terminal, an empty line between them."""
    return "\n\n".join("\n".join(section.text(columns)) for section in sections)


def document_markdown(sections: Sequence[Section]) -> str:
    """Returns sections as Markdown."""
    return "\n".join(line for section in sections for line in section.markdown()).rstrip("\n")


def document_html(sections: Sequence[Section]) -> str:
    """Returns sections as HTML, those with tables beside each other where there is room."""
    style = "display:flex;flex-wrap:wrap;gap:2em;align-items:flex-start"
    return f'<div style="{style}">' + "".join(section.html() for section in sections) + "</div>"


def plain(entry: Any) -> dict[str, Any]:
    """Returns the fields of a flat dataclass, a number that JSON cannot hold as `None`."""
    return {
        name: None if isinstance(value, float) and not math.isfinite(value) else value
        for name, value in asdict(entry).items()
    }


def shorten(text: str, columns: int) -> str:
    """Returns a text of at most so many terminal columns, its middle left out.

    Examples:
        >>> shorten("https://example.org/a/long/path", 15)
        'https:/…ng/path'
        >>> shorten("short", 15)
        'short'
    """
    if width(text) <= columns:
        return text
    head, tail = "", ""
    while True:
        one = text[len(head)]
        if width(head) + width(one) + width(tail) + 1 > columns:
            return f"{head}…{tail}"
        head += one
        one = text[-len(tail) - 1]
        if width(head) + width(one) + width(tail) + 1 > columns:
            return f"{head}…{tail}"
        tail = one + tail


def _fitting(
    headings: Sequence[str],
    rows: Sequence[tuple[str, ...]],
    long: Sequence[int],
    columns: int | None,
) -> Sequence[tuple[str, ...]]:
    """Returns the rows with ids shortened until they take so many columns, if that can be."""
    if columns is None:
        return rows
    widths = [max(map(width, column)) for column in zip(headings, *rows, strict=True)]
    excess = sum(widths) + 2 * (len(widths) - 1) - columns
    while excess > 0:
        widest = max(long, key=lambda place: widths[place], default=None)
        if widest is None or widths[widest] <= SHORTEST:
            break
        widths[widest] -= 1
        excess -= 1
    return [
        tuple(
            shorten(cell, widths[place]) if place in long else cell
            for place, cell in enumerate(row)
        )
        for row in rows
    ]
