"""Questions without an answer as tables and sentences."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from relyon.core.document.model import Block, Cell, Document, Lines, Table, Tone
from relyon.core.texts import Catalogue, Language, catalogue
from relyon.core.texts.numbers import DIGITS, PAGE, NumberStyle

if TYPE_CHECKING:
    from relyon.analysis.abstention.facts import AbstentionFacts
    from relyon.analysis.abstention.rates import Rate

__all__ = [
    "abstention_document",
    "contrast_table",
    "curve_table",
    "reading",
    "shown_threshold",
    "system_table",
]

MARKS: dict[str, tuple[Tone, str]] = {
    "better": ("better", "▲"),
    "worse": ("worse", "▼"),
    "undecided": ("undecided", "·"),
}


def abstention_document(
    found: AbstentionFacts, *, digits: int = DIGITS, language: Language = "en"
) -> Document:
    """Returns the systems, the contrasts, and how to read them.

    Args:
        found: The result.
        digits: Decimals.
        language: `en` or `zh`.
    """
    words = catalogue("abstention", language)
    blocks: list[Block] = [
        *_halves(system_table(found, words, digits)),
        curve_table(found, words, digits),
    ]
    if found.contrasts:
        blocks.append(contrast_table(found, words, digits))
    title = words.say("title", answerable=found.answerable, unanswerable=found.unanswerable)
    return Document([*blocks, Lines(reading(found, words))], title)


def _halves(table: Table) -> list[Table]:
    """Returns the answers and their errors as two tables: as one it is wider than a terminal."""
    first, second = (0, 1, 2, 3), (0, 4, 5, 6)
    parts = [
        (
            [table.headings[place] for place in places],
            [[row[place] for place in places] for row in table.rows],
        )
        for places in (first, second)
    ]
    return [
        Table(*parts[0], caption=table.caption, long=[0]),
        Table(*parts[1], long=[0]),
    ]


def system_table(found: AbstentionFacts, words: Catalogue, digits: int = DIGITS) -> Table:
    """Returns what each system does at its threshold, each rate with its interval.

    Args:
        found: The result.
        words: The texts of the area `abstention`.
        digits: Decimals.
    """
    style = words.style
    headings = [
        words["heading.system"],
        words["heading.threshold"],
        words["heading.false_answer_rate"],
        words["heading.coverage"],
        words.say("heading.right", k=found.rules.k),
        words["heading.error"],
        words["heading.risk"],
    ]
    rows = []
    for one in found.systems:
        rates = [
            _rate(rate, style, digits)
            for rate in (one.false_answer_rate, one.coverage, one.right, one.error)
        ]
        shown = shown_threshold(one.threshold, words)
        rows.append((one.system, shown, *rates, style.number(one.risk, digits)))
    caption = words.say("systems", level=words.percent(found.rules.confidence))
    return Table(headings, rows, caption=caption, long=[0])


def curve_table(found: AbstentionFacts, words: Catalogue, digits: int = DIGITS) -> Table:
    """Returns the numbers of each system over all thresholds.

    Args:
        found: The result.
        words: The texts of the area `abstention`.
        digits: Decimals.
    """
    style = words.style
    names = ("system", "auroc", "risk_area", "perfect")
    rows = [
        (
            one.system,
            _rate(one.auroc, style, digits),
            style.number(one.curve.risk_area, digits),
            style.number(one.curve.perfect_area, digits),
        )
        for one in found.systems
    ]
    return Table(words.names("heading", names), rows, caption=words["curves"], long=[0])


def contrast_table(found: AbstentionFacts, words: Catalogue, digits: int = DIGITS) -> Table:
    """Returns every candidate against the baseline.

    Args:
        found: The result.
        words: The texts of the area `abstention`.
        digits: Decimals.
    """
    style = words.style
    names = ("system", "measure", "difference", "interval", "p", "p_adjusted", "queries")
    rows = []
    for one in found.contrasts:
        tone, mark = MARKS[one.verdict]
        mark = "○" if style is PAGE and one.verdict == "undecided" else mark
        rows.append(
            (
                one.candidate,
                words[f"measure.{one.measure}"],
                Cell(style.signed(one.difference, digits), tone, mark),
                style.signed_interval(one.bounds, digits),
                style.p_value(one.p),
                style.p_value(one.p_adjusted),
                f"{one.queries:,}",
            )
        )
    caption = words.say("contrasts", baseline=found.systems[0].system)
    return Table(words.names("heading", names), rows, caption=caption, left=2, long=[0])


def reading(found: AbstentionFacts, words: Catalogue) -> list[str]:
    """Returns how to read the tables: definitions, the rule of the threshold, the base rate.

    Args:
        found: The result.
        words: The texts of the area `abstention`.
    """
    style, rate = words.style, found.choice.base_rate
    percent = f"{rate:.4g}"
    rule = found.choice
    value = style.percent(rule.value) if rule.rule == "target" else f"{rule.value:.4g}"
    said = words.say(f"rule.{rule.rule}", value=value)
    if found.tuned:
        said += words["list.semicolon"] + words["where.tuned"]
    elif found.crossed:
        said += words["list.semicolon"] + words.say("where.parts", folds=found.rules.folds)
    lines = [
        said,
        words.say("legend.answers", k=found.rules.k),
        words.say(
            "legend.error",
            share=percent,
            rest=f"{1 - rate:.4g}",
            source=words["legend.own" if found.rules.base_rate is None else "legend.given"],
        ),
        words["legend.curves"],
    ]
    if found.contrasts:
        correction = catalogue("tables", words.language).name("correction", found.rules.correction)
        told = words.say("legend.contrasts", correction=correction, alpha=f"{found.rules.alpha:g}")
        lines.append(words["legend.right_answers"] + words["list.semicolon"] + told)
    return lines


def shown_threshold(threshold: float, words: Catalogue) -> str:
    """Returns a threshold as text; an infinite one answers nothing.

    Args:
        threshold: The threshold; NaN if there is none.
        words: The texts of the area `abstention`.
    """
    if math.isnan(threshold):
        return words.style.nothing
    return words["nothing"] if math.isinf(threshold) else f"{threshold:.4g}"


def _rate(rate: Rate, style: NumberStyle, digits: int) -> str:
    """Returns a rate with its interval."""
    value = style.number(rate.value, digits)
    return value if math.isnan(rate.low) else f"{value} {style.interval(rate.bounds, digits)}"
