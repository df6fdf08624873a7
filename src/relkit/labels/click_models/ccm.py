"""CCM: going on depends on whether a click helped."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from relkit.labels.browsing import Chain, Steps
from relkit.labels.expectation import Iterated
from relkit.labels.model import Parameters, Relevance, register

if TYPE_CHECKING:
    from relkit.labels.lists import Lists
    from relkit.labels.log import ClickLog
    from relkit.labels.model import Values

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
        )

    def relevance(self, parameters: Parameters) -> Relevance:
        """The attraction, which is also how often a click helps."""
        return Relevance(parameters.pairs["attraction"], parameters.weights["attraction"])

    def steps(self, parameters: Parameters, lists: Lists, pairs: Mapping[str, Values]) -> Steps:
        """On as the result was skipped, of no help, or of help."""
        attraction = pairs["attraction"]
        skipped, unhelpful, helpful = parameters.shared["go_on"]
        after_click = attraction * helpful + (1 - attraction) * unhelpful
        return Steps(attraction, attraction * 0 + skipped, after_click)
