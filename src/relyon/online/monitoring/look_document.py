"""A look at a month as a table and sentences."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from relyon.core.document.model import Document, Lines, Points, Section, Table
from relyon.core.language import Language, check_language
from relyon.core.texts import catalogue
from relyon.measures.display_names import convention_line
from relyon.online.monitoring.sentences import STYLE, tier_name

if TYPE_CHECKING:
    from relyon.online.monitoring.looked_month import LookedMonth, TierLook

__all__ = ["look_document", "look_sentence", "look_sentences"]

SIGNS = {"fell": "▼", "rose": "▲", "undecided": "·"}


def look_document(found: LookedMonth, language: Language) -> Document:
    """Returns a look: every tier with its mean so far and its change, and what may be concluded.

    Args:
        found: The look.
        language: `en` or `zh`.
    """
    check_language(language)
    words = catalogue("monitoring", language, STYLE)
    level = f"{100 * found.confidence:g}%"
    headings = (
        words["words.tier"],
        words["look.graded"],
        words["look.mean"],
        words.say("words.interval", confidence=level),
        found.before or words["words.before"],
        words["words.change"],
        words.say("words.interval", confidence=level),
        words["words.p"],
        "",
    )
    rows = [
        (
            f"{tier_name(one.tier, language)} (DCG@{one.k})",
            f"{one.graded:,}/{one.sampled:,}",
            _number(one.mean),
            _interval(one.interval),
            _number(one.before),
            "-" if math.isnan(one.change) else STYLE.signed(one.change),
            _interval(one.change_interval),
            "-" if math.isnan(one.p_adjusted) else STYLE.p_value(one.p_adjusted),
            "-" if one.untested else SIGNS[one.verdict],
        )
        for one in found.tiers
    ]
    legend = words.say(
        "look.legend", alpha=found.alpha, months=found.watched_months, month=found.month
    )
    rules = convention_line(found.convention, [f"dcg@{found.tiers[0].k}"], language=language)
    return Document(
        [
            Section("", "", [Table(headings, rows)]),
            Section(
                "",
                words["words.alarms"],
                [Points(look_sentences(found, language) or [words["words.quiet"]])],
            ),
            Lines([legend, words["look.order-rule"], words["words.common-effects"], rules]),
        ],
        words.say("look.title", month=found.month),
    )


def look_sentences(found: LookedMonth, language: Language, tier: str | None = None) -> list[str]:
    """Returns what a look shows: the tiers that fell, and why others are not tested yet.

    Args:
        found: The look.
        language: `en` or `zh`.
        tier: Only this tier, or `all`.
    """
    words = catalogue("monitoring", language, STYLE)
    tiers = [one for one in found.tiers if tier in (None, one.tier)]
    said = [look_sentence(one, found, language) for one in tiers if one.verdict == "fell"]
    by_reason: dict[str, list[str]] = {}
    for one in tiers:
        if one.untested:
            by_reason.setdefault(one.untested, []).append(tier_name(one.tier, language))
    return said + [words.say(f"look.{reason}", tiers=names) for reason, names in by_reason.items()]


def look_sentence(one: TierLook, found: LookedMonth, language: Language = "en") -> str:
    """Returns what a look shows of one tier that fell."""
    return catalogue("monitoring", language, STYLE).say(
        "look.fell",
        tier=one.tier,
        measure=f"DCG@{one.k}",
        before=one.before,
        after=one.mean,
        difference=one.change,
        p=one.p_adjusted,
        graded=one.graded,
        sampled=one.sampled,
        month=found.month,
    )


def _number(value: float) -> str:
    return "-" if math.isnan(value) else STYLE.number(value)


def _interval(ends: tuple[float, float]) -> str:
    return "-" if math.isnan(ends[0]) else STYLE.interval(ends)
