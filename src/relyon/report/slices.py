"""Slices of queries in a report: where a candidate loses, and what does not lose by chance."""

from __future__ import annotations

from typing import TYPE_CHECKING

from relyon.analysis.slices.tables import (
    shown_slices,
    slice_lines,
    slice_table,
    slices_legend,
    slices_verdict,
)
from relyon.core.texts import PAGE, catalogue as texts_of
from relyon.report.catalogue import Catalogue
from relyon.report.page import Block, Prose, Section

if TYPE_CHECKING:
    from relyon.analysis.slices import Slices

__all__ = ["lead_slices", "slice_section"]


def lead_slices(found: Slices | None, texts: Catalogue) -> tuple[str, ...]:
    """Returns the slices that lose, for the first lines of a page.

    Args:
        found: The result of `relyon.find_slices`; None without one.
        texts: The texts of reports.
    """
    words = texts_of("slices", texts.language, PAGE)
    loses = [] if found is None else [one for one in found.slices if one.verdict == "loses"]
    return tuple(
        words.say(
            "report.lead",
            candidate=one.candidate,
            where=one.where(texts.language),
            measure=one.measure,
            difference=PAGE.signed(one.difference),
            interval=PAGE.signed_interval(one.interval),
            rest=PAGE.signed(one.rest),
            tested=one.tested,
        )
        for one in loses
    )


def slice_section(found: Slices, texts: Catalogue) -> Section:
    """Returns the verdict, the slices, their largest losses, and how to read them.

    Args:
        found: The result of `relyon.find_slices`.
        texts: The texts of reports.
    """
    words = texts_of("slices", texts.language, PAGE)
    blocks: list[Block] = [Prose((slices_verdict(found, words),))]
    shown = shown_slices(found)
    if shown:
        blocks.append(slice_table(found, shown, words))
    lines = [line for one in found.slices for line in slice_lines(one, found, words)]
    if lines:
        blocks.append(Prose(tuple(lines)))
    stop = texts.say("list.stop")
    blocks.append(Prose(tuple(line + stop for line in slices_legend(found, words))))
    return Section("slices", words["report.section"], tuple(blocks))
