"""Quality against latency: the measure of each run, and how long its answers took."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from relyon.core.texts import PAGE, catalogue as texts_of
from relyon.report.catalogue import Catalogue
from relyon.report.number_formats import label, number
from relyon.report.page import Block, Chart, Key, Prose, Section, Table

if TYPE_CHECKING:
    from relyon.engines import QualityAgainstLatency, RunPoint

__all__ = ["latency_chart", "latency_section"]

#: With more runs than this, only those that no other dominates have names in the chart.
NAMED = 8


def latency_section(found: QualityAgainstLatency, texts: Catalogue) -> Section:
    """Returns the chart of quality against latency, and the tables behind it."""
    from relyon.engines.quality import answer_table, contrast_table, reading, run_table

    words = texts_of("latency", texts.language, PAGE)
    measure = label(found.measure)
    table = run_table(found, words, measure)
    blocks: list[Block] = []
    drawn = [one for one in found.runs if _is_drawn(one)]
    if len(drawn) > 1:
        blocks.append(latency_chart(found, texts))
    blocks.append(table)
    if found.contrasts:
        blocks.append(contrast_table(found, words))
    blocks.append(answer_table(found, words))
    blocks.append(Prose(tuple(reading(found, words, measure))))
    return Section("latency", texts.say("section.latency"), tuple(blocks))


def _is_drawn(one: RunPoint) -> bool:
    return one.latency.p95 is not None and not math.isnan(one.value)


def latency_chart(found: QualityAgainstLatency, texts: Catalogue) -> Chart:
    """Returns a point per run: its measure against the 95th percentile of its latency."""
    drawn = [one for one in found.runs if _is_drawn(one)]
    times = [one.latency.p95 or 0.0 for one in drawn]
    middle = (min(times) + max(times)) / 2
    rows = tuple(
        {
            "name": one.run,
            "p95": p95,
            "value": one.value,
            "low": _or(one.interval, one.value)[0],
            "high": _or(one.interval, one.value)[1],
            "fast": _or(one.p95_interval, p95)[0],
            "slow": _or(one.p95_interval, p95)[1],
            "dominated": bool(one.dominated_by),
            "named": len(drawn) <= NAMED or not one.dominated_by,
            "side": "left" if p95 <= middle else "right",
            "text": texts.say(
                "latency.point",
                run=one.run,
                measure=label(found.measure),
                value=number(one.value),
                p95=number(p95, 1),
            ),
        }
        for one, p95 in zip(drawn, times, strict=True)
    )
    measure = label(found.measure)
    table = Table(
        (texts.say("table.run"), measure, texts.say("latency.p95")),
        tuple(
            (one.run, number(one.value), number(p95, 1))
            for one, p95 in zip(drawn, times, strict=True)
        ),
    )
    level = texts.percent(found.confidence)
    return Chart(
        drawing="against_latency",
        title=texts.say("latency.title", measure=measure),
        caption=texts.say("latency.caption", confidence=level),
        rows=rows,
        table=table,
        labels={"x": texts.say("latency.p95"), "y": measure},
        legend=(
            Key("solid", "blue", texts.say("latency.undominated")),
            Key("open", "muted", texts.say("latency.dominated")),
        ),
    )


def _or(bounds: tuple[float, float], value: float) -> tuple[float, float]:
    """Returns an interval, or the value itself if it has none."""
    return (value, value) if any(map(math.isnan, bounds)) else bounds
