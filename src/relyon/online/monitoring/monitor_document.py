"""The monitor as tables and sentences."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

from relyon.core.document.model import Document, Lines, Points, Section, Table
from relyon.core.language import Language, check_language
from relyon.core.lessons import lesson_line
from relyon.core.texts import Catalogue, catalogue
from relyon.measures.display_names import convention_line
from relyon.online.monitoring.month_notes import MonthNote
from relyon.online.monitoring.points import ALL, Point
from relyon.online.monitoring.powered_months import powered_section
from relyon.online.monitoring.sentences import (
    STYLE,
    change_sentence,
    losses_sentence,
    past_sentence,
    since_sentence,
    tier_name,
)
from relyon.online.monitoring.trend import Trend

if TYPE_CHECKING:
    import polars as pl

__all__ = ["legend_lines", "monitor_document", "note_line", "past_sentences", "since_sentences"]

ARROWS = {"fell": "▼", "rose": "▲", "undecided": "·"}


def monitor_document(found: Trend, language: Language, queries: int) -> Document:
    """Returns the monitor: every tier month by month, alarms, causes, and queries to look at.

    Args:
        found: The monitor.
        language: `en` or `zh`.
        queries: How many of the worst, and of those that fell most.
    """
    check_language(language)
    words = catalogue("monitoring", language, STYLE)
    most = max((one.dcg.value for one in found.points if one.dcg.value > 0), default=0.0)
    blocks = []
    for tier, depth in found.alert_series:
        points = found.series(tier, depth)
        bars = [point.dcg.value / most if most > 0 else 0.0 for point in points]
        blocks.append(
            Section("", _group(points[-1], words), [Table(*_rows(found, points, words), bars=bars)])
        )
    headings, rows = _common_rows(found, words, language)
    if rows:
        title = f"{words['words.common']} (DCG@{found.common_k})"
        blocks.append(Section("", title, [Table(headings, rows)]))
    if found.powered:
        blocks.append(powered_section(found.powered, words, found.confidence))
    for title, sentences in _sections(found, words, language):
        blocks.append(Section("", title, [Points(sentences)]))
    for title, frame in _query_frames(found, words, queries):
        table = Table(*_query_rows(frame, found, words, language), long=[0])
        blocks.append(Section("", title, [table]))
    if found.month_notes:
        lines = [note_line(one, words) for one in found.month_notes]
        blocks.append(Section("", words["words.notes"], [Points(lines)]))
    rules = convention_line(found.convention, [f"dcg@{found.common_k}"], language=language)
    return Document([*blocks, Lines([*legend_lines(found, language), rules])], _title(found, words))


def note_line(note: MonthNote, words: Catalogue) -> str:
    """Returns a note on a month, with its writer and day, in one line."""
    by = words.say("note.by", by=note.by, day=note.at[:10]) if note.by or note.at else ""
    return words.say(f"note.{note.kind}", month=note.month, text=note.text, by=by)


def _title(found: Trend, words: Catalogue) -> str:
    name = "words.title" if len(found.months) > 1 else "words.one"
    return words.say(name, first=found.months[0], last=found.months[-1])


def _group(point: Point, words: Catalogue) -> str:
    name = "words.all" if point.tier == ALL else "words.group"
    return words.say(name, tier=point.tier, share=point.share, sampled=point.sampled)


def _rows(
    found: Trend, points: Sequence[Point], words: Catalogue
) -> tuple[tuple[str, ...], list[tuple[str, ...]]]:
    k = points[-1].k
    headings = (
        words["words.month"],
        f"DCG@{k}",
        words.say("words.interval", confidence=f"{100 * found.confidence:g}%"),
        words["words.change"],
        words["words.p"],
        "",
        f"NDCG@{k}",
        words["words.judged"],
    )
    rows: list[tuple[str, ...]] = []
    for point in points:
        change = found.change(point.tier, point.depth, point.month)
        rows.append(
            (
                point.month,
                STYLE.number(point.dcg.value),
                STYLE.interval(point.dcg.interval),
                STYLE.signed(change.dcg.value) if change else "",
                STYLE.p_value(change.p_adjusted) if change else "",
                ARROWS[change.verdict] if change else "",
                STYLE.number(point.ndcg.value),
                words.style.short_percent(point.judged),
            )
        )
    return headings, rows


def _common_rows(
    found: Trend, words: Catalogue, language: Language
) -> tuple[tuple[str, ...], list[tuple[str, ...]]]:
    """Each tier at the common depth, where that is not its own."""
    tiers = [tier for tier in found.tiers if found.depths[tier] != found.common_k]
    if not tiers:
        return (), []
    # The last months that fit beside each other.
    months = found.months[-4:]
    rows = []
    for tier in found.tiers:
        by_month = {one.month: one for one in found.series(tier, "common")}
        change = found.change(tier, "common", found.months[-1])
        cells = [
            STYLE.number(by_month[month].dcg.value) if month in by_month else "-"
            for month in months
        ]
        rows.append(
            (
                tier_name(tier, language),
                *cells,
                STYLE.signed(change.dcg.value) if change else "",
                STYLE.p_value(change.p_adjusted) if change else "",
                ARROWS[change.verdict] if change else "",
            )
        )
    return (words["words.tier"], *months, words["words.change"], words["words.p"], ""), rows


def _sections(found: Trend, words: Catalogue, language: Language) -> list[tuple[str, list[str]]]:
    alarms = found.alarms()
    sections = []
    if len(found.months) > 1:
        sentences = [alarm.sentence(language) for alarm in alarms] or [words["words.quiet"]]
        lessons = dict.fromkeys(alarm.lesson for alarm in alarms)
        sentences += [lesson_line(lesson, language) for lesson in lessons]
        sections.append((words["words.alarms"], sentences))
        said = {alarm.tier for alarm in alarms if alarm.kind == "fell"}
        watched = [one for one in found.latest() if one.can_alarm and one.tier not in said]
        sentences = [change_sentence(one, language) for one in watched]
        total = found.change(ALL, "common", found.months[-1])
        if total is not None and not math.isnan(total.mix) and abs(total.mix) >= 0.0005:
            sentences.append(words.say("words.mix", mix=total.mix))
        if sentences:
            sections.append((words.say("words.last", last=found.months[-1]), sentences))
        since = since_sentences(found, language)
        if since:
            sections.append((words.say("words.since", first=found.months[0]), since))
        past = past_sentences(found, language)
        if past:
            sections.append((words["words.past"], past))
        sections.append(
            (words["words.cause"], [losses_sentence(one, language) for one in found.losses])
        )
    return sections


def legend_lines(found: Trend, language: Language) -> list[str]:
    """Returns what intervals, p and marks are about, and what lies outside them."""
    words = catalogue("monitoring", language, STYLE)
    if len(found.months) < 2:
        return [words["words.single"]]
    lines = [words.say("words.legend", alpha=found.alpha), words["words.about"]]
    return [*lines, words["words.common-effects"]]


def past_sentences(found: Trend, language: Language) -> list[str]:
    """Returns the spread of each tier's earlier changes, where there are six rounds or more."""
    return [
        past_sentence(past, tier, found.months[-1], language)
        for tier, depth in found.alert_series
        if (past := found.past_changes(tier, depth)) is not None
    ]


