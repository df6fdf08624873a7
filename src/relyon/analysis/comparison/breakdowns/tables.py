"""Breakdowns of a comparison as tables, with what they show in sentences."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from relyon.analysis.comparison.breakdowns.breakdown import Breakdown, Part
from relyon.analysis.comparison.breakdowns.sentences import (
    breakdown_sentences,
    group_label,
    hidden_losses,
    rule,
    units,
)
from relyon.analysis.comparison.contrast_parts import contrast_label, decimals
from relyon.core.document.model import Block, Lines, Table
from relyon.core.texts import Catalogue, Language, catalogue
from relyon.core.texts.numbers import DIGITS, TERMINAL

if TYPE_CHECKING:
    from relyon.analysis.comparison.paired_runs import PairedRuns

__all__ = ["SMALL", "breakdown_blocks", "breakdown_legend", "first_lines", "query_count"]

#: Values with fewer queries are marked.
SMALL = 10
number, signed, p_value = TERMINAL.number, TERMINAL.signed, TERMINAL.p_value


def first_lines(comparison: PairedRuns, digits: int, language: Language) -> list[Block]:
    """Returns losses on a value that the whole does not show, for the first lines of a result."""
    found = hidden_losses(comparison, catalogue("breakdowns", language), digits)
    return [Lines([f"▼ {one}" for one in found])] if found else []


def breakdown_blocks(
    comparison: PairedRuns,
    candidate: str,
    signs: Mapping[str, str],
    *,
    digits: int = DIGITS,
    tables: bool = True,
    language: Language = "en",
) -> Iterator[Block]:
    """Yields one table per column and measure, and what each column shows.

    Args:
        comparison: The comparison.
        candidate: The candidate.
        signs: The sign of each verdict.
        digits: Decimals.
        tables: Whether there are tables, or only sentences.
        language: `en` or `zh`.
    """
    words = catalogue("breakdowns", language)
    for breakdown in comparison.breakdowns:
        for measure in comparison.measures if tables else ():
            parts = breakdown.of(candidate, measure)
            if parts:
                yield _table(breakdown, parts, comparison, signs, digits, words)
        yield Lines([*breakdown_sentences(breakdown, comparison, candidate, words, digits)])


def query_count(part: Part) -> str:
    """Returns the number of queries, marked if it is small."""
    count = part.contrast.queries
    return f"{count:,}{'*' if count < SMALL else ''}"


def _table(
    breakdown: Breakdown,
    parts: Sequence[Part],
    comparison: PairedRuns,
    signs: Mapping[str, str],
    digits: int,
    words: Catalogue,
) -> Table:
    tables = catalogue("tables", words.language)
    level = f"{100 * comparison.settings.confidence:g}%"
    headings = [
        breakdown.column,
        *words.names("column", ("queries",)),
        "A",
        words["column.gain"],
        tables.say("comparison.interval", level=level),
        words["column.p"],
        words["column.shrunken"],
        "",
    ]
    rows = []
    for one in parts:
        contrast = one.contrast
        places = decimals(contrast, digits)
        numbers = ["", "", ""]
        if contrast.tested:
            numbers = [
                TERMINAL.signed_interval(contrast.interval, digits),
                p_value(contrast.p_adjusted, digits),
                signed(one.shrunken, digits),
            ]
        rows.append(
            [
                group_label(one.group, words),
                query_count(one),
                number(contrast.baseline_mean, places),
                signed(contrast.difference, places),
                *numbers,
                "" if contrast.few else signs[contrast.verdict],
            ]
        )
    caption = words.say(
        "caption.by", column=breakdown.column, measure=contrast_label(parts[0].contrast)
    )
    return Table(headings, rows, caption, long=[0])


def breakdown_legend(comparison: PairedRuns, language: Language) -> str:
    """Returns the legend of the tables; empty without breakdowns."""
    if not comparison.breakdowns:
        return ""
    words, tables = catalogue("breakdowns", language), catalogue("tables", language)
    tests = {one.contrast.test for each in comparison.breakdowns for one in each.parts
             if one.contrast.tested}  # fmt: skip
    return words.say(
        f"legend.by{units(comparison.breakdowns[0])}",
        columns=[one.column for one in comparison.breakdowns],
        test=[tables.name("test", test) for test in sorted(tests)],
        rule=rule(comparison.breakdowns[0], comparison, words),
    )
