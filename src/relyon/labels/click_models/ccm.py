"""CCM: going on depends on whether a click helped."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from relyon.labels.examination import Chain, Steps
from relyon.labels.expectation_maximisation import Iterated, spreads_of
from relyon.labels.model import Parameters, Relevance, register

if TYPE_CHECKING:
    from relyon.labels.log import ClickLog
    from relyon.labels.model import Values
    from relyon.labels.result_lists import Lists
    from relyon.labels.user_behaviour import UserBehaviour

__all__ = ["CCM"]


@register
@dataclass(frozen=True)
class CCM(Iterated, Chain):
    """The user goes down, with probability τ1 after a skip; after a click, which helped with the
    document's own probability α, with τ3 where it did and with τ2 where it did not.

    What was examined below the last click is summed out exactly, session by session.

    Source: Guo et al., Click chain model in web search (2009).
    """

    name: ClassVar[str] = "ccm"
    title: ClassVar[str] = "Click chain model"

    def estimate(self, log: ClickLog) -> Parameters:
        """Expectation maximisation over distinct sessions."""
        import numpy as np

        found = log.native.chain("ccm", *self.settings)
        return Parameters(
            {"attraction": found["attraction"]},
            {"attraction": found["weight"] + self.prior_shown},
            {"go_on": np.array(found["going_on"])},
            found["rounds"],
            found["change"],
            spreads_of(found["spread"]),
        )

    def assume(
        self, behaviour: UserBehaviour, attraction: Values, satisfaction: Values | None
    ) -> Parameters:
        """Going on is more likely after a skip than after a click, most of all one that helped."""
        going_on = behaviour.goes_on([0.9, 0.7, 0.3])
        return Parameters.exact({"attraction": attraction}, {"go_on": going_on})

    def relevance(self, parameters: Parameters) -> Relevance:
        """The attraction, which is also how often a click helps."""
        attraction, weight = parameters.pairs["attraction"], parameters.weights["attraction"]
        return Relevance(attraction, weight, parameters.spreads.get("relevance"))

    def steps(self, parameters: Parameters, lists: Lists, pairs: Mapping[str, Values]) -> Steps:
        """On as the result was skipped, of no help, or of help."""
        attraction = pairs["attraction"]
        skipped, unhelpful, helpful = parameters.shared["go_on"]
        after_click = attraction * helpful + (1 - attraction) * unhelpful
        return Steps(attraction, attraction * 0 + skipped, after_click)
