"""DCTR: a click-through rate for each document of a query."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from relyon.labels.examination import Independent
from relyon.labels.model import Parameters, Relevance, register

if TYPE_CHECKING:
    from relyon.labels.log import ClickLog
    from relyon.labels.model import Values
    from relyon.labels.result_lists import Lists
    from relyon.labels.user_behaviour import UserBehaviour

__all__ = ["DCTR"]


@register
@dataclass(frozen=True)
class DCTR(Independent):
    """A document is clicked with its own probability: (a + clicks) / (b + impressions).

    Naive: documents further down are clicked less because they are seen less, and count as worse.

    Source: Craswell et al., An experimental comparison of click position-bias models (2008).
    """

    name: ClassVar[str] = "dctr"
    title: ClassVar[str] = "Click-through rate by document"

    def estimate(self, log: ClickLog) -> Parameters:
        """Counts clicks and impressions of each pair."""
        counts = log.native.counts()
        rates = self.rate(counts["clicks"], counts["shown"])
        return Parameters({"rate": rates}, {"rate": counts["shown"] + self.prior_shown})

    def assume(
        self, behaviour: UserBehaviour, attraction: Values, satisfaction: Values | None
    ) -> Parameters:
        """Attractive documents are clicked at any position."""
        return Parameters.exact({"rate": attraction}, {})

    def relevance(self, parameters: Parameters) -> Relevance:
        """The rate."""
        return Relevance(parameters.pairs["rate"], parameters.weights["rate"])

    def click(self, parameters: Parameters, lists: Lists, pairs: Mapping[str, Values]) -> Values:
        """The rate of each pair."""
        return pairs["rate"]
