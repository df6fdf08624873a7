"""Methods that use ranks: scores need not be comparable."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar

from relyon.core.errors import ParameterError
from relyon.core.parameters import check_interval
from relyon.core.texts import message
from relyon.ltr.fusion.method import Method, Place, Reads, register

__all__ = ["ISR", "RBC", "RRF", "LogISR", "LogNISR"]


@register
@dataclass(frozen=True)
class RRF(Method):
    """Reciprocal rank fusion.

    Attributes:
        k: A constant added to each rank; the larger it is, the less the first ranks dominate.

    Examples:
        >>> import relyon
        >>> bm25 = {"q1": {"a": 9.1, "b": 7.5}}
        >>> dense = {"q1": {"b": 0.9, "c": 0.8}}
        >>> relyon.fuse([bm25, dense], "rrf", k=1).documents("q1")
        [('b', 0.8333333333333333), ('a', 0.5), ('c', 0.3333333333333333)]

    References:
        Cormack, Clarke and Büttcher (2009), SIGIR.
    """

    name: ClassVar[str] = "rrf"
    aliases: ClassVar[tuple[str, ...]] = ("reciprocal_rank_fusion",)
    formula: ClassVar[str] = "sum of w / (k + r)"
    reads: ClassVar[Reads] = "ranks"
    grid: ClassVar[Mapping[str, Sequence[float]]] = {"k": range(10, 101, 10)}

    k: float = 60

    def __post_init__(self) -> None:
        if self.k < 0:
            raise ParameterError(message("ltr.parameter-k-must-be-number", k=self.k))

    def points(self, place: Place) -> float:
        """One divided by k + rank."""
        return 1 / (self.k + place.rank)


@register
@dataclass(frozen=True)
class ISR(Method):
    """Inverse square ranks, times the number of runs that returned the document.

    References:
        Mourão, Martins and Magalhães (2015), Computerized Medical Imaging and Graphics 39.
    """

    name: ClassVar[str] = "isr"
    formula: ClassVar[str] = "n x sum of w / r^2"
    reads: ClassVar[Reads] = "ranks"

    def points(self, place: Place) -> float:
        """One divided by the square of the rank."""
        return 1 / place.rank**2

    def factor(self, count: int) -> float:
        """The number of runs."""
        return float(count)


@register
@dataclass(frozen=True)
class LogISR(ISR):
    """Inverse square ranks, times the logarithm of the number of runs.

    The score of a document that only one run returned is 0.

    References:
        Mourão, Martins and Magalhães (2015), Computerized Medical Imaging and Graphics 39.
    """

    name: ClassVar[str] = "log_isr"
    aliases: ClassVar[tuple[str, ...]] = ("logisr",)
    formula: ClassVar[str] = "ln(n) x sum of w / r^2"

    def factor(self, count: int) -> float:
        """The logarithm of the number of runs."""
        return math.log(count) if count else 0.0


@register
@dataclass(frozen=True)
class LogNISR(ISR):
    """Log_ISR with scores above 0 for documents of a single run.

    Attributes:
        sigma: A constant added to the number of runs, between 0 and 1.

    References:
        Mourão, Martins and Magalhães (2015), Computerized Medical Imaging and Graphics 39.
    """

    name: ClassVar[str] = "logn_isr"
    aliases: ClassVar[tuple[str, ...]] = ("lognisr",)
    formula: ClassVar[str] = "ln(n + sigma) x sum of w / r^2"
    grid: ClassVar[Mapping[str, Sequence[float]]] = {
        "sigma": [number / 100 for number in range(1, 101)]
    }

    sigma: float = 0.01

    def __post_init__(self) -> None:
        check_interval("sigma", self.sigma, 0, 1)

    def factor(self, count: int) -> float:
        """The logarithm of the number of runs plus sigma."""
        return math.log(count + self.sigma) if count else 0.0


@register
@dataclass(frozen=True)
class RBC(Method):
    """Rank-biased centroid: the sum of the weights of ranks in rank-biased precision.

    Attributes:
        phi: The persistence: the probability that a user goes on to the next document.

    References:
        Bailey, Moffat, Scholer and Thomas (2017), SIGIR.
    """

    name: ClassVar[str] = "rbc"
    formula: ClassVar[str] = "sum of w x (1 - phi) x phi^(r - 1)"
    reads: ClassVar[Reads] = "ranks"
    grid: ClassVar[Mapping[str, Sequence[float]]] = {
        "phi": [number / 100 for number in range(1, 100)]
    }

    phi: float = 0.8

    def __post_init__(self) -> None:
        check_interval("phi", self.phi, 0, 1)

    def points(self, place: Place) -> float:
        """The weight of a rank in rank-biased precision."""
        return float((1 - self.phi) * self.phi ** (place.rank - 1))
