"""Stale labels as tables and sentences."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

from relyon.core.document.model import Block, Cell, Document, Lines, Table
from relyon.core.texts import Catalogue, Language, catalogue
from relyon.core.texts.numbers import DIGITS

if TYPE_CHECKING:
    from relyon.analysis.stale.facts import StaleFacts

__all__ = ["SHOWN", "again_table", "run_table", "stale_document", "state_table"]

#: Pairs to judge again that are shown.
SHOWN = 10


def stale_document(
    found: StaleFacts, *, digits: int = DIGITS, language: Language = "en"
) -> Document:
    """Returns states, numbers and their ranges, what to judge again, and how to read them.

    Args:
        found: The result.
        digits: Decimals.
        language: `en` or `zh`.
    """
    words = catalogue("stale", language)
    blocks: list[Block] = [state_table(found, words)]
    if found.stale:
        blocks.append(_grouped(found, words, "grade"))
        if found.pairs["tier"].null_count() < len(found.pairs):
            blocks.append(_grouped(found, words, "tier"))
    if found.runs:
        blocks.append(run_table(found, words, digits))
    if found.contrasts:
        blocks.append(_contrast_table(found, words, digits))
    if found.runs and len(found.again):
        blocks.append(again_table(found, words, digits))
    title = words.say("title", count=len(found.pairs), documents=found.rules.documents)
    return Document([*blocks, Lines(reading(found, words, digits))], title)


def state_table(found: StaleFacts, words: Catalogue) -> Table:
    """Returns the number and the share of the judgments in each state.

    Args:
        found: The result.
        words: The texts of the area `stale`.
    """
    total = len(found.pairs)
    counts: list[tuple[str, int]] = [*found.counts.items()]
    if found.rules.oldest is not None:
        counts.append(("old", int(found.pairs["old"].sum())))
    rows = [
        (words[f"state.{state}"], f"{count:,}", words.percent(count / total))
        for state, count in counts
        if count
    ]
    headings = words.names("heading", ("state", "judgments", "share"))
    return Table(headings, rows, caption=words["caption.states"])


def _grouped(found: StaleFacts, words: Catalogue, column: str) -> Table:
    """Returns the stale judgments by grade or tier."""
    groups: dict[object, list[bool]] = {}
    for key, stale in found.pairs.select(column, "stale").iter_rows():
        groups.setdefault(key, []).append(stale)
    keys = sorted(groups, key=lambda one: (one is None, one))
    rows = []
    for key in keys:
        name = words["none"] if key is None else f"{key:g}" if isinstance(key, float) else str(key)
        stale = groups[key]
        share = words.percent(sum(stale) / len(stale))
        rows.append((name, f"{len(stale):,}", f"{sum(stale):,}", share))
    headings = words.names("heading", (column, "judgments", "stale", "share"))
    return Table(headings, rows, caption=words[f"caption.{column}s"])


def run_table(found: StaleFacts, words: Catalogue, digits: int = DIGITS) -> Table:
    """Returns every run's mean, without stale grades and with its range.

    Args:
        found: The result.
        words: The texts of the area `stale`.
        digits: Decimals.
    """
    style = words.style
    rows = []
    for one in found.runs:
        figures = one.figures
        rows.append(
            (
                one.run,
                style.number(figures.value, digits),
                style.number(figures.left_out, digits),
                style.interval((figures.bounds.low, figures.bounds.high), digits),
                _percent(one.value_share, words),
                _percent(one.weight_share, words),
            )
        )
    names = ("run", "value", "left_out", "range", "value_share", "weight_share")
    caption = words.say("caption.runs", measure=found.rules.measure)
    return Table(words.names("heading", names), rows, caption=caption, long=[0])


def _contrast_table(found: StaleFacts, words: Catalogue, digits: int) -> Table:
    style = words.style
    rows: list[Sequence[Cell | str]] = []
    for one in found.contrasts:
        figures = one.figures
        said = words["verdict.open" if one.undecided else "verdict.holds"]
        rows.append(
            (
                one.run,
                style.signed(figures.value, digits),
                style.signed(figures.left_out, digits),
                style.signed_interval((figures.bounds.low, figures.bounds.high), digits),
                Cell(said, "undecided" if one.undecided else ""),
            )
        )
    names = ("contrast", "difference", "left_out", "range", "verdict")
    caption = words.say("caption.contrasts", baseline=found.runs[0].run)
    return Table(words.names("heading", names), rows, caption=caption, long=[0])


def again_table(found: StaleFacts, words: Catalogue, digits: int = DIGITS) -> Table:
    """Returns the pairs to judge again first.

    Args:
        found: The result.
        words: The texts of the area `stale`.
        digits: Decimals.
    """
    rows = [
        (text or query, document, f"{grade:g}", words.style.number(reach, digits))
        for query, document, text, grade, reach in found.again.head(SHOWN)
        .select("query", "document", "query_text", "grade", "reach")
        .iter_rows()
    ]
    more = len(found.again) - len(rows)
    headings = words.names("heading", ("query", "document", "grade", "reach"))
    notes = [words.say("legend.more", count=more)] if more else []
    caption = words["caption.again"]
    return Table(headings, rows, caption=caption, left=2, long=[0, 1], notes=notes)


def reading(found: StaleFacts, words: Catalogue, digits: int = DIGITS) -> list[str]:
    """Returns how to read the tables.

    Args:
        found: The result.
        words: The texts of the area `stale`.
        digits: Decimals.
    """
    rules = found.rules
    states = words["list.comma"].join(words[f"state.{one}"] for one in rules.counted)
    lines = [
        words.say("fields", fields=list(rules.fields)),
        words.say("legend.states", near=words.percent(rules.near)),
        words.say("legend.counted", states=states)
        if rules.oldest is None
        else words.say("legend.older", states=states, days=round(rules.oldest)),
    ]
    if found.runs:
        levels = words["list.comma"].join(f"{one:g}" for one in rules.levels)
        lines.append(words.say("legend.range", measure=rules.measure, levels=levels))
        if not all(one.figures.bounds.exact for one in (*found.runs, *found.contrasts)):
            lines.append(words["legend.searched"])
        if found.counts["gone"] and "gone" in rules.counted:
            means = words["list.comma"].join(
                f"{one.run} {words.style.number(one.figures.without_gone, digits)}"
                for one in found.runs
            )
            lines.append(words.say("legend.gone", means=means))
        lines.append(words["legend.shares"])
        if len(found.again):
            lines.append(words["legend.again"])
    if found.needed is not None:
        within = words.style.number(rules.within or 0.0, digits)
        lines.append(
            words.say("legend.needed", within=within, needed=found.needed, again=len(found.again))
        )
    return lines


def _percent(share: float, words: Catalogue) -> str:
    return words["none"] if math.isnan(share) else words.percent(share)
