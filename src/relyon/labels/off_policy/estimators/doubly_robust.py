"""Doubly robust: a model of rewards, corrected by what matching sessions earned."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from relyon.labels.off_policy.estimator import Estimator, Terms, register

if TYPE_CHECKING:
    from relyon.labels.off_policy.estimator import Evidence
    from relyon.labels.off_policy.weights import Level

__all__ = ["DoublyRobust"]


@register
class DoublyRobust(Estimator):
    """Doubly robust: (1/n) Σ [q(candidate) + w (r − q(logged))], with w = π(list) / p(list).

    Without bias where IPS is, and of less variance where the model q of rewards is good. q is the
    mean of each document at each position for each query, drawn to the mean of the position, and
    never from the session's own part of the log.

    References:
        Dudík, Langford and Li (2011), ICML.
    """

    name = "dr"
    level: ClassVar[Level | None] = "list"

    def terms(self, evidence: Evidence) -> Terms:
        """Returns the contribution of each session."""
        feedback, weights, model = evidence.feedback, evidence.weights("list"), evidence.rewards
        base = model.of_sessions(feedback.context).sum(axis=1)
        left = feedback.totals - model.logged.sum(axis=1)
        low, high = (bound * feedback.places for bound in feedback.bounds)
        most = weights.bound * (high - low)
        values = base + weights.values[:, 0] * left
        return Terms(values, None, low - most, high + most, ordered=False)
