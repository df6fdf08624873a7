"""What tests look for on a page: a section by its name, a block of a kind, charts without fault."""

from __future__ import annotations

from typing import TypeVar

from relkit.report.charts import DRAWINGS, WIDTHS
from relkit.report.page import Block, Chart, Page, Section

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
    """Returns the kinds of charts on a page; altair refuses what is not Vega-Lite.

    A report does not look for that: it takes a third of the time.
    """
    charts = [block for block in page.blocks() if isinstance(block, Chart)]
    for chart in charts:
        for width in WIDTHS.values():
            DRAWINGS[chart.drawing](chart, width).to_dict(validate=True)
    return {chart.drawing for chart in charts}
