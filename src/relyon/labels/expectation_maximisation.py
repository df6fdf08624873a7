"""The base of models that are fitted by expectation maximisation."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from relyon.core.notes import Note
from relyon.core.parameters import check_least, check_whole
from relyon.labels.beta import product
from relyon.labels.model import ClickModel, Parameters, Relevance

if TYPE_CHECKING:
    from relyon._native import FittedExamination
    from relyon.labels.beta import Values
    from relyon.labels.log import ClickLog

__all__ = ["Examined", "Iterated", "spreads_of"]

#: Where every probability begins.
BEGIN = 0.5


#: Contexts of examination whose covariance is found as a whole.
MOST_CONTEXTS = 600


@dataclass(frozen=True)
class Iterated(ClickModel):
    """A model whose parameters are found in rounds.

    Attributes:
        rounds: The most rounds. Where they do not suffice, a warning says so.
        tolerance: The fit ends when no probability would change by more, as far as its last steps
            tell. 0: that many rounds of plain expectation maximisation, as they are described in
            papers.
    """

    rounds: int = 2000
    tolerance: float = 1e-6

    def __post_init__(self) -> None:
        super().__post_init__()
        check_whole("rounds", self.rounds)
        check_least("tolerance", self.tolerance)

    @property
    def settings(self) -> tuple[int, float, float, float, float]:
        """The settings for the native core."""
        return self.rounds, self.tolerance, self.prior_clicks, self.prior_shown, BEGIN

    def notes(self, parameters: Parameters) -> tuple[Note, ...]:
        """A warning where the rounds did not suffice."""
        if not 0 < self.tolerance < parameters.change:
            return ()
        values = {"name": self.name, "change": f"{parameters.change:.1g}"}
        return (Note("labels-not-converged", parameters.rounds, "warning", values=values),)


def spreads_of(spread: Values) -> dict[str, Values]:
    """Returns the errors of relevances that come from other parameters; nothing where unknown."""
    return {"relevance": spread} if len(spread) else {}


@dataclass(frozen=True)
class Examined(Iterated):
    """Examination of a context times attraction of a document: what PBM and UBM share.

    The examination of the first context is 1, so that the attraction is the probability of a click
    at the top. The examination of the others maximises the profile likelihood, by Newton's method;
    documents that were shown in several contexts decide. The prior has 3% of its weight there, as
    good documents are ranked higher, and are not alike in all contexts; all of it counts when the
    attraction is then found. The error of the examination is that of the joint information of all
    parameters (Louis, 1982). With a tolerance of 0, or more than 600 contexts (more than 34
    positions for UBM), both are found by plain expectation maximisation with the whole prior, and
    the examination is taken as known, which a note says.

    Attributes:
        context: What examination depends on, as the native core calls it.
    """

    context: ClassVar[str]
    needs_swaps: ClassVar[bool] = True

    @staticmethod
    def contexts(depth: int) -> int:
        """Returns how many contexts lists of so many results can have."""
        return depth

    def estimate(self, log: ClickLog) -> Parameters:
        """Maximum likelihood over cells of a pair and a context."""
        whole = self.tolerance > 0 and self.contexts(log.depth) <= MOST_CONTEXTS
        found: FittedExamination
        spreads: dict[str, Values] = {}
        if whole:
            found = profile = log.native.profile(self.context, *self.settings[:4])
            spreads["relevance"] = profile["spread"]
        else:
            found = log.native.examination(self.context, *self.settings)
        return Parameters(
            {"attraction": found["attraction"]},
            {"attraction": found["weight"]},
            {"examination": found["examination"]},
            found["rounds"],
            found["change"],
            spreads,
        )

    def notes(self, parameters: Parameters) -> tuple[Note, ...]:
        """Warnings where the rounds did not suffice, and where examination is taken as known."""
        said = super().notes(parameters)
        contexts = len(parameters.shared["examination"])
        if self.tolerance > 0 and not parameters.spreads:
            values = {"name": self.name, "most": MOST_CONTEXTS}
            said += (Note("labels-examination-known", contexts, "warning", values=values),)
        return said

    def relevance(self, parameters: Parameters) -> Relevance:
        """The probability of a click at the top: the log knows only the products of θ and α.

        Without results at the top in the log, it is that at the first place that was shown.
        """
        import numpy as np

        attraction, weight = parameters.pairs["attraction"], parameters.weights["attraction"]
        spread = parameters.spreads.get("relevance")
        top = parameters.shared["examination"][0]
        if np.isnan(top) or spread is not None:
            return Relevance(attraction, weight, spread)
        sure = np.full_like(attraction, np.inf)
        return product(attraction, weight, np.full_like(attraction, top), sure)
