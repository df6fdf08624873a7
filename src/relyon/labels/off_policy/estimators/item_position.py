"""Item-position inverse propensity scores: each place is weighted alone."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar, Literal

from relyon.labels.off_policy.estimator import Estimator, Terms, register

if TYPE_CHECKING:
    from relyon.labels.off_policy.estimator import Evidence
    from relyon.labels.off_policy.weights import Level

__all__ = ["ItemPosition"]


@register
class ItemPosition(Estimator):
    """Item-position inverse propensity scores: (1/n) Σ Σ_k w_k r_k, w_k = π(d at k) / p(d at k).

    Without bias where what a document earns depends on the query, on itself and on its position
    alone, as under a position-based click model, and the log can show each of the candidate's
    documents at its position.

    References:
        Li, Abbasi-Yadkori, Kveton, Muthukrishnan, Vinay and Wen (2018), KDD.
    """

    name = "item-position"
    level: ClassVar[Level | None] = "place"
    unseen: ClassVar[Literal["zero", "part", "model"]] = "zero"
    lists = False

    def terms(self, evidence: Evidence) -> Terms:
        """Returns the contribution of each session."""
        feedback, weights = evidence.feedback, evidence.weights("place")
        low, high = (bound * feedback.places * weights.bound for bound in feedback.bounds)
        values = (weights.values * feedback.rewards).sum(axis=1)
        return Terms(values, None, low, high, ordered=not weights.estimated)
