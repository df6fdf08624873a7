"""Trends over the months: every tier, and DCG next to NDCG."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

from relyon.core.texts import catalogue as monitoring_texts
from relyon.online.monitoring import ALL, Point
from relyon.online.monitoring.monitor_document import note_line, since_sentences
from relyon.online.monitoring.sentences import tier_name
from relyon.report.catalogue import Catalogue
from relyon.report.monthly import DIGITS, TONES, typeset
from relyon.report.number_formats import MARKS, number, p_value, signed
from relyon.report.page import (
    Block,
    Cell,
    Chart,
    Columns,
    Details,
    Key,
    Prose,
    Section,
    Table,
)

if TYPE_CHECKING:
    from relyon.online.monitoring import Monitor

__all__ = ["beside_section", "trend_section"]

#: Colours and strokes of tiers, the most frequent queries first.
LINES = (("blue", ""), ("orange", "7 3"), ("green", "2 3"), ("purple", "8 3 2 3"), ("sky", "4 2"))
WHOLE, HALF = 640, 420


def trend_section(found: Monitor, texts: Catalogue) -> Section:
    """Returns the section that shows every tier over the months."""
    series = []
    for tier, (role, dash) in zip(found.tiers, LINES, strict=False):
        name = f"{tier_name(tier, texts.language)} DCG@{found.depths[tier]}"
        series.append((name, role, dash, found.series(tier)))
    caption = texts.say("monitor.trend_caption", confidence=texts.percent(found.confidence))
    chart = _lines(found, series, "dcg", texts.say("monitor.trend_title"), caption, "DCG", texts)
    blocks: list[Block] = [chart]
    since = [typeset(text) for text in since_sentences(found, texts.language)]
    if since:
        blocks.append(Prose(tuple(since)))
    for tier, depth in found.alert_series:
        points = found.series(tier, depth)
        name = f"{tier_name(tier, texts.language)} DCG@{points[-1].k}"
        table = _months(found, points, texts)
        blocks.append(Details(texts.say("monitor.details", tier=name), (table,)))
    if any(depth != found.common_k for depth in found.depths.values()):
        blocks.append(_common(found, texts))
    return Section("trend", texts.say("monitor.trend"), tuple(blocks))


def _common(found: Monitor, texts: Catalogue) -> Table:
    """Returns every tier at the common depth."""
    headings = (
        texts.say("monitor.tier"),
        *found.months,
        texts.say("monitor.change"),
        texts.say("table.corrected"),
    )
    rows: list[tuple[Cell | str, ...]] = []
    for tier in found.tiers:
        by_month = {one.month: one.dcg.value for one in found.series(tier, "common")}
        values = (number(by_month.get(month, math.nan), DIGITS) for month in found.months)
        one = found.change(tier, "common", found.months[-1])
        tone = TONES[one.verdict] if one else ""
        rows.append(
            (
                tier_name(tier, texts.language),
                *values,
                Cell(signed(one.dcg.value, DIGITS), tone, MARKS[tone]) if one and tone else "–",
                p_value(one.p_adjusted) if one else "–",
            )
        )
    return Table(headings, tuple(rows), texts.say("monitor.common", k=found.common_k))


def _months(found: Monitor, points: Sequence[Point], texts: Catalogue) -> Table:
    k = points[-1].k
    headings = (
        texts.say("monitor.month"),
        f"DCG@{k}",
        texts.say("table.interval", confidence=texts.percent(found.confidence)),
        texts.say("monitor.change"),
        texts.say("table.p"),
        texts.say("table.corrected"),
        texts.say("table.detectable"),
        f"NDCG@{k}",
    )
    rows: list[tuple[Cell | str, ...]] = []
    for point in points:
        one = found.change(point.tier, point.depth, point.month)
        tone = TONES[one.verdict] if one else ""
        rows.append(
            (
                point.month,
                number(point.dcg.value, DIGITS),
                _interval(point.dcg.interval),
                Cell(signed(one.dcg.value, DIGITS), tone, MARKS[tone]) if one and tone else "–",
                p_value(one.dcg.p) if one else "–",
                p_value(one.p_adjusted) if one else "–",
                number(one.dcg.detectable, DIGITS) if one else "–",
                number(point.ndcg.value, DIGITS),
            )
        )
    return Table(headings, tuple(rows))


def _interval(interval: tuple[float, float]) -> str:
    low, high = interval
    return "–" if math.isnan(low) else f"{number(low, DIGITS)} … {number(high, DIGITS)}"


def _noted(found: Monitor, texts: Catalogue) -> list[dict[str, object]]:
    """Returns the months with notes, and these."""
    words = monitoring_texts("monitoring", texts.language)
    by_month: dict[str, list[str]] = {}
    for one in found.month_notes:
        by_month.setdefault(one.month, []).append(note_line(one, words))
    return [{"month": month, "text": " ".join(said)} for month, said in by_month.items()]


def _lines(
    found: Monitor,
    series: Sequence[tuple[str, str, str, Sequence[Point]]],
    measure: str,
    title: str,
    caption: str,
    axis: str,
    texts: Catalogue,
) -> Chart:
    rows: list[dict[str, object]] = []
    cells = []
    for name, _, _, points in series:
        for point in points:
            mean = point.dcg if measure == "dcg" else point.ndcg
            low, high = mean.interval
            change = found.change(point.tier, point.depth, point.month)
            verdict = change.verdict if change and measure == "dcg" else "undecided"
            interval = _interval(mean.interval)
            cells.append((point.month, name, number(mean.value, DIGITS), interval))
            if math.isnan(mean.value):
                continue
            colon = texts.say("list.colon")
            text = f"{point.month} {name}{colon}{number(mean.value, DIGITS)} ({interval})"
            rows.append(
                {
                    "month": point.month,
                    "series": name,
                    "value": mean.value,
                    "low": mean.value if math.isnan(low) else low,
                    "high": mean.value if math.isnan(high) else high,
                    "verdict": TONES[verdict],
                    "text": text,
                }
            )
    headings = (
        texts.say("monitor.month"),
        texts.say("monitor.tier"),
        axis,
        texts.say("table.interval", confidence=texts.percent(found.confidence)),
    )
    legend = [Key("line", role, name, dash) for name, role, dash, _ in series]
    if len(series) > 1 and found.month_notes:
        legend.append(Key("solid", "muted", texts.say("monitor.noted")))
    return Chart(
        drawing="trend",
        title=title,
        caption=caption,
        rows=tuple(rows),
        table=Table(headings, tuple(cells), left=2),
        labels={"x": texts.say("monitor.axis_month"), "y": axis},
        values={
            "months": found.months,
            # Side by side, each chart has half the width.
            "width": WHOLE if len(series) > 1 else HALF,
            "series": [(name, role, dash) for name, role, dash, _ in series],
            "noted": _noted(found, texts) if len(series) > 1 else [],
        },
        legend=tuple(legend) if len(series) > 1 else (),
    )


def month_note_sections(found: Monitor, texts: Catalogue) -> list[Section]:
    """Returns the section with the notes on months, if there are any."""
    if not found.month_notes:
        return []
    words = monitoring_texts("monitoring", texts.language)
    lines = tuple(note_line(one, words) for one in found.month_notes)
    return [Section("month-notes", words["words.notes"], (Prose(lines),))]


def beside_section(found: Monitor, texts: Catalogue) -> Section:
    """Returns the section with DCG and NDCG side by side."""
    k = found.common_k
    points = found.series(ALL, "common")
    name = texts.say("monitor.all_tiers")
    charts = []
    for measure, role in (("dcg", "blue"), ("ndcg", "purple")):
        title = texts.say(f"monitor.{measure}_title", k=k)
        caption = texts.say(f"monitor.{measure}_caption")
        axis = f"{measure.upper()}@{k}"
        charts.append(
            _lines(found, [(name, role, "", points)], measure, title, caption, axis, texts)
        )
    hidden = [alarm.sentence(texts.language) for alarm in found.alarms() if alarm.kind == "recall"]
    fine = [texts.say("monitor.beside_fine", last=found.months[-1])]
    told = (hidden or fine) if len(found.months) > 1 else []
    blocks: list[Block] = [*([Prose(tuple(told))] if told else [])]
    blocks.append(Columns(((charts[0],), (charts[1],))))
    return Section("ndcg", texts.say("monitor.beside"), tuple(blocks))
