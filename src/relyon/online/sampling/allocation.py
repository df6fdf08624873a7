"""The allocation of a sample to tiers."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Literal

from relyon.core.errors import ParameterError
from relyon.core.parameters import check_choice
from relyon.core.texts import message

__all__ = ["ALLOCATIONS", "LEAST", "Allocation", "allocate"]

Allocation = Literal["equal", "proportional", "neyman"]
ALLOCATIONS: tuple[Allocation, ...] = ("equal", "proportional", "neyman")
#: Fewer sessions of a tier than this have no variance.
LEAST = 2


def allocate(
    sizes: Sequence[int],
    total: int,
    allocation: Allocation = "equal",
    *,
    deviations: Sequence[float] | None = None,
) -> list[int]:
    """Divides a sample over strata.

    With N_h the size of stratum h, W_h = N_h / N and s_h its standard deviation, n_h is
    proportional to 1 (`equal`), to W_h (`proportional`) or to W_h s_h (`neyman`), which has the
    least variance of all. Shares are rounded by largest remainders. A stratum that is not empty
    gives at least two sessions, for its variance; one that is smaller than its part gives all it
    has. What it cannot give falls to the others, except under `equal`, where each keeps its part.

    Args:
        sizes: Sessions of each stratum.
        total: Sessions wanted of all strata together.
        allocation: How they are divided.
        deviations: Standard deviations of the strata, from a pilot; `neyman` needs them.

    Raises:
        ParameterError: If the allocation is unknown, or a number is invalid.

    Examples:
        >>> allocate([100, 100, 800], 30, "proportional")
        [3, 3, 24]
        >>> allocate([100, 100, 800], 30, "neyman", deviations=[0.4, 0.4, 0.1])
        [8, 7, 15]
        >>> allocate([5, 100, 0], 30)
        [5, 10, 0]

    References:
        Neyman (1934), Journal of the Royal Statistical Society 97(4); Cochran (1977), Sampling
        Techniques, 3rd edition, 5.5 and 5.8.
    """
    check_choice("allocation", allocation, ALLOCATIONS)
    if total < 1:
        raise ParameterError(message("online.parameter-total-must-be-1", total=total))
    if allocation == "equal":
        parts = _rounded([1.0] * len(sizes), total)
        return [min(size, part) for size, part in zip(sizes, parts, strict=True)]
    weights = [float(size) for size in sizes]
    if allocation == "neyman":
        weights = [
            size * deviation
            for size, deviation in zip(sizes, _checked(deviations, len(sizes)), strict=True)
        ]
        if not any(weights):
            weights = [float(size) for size in sizes]
    return _bounded(sizes, weights, total)


def _checked(deviations: Sequence[float] | None, count: int) -> list[float]:
    if deviations is None or len(deviations) != count:
        raise ParameterError(
            message("online.allocation-neyman-needs-standard"),
            hint=message("online.such-as-deviations-head"),
        )
    found = [float(deviation) for deviation in deviations]
    if not all(math.isfinite(deviation) and deviation >= 0 for deviation in found):
        raise ParameterError(message("online.standard-deviations-must-be-numbers"))
    return found


def _bounded(sizes: Sequence[int], weights: Sequence[float], total: int) -> list[int]:
    """Proportional parts, each between the least number and the stratum's size."""
    least = [min(size, LEAST) for size in sizes]
    fixed: dict[int, int] = {}
    while True:
        free = [place for place in range(len(sizes)) if place not in fixed]
        left = max(0, total - sum(fixed.values()))
        parts = dict(zip(free, _rounded([weights[place] for place in free], left), strict=True))
        above = {place: sizes[place] for place in free if parts[place] > sizes[place]}
        below = {place: least[place] for place in free if parts[place] < least[place]}
        # One side at a time: what is fixed on one side may free or take from the other.
        surplus = sum(parts[place] - size for place, size in above.items())
        deficit = sum(size - parts[place] for place, size in below.items())
        if not above and not below:
            return [fixed.get(place, parts.get(place, 0)) for place in range(len(sizes))]
        fixed.update(above if surplus >= deficit and above else below)


def _rounded(weights: Sequence[float], total: int) -> list[int]:
    """Whole parts of a total by largest remainders; equal remainders to the first."""
    whole = math.fsum(weights)
    if whole <= 0:
        return [0] * len(weights)
    exact = [weight / whole * total for weight in weights]
    parts = [math.floor(share) for share in exact]
    order = sorted(range(len(weights)), key=lambda place: (parts[place] - exact[place], place))
    for place in order[: total - sum(parts)]:
        parts[place] += 1
    return parts
