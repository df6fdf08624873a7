"""Cascade doubly robust: lists are compared down to each place."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from relyon.labels.off_policy.estimator import Estimator, Terms, register

if TYPE_CHECKING:
    from relyon.labels.off_policy.estimator import Evidence
    from relyon.labels.off_policy.weights import Level

__all__ = ["CascadeDoublyRobust"]


@register
class CascadeDoublyRobust(Estimator):
    """Cascade doubly robust: (1/n) Σ Σ_k [w_{1:k} (r_k − Q_k) + w_{1:k−1} E Q_k].

    w_{1:k} is π/p of the list down to k, and Q_k what the list earns from k on: the sum of
    q over the places from k, for the rest of the candidate's list. So the sum is
    Σ_k [q_k(candidate) + w_{1:k} (r_k − q_k(logged))], with the q of the doubly robust estimator.
    Without bias where what a place earns depends on it and on what is above it alone, and the log
    can show the candidate's lists.

    References:
        Kiyohara, Saito, Matsuhiro, Narita, Shimizu and Yamamoto (2022), WSDM.
    """

    name = "cascade-dr"
    level: ClassVar[Level | None] = "prefix"

    def terms(self, evidence: Evidence) -> Terms:
        """Returns the contribution of each session."""
        feedback, weights, model = evidence.feedback, evidence.weights("prefix"), evidence.rewards
        base = model.of_sessions(feedback.context)
        values = (base + weights.values * (feedback.rewards - model.logged)).sum(axis=1)
        low, high = (bound * feedback.places for bound in feedback.bounds)
        most = weights.bound * (high - low)
        return Terms(values, None, low - most, high + most, ordered=False)
