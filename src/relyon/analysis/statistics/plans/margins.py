"""The queries that show a difference to be within a margin, planned from those of a pilot."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from relyon.analysis.statistics.plans.tests import RANK_TESTS, plan_test
from relyon.analysis.statistics.power import ENOUGH_QUERIES

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

__all__ = ["MarginPlan"]


@dataclass(frozen=True)
class MarginPlan:
    """How many queries rule out a loss of a margin, or a loss and a gain of it.

    The test of D > -M is that of a difference of M + δ if δ is the true difference, so
    n = (z_{α/2} + z_β)² s² / (M + δ)² + z²_{α/2} / 2 as for any difference, with the allowance for
    an estimated s that `plan_test` makes. Both sides together miss at most as often as each does:
    for δ = 0 each is planned for the power 1 - β / 2. And with the probability 1 - β at least six
    of the queries must change, as fewer show nothing about the others.

    Attributes:
        differences: Those of the pilot, one per query; a gain is positive.
        margin: M, above 0.
        test: The name of the test.
        changed: How many of the pilot's queries changed.
        alpha: The level of each side's two-sided p-value.
        beyond: From a size and a power to what more queries can show of that size, if some of the
            error does not shrink with them, as of repeated runs.

    Examples:
        >>> import numpy as np
        >>> pilot = np.random.default_rng(0).normal(0.0, 0.1, 40)
        >>> plan = MarginPlan(pilot, 0.05, "t", 40)
        >>> plan.not_worse(0.8), plan.not_worse(0.8, 0.02), plan.equal(0.8)
        (23, 13, 31)

    References:
        Julious (2004), Statistics in Medicine 23(12): sample sizes for equivalence and
        non-inferiority.
    """

    differences: NDArray[np.float64]
    margin: float
    test: str
    changed: int
    alpha: float = 0.05
    beyond: Callable[[float, float], float] | None = None

    def not_worse(self, power: float, truth: float = 0.0) -> int:
        """Returns the queries that rule out a loss of the margin; 0 if unknown or impossible.

        Args:
            power: 1 - β.
            truth: δ, the true difference; a gain is positive.

        Raises:
            ParameterError: If `alpha` or `power` is not between 0 and 1.
        """
        size = self.margin + truth
        if self.beyond is not None and size > 0:
            size = self.beyond(size, power)
        if not size > 0 or self.changed < ENOUGH_QUERIES:
            return 0
        shifted = self.test in RANK_TESTS
        pilot = self.differences + self.margin if shifted else self.differences
        found = plan_test(pilot, size, self.test, alpha=self.alpha, power=power)
        return max(found, self._least(power)) if found else 0

    def equal(self, power: float) -> int:
        """Returns the queries that rule out a loss and a gain of the margin, without a difference.

        Args:
            power: 1 - β.

        Raises:
            ParameterError: If `alpha` or `power` is not between 0 and 1.
        """
        return self.not_worse(1 - (1 - power) / 2)

    def _least(self, power: float) -> int:
        """Returns how many queries have six that change, with a probability of 1 - β."""
        share = self.changed / len(self.differences)
        if share >= 1:
            return ENOUGH_QUERIES

        def missed(count: int) -> float:
            return math.fsum(
                math.comb(count, changed) * share**changed * (1 - share) ** (count - changed)
                for changed in range(ENOUGH_QUERIES)
            )

        high = ENOUGH_QUERIES
        while missed(high) > 1 - power:
            high *= 2
        low = high // 2
        while high - low > 1:
            middle = (low + high) // 2
            low, high = (middle, high) if missed(middle) > 1 - power else (low, middle)
        return high
