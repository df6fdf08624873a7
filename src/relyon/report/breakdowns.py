"""A comparison by the values of a column: what it shows, as sentences, tables and charts."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from relyon.analysis.comparison.breakdowns.sentences import (
    breakdown_sentences,
    group_label,
    hidden_losses,
)
from relyon.analysis.comparison.breakdowns.tables import breakdown_legend, query_count
from relyon.analysis.comparison.contrast import gain_sign
from relyon.analysis.comparison.contrast_parts import contrast_label, decimals
from relyon.core.texts import PAGE, catalogue
from relyon.report.catalogue import Catalogue
from relyon.report.drawings import ForestRow
from relyon.report.number_formats import MARKS, number, p_value, signed
from relyon.report.page import Block, Cell, Chart, Heading, Prose, Section, Table, Tone

if TYPE_CHECKING:
    from relyon.analysis.comparison import Comparison, Contrast
    from relyon.analysis.comparison.breakdowns.breakdown import Breakdown, Part

__all__ = ["breakdown_section", "lead_losses"]


def lead_losses(comparison: Comparison, texts: Catalogue) -> tuple[str, ...]:
    """Returns losses on a value that the whole does not show, for the first lines of a page."""
    words = catalogue("breakdowns", texts.language, PAGE)
    return tuple(hidden_losses(comparison, words))


def breakdown_section(comparison: Comparison, texts: Catalogue) -> Section:
    """Returns each column and candidate: sentences, and a chart and a table per measure."""
    words = catalogue("breakdowns", texts.language, PAGE)
    blocks: list[Block] = []
    several = len(comparison.breakdowns) * len(comparison.candidates) > 1
    for breakdown in comparison.breakdowns:
        for candidate in comparison.candidates:
            if several:
                title = words.say("report.column", column=breakdown.column, candidate=candidate)
                blocks.append(Heading(title))
            blocks.append(
                Prose(tuple(breakdown_sentences(breakdown, comparison, candidate, words)))
            )
            for measure in comparison.measures:
                parts = breakdown.of(candidate, measure)
                if not parts:
                    continue
                shown = _shown(breakdown, parts, comparison, texts, words)
                if isinstance(shown, Chart) and any(isinstance(one, Chart) for one in blocks):
                    # The first chart says how to read them all.
                    lower = gain_sign(measure) < 0
                    shown = replace(shown, caption=words["report.forest_lower"] if lower else "")
                blocks.append(shown)
    blocks.append(Prose((breakdown_legend(comparison, texts.language) + texts["list.stop"],)))
    columns = texts.join([one.column for one in comparison.breakdowns])
    return Section("breakdowns", words.say("report.section", columns=columns), tuple(blocks))


def _shown(
    breakdown: Breakdown,
    parts: Sequence[Part],
    comparison: Comparison,
    texts: Catalogue,
    words: Catalogue,
) -> Chart | Table:
    """Returns a chart with its table; without an interval the table alone."""
    first = parts[0].contrast
    table = _table(breakdown, parts, comparison, texts, words)
    rows = tuple(_row(one, words) for one in parts if math.isfinite(one.contrast.difference))
    if not any(row["low"] < row["high"] for row in rows):
        return table
    level = texts.percent(comparison.confidence)
    caption = words.say("report.forest_caption", level=level)
    if gain_sign(first.measure) < 0:
        caption += texts["list.sentence"] + words["report.forest_lower"]
    return Chart(
        drawing="forest",
        title=words.say(
            "report.forest_title",
            measure=contrast_label(first),
            column=breakdown.column,
            candidate=first.candidate,
            baseline=first.baseline,
        ),
        caption=caption,
        rows=rows,
        table=table,
        labels={"axis": words.say("report.axis", measure=contrast_label(first))},
    )


def _row(one: Part, words: Catalogue) -> ForestRow:
    contrast = one.contrast
    difference, (low, high) = contrast.difference, contrast.interval
    return {
        "name": f"{group_label(one.group, words)} · {query_count(one)}",
        "difference": difference,
        "low": difference if math.isnan(low) else low,
        "high": difference if math.isnan(high) else high,
        "verdict": contrast.verdict if contrast.verdict in ("better", "worse") else "undecided",
        "text": signed(difference, decimals(contrast)),
    }


def _difference(one: Contrast) -> Cell:
    """Returns a difference with its mark; with too few queries it has none."""
    shown = signed(one.difference, decimals(one))
    if one.few:
        return Cell(shown)
    tone: Tone = one.verdict if one.verdict in ("better", "worse", "described") else "undecided"
    return Cell(shown, tone, MARKS.get(one.verdict, MARKS["undecided"]))


def _table(
    breakdown: Breakdown,
    parts: Sequence[Part],
    comparison: Comparison,
    texts: Catalogue,
    words: Catalogue,
) -> Table:
    headings = (
        breakdown.column,
        words["column.queries"],
        comparison.baseline,
        parts[0].contrast.candidate,
        texts["table.difference"],
        texts.say("table.interval", confidence=texts.percent(comparison.confidence)),
        texts["table.p"],
        texts["table.corrected"],
        words["column.shrunken"],
    )
    rows = []
    for one in parts:
        contrast = one.contrast
        places = decimals(contrast)
        low, high = contrast.interval
        tested = ("–", "–", "–", "–")
        if contrast.tested:
            interval = "–" if math.isnan(low) else f"{signed(low)} … {signed(high)}"
            corrected = p_value(contrast.p_adjusted)
            tested = (interval, p_value(contrast.p), corrected, signed(one.shrunken))
        rows.append(
            (
                group_label(one.group, words),
                query_count(one),
                number(contrast.baseline_mean, places),
                number(contrast.candidate_mean, places),
                _difference(contrast),
                *tested,
            )
        )
    caption = words.say(
        "caption.by", column=breakdown.column, measure=contrast_label(parts[0].contrast)
    )
    return Table(headings, tuple(rows), caption)
