"""ListMLE: the likelihood of the whole order."""

from __future__ import annotations

from dataclasses import dataclass

from relyon.ltr.losses.definition import Loss, register

__all__ = ["ListMLE"]


@register
@dataclass(frozen=True)
class ListMLE(Loss):
    """The likelihood of the order by labels in the Plackett-Luce model.

    −Σ_i w_π(i) [s_π(i) − ln Σ_{k ≥ i} e^{s_π(k)}], where π sorts by decreasing label.

    Documents with equal labels are in an order that is drawn anew for each list and each `seed`,
    independently of the order of the input: with a new seed per step, as in relyon's rankers,
    training uses many orders. Only documents with a unique label are independent of the draw.

    The Hessian is the exact diagonal of that order: Σ w p (1 − p) over the places at which the
    document can still be chosen, p its probability there. A list whose labels are all equal has
    no order and loss 0. Only the order of labels matters: they may be fractions or below 0.
    O(n log n).

    Examples:
        >>> import relyon.ltr
        >>> found = relyon.ltr.loss("listmle").evaluate([2, 1, 0], [0.0, 0.0, 0.0])
        >>> found.values.round(6).tolist(), found.gradient.round(6).tolist()
        ([1.791759], [-0.666667, -0.166667, 0.833333])

    References:
        Xia et al. (2008), Listwise approach to learning to rank: theory and algorithm.
    """

    name = "listmle"
    title = "ListMLE"
    formula = "-sum over places i of s_i - ln sum of exp(s_k), k at i or after"
