"""SoftRank: the expected NDCG of uncertain scores."""

from __future__ import annotations

from dataclasses import dataclass

from relyon.core.rules import Discount, Gain
from relyon.ltr.losses.definition import Loss, register

__all__ = ["SoftRank"]


@register
@dataclass(frozen=True)
class SoftRank(Loss):
    """1 − SoftNDCG, with the whole distribution of each document's rank.

    The score of document j is a normal variable with mean s_j and standard deviation σ, so that i
    beats j with probability π_ij = Φ((s_i − s_j)/(√2 σ)). The rank of j is the number of documents
    that beat it, assumed independent: p_j(0) = 1, then for each i ≠ j,
    p_j(r) ← p_j(r − 1) π_ij + p_j(r)(1 − π_ij).
    SoftNDCG = Σ_j G_j Σ_r p_j(r) / D(r + 1), G_j = g(y_j)/maxDCG: the expectation of the discounted
    share, not the share at the expected rank, which is .648 in place of .696 in the example. As σ
    approaches 0 it becomes NDCG.

    The gradient is exact. The second derivative can be negative, so the Hessian is a substitute
    that cannot: the absolute value of each pair's part of the gradient, divided by √2 σ; a Newton
    step is then never longer than √2 σ. Equal scores are no special case. A list whose gains
    are all equal has no order and loss 0. Labels may be fractions. With weights, gains are w_i g_i,
    and the weight of the list is the mean of its weights by gain.

    O(n³) per list, O(n² k) with a cutoff k, so lists longer than `cap` are refused.

    Attributes:
        sigma: The standard deviation σ of scores, above 0.
        k: Ranks counted; `None` counts the whole list.
        gain: How a label becomes a gain: `exp` is 2^y − 1, `linear` is y, or a map of labels to
            gains. A label below 0 has no gain.
        discount: The divisor of a gain at rank r: `log2` is log2(1 + r), `inverse` is r, `none`
            is 1.
        cap: The maximum length of a list.

    Examples:
        >>> import relyon.ltr
        >>> loss = relyon.ltr.loss("softrank")
        >>> (1 - loss.evaluate([1, 0, 1, 2], [1.0, 0.75, 0.5, 0.25]).values).round(6).tolist()
        [0.69634]

    References:
        Taylor, Guiver, Robertson and Minka (2008), SoftRank: optimizing non-smooth rank metrics.
    """

    name = "softrank"
    title = "SoftRank"
    formula = "1 - sum of G_j E[1/D(rank of j)], s_j normal with deviation sigma"
    positive = ("sigma",)
    sigma: float = 1.0
    k: int | None = None
    gain: Gain = "exp"
    discount: Discount = "log2"
    cap: int = 500
