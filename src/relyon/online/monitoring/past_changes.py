"""How far months differed before: what a change of all queries at once is compared with."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from relyon.core.document.json import json_number
from relyon.online.monitoring.changes import MonthlyChange

__all__ = ["ENOUGH_ROUNDS", "PastChanges", "past_changes"]

#: Rounds from which on the spread of earlier changes is shown: four of them before the last.
ENOUGH_ROUNDS = 6


@dataclass(frozen=True)
class PastChanges:
    """The changes of a tier before the last one.

    Attributes:
        count: How many.
        spread: Their root mean square: what a month is usually away from the one before, for any
            reason.
        error: The root mean square of their standard errors: what the sampling of queries and
            sessions explains of it. Effects common to a month are the rest.
        last: The last change.
    """

    count: int
    spread: float
    error: float
    last: float

    def to_dict(self) -> dict[str, object]:
        """Returns JSON-ready values: NaN becomes null."""
        return {name: json_number(value) for name, value in vars(self).items()}


def past_changes(changes: Sequence[MonthlyChange]) -> PastChanges | None:
    """Returns the spread of the changes before the last one; `None` for fewer than six rounds.

    Args:
        changes: The changes of one tier at one depth, the earliest first.

    References:
        Cameron and Miller (2015), Journal of Human Resources 50(2): effects common to a group are
        not in the error of its members.
    """
    known = [one for one in changes if not math.isnan(one.dcg.value)]
    if len(known) < ENOUGH_ROUNDS - 1:
        return None
    *before, last = known
    errors = [one.dcg.standard_error for one in before]
    return PastChanges(
        len(before),
        _root_mean_square([one.dcg.value for one in before]),
        _root_mean_square([error for error in errors if not math.isnan(error)]),
        last.dcg.value,
    )


def _root_mean_square(values: Sequence[float]) -> float:
    return math.sqrt(math.fsum(value**2 for value in values) / len(values)) if values else math.nan
