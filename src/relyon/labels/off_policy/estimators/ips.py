"""Inverse propensity scores: what matching sessions earned, weighted."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar, Literal

from relyon.labels.off_policy.estimator import Estimator, Terms, register

if TYPE_CHECKING:
    from relyon.labels.off_policy.estimator import Evidence
    from relyon.labels.off_policy.weights import Level

__all__ = ["IPS"]


@register
class IPS(Estimator):
    """Inverse propensity scores: (1/n) Σ w r, with w = π(list) / p(list).

    Without bias where the log can show everything that the candidate shows; what it cannot show
    counts as if it earned nothing.

    References:
        Horvitz and Thompson (1952), Journal of the American Statistical Association 47(260).
    """

    name = "ips"
    level: ClassVar[Level | None] = "list"
    unseen: ClassVar[Literal["zero", "part", "model"]] = "zero"

    def terms(self, evidence: Evidence) -> Terms:
        """Returns the contribution of each session."""
        feedback, weights = evidence.feedback, evidence.weights("list")
        low, high = (bound * feedback.places * weights.bound for bound in feedback.bounds)
        values = weights.values[:, 0] * feedback.totals
        return Terms(values, None, low, high, ordered=not weights.estimated)
