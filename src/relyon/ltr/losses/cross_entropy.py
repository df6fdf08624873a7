"""Labels as probabilities: the cross-entropy."""

from __future__ import annotations

from dataclasses import dataclass

from relyon.ltr.losses.definition import Loss, register

__all__ = ["CrossEntropy"]


@register
@dataclass(frozen=True)
class CrossEntropy(Loss):
    """The logistic loss of labels that are probabilities of relevance.

    Σ w_i [softplus(s_i) − y_i s_i] with y_i from 0 to 1, as labels from clicks are: `logistic`
    without its threshold. Other labels are refused.

    The gradient is w_i (p_i − y_i), p = 1/(1 + e^{−s}), the Hessian w_i p_i (1 − p_i), both exact.
    Documents are independent, so a list in which all labels are equal counts like any other, and
    ties have no effect.

    Examples:
        >>> import relyon.ltr
        >>> found = relyon.ltr.loss("cross_entropy").evaluate([0.25], [0.0])
        >>> found.values.round(6).tolist(), found.gradient.tolist()
        ([0.693147], [0.25])

    References:
        Good (1952), Rational decisions: the logarithmic score of a stated probability.
    """

    name = "cross_entropy"
    title = "Cross-entropy of probabilities"
    formula = "sum of ln(1 + exp(s_i)) - y_i s_i, y_i from 0 to 1"
