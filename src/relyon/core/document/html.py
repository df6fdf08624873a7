"""A document as an HTML fragment, for a notebook for example."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from html import escape
from itertools import groupby

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

__all__ = ["render_html"]

BESIDE = ' style="display:flex;flex-wrap:wrap;gap:2em;align-items:flex-start"'
LEFT = ' style="text-align:left"'


def render_html(document: Document) -> str:
    """Returns a document as unstyled HTML.

    Examples:
        >>> render_html(Document([Prose(["p < 0.01"])], "A & B"))
        '<h2>A &amp; B</h2><p>p &lt; 0.01</p>'
    """
    head = f"<h2>{escape(document.title)}</h2>" if document.title else ""
    return head + _paragraphs(document.lead) + _blocks(document.blocks)


def _blocks(blocks: Sequence[Block]) -> str:
    """Returns blocks in order, with tables side by side if they fit."""
    found = ""
    for kind, group in groupby(blocks, lambda block: block.kind):
        parts = [RENDERERS[kind](block) for block in group]
        if kind == "table" and len(parts) > 1:
            parts = [f"<div{BESIDE}>", *(f"<div>{part}</div>" for part in parts), "</div>"]
        found += "".join(parts)
    return found


def _paragraphs(texts: Sequence[str]) -> str:
    return "".join(f"<p>{escape(text)}</p>" for text in texts)


def _prose(block: Prose | Lines) -> str:
    return _paragraphs(block.texts)


def _points(block: Points) -> str:
    return "<ul>" + "".join(f"<li>{escape(text)}</li>" for text in block.texts) + "</ul>"


def _section(block: Section) -> str:
    return f"<h3>{escape(block.title)}</h3>" + _blocks(block.blocks)


def _table(block: Table) -> str:
    text = block.of_text()

    def side(place: int) -> str:
        return LEFT if text[place] else ""

    caption = f"<caption>{escape(block.caption)}</caption>" if block.caption else ""
    head = "".join(
        f"<th{side(place)}>{escape(text)}</th>" for place, text in enumerate(block.headings)
    )
    body = "".join(
        "<tr>"
        + "".join(f"<td{side(place)}>{_cell(cell)}</td>" for place, cell in enumerate(row))
        + "</tr>"
        for row in block.cells()
    )
    return (
        f'<table style="text-align:right">{caption}<thead><tr>{head}</tr></thead>'
        f"<tbody>{body}</tbody></table>" + _paragraphs(block.notes)
    )


def _finding(block: Finding) -> str:
    name = f" <code>{escape(block.name)}</code>" if block.name else ""
    about = f"<p><i>{escape(block.about)}</i>{name}</p>" if block.about or name else ""
    label = f"<b>{escape(block.step_label)}</b> " if block.step_label else ""
    step = f"<p>{label}{escape(block.step)}</p>" if block.step else ""
    examples = "".join(f"<li><code>{escape(text)}</code></li>" for text in block.examples)
    return (
        f"<h3>{escape(block.title)}</h3>{about}<p>{escape(block.text)}</p>{step}"
        + (f"<p>{escape(block.examples_label)}</p>" if block.examples_label and examples else "")
        + (f"<ul>{examples}</ul>" if examples else "")
        + (f"<p>{escape(block.lesson)}</p>" if block.lesson else "")
    )


RENDERERS: dict[str, Callable[..., str]] = {
    "finding": _finding,
    "lines": _prose,
    "points": _points,
    "prose": _prose,
    "section": _section,
    "table": _table,
}


def _cell(cell: Cell) -> str:
    text = escape(str(cell))
    text = f"<b>{text}</b>" if cell.strong else text
    text += f"<br><small>{escape(cell.title)}</small>" if cell.title else ""
    return text + (f"<sup>{escape(cell.above)}</sup>" if cell.above else "")
