"""Sample-ratio mismatch: tests of group sizes against the plan, at one look or at every look."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from relyon.analysis.statistics.distributions import binomial_p, chi_square_tail

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

__all__ = ["Mismatch", "ratio_mismatch", "sequential_mismatch"]

#: The concentration of the sequential test's prior around the plan.
CONCENTRATION = 100.0


@dataclass(frozen=True)
class Mismatch:
    """The difference of sizes from the plan.

    Attributes:
        p: The p-value of the hypothesis that they follow the plan, for one look.
        statistic: Pearson's χ².
        expected: The expected sizes.
        largest: The index of the group with the largest relative deviation from the plan.
    """

    p: float
    statistic: float
    expected: tuple[float, ...]
    largest: int


def ratio_mismatch(observed: Sequence[float], planned: Sequence[float]) -> Mismatch:
    """Returns Pearson's χ² test of group sizes against planned shares.

    For two groups of whole sizes with fewer than five expected in one, the exact binomial test is
    used: χ² is not valid there.

    Args:
        observed: The size of each group; not all 0.
        planned: The share of each group, above 0; they need not add up to 1.

    Examples:
        >>> found = ratio_mismatch([5000, 5300], [1, 1])
        >>> round(found.statistic, 3), round(found.p, 4)
        (8.738, 0.0031)

    References:
        Fabijan et al. (2019), KDD: diagnosing sample ratio mismatch in online experiments.
    """
    whole, plan = math.fsum(observed), math.fsum(planned)
    expected = [whole * share / plan for share in planned]
    statistic = math.fsum(
        (one - other) ** 2 / other for one, other in zip(observed, expected, strict=True)
    )
    p = chi_square_tail(len(expected) - 1, statistic)
    if (
        len(expected) == 2
        and min(expected) < 5
        and all(float(one).is_integer() for one in observed)
    ):
        p = binomial_p(int(observed[0]), int(whole), planned[0] / plan)
    sizes = [abs(one / other - 1) for one, other in zip(observed, expected, strict=True)]
    largest = max(range(len(sizes)), key=sizes.__getitem__)
    return Mismatch(p, statistic, tuple(expected), largest)


def sequential_mismatch(groups: NDArray[np.int64], planned: Sequence[float]) -> NDArray[np.float64]:
    """Returns the p-value of group sizes after every arrival: valid at all of them together.

    The Bayes factor of a Dirichlet prior around the plan θ against the plan itself,

        B_n = Γ(c) / Γ(c + n) Π Γ(c θ_i + n_i) / Γ(c θ_i) / Π θ_i^{n_i},   c = 100,

    is a martingale that begins at 1 if arrivals follow the plan, so that it ever exceeds 1/α with
    probability α at most. p is the smallest 1 / B so far.

    Args:
        groups: The group of each arrival, from 0, in their order.
        planned: The share of each group, above 0; they need not add up to 1.

    Examples:
        >>> import numpy as np
        >>> p = sequential_mismatch(np.tile([0, 0, 1], 400), [1, 1])
        >>> round(float(p[0]), 9), bool(p[-1] < 1e-6)
        (1.0, True)

    References:
        Lindon and Malek (2022), Anytime-valid inference for multinomial count data, NeurIPS.
    """
    import numpy as np

    plan = math.fsum(planned)
    arrivals = np.arange(1, len(groups) + 1)
    # Γ(x + 1) = x Γ(x): each arrival is one factor.
    factors = 1 / (CONCENTRATION + arrivals - 1)
    for place, share in enumerate(planned):
        here = groups == place
        prior = CONCENTRATION * share / plan
        factors[here] *= (prior + np.arange(int(here.sum()))) * plan / share
    logarithm = np.cumsum(np.log(factors))
    p: NDArray[np.float64] = np.minimum.accumulate(np.exp(-np.maximum(logarithm, 0)))
    return p
