"""RankNet: the logistic loss of pairs."""

from __future__ import annotations

from dataclasses import dataclass

from relyon.ltr.losses.definition import Loss, register

__all__ = ["RankNet"]


@register
@dataclass(frozen=True)
class RankNet(Loss):
    """The cross-entropy of pairs with different labels.

    Σ softplus(−σ(s_i − s_j)) over all pairs with y_i > y_j, where softplus(x) = ln(1 + eˣ): a sum,
    not a mean, so a list of n documents counts up to n(n − 1)/2 times.

    The Hessian is the exact diagonal: Σ σ²ρ(1 − ρ), ρ = 1/(1 + e^{σ(s_i − s_j)}), over the pairs of
    the row. Pairs of equal labels do not count, so a list without order has loss 0. Only the order
    of labels matters: they may be fractions or below 0. The weight of a pair is that of its better
    document, for clicks for example its inverse propensity. O(n²).

    Attributes:
        sigma: The slope σ of the sigmoid, above 0.

    Examples:
        >>> import relyon.ltr
        >>> found = relyon.ltr.loss("ranknet").evaluate([2, 1, 0], [1.0, 0.5, 0.0])
        >>> found.values.round(6).tolist()
        [1.261416]

    References:
        Burges et al. (2005), Learning to rank using gradient descent.
    """

    name = "ranknet"
    title = "RankNet"
    formula = "sum of ln(1 + exp(-sigma (s_i - s_j))) over y_i > y_j"
    positive = ("sigma",)
    sigma: float = 1.0
