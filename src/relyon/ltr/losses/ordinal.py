"""Ordinal classification: one logistic loss per grade."""

from __future__ import annotations

from dataclasses import dataclass

from relyon.ltr.losses.definition import Loss, register

__all__ = ["Ordinal"]


@register
@dataclass(frozen=True)
class Ordinal(Loss):
    """The pointwise loss of ordinal classification: is the grade at least 1, at least 2, …?

    A binary decomposition with one score and fixed thresholds, the "all-threshold" loss: over all
    grades k from 1 to `levels`, Σ w_i [softplus(s_i − θ_k) − r_ik (s_i − θ_k)], where r_ik is 1 if
    y_i ≥ k and 0 if not, and θ_k = step (k − 1/2). With a step of 1 the score is on the scale of
    the grades: it crosses θ_k halfway between the grades k − 1 and k. The thresholds are not
    learnt, and it is not the likelihood of cumulative logits, Σ −ln[σ(s − θ_y) − σ(s − θ_{y+1})],
    which punishes by the two nearest thresholds alone.

    The gradient is w_i Σ (p_ik − r_ik), p_ik = 1/(1 + e^{θ_k − s_i}), the Hessian
    w_i Σ p_ik (1 − p_ik), both exact. Documents are independent, so a list in which all labels are
    equal counts like any other, and ties have no effect. A fraction counts as the whole grade
    below it, a label below 0 as 0; one above `levels` is refused.

    Attributes:
        levels: The highest grade.
        step: The distance between the thresholds of neighbouring grades, above 0.

    Examples:
        >>> import relyon.ltr
        >>> found = relyon.ltr.loss("ordinal(levels=2)").evaluate([2, 0], [1.0, 1.0])
        >>> found.values.round(6).tolist(), found.gradient.round(6).tolist()
        ([2.896308], [-1.0, 1.0])

    References:
        Rennie and Srebro (2005), Loss functions for preference levels.
    """

    name = "ordinal"
    title = "Ordinal classification"
    formula = "sum over grades k of ln(1 + exp(s_i - t_k)) - [y_i >= k] (s_i - t_k)"
    positive = ("step",)
    levels: int = 4
    step: float = 1.0
