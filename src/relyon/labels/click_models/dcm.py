"""DCM: after a click the user goes on with a probability of the position."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar, get_args

from relyon.core.parameters import check_choice
from relyon.labels.clickless import Clickless, seen
from relyon.labels.examination import Chain, Steps
from relyon.labels.model import Parameters, Relevance, register

if TYPE_CHECKING:
    from relyon.labels.log import ClickLog
    from relyon.labels.model import Values
    from relyon.labels.result_lists import Lists
    from relyon.labels.user_behaviour import UserBehaviour

__all__ = ["DCM"]


@register
@dataclass(frozen=True)
class DCM(Chain):
    """The user goes down; after a click at position r on with probability λ_r.

    α = (a + clicks) / (b + impressions at or above the last click); λ_r = (a + clicks at r that
    another one followed) / (b + clicks at r). The user is taken as satisfied by the last click,
    and to have seen everything in a session without one.

    Attributes:
        clickless: Whether a session without a click was seen wholly (`seen`, PyClick's rule), or
            is left out (`left-out`).

    Source: Guo, Liu, Wang, Efficient multiple-click models in web search (2009).
    """

    name: ClassVar[str] = "dcm"
    title: ClassVar[str] = "Dependent click model"

    clickless: Clickless = "seen"

    def __post_init__(self) -> None:
        super().__post_init__()
        check_choice("clickless", self.clickless, get_args(Clickless))

    def estimate(self, log: ClickLog) -> Parameters:
        """Counts down to the last click."""
        counts = log.native.counts()
        above = seen(log, self.clickless)
        attraction = self.rate(counts["clicks"], above)
        go_on = self.rate(counts["position_followed"], counts["position_clicks"])
        weight = above + self.prior_shown
        return Parameters({"attraction": attraction}, {"attraction": weight}, {"go_on": go_on})

    def assume(
        self, behaviour: UserBehaviour, attraction: Values, satisfaction: Values | None
    ) -> Parameters:
        """After a click every second user goes on, unless the behaviour says otherwise."""
        going_on = behaviour.goes_on([0.5] * behaviour.depth)
        return Parameters.exact({"attraction": attraction}, {"go_on": going_on})

    def relevance(self, parameters: Parameters) -> Relevance:
        """The attraction."""
        return Relevance(parameters.pairs["attraction"], parameters.weights["attraction"])

    def steps(self, parameters: Parameters, lists: Lists, pairs: Mapping[str, Values]) -> Steps:
        """On after a skip, and after a click as the position says."""
        attraction = pairs["attraction"]
        go_on = parameters.shared["go_on"][lists.positions - 1]
        return Steps(attraction, attraction * 0 + 1, go_on)
