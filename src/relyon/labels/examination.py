"""The two ways of going through a list that all models share: one by one, or down a chain."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar, NamedTuple

from relyon.core.errors import ParameterError
from relyon.core.texts import message
from relyon.labels.model import ClickModel

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from relyon.labels.model import Parameters, Values
    from relyon.labels.result_lists import Lists

__all__ = ["Chain", "Independent", "Steps", "satisfying"]


@dataclass(frozen=True)
class Independent(ClickModel):
    """Results are clicked independently of each other."""

    independent: ClassVar[bool] = True

    @abstractmethod
    def click(self, parameters: Parameters, lists: Lists, pairs: Mapping[str, Values]) -> Values:
        """Returns the probability of a click on each result."""

    def probabilities(
        self, parameters: Parameters, lists: Lists, pairs: Mapping[str, Values], conditional: bool
    ) -> Values:
        """Returns the probability of a click on each result: clicks above it change nothing."""
        return self.click(parameters, lists, pairs)

    def draw(
        self,
        parameters: Parameters,
        lists: Lists,
        pairs: Mapping[str, Values],
        generator: np.random.Generator,
    ) -> NDArray[np.bool_]:
        """Draws clicks on each list."""
        clicks = self.click(parameters, lists, pairs)
        drawn: NDArray[np.bool_] = generator.random(clicks.shape) < clicks
        return drawn


class Steps(NamedTuple):
    """The outcomes for a user who examines a result.

    Attributes:
        click: The probability of a click.
        after_skip: The probability of going on without one.
        after_click: The probability of going on after one.
    """

    click: Values
    after_skip: Values
    after_click: Values


@dataclass(frozen=True)
class Chain(ClickModel):
    """The user goes down the list, and may stop after each result."""

    @abstractmethod
    def steps(self, parameters: Parameters, lists: Lists, pairs: Mapping[str, Values]) -> Steps:
        """Returns the outcome at each result."""

    def probabilities(
        self, parameters: Parameters, lists: Lists, pairs: Mapping[str, Values], conditional: bool
    ) -> Values:
        """Returns the probability of a click on each result."""
        import numpy as np

        click, after_skip, after_click = self.steps(parameters, lists, pairs)
        out = np.zeros(click.shape)
        examined = np.ones(len(click))
        for place in range(click.shape[1]):
            here = out[:, place] = examined * click[:, place]
            skipped = (examined - here) * after_skip[:, place]
            if conditional:
                rest = 1 - here
                skipped = np.divide(skipped, rest, out=np.zeros_like(rest), where=rest > 0)
                examined = np.where(lists.clicked[:, place], after_click[:, place], skipped)
            else:
                examined = skipped + here * after_click[:, place]
        return out

    def draw(
        self,
        parameters: Parameters,
        lists: Lists,
        pairs: Mapping[str, Values],
        generator: np.random.Generator,
    ) -> NDArray[np.bool_]:
        """Draws clicks on each list."""
        import numpy as np

        click, after_skip, after_click = self.steps(parameters, lists, pairs)
        out = np.zeros(click.shape, bool)
        examines = np.ones(len(click), bool)
        chances = generator.random((2, *click.shape))
        for place in range(click.shape[1]):
            clicked = out[:, place] = examines & (chances[0, :, place] < click[:, place])
            go_on = np.where(clicked, after_click[:, place], after_skip[:, place])
            examines &= chances[1, :, place] < go_on
        return out


def satisfying(name: str, attraction: Values, satisfaction: Values | None) -> dict[str, Values]:
    """Returns the two parameters of a pair in a model where a click can satisfy.

    Raises:
        ParameterError: If the satisfaction is not given.
    """
    if satisfaction is None:
        raise ParameterError(
            message("labels.click-model-needs-satisfaction", name=name),
            hint=message("labels.add-column-satisfaction"),
        )
    return {"attraction": attraction, "satisfaction": satisfaction}
