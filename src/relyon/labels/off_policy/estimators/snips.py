"""Self-normalised inverse propensity scores."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar, Literal

from relyon.labels.off_policy.estimator import Estimator, Terms, register

if TYPE_CHECKING:
    from relyon.labels.off_policy.estimator import Evidence
    from relyon.labels.off_policy.weights import Level

__all__ = ["SNIPS"]


@register
class SNIPS(Estimator):
    """Self-normalised inverse propensity scores: Σ w r / Σ w, with w = π(list) / p(list).

    Its bias vanishes as sessions grow, and it varies less than IPS. Where the log can show a part
    of what the candidate shows, it estimates that part.

    References:
        Swaminathan and Joachims (2015), NIPS.
    """

    name = "snips"
    level: ClassVar[Level | None] = "list"
    unseen: ClassVar[Literal["zero", "part", "model"]] = "part"

    def terms(self, evidence: Evidence) -> Terms:
        """Returns the contribution of each session."""
        feedback, weights = evidence.feedback, evidence.weights("list")
        low, high = (bound * feedback.places * weights.bound for bound in feedback.bounds)
        each = weights.values[:, 0]
        return Terms(each * feedback.totals, each, low, high, ordered=not weights.estimated)
