"""UBM: examination depends on the position, and on the last click above it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from relyon.labels.expectation_maximisation import Examined
from relyon.labels.model import Parameters, register

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from relyon.labels.model import Values
    from relyon.labels.result_lists import Lists
    from relyon.labels.user_behaviour import UserBehaviour

__all__ = ["UBM"]


@register
@dataclass(frozen=True)
class UBM(Examined):
    """P(click) = θ_{position, last click} · α_{query, document}.

    The last click is that above the result, 0 for none. Fitted as PBM. Only
    the products are identified: the relevance is θ_{1, 0} · α, the probability of a click at the
    top. PyClick counts "no click above" as a click at the last place of the list; in lists of
    different lengths it so mixes two contexts, and its numbers are others there.

    Source: Dupret, Piwowarski, A user browsing model to predict search engine click data from past
    observations (2008).
    """

    name: ClassVar[str] = "ubm"
    title: ClassVar[str] = "User browsing model"
    context: ClassVar[str] = "last_click"

    @staticmethod
    def contexts(depth: int) -> int:
        """Returns how many contexts lists of so many results can have."""
        return depth * (depth + 1) // 2

    def assume(
        self, behaviour: UserBehaviour, attraction: Values, satisfaction: Values | None
    ) -> Parameters:
        """The examination falls with the distance to the last click."""
        import numpy as np

        # Position 1 after none, position 2 after none and after a click at 1, …
        far = np.concatenate(
            [position - np.arange(position) for position in range(1, behaviour.depth + 1)]
        )
        shared = {"examination": behaviour.positions[far - 1]}
        return Parameters.exact({"attraction": attraction}, shared)

    def examination(
        self, parameters: Parameters, positions: NDArray[np.int64], last: NDArray[np.int64]
    ) -> Values:
        """Returns how likely results are examined, given the last click above them."""
        import numpy as np

        above = np.minimum(last, positions - 1)
        known = np.nan_to_num(parameters.shared["examination"], nan=self.unseen)
        found: Values = known[positions * (positions - 1) // 2 + above]
        return found

    def probabilities(
        self, parameters: Parameters, lists: Lists, pairs: Mapping[str, Values], conditional: bool
    ) -> Values:
        """Returns the probability of a click on each result."""
        import numpy as np

        attraction, positions = pairs["attraction"], lists.positions
        out = np.zeros(attraction.shape)
        if conditional:
            last = np.zeros(len(attraction), np.int64)
            for place in range(attraction.shape[1]):
                here = positions[:, place]
                click = attraction[:, place] * self.examination(parameters, here, last)
                out[:, place] = np.minimum(click, 1.0)
                last = np.where(lists.clicked[:, place], here, last)
            return out
        # The probability that the last click so far was at each place, 0 for none.
        chances = np.zeros((len(attraction), attraction.shape[1] + 1))
        chances[:, 0] = 1.0
        for place in range(attraction.shape[1]):
            here = positions[:, place]
            for before in range(place + 1):
                last = positions[:, before - 1] if before else np.zeros_like(here)
                click = attraction[:, place] * self.examination(parameters, here, last)
                click = np.minimum(click, 1.0)
                clicked = chances[:, before] * click
                out[:, place] += clicked
                chances[:, before] -= clicked
            chances[:, place + 1] = out[:, place]
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

        attraction, positions = pairs["attraction"], lists.positions
        out = np.zeros(attraction.shape, bool)
        last = np.zeros(len(attraction), np.int64)
        for place in range(attraction.shape[1]):
            here = positions[:, place]
            click = attraction[:, place] * self.examination(parameters, here, last)
            clicked = out[:, place] = generator.random(len(click)) < click
            last = np.where(clicked, here, last)
        return out
