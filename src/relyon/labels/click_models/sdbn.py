"""SDBN: the user goes down until a click satisfies."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar, get_args

from relyon.core.parameters import check_choice
from relyon.labels.beta import product
from relyon.labels.clickless import Clickless, seen
from relyon.labels.examination import Chain, Steps, satisfying
from relyon.labels.model import Parameters, Relevance, register

if TYPE_CHECKING:
    from relyon.labels.log import ClickLog
    from relyon.labels.model import Values
    from relyon.labels.result_lists import Lists
    from relyon.labels.user_behaviour import UserBehaviour

__all__ = ["SDBN"]


@register
@dataclass(frozen=True)
class SDBN(Chain):
    """The user goes down until a click satisfies: DBN with γ = 1, in closed form.

    α = (a + clicks) / (b + impressions at or above the last click); σ = (a + last clicks) /
    (b + clicks); relevance = ασ. Without a click everything was seen.

    Attributes:
        clickless: Whether a session without a click was seen wholly (`seen`, PyClick's rule), or
            is left out (`left-out`).

    Source: Chapelle, Zhang, A dynamic Bayesian network click model for web search ranking (2009).
    """

    name: ClassVar[str] = "sdbn"
    title: ClassVar[str] = "Simplified dynamic Bayesian network"

    clickless: Clickless = "seen"

    def __post_init__(self) -> None:
        super().__post_init__()
        check_choice("clickless", self.clickless, get_args(Clickless))

    def estimate(self, log: ClickLog) -> Parameters:
        """Counts down to the last click."""
        counts = log.native.counts()
        above = seen(log, self.clickless)
        attraction = self.rate(counts["clicks"], above)
        satisfaction = self.rate(counts["last_clicks"], counts["clicks"])
        return Parameters(
            {"attraction": attraction, "satisfaction": satisfaction},
            {
                "attraction": above + self.prior_shown,
                "satisfaction": counts["clicks"] + self.prior_shown,
            },
        )

    def assume(
        self, behaviour: UserBehaviour, attraction: Values, satisfaction: Values | None
    ) -> Parameters:
        """Attraction, and satisfaction, which ends the session."""
        return Parameters.exact(satisfying(self.name, attraction, satisfaction), {})

    def relevance(self, parameters: Parameters) -> Relevance:
        """Attraction times satisfaction."""
        return product(
            parameters.pairs["attraction"],
            parameters.weights["attraction"],
            parameters.pairs["satisfaction"],
            parameters.weights["satisfaction"],
        )

    def steps(self, parameters: Parameters, lists: Lists, pairs: Mapping[str, Values]) -> Steps:
        """On unless a click satisfied."""
        attraction = pairs["attraction"]
        return Steps(attraction, attraction * 0 + 1, 1 - pairs["satisfaction"])
