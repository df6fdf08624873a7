"""Measures that are sums over documents: the share of each rank, and the gain of each grade."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from relyon.core.errors import ParameterError
from relyon.core.texts import message
from relyon.data.ranking import Ranking
from relyon.measures.binary import Precision
from relyon.measures.cascade import RBP
from relyon.measures.gain import CG, DCG

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy as np
    from numpy.typing import NDArray

    from relyon.data.convention import Convention
    from relyon.data.scale import Scale
    from relyon.measures.definition import Measure

__all__ = ["Linear", "linear"]


@dataclass(frozen=True)
class Linear:
    """A measure whose value is a sum over the ranks of a share times the gain of a grade.

    Attributes:
        name: The measure as it was asked for.
        measure: The measure with all its parameters.
        grades: The grades that a pair can have, ascending: those of the scale, or those judged.
    """

    name: str
    measure: Measure
    grades: tuple[float, ...]

    @property
    def k(self) -> int | None:
        """The cutoff; None for the whole list."""
        k: int | None = getattr(self.measure, "k", None)
        return k

    def gain(self, grade: float) -> float:
        """Returns the gain of a grade: 0 below 0, 0 or 1 for binary measures."""
        return next(iter(self.measure.steps(Ranking.of([grade])))).gain

    def gains(self) -> NDArray[np.float64]:
        """Returns the gains of the possible grades."""
        import numpy as np

        return np.array([self.gain(grade) for grade in self.grades])

    def shares(self, length: int) -> NDArray[np.float64]:
        """Returns the share of a gain that counts at each rank from 0, which is no rank, to length.

        Args:
            length: The last rank.
        """
        import numpy as np

        top = max(self.grades, key=self.gain)
        steps = self.measure.steps(Ranking.of([top] * length))
        return np.array([0.0, *(step.contribution / step.gain for step in steps)])


def linear(
    measure: Measure, convention: Convention, scale: Scale | None, seen: Sequence[float]
) -> Linear:
    """Returns a measure as a sum over ranks.

    Args:
        measure: The measure; CG, DCG, P@k and RBP are sums.
        convention: Its rules.
        scale: The grade scale, if there is one.
        seen: The grades that were given.

    Raises:
        ParameterError: If it is not a sum, if the rules remove documents from lists or leave ties
            without one order, or no grade has a gain.

    Examples:
        >>> from relyon import Convention, measure
        >>> found = linear(measure("dcg@3"), Convention(), None, [0, 1, 2])
        >>> [round(share, 4) for share in found.shares(3).tolist()]
        [0.0, 1.0, 0.6309, 0.5]
    """
    highest = max(seen, default=math.nan)
    resolved = measure.resolve(convention, scale, highest)
    if not _is_sum(resolved):
        raise ParameterError(
            message("analysis.measure-is-not-sum", measure=str(measure)),
            hint=message("analysis.name-sum", k=getattr(resolved, "k", None) or 10),
        )
    if convention.unjudged in ("removed", "ignored") or convention.ties in (
        "expected",
        "worst",
        "best",
    ):
        rule = "unjudged" if convention.unjudged in ("removed", "ignored") else "ties"
        raise ParameterError(
            message("analysis.rule-has-no-fixed-ranks", rule=rule, value=getattr(convention, rule)),
            hint=message("analysis.choose-fixed-ranks"),
        )
    grades = {0.0, 1.0} if scale is None or not scale.levels else set[float]()
    if scale is not None:
        grades |= {level.grade for level in scale.levels}
    found = Linear(
        str(measure), resolved, tuple(sorted(grades | {grade for grade in seen if grade >= 0}))
    )
    if not max(map(found.gain, found.grades)) > 0:
        raise ParameterError(
            message("analysis.no-grade-has-gain", measure=str(measure), grades=list(found.grades)),
            hint=message("analysis.name-scale-of-grades"),
        )
    return found


def _is_sum(measure: Measure) -> bool:
    """Returns whether the value is a sum of shares times gains that depend on one grade each."""
    plain: dict[type[Measure], Callable[[], bool]] = {
        CG: lambda: True,
        DCG: lambda: True,
        Precision: lambda: (
            getattr(measure, "k", None) is not None
            and getattr(measure, "denominator", None) != "retrieved"
            and getattr(measure, "no_relevant", None) != "undefined"
        ),
        RBP: lambda: not getattr(measure, "normalise", False),
    }
    return type(measure) in plain and plain[type(measure)]()
