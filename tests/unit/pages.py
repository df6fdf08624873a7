"""What tests look for on a page: a section by its name, a block of a kind, charts without fault."""

from __future__ import annotations

from typing import TypeVar

from relyon.report.charts import CONFIG, DRAWINGS, WIDTHS
from relyon.report.page import Block, Chart, Page, Section

Kind = TypeVar("Kind")


def section_of(page: Page, name: str) -> Section:
    """Returns the section of that name, which the page must have."""
    found = page.section(name)
    assert found is not None, f"no section {name}"
    return found


def block_of(kind: type[Kind], block: Block) -> Kind:
    """Returns a block, which must be of that kind."""
    assert isinstance(block, kind), block
    return block


def check_drawings(page: Page) -> set[str]:
    """Returns the kinds of charts on a page; Altair refuses what is not Vega-Lite.

    A report does not look for that, nor import it: both would take longer than drawing.
    """
    import altair

    charts = [block for block in page.blocks() if isinstance(block, Chart)]
    for chart in charts:
        for width in WIDTHS.values():
            description = {**DRAWINGS[chart.drawing](chart, width), "config": dict(CONFIG)}
            altair.Chart.from_dict(description)
    return {chart.drawing for chart in charts}
