"""Paired significance tests, by name."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from relyon.analysis.statistics.differences import effect_size, standard_deviation
from relyon.analysis.statistics.distributions import binomial_p, signed_rank_p, student
from relyon.analysis.statistics.power import least_p
from relyon.core.parameters import check_whole
from relyon.core.registry import Registry

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

__all__ = ["PairedTest", "Resampling", "TestResult", "paired_test", "tests"]


@dataclass(frozen=True)
class TestResult:
    """The result of a test.

    Attributes:
        statistic: Its statistic, NaN if undefined.
        p: Two-sided p-value; 1 if all differences are 0, NaN with too little data.
    """

    statistic: float
    p: float


@dataclass(frozen=True)
class Resampling:
    """The options of resampling tests.

    Attributes:
        resamples: Number of resamples.
        seed: Equal seeds give identical results.
        threads: 0 uses all cores.
    """

    resamples: int = 10_000
    seed: int = 0
    threads: int = 0

    def __post_init__(self) -> None:
        for name, least in (("resamples", 1), ("seed", 0), ("threads", 0)):
            check_whole(name, getattr(self, name), least=least)


class PairedTest(ABC):
    """A two-sided test of the hypothesis that paired differences have no direction.

    Attributes:
        name: The name in options and results.
        title: The name in prose.
    """

    name: ClassVar[str]
    title: ClassVar[str]

    def __call__(self, differences: NDArray[np.float64], resampling: Resampling) -> TestResult:
        """Tests differences, one per query.

        Fewer than two differences have no p-value, nor have differences that are NaN or infinite;
        if all are 0 it is 1.
        """
        return self.settled(differences) or self.result(differences, resampling)

    @staticmethod
    def settled(differences: NDArray[np.float64]) -> TestResult | None:
        """Returns the result for differences that need no test, or `None`."""
        import numpy as np

        if len(differences) < 2 or not np.isfinite(differences).all():
            return TestResult(math.nan, math.nan)
        return None if differences.any() else TestResult(0.0, 1.0)

    @abstractmethod
    def result(self, differences: NDArray[np.float64], resampling: Resampling) -> TestResult:
        """Tests two or more differences that are not all 0."""


tests: Registry[PairedTest] = Registry("test")


def register(kind: type[PairedTest]) -> type[PairedTest]:
    """Class decorator that registers a test by its name."""
    tests.add(kind.name, kind())
    return kind


def paired_test(
    name: str,
    differences: NDArray[np.float64],
    *,
    resamples: int = 10_000,
    seed: int = 0,
    threads: int = 0,
) -> TestResult:
    """Tests paired differences.

    Args:
        name: `t`, `wilcoxon`, `sign`, `permutation` or `bootstrap`.
        differences: One per query, in an order that does not depend on the input's.
        resamples: Number of resamples of resampling tests.
        seed: Seed of resampling tests.
        threads: Threads of resampling tests.

    Raises:
        UnknownNameError: If the test is unknown.
        ParameterError: If `resamples`, `seed` or `threads` is invalid.

    Examples:
        >>> import numpy as np
        >>> round(paired_test("t", np.array([0.1, 0.2, 0.0, 0.3])).p, 4)
        0.1027
    """
    return tests.get(name)(differences, Resampling(resamples, seed, threads))


def tidy(differences: NDArray[np.float64]) -> NDArray[np.float64]:
    """Returns differences without their rounding noise, so that equal ones are equal.

    0.7 - 0.6 and 0.4 - 0.3 are different floats. This must not affect ranks: differences are
    rounded to 40 binary digits of the largest.
    """
    import numpy as np

    shift = 40 - math.frexp(float(np.abs(differences).max(initial=0.0)))[1]
    return np.asarray(np.ldexp(np.rint(np.ldexp(differences, shift)), -shift))


@register
class TTest(PairedTest):
    """Student's paired t test: t = mean √n / standard deviation, n - 1 degrees of freedom.

    Equal nonzero differences have no spread, so t does not exist: p is that of n signs that agree,
    2^(1 - n).

    References:
        Student (1908), Biometrika 6(1). Urbano, Lima and Hanjalic (2019), SIGIR: of the
        usual tests, its error rates are closest to nominal on search results.
    """

    name = "t"
    title = "paired t test"

    def result(self, differences: NDArray[np.float64], resampling: Resampling) -> TestResult:
        count = len(differences)
        if standard_deviation(differences) == 0:
            p = max(least_p(count), math.ulp(0.0))
            return TestResult(math.copysign(math.inf, differences[0]), p)
        statistic = effect_size(differences) * math.sqrt(count)
        p = 2 * student(count - 1, -abs(statistic))
        return TestResult(statistic, max(p, math.ulp(0.0)))


@register
class Wilcoxon(PairedTest):
    """Wilcoxon's signed-rank test: differences of 0 are left out, ties share their ranks.

    Exact for up to 50 differences without ties and up to 13 with them, else the normal
    approximation without continuity correction. The statistic is the smaller sum of ranks.

    References:
        Wilcoxon (1945), Biometrics Bulletin 1(6).
    """

    name = "wilcoxon"
    title = "Wilcoxon signed-rank test"

    def result(self, differences: NDArray[np.float64], resampling: Resampling) -> TestResult:
        kept = tidy(differences)
        statistic, p = signed_rank_p(kept[kept != 0])
        return TestResult(statistic, max(p, math.ulp(0.0)))


@register
class Sign(PairedTest):
    """The sign test: are wins and losses equally likely? Ties are left out.

    The statistic is the number of wins.

    References:
        Conover (1999), Practical Nonparametric Statistics, §3.4.
    """

    name = "sign"
    title = "sign test"

    def result(self, differences: NDArray[np.float64], resampling: Resampling) -> TestResult:
        wins, losses = int((differences > 0).sum()), int((differences < 0).sum())
        return TestResult(float(wins), binomial_p(wins, wins + losses))
