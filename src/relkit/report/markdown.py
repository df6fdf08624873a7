"""A page as Markdown: the same sentences and tables; a chart becomes the table of its numbers."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from relkit.core.rendering import markdown_lines
from relkit.report.catalogue import Catalogue, catalogue
from relkit.report.page import (
    Block,
    Chart,
    Columns,
    Details,
    Finding,
    Heading,
    Headlines,
    Page,
    Prose,
    Table,
)

__all__ = ["render_markdown"]


def render_markdown(page: Page, *, version: str, date: str) -> str:
    """Returns a page as Markdown.

    Args:
        page: What it says.
        version: Of relkit, for the last line.
        date: Of the report, for the last line.
    """
    texts = catalogue(page.language)
    parts = [f"# {escape(page.title)}", escape(page.subtitle)]
    parts += [f"**{escape(text)}**" for text in page.lead]
    for section in page.sections:
        parts.append(f"## {escape(section.title)}")
        parts += _lines(section.blocks, texts, 3)
    parts.append(f"*{escape(texts.say('page.made_by', version=version, date=date))}*")
    return "\n\n".join(part for part in parts if part)


def escape(text: str) -> str:
    r"""Returns plain text so that Markdown shows it as it is.

    Examples:
        >>> escape("<b> *a* `c`")
        '&lt;b&gt; \\*a\\* \\`c\\`'
    """
    text = re.sub(r"([\\`*\[\]#|]|\b_|_\b)", r"\\\1", text)
    text = text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    return " ".join(text.split())


def _lines(blocks: Sequence[Block], texts: Catalogue, level: int) -> Iterator[str]:
    for block in blocks:
        if isinstance(block, Prose):
            yield from map(escape, block.texts)
        elif isinstance(block, Heading):
            yield f"{'#' * level} {escape(block.text)}"
        elif isinstance(block, Table):
            yield _table(block)
        elif isinstance(block, Chart):
            yield f"{'#' * level} {escape(block.title)}"
            yield escape(block.caption)
            yield _table(block.table)
        elif isinstance(block, Headlines):
            if block.title:
                yield f"{'#' * level} {escape(block.title)}"
            stop = texts.say("list.stop")
            yield "\n".join(f"- {one.mark} {escape(str(one))}{stop}" for one in block.items)
        elif isinstance(block, Finding):
            colon = texts.say("list.colon")
            yield f"{'#' * level} {escape(block.title)} ({escape(block.label)})"
            yield escape(block.text)
            yield f"**{escape(texts.say('diagnoses.next'))}{colon}**{escape(block.step)}"
            if block.examples:
                yield escape(f"{texts.say('diagnoses.examples')}{colon}{block.examples}")
            if block.table is not None:
                yield _table(block.table)
        elif isinstance(block, Details):
            summary = " ".join(filter(None, (block.mark, block.summary, block.value)))
            yield f"{'#' * level} {escape(summary)}"
            yield from _lines(block.blocks, texts, min(level + 1, 6))
        elif isinstance(block, Columns):
            for group in block.groups:
                yield from _lines(group, texts, level)


def _table(block: Table) -> str:
    rows = [[_cell(str(one)) for one in row] for row in block.cells()]
    lines = markdown_lines([_cell(text) for text in block.headings], rows, block.left)
    caption = [f"*{escape(block.caption)}*", ""] if block.caption else []
    return "\n".join([*caption, *lines])


def _cell(text: str) -> str:
    # The table itself escapes the backslash and the bar.
    text = text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    text = text.replace("`", "&#96;").replace("*", "&#42;").replace("[", "&#91;")
    return " ".join(text.split())