def since_sentences(found: Trend, language: Language) -> list[str]:
    """Returns how far each tier is from its first month, where there are three or more.

    The last sentence gives the number of looks that their p-values are for.
    """
    sentences = []
    for tier, depth in found.alert_series:
        change = found.since_first(tier, depth)
        if change is not None:
            points = found.series(tier, depth)
            sentences.append(since_sentence(change, tier, points[-1].k, points[0].month, language))
    if sentences:
        words = catalogue("monitoring", language, STYLE)
        sentences.append(words.say("words.look", alpha=found.alpha))
    return sentences


def _query_frames(found: Trend, words: Catalogue, count: int) -> list[tuple[str, pl.DataFrame]]:
    frames = []
    if count:
        title = words.say("words.worst", last=found.months[-1], k=found.common_k)
        frames = [(title, found.worst(count)), (words["words.fallen"], found.largest_drops(count))]
    return [(title, frame) for title, frame in frames if len(frame)]


def _query_rows(
    frame: pl.DataFrame, found: Trend, words: Catalogue, language: Language
) -> tuple[tuple[str, ...], list[tuple[str, ...]]]:
    headings = (
        words["words.query"], words["words.tier"], words["words.sessions"], f"DCG@{found.common_k}",
        f"NDCG@{found.common_k}", words["words.before"], words["words.change"],
    )  # fmt: skip
    rows: list[tuple[str, ...]] = [
        (
            row["query"],
            tier_name(row["tier"], language),
            f"{row['sessions']:,}",
            STYLE.number(row["dcg"]),
            STYLE.number(_number(row["ndcg"])),
            STYLE.number(_number(row["before"])),
            STYLE.signed(_number(row["change"])),
        )
        for row in frame.iter_rows(named=True)
    ]
    return headings, rows


def _number(value: float | None) -> float:
    return math.nan if value is None else value
