"""The draw and the estimate as tables and sentences."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from relyon.core.document.model import Block, Document, Lines, Table
from relyon.core.texts import Catalogue, Language, catalogue
from relyon.core.texts.numbers import DIGITS

if TYPE_CHECKING:
    from relyon.analysis.next_pairs.facts import DrawFacts, EstimateFacts

__all__ = ["estimate_document", "pairs_document"]


def estimate_document(
    found: EstimateFacts, *, digits: int = DIGITS, language: Language = "en"
) -> Document:
    """Returns the estimate, what it rests on, and how to read it.

    Args:
        found: The estimate.
        digits: Decimals.
        language: `en` or `zh`.
    """
    words = catalogue("next_pairs", language)
    blocks: list[Block] = [_facts(found, words, digits), Lines(_reading(found, words))]
    return Document(blocks, words.say("estimate", measure=found.measure))


def pairs_document(
    found: DrawFacts, *, digits: int = DIGITS, language: Language = "en", limit: int = 10
) -> Document:
    """Returns the first pairs, and the estimate so far.

    Args:
        found: The pairs.
        digits: Decimals.
        language: `en` or `zh`.
        limit: How many pairs are shown.
    """
    words = catalogue("next_pairs", language)
    style = words.style
    names = ("order", "query", "document", "probability", "weight")
    rows = [
        (
            f"{one.order:,}",
            one.query,
            one.document,
            f"{one.probability:.3g}",
            style.signed(one.weight, digits),
        )
        for one in found.drawn[:limit]
    ]
    title = words.say("pairs", count=len(found), left=found.left)
    blocks: list[Block] = []
    if rows:
        headings = words.names("heading", names)
        blocks.append(
            Table(headings, rows, caption=_caption(found, limit, words), left=3, long=[1, 2])
        )
    estimate = found.estimate
    if estimate.drawn or estimate.complete:
        blocks.append(Lines([words.say("so_far", measure=estimate.measure)]))
        blocks += [_facts(estimate, words, digits), Lines(_reading(estimate, words))]
    else:
        blocks.append(Lines([words["grade_in_order"]]))
    return Document(blocks, title)


def _caption(found: DrawFacts, limit: int, words: Catalogue) -> str:
    shown = min(limit, len(found))
    if shown == len(found):
        return words.say("all_shown", covered=words.percent(found.covered))
    return words.say("first_shown", shown=shown, covered=words.percent(found.covered))


def _facts(found: EstimateFacts, words: Catalogue, digits: int) -> Table:
    """Returns the numbers as rows of a name and a value."""
    style = words.style
    rows = [(words["fact.value"], style.signed(found.value, digits))]
    if not math.isnan(found.low):
        level = words.percent(found.confidence)
        shown = style.signed_interval((found.low, found.high), digits)
        rows.append((words.say("fact.interval", level=level), shown))
        rows.append((words["fact.error"], style.number(found.error, digits)))
        rows.append((words["fact.draw_error"], style.number(found.draw_error, digits)))
    rows += [
        (words["fact.queries"], f"{found.queries:,}"),
        (words["fact.drawn"], f"{found.drawn:,}"),
        (words["fact.left"], f"{found.left:,}"),
    ]
    if found.skipped:
        rows.append((words["fact.skipped"], f"{found.skipped:,}"))
    if found.left and not math.isnan(found.next_half):
        name = words.say("fact.next_half", count=min(found.next_budget, found.left))
        rows.append(
            (name, f"{style.number(found.half, digits)} → {style.number(found.next_half, digits)}")
        )
    return Table(["", ""], rows)


def _reading(found: EstimateFacts, words: Catalogue) -> list[str]:
    """Returns what the numbers mean."""
    lines = []
    if found.complete:
        lines.append(words["reading.complete"])
    elif math.isnan(found.low):
        lines.append(words["reading.no_interval"])
    if not math.isnan(found.low):
        name = "reading.of_queries" if found.complete else "reading.interval"
        lines.append(words[name])
    return lines
