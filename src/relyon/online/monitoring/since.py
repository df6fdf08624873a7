"""The change of every tier since the first month, corrected for the number of tiers."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TypeVar

from relyon.analysis.statistics import adjust
from relyon.online.monitoring.changes import Difference

__all__ = ["Since", "correct_since"]


@dataclass(frozen=True)
class Since(Difference):
    """The change from a tier's first month to its last.

    Attributes:
        p_adjusted: The p-value corrected by Holm for the tiers that are tested together, for one
            look: nothing is corrected for the months at which it was computed before.
        tests: How many are tested together.
    """

    p_adjusted: float = math.nan
    tests: int = 1


KeyT = TypeVar("KeyT")


def correct_since(found: Mapping[KeyT, Difference]) -> dict[KeyT, Since]:
    """Returns the changes of a family with their corrected p-values.

    References:
        Holm (1979), Scandinavian Journal of Statistics 6(2).
    """
    corrected = adjust([one.p for one in found.values()], "holm")
    return {
        key: Since(**vars(one), p_adjusted=p, tests=len(found))
        for (key, one), p in zip(found.items(), corrected, strict=True)
    }
