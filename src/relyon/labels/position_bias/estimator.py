"""Estimators of position bias: the base class, its result, and the registry."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from relyon.core.packages import scipy_part
from relyon.core.registry import Registry

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from relyon.labels.log import ClickLog
    from relyon.labels.model import Values
    from relyon.labels.position_bias.swaps import Cells, Swaps

__all__ = ["Counts", "Estimate", "Estimator", "estimators", "register"]

#: The modules of the estimators, with the names that each registers.
MODULES = {
    "relyon.labels.position_bias.all_pairs": "all-pairs",
    "relyon.labels.position_bias.paths": "pivot chain",
    "relyon.labels.position_bias.em": "em",
}

#: The logarithm of a million.
WIDEST = 13.8

#: Every estimator of position bias by its name.
estimators: Registry[type[Estimator]] = Registry("estimator of position bias", modules=MODULES)


def register(estimator: type[Estimator]) -> type[Estimator]:
    """Adds an estimator: a class decorator."""
    return estimators.register(estimator)


@dataclass(frozen=True)
class Counts:
    """The input of estimators.

    Attributes:
        log: The log.
        cells: Its impressions and clicks by pair and position.
        swaps: Its documents shown at two positions.
        reference: The position whose examination is 1: an index.
        comparable: Whether each position can be compared with that one.
    """

    log: ClickLog
    cells: Cells
    swaps: Swaps
    reference: int
    comparable: NDArray[np.bool_]


@dataclass(frozen=True)
class Estimate:
    """An estimate: examination relative to the reference, on a logarithmic scale.

    Attributes:
        logs: log θ of each position; NaN where it has none.
        influence: By how much each group of queries moved it: shape (groups, positions).
        share: What part each group has in its variance if the model is right, in any unit: the
            same shape.
    """

    logs: Values
    influence: Values
    share: Values

    @property
    def queries(self) -> Values:
        """On how many queries each value rests, those of little traffic counting less."""
        return effective(self.share)


def effective(share: Values) -> Values:
    """Returns (Σ v)² / Σ v² of each column: as many rows as have equal parts; 0 for none.

    Examples:
        >>> import numpy as np
        >>> effective(np.array([[1.0, 8.0], [1.0, 1.0], [1.0, 0.0]])).round(2).tolist()
        [3.0, 1.25]
    """
    import numpy as np

    whole, squares = share.sum(axis=0), (share**2).sum(axis=0)
    found: Values = np.divide(whole**2, squares, out=np.zeros(share.shape[1]), where=squares > 0)
    return found


def half_widths(influence: Values, queries: Values, level: float) -> Values:
    """Returns half an interval around a sum of influences; NaN with fewer than two queries.

    It is also NaN if the interval extends beyond a million times the value.

    Queries are what varies: the standard error is that of a sum over them, and Student's t has as
    many degrees of freedom as there are effective queries, less one.
    """
    import numpy as np

    stdtrit = scipy_part("special").stdtrit

    enough = queries >= 2
    freedom = np.where(enough, queries - 1, 1.0)
    squares = (influence**2).sum(axis=0) * (freedom + 1) / freedom
    wide: Values = stdtrit(freedom, (1 + level) / 2)
    half = wide * np.sqrt(squares)
    found: Values = np.where(enough & (half < WIDEST), half, np.nan)
    return found


@dataclass(frozen=True)
class Estimator(ABC):
    """A way to estimate how often each position is seen."""

    name: ClassVar[str]
    title: ClassVar[str]

    @abstractmethod
    def estimate(self, counts: Counts) -> Estimate:
        """Estimates the examination of each position relative to the reference."""
