"""ApproxNDCG: NDCG at smooth ranks."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from relyon.core.rules import Gain
from relyon.ltr.losses.definition import Loss, register

__all__ = ["ApproxNDCG"]


@register
@dataclass(frozen=True)
class ApproxNDCG(Loss):
    """1 − NDCG with smooth ranks in its discount.

    1 − Σ G_i / D(r̂_i), r̂_i = 1 + Σ_{j≠i} 1/(1 + e^{(s_i − s_j)/T}), G_i = g(y_i)/maxDCG. As the
    temperature T approaches 0, r̂ becomes the rank, ties counted half.

    The gradient is exact. The second derivative can be negative, so the Hessian is a substitute
    that cannot: the absolute value of each pair's part of the gradient, divided by T. That bounds
    the second derivative for a constant slope of the discount. Equal scores are no special case. A
    list whose gains are all equal has no order and loss 0. Labels may be fractions. With weights,
    gains are w_i g_i, and the weight of the list is the mean of its weights by gain. O(n²).

    Attributes:
        temperature: T, above 0.
        gain: How a label becomes a gain: `exp` is 2^y − 1, `linear` is y, or a map of labels to
            gains. A label below 0 has no gain.
        discount: The divisor of a gain at rank r: `log2` is log2(1 + r), `inverse` is r.

    Examples:
        >>> import relyon.ltr
        >>> loss = relyon.ltr.loss("approx_ndcg(temperature=1)")
        >>> loss.evaluate([0, 1], [0.0, 0.0]).values.round(6).tolist()
        [0.243529]

    References:
        Qin, Liu and Li (2010), A general approximation framework for direct optimization of
        information retrieval measures; Bruch et al. (2019), Revisiting approximate metric
        optimization in the age of deep neural networks.
    """

    name = "approx_ndcg"
    title = "ApproxNDCG"
    formula = "1 - sum of G_i/D(1 + sum of sigmoid((s_j - s_i)/T))"
    aliases = ("approxndcg",)
    positive = ("temperature",)
    temperature: float = 0.1
    gain: Gain = "exp"
    discount: Literal["log2", "inverse"] = "log2"
