"""What a look at a month shows of its tiers, in numbers."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal

from relyon.core.document.json import json_number
from relyon.core.errors import UnknownNameError
from relyon.core.registry import suggestion
from relyon.core.texts import message
from relyon.data.convention import Convention
from relyon.online.monitoring.graded_month import Untested
from relyon.online.monitoring.points import Depth

__all__ = ["LookVerdict", "LookedMonth", "TierLook"]

LookVerdict = Literal["fell", "rose", "undecided"]


@dataclass(frozen=True)
class TierLook:
    """What the grades so far show of one tier, or of all tiers together.

    Attributes:
        tier: The tier, or `all`.
        depth: Whether `k` is the tier's `tier`, or `common` to all tiers.
        k: Ranks that count.
        graded: Sampled queries that are graded down to k.
        sampled: Sampled queries.
        mean: Mean DCG@k so far: of each tier over its graded sessions, tiers by their traffic.
        interval: Its interval, about the process and valid at every look of the month; NaN if
            there is none yet.
        before: The mean of the month before, over sessions that are graded down to k.
        change: mean - before.
        change_interval: Its interval, valid at every look of all watched months together.
        p: The p-value of no change, valid at every look of this month.
        p_adjusted: The same, corrected by Holm for the tiers, and times the watched months.
        verdict: `fell` or `rose` if `p_adjusted` is at most alpha, else `undecided`.
        untested: Why there is no test yet; empty if there is one.
    """

    tier: str
    depth: Depth
    k: int
    graded: int
    sampled: int
    mean: float
    interval: tuple[float, float]
    before: float = math.nan
    change: float = math.nan
    change_interval: tuple[float, float] = (math.nan, math.nan)
    p: float = math.nan
    p_adjusted: float = math.nan
    verdict: LookVerdict = "undecided"
    untested: Untested = ""

    def to_dict(self) -> dict[str, object]:
        """Returns JSON-ready values: NaN becomes null."""
        return {name: _json(value) for name, value in vars(self).items()}


def _json(value: object) -> object:
    if isinstance(value, tuple):
        return [json_number(one) for one in value]
    return json_number(value) if isinstance(value, float) else value


@dataclass(frozen=True, eq=False)
class LookedMonth:
    """One look at a month, in numbers; `MonthLook` documents the attributes."""

    month: str
    before: str
    tiers: tuple[TierLook, ...]
    watched_months: int
    alpha: float
    confidence: float
    convention: Convention

    @property
    def drops(self) -> tuple[TierLook, ...]:
        """The tiers that fell."""
        return tuple(one for one in self.tiers if one.verdict == "fell")

    def drops_of(self, tier: str | None) -> tuple[TierLook, ...]:
        """Returns the drops of one tier, or of `all`; None for those of each.

        Raises:
            UnknownNameError: If there is no such tier.
        """
        if tier is None:
            return self.drops
        names = [one.tier for one in self.tiers]
        if tier not in names:
            raise UnknownNameError(
                message("online.no-tier-is-called", tier=tier), hint=suggestion(tier, names)
            )
        return tuple(one for one in self.drops if one.tier == tier)
