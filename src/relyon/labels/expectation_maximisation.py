"""The base of models that are fitted by expectation maximisation."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from relyon.core.parameters import check_least, check_whole
from relyon.labels.beta import product
from relyon.labels.model import ClickModel, Parameters, Relevance

if TYPE_CHECKING:
    from relyon.labels.log import ClickLog

__all__ = ["Examined", "Iterated"]

#: Where every probability begins.
BEGIN = 0.5


@dataclass(frozen=True)
class Iterated(ClickModel):
    """A model whose parameters are found by expectation maximisation.

    Attributes:
        rounds: The most rounds.
        tolerance: No round follows one that changed no shared probability by more.
    """

    rounds: int = 50
    tolerance: float = 0.0

    def __post_init__(self) -> None:
        super().__post_init__()
        check_whole("rounds", self.rounds)
        check_least("tolerance", self.tolerance)

    @property
    def settings(self) -> tuple[int, float, float, float, float]:
        """The settings for the native core."""
        return self.rounds, self.tolerance, self.prior_clicks, self.prior_shown, BEGIN


@dataclass(frozen=True)
class Examined(Iterated):
    """Examination of a context times attraction of a document: what PBM and UBM share.

    Attributes:
        context: What examination depends on, as the native core calls it.
    """

    context: ClassVar[str]
    needs_swaps: ClassVar[bool] = True

    def estimate(self, log: ClickLog) -> Parameters:
        """Expectation maximisation over cells of a pair and a context."""
        found = log.native.examination(self.context, *self.settings)
        return Parameters(
            {"attraction": found["attraction"]},
            {"attraction": found["weight"]},
            {"examination": found["examination"]},
            found["rounds"],
            found["change"],
        )

    def relevance(self, parameters: Parameters) -> Relevance:
        """The probability of a click at the top: the log knows only the products of θ and α.

        Without results at the top in the log, it is the attraction alone. The uncertainty of the
        examination is ignored, as it rests on all pairs.
        """
        import numpy as np

        attraction, weight = parameters.pairs["attraction"], parameters.weights["attraction"]
        top = parameters.shared["examination"][0]
        if np.isnan(top):
            return Relevance(attraction, weight)
        sure = np.full_like(attraction, np.inf)
        return product(attraction, weight, np.full_like(attraction, top), sure)
