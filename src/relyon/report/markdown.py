"""A page as Markdown: the same sentences and tables; a chart becomes the table of its numbers."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from relyon.core.document.markdown import RENDERERS, Renderer, escape, markdown_parts
from relyon.report.catalogue import catalogue
from relyon.report.page import Chart, Columns, Details, Heading, Headlines, Page

__all__ = ["render_markdown"]


def render_markdown(page: Page, *, version: str, date: str) -> str:
    """Returns a page as Markdown.

    Args:
        page: The page.
        version: The version of relyon, for the last line.
        date: The date of the report, for the last line.
    """
    texts = catalogue(page.language)
    parts = [f"# {escape(page.title)}", escape(page.subtitle)]
    parts += [f"**{escape(one.title)}** {escape(one.reason)}" for one in page.decisions]
    parts += [f"**{escape(text)}**" for text in page.lead]
    renderers: dict[str, Renderer] = {
        **RENDERERS,
        "chart": _chart,
        "columns": _columns,
        "details": _details,
        "heading": _heading,
        "headlines": _headlines(texts.say("list.stop")),
    }
    parts += markdown_parts(page.sections, 2, renderers)
    parts.append(f"*{escape(texts.say('page.made_by', version=version, date=date))}*")
    return "\n\n".join(part for part in parts if part)


def _heading(block: Heading, level: int, renderers: Mapping[str, Renderer]) -> Iterator[str]:
    yield f"{'#' * level} {escape(block.text)}"


def _chart(block: Chart, level: int, renderers: Mapping[str, Renderer]) -> Iterator[str]:
    yield f"{'#' * level} {escape(block.title)}"
    yield escape(block.caption)
    yield from renderers["table"](block.table, level, renderers)


def _headlines(stop: str) -> Renderer:
    def render(block: Headlines, level: int, renderers: Mapping[str, Renderer]) -> Iterator[str]:
        if block.title:
            yield f"{'#' * level} {escape(block.title)}"
        yield "\n".join(f"- {one.mark} {escape(str(one))}{stop}" for one in block.items)

    return render


def _details(block: Details, level: int, renderers: Mapping[str, Renderer]) -> Iterator[str]:
    summary = " ".join(filter(None, (block.mark, block.summary, block.value)))
    yield f"{'#' * level} {escape(summary)}"
    yield from markdown_parts(block.blocks, min(level + 1, 6), renderers)


def _columns(block: Columns, level: int, renderers: Mapping[str, Renderer]) -> Iterator[str]:
    for group in block.groups:
        yield from markdown_parts(group, level, renderers)
