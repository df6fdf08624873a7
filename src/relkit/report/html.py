"""A page as one HTML file that needs nothing else."""

from __future__ import annotations

from importlib import resources
from itertools import count
from typing import Any

from relkit.errors import DependencyError
from relkit.report.catalogue import catalogue
from relkit.report.charts import WIDTHS, draw
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

__all__ = ["render_html"]

KINDS = {
    Chart: "chart",
    Columns: "columns",
    Details: "details",
    Finding: "finding",
    Heading: "heading",
    Headlines: "headlines",
    Prose: "prose",
    Table: "table",
}


def render_html(page: Page, *, version: str) -> str:
    """Returns a page as HTML with its style, its script and its charts inside.

    Args:
        page: What it says.
        version: Of relkit, for the last line.

    Raises:
        DependencyError: If jinja2, altair or vl-convert-python is not installed.
    """
    try:
        import jinja2
        from markupsafe import Markup
    except ImportError:
        raise DependencyError(
            "reports need the package jinja2", hint="pip install 'relkit[report]'"
        ) from None
    environment = jinja2.Environment(
        loader=jinja2.FunctionLoader(_template),
        autoescape=True,
        trim_blocks=True,
        lstrip_blocks=True,
        undefined=jinja2.StrictUndefined,
    )
    numbers = count(1)

    def drawn(chart: Chart) -> dict[str, Any]:
        name = f"chart-{next(numbers)}"
        return {
            "name": name,
            # Drawn by Vega-Lite, which escapes the texts that it is given.
            **{size: Markup(draw(chart, f"{name}-{size}", size)) for size in WIDTHS},
        }

    def kind(block: Block) -> str:
        return KINDS[type(block)]

    environment.globals.update(kind=kind, drawn=drawn, say=catalogue(page.language).say)
    text = environment.get_template("page.html").render(
        page=page,
        version=version,
        style=Markup(_template("page.css")),
        script=Markup(_template("page.js")),
    )
    return text.rstrip("\n")


def _template(name: str) -> str:
    return resources.files("relkit.report").joinpath("templates", name).read_text("utf-8")
