"""What must be said aloud about the last month."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

from relyon.core.errors import ParameterError, UnknownNameError
from relyon.core.language import Language
from relyon.core.lessons import lesson_of
from relyon.core.registry import suggestion
from relyon.core.texts import message
from relyon.online.monitoring.change_attribution import Losses
from relyon.online.monitoring.changes import MonthlyChange
from relyon.online.monitoring.points import ALL
from relyon.online.monitoring.sentences import alarm_sentence

__all__ = ["Alarm", "Kind", "find_alarms"]

Kind = Literal["fell", "beyond-limit", "recall"]


@dataclass(frozen=True)
class Alarm:
    """One reason to act.

    Attributes:
        kind: `fell`: DCG is lower than chance explains. `beyond-limit`: it is lower by more than
            what was allowed, chance or not. `recall`: DCG fell and NDCG does not show it.
        change: The change that it is about.
        losses: Where the change comes from, where that was asked.
        limit: The share that it was allowed to fall by, for `beyond-limit`.
    """

    kind: Kind
    change: MonthlyChange
    losses: Losses | None = None
    limit: float = math.nan

    @property
    def tier(self) -> str:
        """The tier, or `all`."""
        return self.change.tier

    @property
    def lesson(self) -> str:
        """The lesson of the course that explains it."""
        return lesson_of("monitoring", self.kind)

    def sentence(self, language: Language = "en") -> str:
        """Returns the alarm in a sentence, with its numbers."""
        return alarm_sentence(self.kind, self.change, self.limit, language)

    def to_dict(self) -> dict[str, Any]:
        """Returns JSON-ready values."""
        return {
            "kind": self.kind,
            "tier": self.tier,
            "k": self.change.k,
            "month": self.change.after.month,
            "limit": None if math.isnan(self.limit) else self.limit,
            "cause": self.losses.cause if self.losses is not None else None,
            "sentence": self.sentence(),
            "lesson": self.lesson,
        }


def find_alarms(
    changes: Sequence[MonthlyChange],
    losses: Sequence[Losses],
    *,
    tier: str | None = None,
    max_drop: float | None = None,
) -> list[Alarm]:
    """Returns the alarms about some changes.

    Args:
        changes: Those of one month.
        losses: Where they come from.
        tier: Only this tier, or `all`. It alone is tested, so that nothing is corrected.
        max_drop: The share that DCG may fall by: 0.05 is 5%.

    Raises:
        UnknownNameError: If there is no such tier.
        ParameterError: If `max_drop` does not lie between 0 and 1.
    """
    if max_drop is not None and not 0 <= max_drop <= 1:
        raise ParameterError(
            message(
                "the parameter `max_drop` must be between 0 and 1. Got `{max_drop}` instead.",
                max_drop=max_drop,
            ),
            hint="0.05 allows a fall of 5%",
        )
    watched = [one for one in changes if one.can_alarm]
    if tier is not None:
        names = [one.tier for one in watched]
        if watched and tier not in names:
            raise UnknownNameError(
                message("no tier is called `{tier}`", tier=tier), hint=suggestion(tier, names)
            )
        watched = [replace(one, p_adjusted=one.dcg.p) for one in watched if one.tier == tier]
    found = []
    for one in watched:
        because = next((loss for loss in losses if (loss.tier, loss.k) == (one.tier, one.k)), None)
        if one.verdict == "fell":
            found.append(Alarm("fell", one, because))
            if one.hidden:
                found.append(Alarm("recall", one, because))
        if max_drop is not None and one.relative < -max_drop:
            found.append(Alarm("beyond-limit", one, because, max_drop))
    return sorted(found, key=lambda alarm: alarm.tier != ALL)
