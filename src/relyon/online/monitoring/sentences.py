"""Sentences of the monitor."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from relyon.core.language import Language, check_language
from relyon.core.texts import Catalogue, NumberStyle, Text, catalogue

if TYPE_CHECKING:
    from relyon.online.monitoring.change_attribution import Losses
    from relyon.online.monitoring.changes import MonthlyChange
    from relyon.online.monitoring.past_changes import PastChanges
    from relyon.online.monitoring.since import Since

__all__ = [
    "STYLE",
    "alarm_sentence",
    "change_sentence",
    "losses_sentence",
    "past_sentence",
    "since_sentence",
    "tier_name",
]


#: A DCG of a month's sample is known to two decimals or three.
STYLE = NumberStyle(digits=3)


def tier_name(tier: str, language: Language = "en") -> str:
    """Returns a tier's name as people read it.

    Examples:
        >>> tier_name("all"), tier_name("tail", "zh"), tier_name("mobile", "zh")
        ('all tiers', '低频', 'mobile')
    """
    return catalogue("common", language).name("tier", tier)


def change_sentence(change: MonthlyChange, language: Language = "en") -> str:
    """Returns a change with its numbers."""
    kind: str = change.verdict
    if math.isnan(change.dcg.p):
        kind = "unknown"
    elif kind == "undecided" and change.beyond_reach:
        kind = "hidden"
    elif kind == "undecided" and math.isnan(change.dcg.detectable):
        kind = "plain"
    return _texts(language).say(f"change.{kind}", **_numbers(change))


def past_sentence(past: PastChanges, tier: str, month: str, language: Language = "en") -> str:
    """Returns the spread of the months before, beside the last change."""
    return _texts(language).say(
        "past",
        tier=tier,
        month=month,
        difference=past.last,
        count=past.count,
        spread=past.spread,
        error=past.error,
    )


def since_sentence(change: Since, tier: str, k: int, first: str, language: Language = "en") -> str:
    """Returns the change since the first month."""
    return _texts(language).say(
        "since",
        tier=tier,
        measure=f"DCG@{k}",
        difference=change.value,
        first=first,
        interval=change.interval,
        p=change.p_adjusted,
    )


def alarm_sentence(
    kind: str, change: MonthlyChange, limit: float, language: Language = "en"
) -> str:
    """Returns an alarm with its numbers."""
    numbers = {"drop": -change.relative, "limit": limit, **_numbers(change)}
    return _texts(language).say(f"alarm.{kind}", **numbers)


def losses_sentence(losses: Losses, language: Language = "en") -> str:
    """Returns where a change comes from."""
    changes = losses.changes
    return _texts(language).say(
        f"cause.{losses.cause}",
        tier=losses.tier,
        recall=changes["recall_loss"].value,
        ranking=changes["ranking_loss"].value,
        ideal=changes["ideal"].value,
        recall_p=changes["recall_loss"].p,
        ranking_p=changes["ranking_loss"].p,
        k=losses.k,
        few=min(losses.sessions),
    )


def _texts(language: Language) -> Catalogue:
    check_language(language)
    return catalogue("monitoring", language, STYLE)


def _numbers(change: MonthlyChange) -> dict[str, object]:
    relative: Text | str = ""
    if not math.isnan(change.relative):
        relative = Text("monitoring.relative", {"share": change.relative})
    return {
        "tier": change.tier,
        "measure": f"DCG@{change.k}",
        "ndcg": f"NDCG@{change.k}",
        "before": change.before.dcg.value,
        "after": change.after.dcg.value,
        "difference": change.dcg.value,
        "relative": relative,
        "p": change.p_adjusted,
        "detectable": change.dcg.detectable,
        "ndcg_before": change.before.ndcg.value,
        "ndcg_after": change.after.ndcg.value,
    }
