"""Softmax: the cross-entropy of the top document, with the labels themselves as target."""

from __future__ import annotations

from dataclasses import dataclass

from relyon.ltr.losses.definition import Loss, register

__all__ = ["Softmax"]


@register
@dataclass(frozen=True)
class Softmax(Loss):
    """The softmax cross-entropy with raw labels.

    −Σ w_i t_i ln p_i with t_i = max(y_i, 0) and p = softmax(s). ListNet has softmax(y) in place of
    t, so that documents with label 0 are part of its target; here only those with a label above 0
    are, in proportion to it. For clicks it is the likelihood of the clicked documents.

    The gradient is W p_i − w_i t_i, W = Σ w_i t_i, the Hessian W p_i (1 − p_i), the exact diagonal.
    A list whose targets are all equal, such as one without any label above 0, has no order and
    loss 0. Labels may be fractions; below 0 they count as 0.

    Examples:
        >>> import relyon.ltr
        >>> found = relyon.ltr.loss("softmax").evaluate([1, 0], [0.0, 0.0])
        >>> found.values.round(6).tolist(), found.gradient.tolist()
        ([0.693147], [-0.5, 0.5])

    References:
        Bruch et al. (2019), An analysis of the softmax cross entropy loss for learning-to-rank with
        binary relevance.
    """

    name = "softmax"
    title = "Softmax cross-entropy"
    formula = "-sum of y_i ln softmax(s)_i"
