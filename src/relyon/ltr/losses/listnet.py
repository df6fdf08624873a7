"""ListNet: the cross-entropy of the top document."""

from __future__ import annotations

from dataclasses import dataclass

from relyon.ltr.losses.definition import Loss, register

__all__ = ["ListNet"]


@register
@dataclass(frozen=True)
class ListNet(Loss):
    """ListNet with top-1 probabilities.

    −Σ w_i t_i ln p_i with t = softmax(y) and p = softmax(s): the cross-entropy of the distributions
    of the document at the top. The target of `softmax` is the labels themselves.

    The gradient is W p_i − w_i t_i, W = Σ w_i t_i, the Hessian W p_i (1 − p_i), the exact diagonal.
    A list whose labels are all equal has no order and loss 0. Labels may be fractions or below 0:
    only their differences matter.

    Examples:
        >>> import relyon.ltr
        >>> found = relyon.ltr.loss("listnet").evaluate([1, 0], [0.0, 0.0])
        >>> found.values.round(6).tolist(), found.gradient.round(6).tolist()
        ([0.693147], [-0.231059, 0.231059])

    References:
        Cao et al. (2007), Learning to rank: from pairwise approach to listwise approach.
    """

    name = "listnet"
    title = "ListNet"
    formula = "-sum of softmax(y)_i ln softmax(s)_i"
