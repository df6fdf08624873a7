"""A month's alarms as a message: a subject and a text."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from relyon.core.language import Language, check_language
from relyon.core.texts import Catalogue, catalogue
from relyon.online.monitoring.points import ALL
from relyon.online.monitoring.sentences import STYLE, change_sentence, losses_sentence, tier_name

if TYPE_CHECKING:
    from relyon.online.monitoring.alarms import Alarm
    from relyon.online.monitoring.timeline import Monitor

__all__ = ["alarm_message"]


def alarm_message(found: Monitor, *, language: Language = "en", link: str = "") -> tuple[str, str]:
    """Returns the subject and the text of a message on the last month.

    Args:
        found: The months.
        language: Of the message.
        link: Where to read more; empty without a page.

    Examples:
        >>> import polars as pl, relyon
        >>> log = pl.DataFrame({
        ...     "session": [f"s{i}" for i in range(40)],
        ...     "query": [f"q{i % 20}" for i in range(40)],
        ...     "position": [1] * 40, "doc": ["good", "bad"] * 20,
        ... })
        >>> rounds = []
        >>> for month, good in [("2026-03", 3), ("2026-04", 1)]:
        ...     sample = relyon.draw_sample(log, per_tier=40, cuts=[], names=["every"])
        ...     grades = {f"q{i}": {"good": good + i % 3, "bad": 1} for i in range(20)}
        ...     rounds.append(relyon.create_round(month, sample, grades))
        >>> subject, text = alarm_message(relyon.monitor(rounds), link="https://app.example/monitor")
        >>> subject.split("; ")[1]
        '2026-04: look at recall first (all tiers and every)'
        >>> text.splitlines()[0]
        'all tiers: DCG@20 fell from 2.450 to 1.450 (-1.000, -41%; p < 0.001).'
        >>> text.splitlines()[-1]
        'https://app.example/monitor'
    """
    check_language(language)
    texts = catalogue("monitoring", language, STYLE)
    raised = found.alarms()
    lines = _lines(found, raised, texts) if raised else _quiet(found, language)
    if link:
        lines += ["", link]
    return _subject(found, raised, texts), "\n".join(lines)


def _subject(found: Monitor, raised: list[Alarm], texts: Catalogue) -> str:
    month = found.months[-1]
    if not raised:
        return texts.say("alarm.single" if len(found.months) < 2 else "alarm.none-in", month=month)
    tiers: dict[str, list[str]] = {}
    for alarm in raised:
        tiers.setdefault(alarm.kind, []).append(tier_name(alarm.tier, texts.language))
    return texts["message.separator"].join(
        texts.say(
            "message.subject",
            alarm=texts.say(f"alarm.short.{kind}", month=month),
            tiers=names,
        )
        for kind, names in tiers.items()
    )


def _lines(found: Monitor, raised: list[Alarm], texts: Catalogue) -> list[str]:
    """Returns the lines of each tier: its alarms, the interval, and the cause."""
    lines: list[str] = []
    for tier in dict.fromkeys(alarm.tier for alarm in raised):
        mine = [alarm for alarm in raised if alarm.tier == tier]
        if lines:
            lines.append("")
        lines += [alarm.sentence(texts.language) for alarm in mine]
        difference = mine[0].change.dcg
        if not math.isnan(difference.interval[0]):
            lines.append(
                texts.say(
                    "message.interval",
                    difference=difference.value,
                    interval=difference.interval,
                    confidence=f"{found.confidence:.0%}",
                )
            )
        if mine[0].losses is not None:
            lines.append(losses_sentence(mine[0].losses, texts.language))
    return lines


def _quiet(found: Monitor, language: Language) -> list[str]:
    change = found.change(ALL, "common", found.months[-1])
    return [] if change is None else [change_sentence(change, language)]
