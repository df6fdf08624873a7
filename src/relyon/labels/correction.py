"""The base of estimators with known examination probabilities."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from relyon.core.errors import ParameterError
from relyon.core.notes import Note
from relyon.core.texts import message
from relyon.labels.beta import Relevance
from relyon.labels.examination import Independent
from relyon.labels.model import Parameters

if TYPE_CHECKING:
    from relyon.labels.log import ClickLog
    from relyon.labels.model import Values
    from relyon.labels.result_lists import Lists
    from relyon.labels.user_behaviour import UserBehaviour

__all__ = ["Clipped", "Corrected"]


@dataclass(frozen=True)
class Corrected(Independent):
    """P(click) = θ_position · γ_{query, document}, where θ is known.

    γ = (a + Σ wc) / (b + d), over the impressions of the pair at positions with a known θ; w is the
    weight of a click and d what the weights amount to. Where θ of the reference is 1, it is the
    probability of a click there. Noise can carry it beyond (a + d) / (b + d), where it is cut.

    Its effective impressions are those at the reference whose rate would vary as much: the variance
    is Σ w²θγ(1 − θγ) / (b + d)². The uncertainty of θ is ignored.

    Attributes:
        examination: θ of each position that has one; None to estimate it from the log: AllPairs.
    """

    examination: Mapping[int, float] | None = None

    def __post_init__(self) -> None:
        super().__post_init__()
        for position, theta in (self.examination or {}).items():
            if not (isinstance(position, int) and position >= 1 and 0 < theta < float("inf")):
                raise ParameterError(
                    message(
                        "labels.examination-is-positive-number",
                        position=position,
                        value=theta,
                    )
                )

    @abstractmethod
    def weights(self, examination: Values) -> tuple[Values, Values]:
        """Returns of impressions w, the weight of a click, and what each adds to d."""

    def estimate(self, log: ClickLog) -> Parameters:
        """Sums the weighted clicks of each pair."""
        import numpy as np

        from relyon.labels.position_bias.log_estimate import estimate_bias

        known = self.examination
        if known is None:
            known = estimate_bias(log, ["all-pairs"]).examination
        examination = np.full(log.depth, np.nan)
        for position, theta in known.items():
            if position <= log.depth:
                examination[position - 1] = theta

        cells = log.native.cells()
        theta = examination[cells["positions"] - 1]
        inside = np.isfinite(theta)
        theta, shown = theta[inside], cells["shown"][inside]
        weight, part = self.weights(theta)

        def by_pair(values: Values) -> Values:
            return np.bincount(cells["pairs"][inside], values, log.native.pairs).astype(np.float64)

        clicks = by_pair(weight * cells["clicks"][inside])
        amount = by_pair(part * shown)
        whole = self.prior_shown + amount
        mean = self.rate(clicks, amount)
        most = np.divide(
            self.prior_clicks + amount, whole, out=np.full_like(mean, self.unseen), where=whole > 0
        )
        mean = np.minimum(mean, most)
        # The variance is a quadratic of the mean, summed over the positions.
        linear = by_pair(weight**2 * theta * shown) + self.prior_shown
        square = by_pair(weight**2 * theta**2 * shown) + self.prior_shown
        variance = np.maximum(linear * mean - square * mean**2, 0)
        sure = np.divide(
            mean * (1 - mean) * whole**2, variance, out=whole.copy(), where=variance > 0
        )
        left_out = int(cells["shown"][~inside].sum())
        return Parameters(
            {"attraction": mean},
            {"attraction": np.where(sure > 0, sure, whole)},
            {"examination": examination, "left_out": np.array([float(left_out)])},
        )

    def notes(self, parameters: Parameters) -> tuple[Note, ...]:
        """Returns a note on impressions at positions whose θ is unknown."""
        count = int(parameters.shared["left_out"][0])
        return (Note("clicks-unknown-examination", count, "warning"),) if count else ()

    def assume(
        self, behaviour: UserBehaviour, attraction: Values, satisfaction: Values | None
    ) -> Parameters:
        """The position's examination, relative to the first, and clicks there."""
        import numpy as np

        first = behaviour.positions[0]
        shared = {"examination": behaviour.positions / first, "left_out": np.zeros(1)}
        return Parameters.exact({"attraction": attraction * first}, shared)

    def relevance(self, parameters: Parameters) -> Relevance:
        """γ: the probability of a click at the reference."""
        return Relevance(parameters.pairs["attraction"], parameters.weights["attraction"])

    def click(self, parameters: Parameters, lists: Lists, pairs: Mapping[str, Values]) -> Values:
        """Examination times γ, at most 1."""
        import numpy as np

        examination = np.nan_to_num(parameters.shared["examination"], nan=self.unseen)
        clicks: Values = np.minimum(pairs["attraction"] * examination[lists.positions - 1], 1.0)
        return clicks


@dataclass(frozen=True)
class Clipped(Corrected):
    """Clicks weigh 1 / θ, where θ is at least `clip`: rare clicks far down do not decide alone.

    Attributes:
        clip: A smaller θ counts as this one.
    """

    clip: float = 0.1

    def __post_init__(self) -> None:
        super().__post_init__()
        if not 0 < self.clip <= 1:
            raise ParameterError(
                message(
                    "core.parameter-must-be-above",
                    name="clip",
                    value=self.clip,
                )
            )

    def inverse(self, examination: Values) -> Values:
        """Returns 1 / θ, clipped."""
        import numpy as np

        found: Values = 1 / np.maximum(examination, self.clip)
        return found
