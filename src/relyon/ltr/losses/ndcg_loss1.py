"""LambdaLoss: NDCG-Loss1."""

from __future__ import annotations

from dataclasses import dataclass

from relyon.core.rules import Discount, Gain
from relyon.ltr.losses.definition import Loss, register

__all__ = ["NDCGLoss1"]


@register
@dataclass(frozen=True)
class NDCGLoss1(Loss):
    """NDCG-Loss1 of the LambdaLoss framework.

    Σ_i Σ_{j≠i} (G_i / D(r_i)) log2(1 + e^{−σ(s_i − s_j)}) over all ordered pairs, whatever their
    labels, where r_i is the rank by the current scores and G_i = g(y_i)/maxDCG.

    The weights are held fixed, and between two orders they are: the gradient is the derivative
    wherever no two scores are equal. The Hessian is the diagonal of the pairs,
    Σ weight σ²ρ(1 − ρ)/ln 2, ρ = 1/(1 + e^{σ(s_i − s_j)}). Documents with equal scores are ranked
    in an order that is drawn anew for each list and each `seed`, whatever the order of the input. A
    list whose gains are all equal has no order and loss 0. Labels may be fractions; below 0 they
    have no gain. A pair
    weighs as the document whose gain it has. O(n²).

    Attributes:
        sigma: The slope σ of the sigmoid, above 0.
        gain: How a label becomes a gain: `exp` is 2^y − 1, `linear` is y, or a map of labels to
            gains. A label below 0 has no gain.
        discount: What a gain is divided by at rank r: `log2` is log2(1 + r), `inverse`
            is r, `none` is 1.

    Examples:
        >>> import relyon.ltr
        >>> loss = relyon.ltr.loss("ndcg_loss1")
        >>> loss.evaluate([2, 1, 0], [0.5, 1.0, 0.0]).values.round(6).tolist()
        [1.401952]

    References:
        Wang et al. (2018), The LambdaLoss framework for ranking metric optimization.
    """

    name = "ndcg_loss1"
    title = "NDCG-Loss1"
    formula = "sum over i and j of G_i/D(r_i) log2(1 + exp(-sigma (s_i - s_j)))"
    positive = ("sigma",)
    sigma: float = 1.0
    gain: Gain = "exp"
    discount: Discount = "log2"
