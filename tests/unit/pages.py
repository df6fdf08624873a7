"""What tests look for on a page: a section by its name, a block of a kind."""

from __future__ import annotations

from typing import TypeVar

from relkit.report.page import Block, Page, Section

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
