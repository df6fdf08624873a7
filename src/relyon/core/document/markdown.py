"""A document as Markdown."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TypeAlias

from relyon.core.document.model import (
    Block,
    Cell,
    Document,
    Finding,
    Lines,
    Points,
    Prose,
    Section,
    Table,
)
from relyon.core.document.terminal import printable

__all__ = ["RENDERERS", "Renderer", "escape", "markdown_parts", "render_markdown"]


#: Yields the paragraphs of a block, given the block, its heading level and all renderers.
Renderer: TypeAlias = Callable[..., Iterator[str]]


def render_markdown(document: Document) -> str:
    """Returns a document as Markdown, with its text escaped.

    Examples:
        >>> table = Table(["query", "rr"], [["*a*", Cell("0.5", strong=True)]])
        >>> print(render_markdown(Document([table], "One query")))
        # One query
        <BLANKLINE>
        | query | rr |
        | --- | ---: |
        | &#42;a&#42; | **0.5** |
    """
    head = [f"# {escape(document.title)}"] if document.title else []
    parts = [
        *head,
        *map(escape, document.lead),
        *markdown_parts(document.blocks, 2 if document.title else 3, RENDERERS),
    ]
    return "\n\n".join(part for part in parts if part.strip())


def markdown_parts(
    blocks: Sequence[Block], level: int, renderers: Mapping[str, Renderer]
) -> Iterator[str]:
    """Yields the paragraphs of blocks.

    Args:
        blocks: The blocks.
        level: Heading level.
        renderers: The renderer for each kind of block: `RENDERERS`, plus a page's own.
    """
    for block in blocks:
        yield from renderers[block.kind](block, level, renderers)


def _paragraphs(
    block: Prose | Lines, level: int, renderers: Mapping[str, Renderer]
) -> Iterator[str]:
    yield from map(escape, block.texts)


def _points(block: Points, level: int, renderers: Mapping[str, Renderer]) -> Iterator[str]:
    yield "\n".join(f"- {escape(text)}" for text in block.texts)


def _section(block: Section, level: int, renderers: Mapping[str, Renderer]) -> Iterator[str]:
    yield f"{'#' * level} {escape(block.title)}"
    yield from markdown_parts(block.blocks, min(level + 1, 6), renderers)


def _table(block: Table, level: int, renderers: Mapping[str, Renderer]) -> Iterator[str]:
    if block.caption:
        yield f"*{escape(block.caption)}*"
    sides = [" --- " if text else " ---: " for text in block.of_text()]
    lines = [_row(map(_plain, block.headings)), "|" + "|".join(sides) + "|"]
    yield "\n".join([*lines, *(_row(map(_cell, row)) for row in block.cells())])
    yield from map(escape, block.notes)


def _finding(block: Finding, level: int, renderers: Mapping[str, Renderer]) -> Iterator[str]:
    label = f" ({escape(block.label)})" if block.label else ""
    yield f"{'#' * min(level, 6)} {escape(block.title)}{label}"
    about = escape(block.about)
    yield f"{about} {_code(block.name)}" if block.name else f"*{about}*" if about else ""
    yield escape(block.text)
    label = f"**{escape(block.step_label)}** " if block.step_label else ""
    yield label + escape(block.step) if block.step else ""
    examples = [_code(text) for text in block.examples]
    if block.listed and examples:
        yield escape(block.examples_label)
    if block.examples_label and examples and not block.listed:
        space, between = (" ", ", ") if block.examples_label.endswith(" ") else ("", "；")
        yield f"{escape(block.examples_label)}{space}{between.join(examples)}"
    else:
        yield "\n".join(f"- {text}" for text in examples)
    if block.table is not None:
        yield from _table(block.table, level, renderers)
    yield escape(block.lesson)


def _code(text: str) -> str:
    """Returns text between enough backticks that those inside do not end it."""
    longest = max(map(len, re.findall("`+", text)), default=0)
    space = " " if longest else ""
    fence = "`" * (longest + 1)
    return f"{fence}{space}{printable(' '.join(text.split()))}{space}{fence}"


RENDERERS: Mapping[str, Renderer] = {
    "finding": _finding,
    "lines": _paragraphs,
    "points": _points,
    "prose": _paragraphs,
    "section": _section,
    "table": _table,
}


def _row(cells: Iterator[str]) -> str:
    return "| " + " | ".join(cells) + " |"


def escape(text: str) -> str:
    r"""Escapes plain text for Markdown.

    Examples:
        >>> escape("<b> *a* `c`, p < 0.01")
        '&lt;b&gt; \\*a\\* \\`c\\`, p < 0.01'
    """
    return _harmless(re.sub(r"([\\`*\[\]#|]|\b_|_\b)", r"\\\1", text))


def _plain(text: str) -> str:
    """Returns the text of a cell, where a backslash escapes only a bar."""
    text = _harmless(text).replace("\\", "\\\\").replace("|", "\\|")
    text = text.replace("`", "&#96;").replace("*", "&#42;")
    # Brackets belong to intervals, unless more follows.
    return re.sub(r"\](?=[(\[])", "&#93;", text)


def _cell(cell: Cell) -> str:
    text = _plain(str(cell))
    text = f"**{text}**" if cell.strong else text
    text += f" · {_plain(cell.title)}" if cell.title else ""
    return text + (f"<sup>{_plain(cell.above)}</sup>" if cell.above else "")


def _harmless(text: str) -> str:
    """Returns text on one line, without HTML or terminal control characters."""
    text = re.sub(r"&(?=[#\w]+;)", "&amp;", text)
    text = re.sub(r"<(?=[A-Za-z/!?])", "&lt;", text).replace(">", "&gt;")
    return printable(" ".join(text.split()))
