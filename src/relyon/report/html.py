"""A page as one self-contained HTML file, or as parts of another page."""

from __future__ import annotations

from importlib import resources
from itertools import count
from typing import TYPE_CHECKING

from relyon.core.packages import optional_package
from relyon.core.texts import message
from relyon.core.texts.languages import language_tag
from relyon.report.catalogue import catalogue
from relyon.report.charts import WIDTHS, fit
from relyon.report.drawing_ahead import draw_ahead
from relyon.report.page import (
    Chart,
    Page,
)

if TYPE_CHECKING:
    import jinja2
    from markupsafe import Markup

__all__ = ["render_html", "render_parts"]


def render_html(page: Page, *, version: str, date: str) -> str:
    """Returns a page as HTML with its style, its script and its charts inside.

    Args:
        page: The page.
        version: The version of relyon, for the last line.
        date: The date of the report, for the last line.

    Raises:
        DependencyError: If jinja2 or vl-convert-python is not installed.
    """
    environment = _environment(page)
    from markupsafe import Markup

    text = environment.get_template("page.html").render(
        page=page,
        version=version,
        date=date,
        style=Markup(_template("page.css")),
        script=Markup(_template("page.js")),
    )
    return text.rstrip("\n")


def render_parts(page: Page) -> tuple[Markup, Markup]:
    """Returns the opening of a page, with its table of contents, and its sections, for embedding.

    They contain neither styles nor scripts: the other page provides the style of the reports.

    Args:
        page: The page.

    Raises:
        DependencyError: If jinja2 or vl-convert-python is not installed.

    Examples:
        >>> opening, sections = render_parts(Page("en", "A < B", "", ("All is well.",), ()))
        >>> opening.splitlines()[0]
        Markup('<h1>A &lt; B</h1>')
    """
    macros = vars(_environment(page).get_template("sections.html").module)
    return macros["opening"](page), macros["sections"](page)


def _environment(page: Page) -> jinja2.Environment:
    """Returns the environment for the blocks of one page; it numbers the charts."""
    library = optional_package(
        "jinja2", purpose=message("report.a-report"), install="relyon[report]"
    )
    from markupsafe import Markup  # which jinja2 needs

    from relyon.report.environment import environment

    found = environment(library.FunctionLoader(_template))
    numbers = count(1)
    svg_of = draw_ahead(block for block in page.blocks() if isinstance(block, Chart))

    def drawn(chart: Chart) -> dict[str, object]:
        name = f"chart-{next(numbers)}"
        return {
            "name": name,
            # Drawn by Vega-Lite, which escapes its texts.
            **{size: Markup(fit(svg_of(chart, size), chart, f"{name}-{size}")) for size in WIDTHS},
        }

    found.globals.update(drawn=drawn, say=catalogue(page.language).say, language_tag=language_tag)
    return found


def _template(name: str) -> str:
    return resources.files("relyon.report").joinpath("templates", name).read_text("utf-8")
