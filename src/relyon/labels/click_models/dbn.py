"""DBN: the user may give up after each result."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, ClassVar

from relyon.core.parameters import check_fraction
from relyon.labels.beta import product
from relyon.labels.examination import Chain, Steps, satisfying
from relyon.labels.expectation_maximisation import Iterated, spreads_of
from relyon.labels.model import Parameters, Relevance, register

if TYPE_CHECKING:
    from relyon.labels.log import ClickLog
    from relyon.labels.model import Values
    from relyon.labels.result_lists import Lists
    from relyon.labels.user_behaviour import UserBehaviour

__all__ = ["DBN"]


@register
@dataclass(frozen=True)
class DBN(Iterated, Chain):
    """The user goes down with probability γ, until a click satisfies.

    P(click | examined) = α, P(satisfied | click) = σ, P(on | not satisfied) = γ; relevance = ασ.
    What was examined below the last click is summed out exactly, session by session. The
    probabilities of PyClick (1.1) are others: it takes the probability of examining a result
    without regard to the clicks above it, and those of a tail from the top of the list.

    Attributes:
        going_on: γ, where it is known: 0.9 is usual. None estimates it.

    Source: Chapelle, Zhang, A dynamic Bayesian network click model for web search ranking (2009).
    """

    name: ClassVar[str] = "dbn"
    title: ClassVar[str] = "Dynamic Bayesian network"

    going_on: float | None = None

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.going_on is not None:
            check_fraction("going_on", self.going_on)

    def estimate(self, log: ClickLog) -> Parameters:
        """Expectation maximisation over distinct sessions."""
        import numpy as np

        found = log.native.chain("dbn", *self.settings, self.going_on)
        return Parameters(
            {"attraction": found["attraction"], "satisfaction": found["satisfaction"]},
            {
                "attraction": found["weight"] + self.prior_shown,
                "satisfaction": found["satisfaction_weight"] + self.prior_shown,
            },
            {"go_on": np.array(found["going_on"][:1])},
            found["rounds"],
            found["change"],
            spreads_of(found["spread"]),
        )

    def assume(
        self, behaviour: UserBehaviour, attraction: Values, satisfaction: Values | None
    ) -> Parameters:
        """Nine users in ten go on, unless the model or the behaviour says otherwise."""
        usual = 0.9 if self.going_on is None else self.going_on
        pairs = satisfying(self.name, attraction, satisfaction)
        return Parameters.exact(pairs, {"go_on": behaviour.goes_on([usual])})

    def relevance(self, parameters: Parameters) -> Relevance:
        """Attraction times satisfaction."""
        found = product(
            parameters.pairs["attraction"],
            parameters.weights["attraction"],
            parameters.pairs["satisfaction"],
            parameters.weights["satisfaction"],
        )
        return replace(found, spread=parameters.spreads.get("relevance"), hidden=True)

    def steps(self, parameters: Parameters, lists: Lists, pairs: Mapping[str, Values]) -> Steps:
        """On with one probability, unless a click satisfied."""
        attraction = pairs["attraction"]
        go_on = parameters.shared["go_on"][0]
        return Steps(attraction, attraction * 0 + go_on, (1 - pairs["satisfaction"]) * go_on)
