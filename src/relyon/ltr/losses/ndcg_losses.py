"""NDCG-Loss1, NDCG-Loss2 and NDCG-Loss2++ of the LambdaLoss framework."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from relyon.core.rules import Discount, Gain
from relyon.ltr.losses.definition import Loss, register

__all__ = ["NDCGLoss", "NDCGLoss1", "NDCGLoss2", "NDCGLoss2pp"]


@dataclass(frozen=True)
class NDCGLoss(Loss):
    """A logistic loss of pairs, weighted by gains and by discounts at the current ranks.

    The weights are constants between two orders, so the gradient is the derivative wherever no two
    scores are equal. The Hessian is the diagonal of the pairs, Σ weight σ²ρ(1 − ρ)/ln 2,
    ρ = 1/(1 + e^{σ(s_i − s_j)}). Documents with equal scores are ranked in an order that is drawn
    anew for each list and each `seed`, independently of the order of the input. A list whose gains
    are all equal has no order and loss 0. Labels may be fractions; below 0 they have no gain.
    O(n²).

    Attributes:
        sigma: The slope σ of the sigmoid, above 0.
        gain: How a label becomes a gain: `exp` is 2^y − 1, `linear` is y, or a map of labels to
            gains. A label below 0 has no gain.
        discount: The divisor of a gain at rank r: `log2` is log2(1 + r), `inverse` is r, `none`
            is 1.
    """

    positive: ClassVar[tuple[str, ...]] = ("sigma",)
    sigma: float = 1.0
    gain: Gain = "exp"
    discount: Discount = "log2"


@dataclass(frozen=True)
class _Mixture(Loss):
    """The parameter of NDCG-Loss2++ that comes before those of `NDCGLoss`."""

    mu: float = 10.0


@register
@dataclass(frozen=True)
class NDCGLoss1(NDCGLoss):
    """NDCG-Loss1: every ordered pair, weighted by the discounted gain of its first document.

    Σ_i Σ_{j≠i} (G_i / D(r_i)) log2(1 + e^{−σ(s_i − s_j)}) over all ordered pairs, independently of
    their labels, where r_i is the rank by the current scores and G_i = g(y_i)/maxDCG.

    Gradient, Hessian, ties and the parameters are those of `NDCGLoss`. The weight of a pair
    is that of the document whose gain it has.

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


@register
@dataclass(frozen=True)
class NDCGLoss2(NDCGLoss):
    """NDCG-Loss2: pairs weighted by the discounts at the distance of their ranks.

    Σ δ_ij |G_i − G_j| log2(1 + e^{−σ(s_i − s_j)}) over all pairs with g(y_i) > g(y_j), where
    δ_ij = |1/D(d) − 1/D(d + 1)|, d = |r_i − r_j| the distance of their ranks by the current scores,
    and G_i = g(y_i)/maxDCG.

    Gradient, Hessian, ties and the parameters are those of `NDCGLoss`. The weight of a pair is that
    of its better document.

    Examples:
        >>> import relyon.ltr
        >>> loss = relyon.ltr.loss("ndcg_loss2")
        >>> loss.evaluate([2, 1, 0], [0.5, 1.0, 0.0]).values.round(6).tolist()
        [0.510545]

    References:
        Wang et al. (2018), The LambdaLoss framework for ranking metric optimization.
    """

    name = "ndcg_loss2"
    title = "NDCG-Loss2"
    formula = "sum over g_i > g_j of d_ij |G_i - G_j| log2(1 + exp(-sigma (s_i - s_j)))"


@register
@dataclass(frozen=True)
class NDCGLoss2pp(NDCGLoss, _Mixture):
    """NDCG-Loss2++, also called LambdaLoss: LambdaRank's weights plus those of NDCG-Loss2.

    Σ (λ_ij + μ δ_ij) |G_i − G_j| log2(1 + e^{−σ(s_i − s_j)}) over all pairs with g(y_i) > g(y_j),
    where λ_ij = |1/D(r_i) − 1/D(r_j)| is LambdaRank's weight, δ_ij = |1/D(d) − 1/D(d + 1)| that of
    NDCG-Loss2, d = |r_i − r_j|, r the rank by the current scores, and G_i = g(y_i)/maxDCG.

    Gradient, Hessian, ties and the other parameters are those of `NDCGLoss`. The weight of a pair
    is that of its better document.

    Attributes:
        mu: The factor μ of δ, above 0.

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
