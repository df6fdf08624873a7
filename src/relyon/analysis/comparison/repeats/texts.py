"""Repeated runs as tables: their noise floor, the split of variance, and what narrows intervals."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from relyon.analysis.comparison.contrast_parts import contrast_label
from relyon.core.document.model import Table
from relyon.core.texts import Catalogue, Language, catalogue
from relyon.core.texts.numbers import DIGITS, TERMINAL, NumberStyle

if TYPE_CHECKING:
    from relyon.analysis.comparison.contrast import Contrast
    from relyon.analysis.comparison.paired_runs import PairedRuns
    from relyon.analysis.statistics.components import Components

__all__ = ["repeat_tables"]

PARTS = ("query", "interaction", "run", "repeat")


def repeat_tables(
    comparison: PairedRuns,
    candidate: str,
    language: Language = "en",
    *,
    digits: int = DIGITS,
    style: NumberStyle = TERMINAL,
) -> list[Table]:
    """Returns the noise floors of the systems, and what the variance consists of.

    Args:
        comparison: The comparison.
        candidate: One candidate.
        language: `en` or `zh`.
        digits: Decimals.
        style: How numbers are written.
    """
    shown = [
        one
        for one in comparison.contrasts
        if one.candidate == candidate and one.repeats is not None
    ]
    if not shown:
        return []
    words = catalogue("repeats", language)
    floors: list[list[str]] = []
    parts: list[list[str]] = []
    for one in shown:
        found = one.repeats
        if found is None:
            continue
        label = contrast_label(one)
        for name, floor in ((one.baseline, found.baseline), (one.candidate, found.candidate)):
            if floor.runs > 1 and not math.isnan(floor.deviation):
                ends = (style.number(end, digits) for end in (min(floor.means), max(floor.means)))
                row = [label, name, f"{floor.runs}", " … ".join(ends)]
                row += [style.number(value, digits) for value in (floor.deviation, floor.limit)]
                floors.append(row)
        if found.components is not None:
            row = [label, *_shares(found.components, style)]
            widths = found.half_widths or (math.nan,) * 3
            parts.append([*row, *(style.number(width, digits) for width in widths)])
    level = f"{100 * comparison.settings.confidence:g}%"
    names: tuple[str, ...] = ("measure", "system", "runs", "value", "deviation", "limit")
    caption = words.say("table.floors", level=level)
    tables = [Table(words.names("heading", names), floors, caption, left=2, long=(1,))]
    if parts:
        names = ("measure", *PARTS, "now", "queries", "twice_runs")
        tables.append(Table(words.names("heading", names), parts, words["table.parts"]))
    notes = _legend(shown, comparison.focus, words, digits, style)
    tables = [table for table in tables if table.rows]
    return [*tables[:-1], *(replace(table, notes=notes) for table in tables[-1:])]


def _shares(parts: Components, style: NumberStyle) -> list[str]:
    """Returns each component as a share of their sum."""
    values = [getattr(parts, name) for name in PARTS]
    whole = math.fsum(values)
    if not whole > 0:
        return ["-"] * len(PARTS)
    return [
        style.percent(value / whole) + ("*" if name in parts.truncated else "")
        for name, value in zip(PARTS, values, strict=True)
    ]


def _legend(
    shown: Sequence[Contrast], focus: str, words: Catalogue, digits: int, style: NumberStyle
) -> list[str]:
    """Returns what the tables mean, and what they say about p-values and about more runs."""
    lines = [words["legend.whole"]]
    known = [one.repeats.components for one in shown if one.repeats is not None]
    if any(one is not None and one.truncated for one in known):
        lines.append(words["legend.truncated"])
    unseen = []
    for one in shown:
        found = one.repeats
        if found is None or not found.included or math.isnan(found.excess):
            continue
        if not found.excess:
            unseen.append(contrast_label(one))
        else:
            lines.append(
                words.say(
                    "legend.included" if found.p_run <= 0.05 else "legend.counted",
                    measures=[contrast_label(one)],
                    p=style.p_equation(found.p_run),
                    freedom=style.number(one.statistics["degrees_of_freedom"], 1),
                )
            )
    if unseen:
        lines.append(words.say("legend.unseen", measures=unseen))
    for one in shown:
        found = one.repeats
        if one.measure == focus and found is not None and found.half_widths is not None:
            now, queries, runs = found.half_widths
            lines.append(
                words.say(
                    "legend.runs" if runs < queries else "legend.queries",
                    measure=contrast_label(one),
                    **{
                        name: style.number(value, digits)
                        for name, value in (("now", now), ("queries", queries), ("runs", runs))
                    },
                )
            )
    return lines
