"""How users go through a list: defaults for parameters that are not fitted."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from relyon.core.errors import ParameterError
from relyon.core.parameters import check_whole
from relyon.core.texts import message

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Values = NDArray[np.float64]

__all__ = ["UserBehaviour", "probabilities"]


@dataclass(frozen=True)
class UserBehaviour:
    """The parameters shared by all pairs: users' behaviour.

    Attributes:
        depth: Ignore positions after this one.
        examination: θ of the positions 1, 2, …; None for 1 / position^eta.
        eta: How steeply examination falls with the position; 0 for not at all.
        going_on: The probability of going on, one number or as many as the model has; None for the
            model's own.

    Examples:
        >>> UserBehaviour(depth=3, eta=0.5).positions.round(2).tolist()
        [1.0, 0.71, 0.58]
    """

    depth: int = 10
    examination: Sequence[float] | None = None
    eta: float = 1.0
    going_on: float | Sequence[float] | None = None

    def __post_init__(self) -> None:
        check_whole("depth", self.depth)
        if not 0 <= self.eta < 100:
            raise ParameterError(
                message(
                    "labels.parameter-name-must-be-between-least",
                    name="eta",
                    least=0,
                    most=100,
                    value=self.eta,
                )
            )

    @property
    def positions(self) -> Values:
        """The examination of each position.

        Raises:
            ParameterError: If it is not one probability for each position.
        """
        import numpy as np

        if self.examination is None:
            found: Values = np.arange(1.0, self.depth + 1) ** -self.eta
            return found
        return probabilities("examination", self.examination, self.depth)

    def goes_on(self, usual: Sequence[float]) -> Values:
        """Returns the probabilities of going on, or the usual ones where none are given.

        Args:
            usual: The model's own: as many as it has.

        Raises:
            ParameterError: If there are others than the model has.
        """
        import numpy as np

        given = usual if self.going_on is None else self.going_on
        if isinstance(given, int | float):
            given = [given] * len(usual)
        return np.array(probabilities("going_on", given, len(usual)))


def probabilities(name: str, values: Sequence[float] | Values, count: int) -> Values:
    """Returns some probabilities as an array.

    Args:
        name: The parameter's name.
        values: The given text.
        count: How many there must be.

    Raises:
        ParameterError: If there are more or fewer, or one does not lie from 0 to 1.
    """
    import numpy as np

    try:
        found = np.asarray(values, dtype=np.float64)
    except (TypeError, ValueError):
        found = np.array(np.nan)
    if found.shape != (count,) or not ((found >= 0) & (found <= 1)).all():
        raise ParameterError(
            message(
                "labels.parameter-must-be-probabilities",
                name=name,
                count=count,
            )
        )
    return found
