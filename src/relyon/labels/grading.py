"""From labels between 0 and 1 to grades: by thresholds, by quantiles, or with caution."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from relyon.core.errors import ParameterError
from relyon.core.parameters import check_fraction, check_whole
from relyon.core.registry import Registry
from relyon.core.texts import message
from relyon.labels.beta import exceeds

if TYPE_CHECKING:
    import numpy as np
    import polars as pl
    from numpy.typing import NDArray

    from relyon.labels.beta import Values

__all__ = ["Grading", "Posterior", "Quantiles", "Thresholds", "gradings", "parse_grading"]

#: Every way to grade labels by its name.
gradings: Registry[type[Grading]] = Registry("grading")


@dataclass(frozen=True)
class Grading(ABC):
    """How labels become grades 0, 1, 2 …"""

    name: ClassVar[str]

    @abstractmethod
    def bounds(self, labels: Values) -> Values:
        """Returns the thresholds of the grades 1, 2 …, given all labels."""

    def grades(self, labels: Values, weights: Values, bounds: Values) -> NDArray[np.int64]:
        """Returns the grade of each label: how many thresholds it reaches."""
        import numpy as np

        return np.searchsorted(bounds, labels, side="right").astype(np.int64)

    @classmethod
    @abstractmethod
    def parse(cls, values: Sequence[float]) -> Grading:
        """Returns the grading that the numbers after its name mean."""

    def apply(self, labels: pl.DataFrame) -> tuple[pl.DataFrame, tuple[float, ...]]:
        """Grades labels, and the ends of their intervals by the thresholds.

        Args:
            labels: With the columns `grade`, `low`, `high` and `weight`.

        Returns:
            The labels with the grades as whole numbers in place of the probabilities, and a column
            `label` that keeps those; and the thresholds.
        """
        import numpy as np
        import polars as pl

        value, weight = (labels.get_column(one).to_numpy() for one in ("grade", "weight"))
        bounds = np.asarray(self.bounds(value), float)
        graded = self.grades(value, weight, bounds)
        low, high = (
            np.searchsorted(bounds, labels.get_column(end).to_numpy(), side="right")
            for end in ("low", "high")
        )
        found = labels.with_columns(
            grade=pl.Series(graded.astype(float)),
            low=pl.Series(np.minimum(low, graded).astype(float)),
            high=pl.Series(np.maximum(high, graded).astype(float)),
            label=pl.Series(value),
        )
        return found, tuple(map(float, bounds))


def _check_ascending(bounds: Sequence[float]) -> None:
    for bound in bounds:
        check_fraction("thresholds", bound)
    if not bounds or list(bounds) != sorted(set(bounds)):
        raise ParameterError(
            message(
                "labels.thresholds-must-be-ascending",
                bounds=[f"{one:g}" for one in bounds],
            ),
            hint=message("labels.such-as-0-1"),
        )


@gradings.register
@dataclass(frozen=True)
class Thresholds(Grading):
    """A label has the grade of the highest threshold that it reaches.

    Attributes:
        thresholds: Thresholds of the grades 1, 2 …, ascending, between 0 and 1.

    Examples:
        >>> import numpy as np
        >>> Thresholds((0.1, 0.5)).grades(np.array([0.05, 0.1, 0.7]), None, [0.1, 0.5]).tolist()
        [0, 1, 2]
    """

    name: ClassVar[str] = "threshold"
    thresholds: tuple[float, ...]

    def __post_init__(self) -> None:
        _check_ascending(self.thresholds)

    def bounds(self, labels: Values) -> Values:
        """The thresholds."""
        import numpy as np

        return np.array(self.thresholds)

    @classmethod
    def parse(cls, values: Sequence[float]) -> Grading:
        """Takes the thresholds."""
        return cls(tuple(values))


@gradings.register
@dataclass(frozen=True)
class Posterior(Thresholds):
    """A label has the highest grade whose threshold it reaches with a given probability.

    Cautious: what rests on little evidence has a low grade. The label is taken as Beta distributed
    with its mean and its effective impressions.

    Attributes:
        thresholds: Thresholds of the grades 1, 2 …, ascending, between 0 and 1.
        confidence: The probability.

    Examples:
        >>> import numpy as np
        >>> labels, weights = np.array([0.6, 0.6]), np.array([3.0, 300.0])
        >>> Posterior((0.5,), 0.9).grades(labels, weights, np.array([0.5])).tolist()
        [0, 1]
    """

    name: ClassVar[str] = "posterior"
    confidence: float = 0.9

    def __post_init__(self) -> None:
        super().__post_init__()
        check_fraction("confidence", self.confidence)

    def grades(self, labels: Values, weights: Values, bounds: Values) -> NDArray[np.int64]:
        """Counts the thresholds that are reached with the probability."""
        import numpy as np

        reached = [exceeds(labels, weights, bound) >= self.confidence for bound in bounds]
        found: NDArray[np.int64] = np.sum(reached, axis=0).astype(np.int64)
        return found


@gradings.register
@dataclass(frozen=True)
class Quantiles(Grading):
    """As many labels in each grade: thresholds between equal parts of all labels.

    Equal labels have equal grades: parts differ where many are equal, and all labels have the grade
    0 where none differs. A grade is relative to all documents of this log.

    Attributes:
        count: How many grades, 2 or more.

    Examples:
        >>> import numpy as np
        >>> Quantiles(4).bounds(np.array([0.1, 0.2, 0.3, 0.4])).tolist()
        [0.2, 0.3, 0.4]
    """

    name: ClassVar[str] = "quantile"
    count: int

    def __post_init__(self) -> None:
        check_whole("count", self.count, least=2)

    def bounds(self, labels: Values) -> Values:
        """The label at which each further part begins; infinite where no label is above."""
        import numpy as np

        ordered = np.sort(labels)
        count = len(ordered)
        found = []
        for part in range(1, self.count):
            place = min(-(-count * part // self.count), count - 1)
            first, behind = (
                int(np.searchsorted(ordered, ordered[place], side)) for side in ("left", "right")
            )
            # Equal labels go up or down together, whichever moves fewer of them.
            ends = [one for one in (first, behind) if 0 < one < count]
            nearest = min(ends, key=lambda end: abs(end - place), default=None)
            found.append(math.inf if nearest is None else float(ordered[nearest]))
        return np.array(found)

    @classmethod
    def parse(cls, values: Sequence[float]) -> Grading:
        """Takes how many grades."""
        count = values[0] if len(values) == 1 else 0
        return cls(int(count) if count == int(count) else 0)


def parse_grading(text: str) -> Grading:
    """Returns a grading by its name and numbers.

    Raises:
        ParameterError: If the numbers cannot be used.
        UnknownNameError: If the grading is unknown.

    Examples:
        >>> parse_grading("threshold=0.1,0.5")
        Thresholds(thresholds=(0.1, 0.5))
        >>> parse_grading("quantile=4")
        Quantiles(count=4)
    """
    name, _, numbers = text.partition("=")
    kind = gradings.get(name.strip())
    try:
        values = [float(one) for one in numbers.split(",")]
    except ValueError:
        raise ParameterError(
            message("labels.contains-values-that-are-not-numbers", text=text),
            hint=message("labels.such-as-threshold-0"),
        ) from None
    return kind.parse(values)
