"""Alarms for the last month: one class each, registered by name."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import ClassVar, TypeVar

from relyon.core.errors import ParameterError, UnknownNameError
from relyon.core.language import Language
from relyon.core.lessons import lesson_of
from relyon.core.registry import Registry, suggestion
from relyon.core.texts import message
from relyon.online.monitoring.change_attribution import Losses
from relyon.online.monitoring.changes import MonthlyChange
from relyon.online.monitoring.points import ALL
from relyon.online.monitoring.sentences import alarm_sentence, change_sentence

__all__ = ["Alarm", "BeyondLimit", "Fell", "Recall", "alarms", "find_alarms", "register"]


@dataclass(frozen=True)
class Alarm(ABC):
    """One reason to act: the base class of the alarms.

    Attributes:
        kind: Its name; its sentences in the texts are `alarm.KIND` and `alarm.short.KIND`.
        change: The change that raises it.
        losses: The losses that the change comes from, if they are known.
        limit: The allowed drop as a share; NaN for alarms without a limit.
    """

    kind: ClassVar[str]

    change: MonthlyChange
    losses: Losses | None = None
    limit: float = math.nan

    @classmethod
    @abstractmethod
    def find(
        cls, change: MonthlyChange, losses: Losses | None, max_drop: float | None
    ) -> Alarm | None:
        """Returns the alarm that a change raises, or `None`.

        Args:
            change: The change of a tier, or of all tiers, to the last month.
            losses: The losses that it comes from, if they are known.
            max_drop: The share that DCG may fall by, if there is a limit.
        """

    @property
    def tier(self) -> str:
        """The tier, or `all`."""
        return self.change.tier

    @property
    def lesson(self) -> str:
        """The lesson of the course that explains it."""
        return lesson_of("monitoring", self.kind)

    def sentence(self, language: Language = "en") -> str:
        """Returns the alarm as a sentence with its numbers."""
        return alarm_sentence(self.kind, self.change, self.limit, language)

    def to_dict(self) -> dict[str, object]:
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


#: Every alarm by its name.
alarms: Registry[type[Alarm]] = Registry("alarm")

A = TypeVar("A", bound=type[Alarm])


def register(alarm: A) -> A:
    """Adds an alarm to those that `Monitor.alarms` looks for: a class decorator."""
    alarms.add(alarm.kind, alarm)
    return alarm


@register
class Fell(Alarm):
    """DCG dropped significantly."""

    kind = "fell"

    @classmethod
    def find(
        cls, change: MonthlyChange, losses: Losses | None, max_drop: float | None
    ) -> Alarm | None:
        """Returns the alarm if the drop is significant after correction."""
        return cls(change, losses) if change.verdict == "fell" else None

    def sentence(self, language: Language = "en") -> str:
        """Returns the change as a sentence: it says that DCG dropped."""
        return change_sentence(self.change, language)


@register
class Recall(Alarm):
    """DCG dropped and NDCG does not show it: the sign of a failing recall stage."""

    kind = "recall"

    @classmethod
    def find(
        cls, change: MonthlyChange, losses: Losses | None, max_drop: float | None
    ) -> Alarm | None:
        """Returns the alarm if DCG dropped significantly and NDCG did not."""
        return cls(change, losses) if change.hidden else None


@register
class BeyondLimit(Alarm):
    """DCG dropped by more than the given limit, significant or not."""

    kind = "beyond-limit"

    @classmethod
    def find(
        cls, change: MonthlyChange, losses: Losses | None, max_drop: float | None
    ) -> Alarm | None:
        """Returns the alarm if the relative drop exceeds the limit."""
        if max_drop is None or not change.relative < -max_drop:
            return None
        return cls(change, losses, max_drop)


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
                "online.parameter-max-drop",
                max_drop=max_drop,
            ),
            hint=message("online.share-of-allowed-fall"),
        )
    watched = [one for one in changes if one.can_alarm]
    if tier is not None:
        names = [one.tier for one in watched]
        if watched and tier not in names:
            raise UnknownNameError(
                message("online.no-tier-is-called", tier=tier), hint=suggestion(tier, names)
            )
        watched = [replace(one, p_adjusted=one.dcg.p) for one in watched if one.tier == tier]
    found: list[Alarm] = []
    for one in watched:
        because = next((loss for loss in losses if (loss.tier, loss.k) == (one.tier, one.k)), None)
        raised = (kind.find(one, because, max_drop) for kind in alarms.registered())
        found += [alarm for alarm in raised if alarm is not None]
    return sorted(found, key=lambda alarm: alarm.tier != ALL)
