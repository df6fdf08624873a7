"""Methods that add up scores, or choose one of them."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import median
from typing import ClassVar

from relyon.ltr.fusion.method import Kernel, Method, register

__all__ = [
    "WMNZ",
    "CombANZ",
    "CombGMNZ",
    "CombMAX",
    "CombMED",
    "CombMIN",
    "CombMNZ",
    "CombSUM",
    "Mixed",
    "WeightedSum",
]


@register
@dataclass(frozen=True)
class CombMIN(Method):
    """The lowest score of the document in any run.

    References:
        Fox and Shaw (1993), TREC-2.
    """

    name: ClassVar[str] = "min"
    aliases: ClassVar[tuple[str, ...]] = ("combmin", "comb_min")
    formula: ClassVar[str] = "min of s over the runs that returned the document"
    weighted: ClassVar[bool] = False

    def combined(self, given: Sequence[float], weights: Sequence[float]) -> float:
        """The lowest."""
        return min(given)

    def kernel(self) -> Kernel:
        """The arguments of the native core."""
        return Kernel(combine="minimum")


@register
@dataclass(frozen=True)
class CombMAX(Method):
    """The highest score of the document in any run.

    References:
        Fox and Shaw (1993), TREC-2.
    """

    name: ClassVar[str] = "max"
    aliases: ClassVar[tuple[str, ...]] = ("combmax", "comb_max")
    formula: ClassVar[str] = "max of s over the runs that returned the document"
    weighted: ClassVar[bool] = False

    def combined(self, given: Sequence[float], weights: Sequence[float]) -> float:
        """The highest."""
        return max(given)

    def kernel(self) -> Kernel:
        """The arguments of the native core."""
        return Kernel(combine="maximum")


@register
@dataclass(frozen=True)
class CombMED(Method):
    """The median of the scores; of an even number, the mean of the middle two.

    References:
        Fox and Shaw (1993), TREC-2.
    """

    name: ClassVar[str] = "med"
    aliases: ClassVar[tuple[str, ...]] = ("combmed", "comb_med", "median")
    formula: ClassVar[str] = "median of s over the runs that returned the document"
    weighted: ClassVar[bool] = False

    def combined(self, given: Sequence[float], weights: Sequence[float]) -> float:
        """The middle."""
        return median(given)

    def kernel(self) -> Kernel:
        """The arguments of the native core."""
        return Kernel(combine="median")


@register
@dataclass(frozen=True)
class CombSUM(Method):
    """The sum of the scores; a run that lacks the document adds 0.

    References:
        Fox and Shaw (1993), TREC-2.
    """

    name: ClassVar[str] = "sum"
    aliases: ClassVar[tuple[str, ...]] = ("combsum", "comb_sum")
    formula: ClassVar[str] = "sum of w x s"


@register
@dataclass(frozen=True)
class WeightedSum(CombSUM):
    """CombSUM with a weight per run: the linear combination of scores.

    References:
        Vogt and Cottrell (1999), Information Retrieval 1(3).
    """

    name: ClassVar[str] = "wsum"
    aliases: ClassVar[tuple[str, ...]] = ("weighted_sum", "linear", "lincomb")
    needs_weights: ClassVar[bool] = True


@register
@dataclass(frozen=True)
class CombANZ(Method):
    """The mean of the scores over the runs that returned the document.

    References:
        Fox and Shaw (1993), TREC-2.
    """

    name: ClassVar[str] = "anz"
    aliases: ClassVar[tuple[str, ...]] = ("combanz", "comb_anz")
    formula: ClassVar[str] = "sum of s / n, n the runs that returned the document"
    weighted: ClassVar[bool] = False

    def combined(self, given: Sequence[float], weights: Sequence[float]) -> float:
        """The mean."""
        return sum(sorted(given)) / len(given)

    def kernel(self) -> Kernel:
        """The arguments of the native core."""
        return Kernel(combine="mean")


@register
@dataclass(frozen=True)
class CombMNZ(Method):
    """The sum of the scores times the number of runs that returned the document.

    References:
        Fox and Shaw (1993), TREC-2.
    """

    name: ClassVar[str] = "mnz"
    aliases: ClassVar[tuple[str, ...]] = ("combmnz", "comb_mnz")
    formula: ClassVar[str] = "n x sum of w x s"

    def factor(self, count: int) -> float:
        """The number of runs."""
        return float(count)


@register
@dataclass(frozen=True)
class CombGMNZ(Method):
    """CombMNZ with a power of the number of runs: 0 gives CombSUM, 1 CombMNZ.

    Attributes:
        gamma: The power.

    References:
        Lee (1997), SIGIR.
    """

    name: ClassVar[str] = "gmnz"
    aliases: ClassVar[tuple[str, ...]] = ("combgmnz", "comb_gmnz")
    formula: ClassVar[str] = "n^gamma x sum of w x s"
    grid: ClassVar[Mapping[str, Sequence[float]]] = {
        "gamma": [number / 100 for number in range(1, 101)]
    }

    gamma: float = 0.5

    def factor(self, count: int) -> float:
        """A power of the number of runs."""
        return float(count**self.gamma) if count else 0.0


@register
@dataclass(frozen=True)
class WMNZ(Method):
    """CombMNZ with the sum of the runs' weights in place of their number.

    References:
        Wu and Crestani (2002), CIKM.
    """

    name: ClassVar[str] = "wmnz"
    formula: ClassVar[str] = "(sum of w) x (sum of s), over the runs that returned the document"
    needs_weights: ClassVar[bool] = True

    def combined(self, given: Sequence[float], weights: Sequence[float]) -> float:
        """The sum of the scores times that of the weights."""
        return sum(sorted(given)) * sum(weights)

    def kernel(self) -> Kernel:
        """The arguments of the native core."""
        return Kernel(weigh_sum=True)


@register
@dataclass(frozen=True)
class Mixed(Method):
    """The weighted sum times the square root of the number of runs, between CombSUM and CombMNZ.

    References:
        Wu and Crestani (2002), CIKM.
    """

    name: ClassVar[str] = "mixed"
    formula: ClassVar[str] = "sqrt(n) x sum of w x s"
    needs_weights: ClassVar[bool] = True

    def factor(self, count: int) -> float:
        """The square root of the number of runs."""
        return math.sqrt(count)
