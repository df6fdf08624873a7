"""Binary classification: the logistic loss."""

from __future__ import annotations

from dataclasses import dataclass

from relyon.ltr.losses.definition import Loss, register

__all__ = ["Logistic"]


@register
@dataclass(frozen=True)
class Logistic(Loss):
    """The pointwise loss of binary classification: relevant or not.

    Σ w_i [softplus(s_i) − r_i s_i], where r_i is 1 if y_i ≥ rel and 0 if not, and
    softplus(x) = ln(1 + eˣ): −ln of the probability that p = 1/(1 + e^{−s}) gives to r_i.

    The gradient is w_i (p_i − r_i), the Hessian w_i p_i (1 − p_i), both exact. Documents are
    independent, so a list in which all labels are equal counts like any other, and ties have no
    effect. Labels may be fractions or below 0: only their side of `rel` matters.

    Attributes:
        rel: The label from which a document is relevant.

    Examples:
        >>> import relyon.ltr
        >>> found = relyon.ltr.loss("logistic(rel=2)").evaluate([2, 1], [1.0, 1.0])
        >>> found.values.round(6).tolist(), found.gradient.round(6).tolist()
        ([1.626523], [-0.268941, 0.731059])

    References:
        Nallapati (2004), Discriminative models for information retrieval.
    """

    name = "logistic"
    title = "Binary classification"
    formula = "sum of ln(1 + exp(s_i)) - [y_i >= rel] s_i"
    aliases = ("binary",)
    rel: float = 1.0
