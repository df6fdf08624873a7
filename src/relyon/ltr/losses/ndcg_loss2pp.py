"""LambdaLoss: NDCG-Loss2++."""

from __future__ import annotations

from dataclasses import dataclass

from relyon.core.rules import Discount, Gain
from relyon.ltr.losses.definition import Loss, register

__all__ = ["NDCGLoss2pp"]


@register
@dataclass(frozen=True)
class NDCGLoss2pp(Loss):
    """NDCG-Loss2++ of the LambdaLoss framework.

    Σ (ρ_ij + μ δ_ij) |G_i − G_j| log2(1 + e^{−σ(s_i − s_j)}) over all pairs with g(y_i) > g(y_j),
    where ρ_ij = |1/D(r_i) − 1/D(r_j)| is LambdaRank's weight, δ_ij = |1/D(d) − 1/D(d + 1)| that of
    NDCG-Loss2, d = |r_i − r_j|, r the rank by the current scores, and G_i = g(y_i)/maxDCG.

    The weights are held fixed, and between two orders they are: the gradient is the derivative
    wherever no two scores are equal. The Hessian is the diagonal of the pairs,
    Σ weight σ²q(1 − q)/ln 2, q = 1/(1 + e^{σ(s_i − s_j)}). Documents with equal scores are ranked
    in an order that is drawn anew for each list and each `seed`, whatever the order of the input. A
    list whose gains are all equal has no order and loss 0. Labels may be fractions; below 0 they
    have no gain. A pair
    weighs as its better document does. O(n²).

    Attributes:
        mu: What δ counts beside ρ, above 0.
        sigma: The slope σ of the sigmoid, above 0.
        gain: How a label becomes a gain: `exp` is 2^y − 1, `linear` is y, or a map of labels to
            gains. A label below 0 has no gain.
        discount: What a gain is divided by at rank r: `log2` is log2(1 + r), `inverse`
            is r, `none` is 1.

    Examples:
        >>> import relyon.ltr
        >>> loss = relyon.ltr.loss("ndcg_loss2pp")
        >>> loss.evaluate([2, 1, 0], [0.5, 1.0, 0.0]).values.round(6).tolist()
        [5.527361]

    References:
        Wang et al. (2018), The LambdaLoss framework for ranking metric optimization.
    """

    name = "ndcg_loss2pp"
    title = "NDCG-Loss2++"
    formula = "sum over g_i > g_j of (p_ij + mu d_ij) |G_i - G_j| log2(1 + exp(-sigma (s_i - s_j)))"
    aliases = ("ndcg_loss2++", "lambdaloss")
    positive = ("mu", "sigma")
    mu: float = 10.0
    sigma: float = 1.0
    gain: Gain = "exp"
    discount: Discount = "log2"
