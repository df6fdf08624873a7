"""The direct method: a model of rewards says what the candidate earns."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from relyon.labels.off_policy.estimator import Estimator, Terms, barely, register
from relyon.labels.off_policy.reward_model import fit_rewards

if TYPE_CHECKING:
    from relyon.core.texts import Text
    from relyon.labels.off_policy.estimator import Evidence
    from relyon.labels.off_policy.weights import Level

__all__ = ["DirectMethod"]


@register
class DirectMethod(Estimator):
    """The direct method: (1/n) Σ q(candidate).

    q is the mean of each document at each position for each query, drawn to the mean of the
    position. It needs no propensities, and is wrong by as much as the model is: where a document
    was never shown at its position, it says what is shown there on average.
    """

    name = "dm"
    level: ClassVar[Level | None] = None
    lists = False

    def refusal(self, evidence: Evidence) -> Text | None:
        """Returns why there is no estimate: nothing of the candidate was shown."""
        return barely(evidence, "place")

    def terms(self, evidence: Evidence) -> Terms:
        """Returns the contribution of each session."""
        feedback = evidence.feedback
        model = fit_rewards(evidence.choices, folds=1)
        low, high = (bound * feedback.places for bound in feedback.bounds)
        values = model.of_sessions(feedback.context).sum(axis=1)
        return Terms(values, None, low, high, certain=False, ordered=False)
