"""Cascade: the user goes down until the first click."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from relyon.labels.examination import Chain, Steps
from relyon.labels.model import Parameters, Relevance, register

if TYPE_CHECKING:
    from relyon.labels.log import ClickLog
    from relyon.labels.model import Values
    from relyon.labels.result_lists import Lists
    from relyon.labels.user_behaviour import UserBehaviour

__all__ = ["Cascade"]


@register
@dataclass(frozen=True)
class Cascade(Chain):
    """The user looks at one result after the other, and stops at the first click.

    α = (a + first clicks) / (b + impressions with no click above). A second click of a session is
    impossible under the model: what follows the first is not counted, and counts as of the least
    probability where sessions are predicted.

    Source: Craswell et al., An experimental comparison of click position-bias models (2008).
    """

    name: ClassVar[str] = "cascade"
    title: ClassVar[str] = "Cascade model"

    def estimate(self, log: ClickLog) -> Parameters:
        """Counts up to the first click."""
        counts = log.native.counts()
        attraction = self.rate(counts["first_clicks"], counts["first_shown"])
        weight = counts["first_shown"] + self.prior_shown
        return Parameters({"attraction": attraction}, {"attraction": weight})

    def assume(
        self, behaviour: UserBehaviour, attraction: Values, satisfaction: Values | None
    ) -> Parameters:
        """Only the attraction counts."""
        return Parameters.exact({"attraction": attraction}, {})

    def relevance(self, parameters: Parameters) -> Relevance:
        """The attraction."""
        return Relevance(parameters.pairs["attraction"], parameters.weights["attraction"])

    def steps(self, parameters: Parameters, lists: Lists, pairs: Mapping[str, Values]) -> Steps:
        """On after a skip, never after a click."""
        attraction = pairs["attraction"]
        return Steps(attraction, attraction * 0 + 1, attraction * 0)
