"""NeuralNDCG: NDCG of a softly sorted list."""

from __future__ import annotations

from dataclasses import dataclass

from relyon.core.parameters import check_least
from relyon.core.rules import Discount, Gain
from relyon.ltr.losses.definition import Loss, register

__all__ = ["NeuralNDCG"]


@register
@dataclass(frozen=True)
class NeuralNDCG(Loss):
    """1 − NDCG of the gains at each rank by a soft permutation matrix.

    NeuralSort: row i of P̂, for rank i, is softmax([(n + 1 − 2i) s − A]/τ), A_j = Σ_k |s_j − s_k|.
    Sinkhorn: columns and rows of P̂ are scaled in turn to add up to 1, at most `rounds` times, or
    until no column is off by `tolerance`. The loss is 1 − Σ_i (P̂ G)_i / D(i), G = g(y)/maxDCG. As
    the temperature τ approaches 0 it becomes 1 − NDCG.

    The gradient is exact for the number of rounds that ran, and at two equal scores it is the mean
    of both sides. The second derivative can be negative, so the Hessian is a substitute that
    cannot: the absolute value of the gradient, divided by τ; a Newton step of one document then
    has length τ. A list whose gains are all equal has no order and loss 0. Labels may be
    fractions. With weights, gains are w_i g_i, and the weight of the list is the mean of its
    weights by gain. O(n²) per round, and memory for n² numbers, so lists longer than `cap` are
    refused.

    Attributes:
        temperature: τ, above 0.
        k: Ranks counted; `None` counts the whole list.
        gain: How a label becomes a gain: `exp` is 2^y − 1, `linear` is y, or a map of labels to
            gains. A label below 0 has no gain.
        discount: The divisor of a gain at rank r: `log2` is log2(1 + r), `inverse` is r, `none`
            is 1.
        rounds: The maximum number of rounds of scaling.
        tolerance: The allowed distance of column sums from 1, 0 or more; 0 runs all rounds.
        cap: The maximum length of a list.

    Examples:
        >>> import relyon.ltr
        >>> loss = relyon.ltr.loss("neural_ndcg")
        >>> loss.evaluate([0, 1], [0.0, 0.0]).values.round(6).tolist()
        [0.184535]

    References:
        Pobrotyn and Białobrzeski (2021), NeuralNDCG; Grover et al. (2019), Stochastic optimization
        of sorting networks via continuous relaxations.
    """

    name = "neural_ndcg"
    title = "NeuralNDCG"
    formula = "1 - sum of (P G)_i/D(i), P the soft permutation matrix"
    aliases = ("neuralndcg",)
    positive = ("temperature",)
    temperature: float = 1.0
    k: int | None = None
    gain: Gain = "exp"
    discount: Discount = "log2"
    rounds: int = 50
    tolerance: float = 1e-6
    cap: int = 2000

    def __post_init__(self) -> None:
        super().__post_init__()
        check_least("tolerance", self.tolerance)
