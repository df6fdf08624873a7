"""LambdaRank: pairs weighted by how much their swap changes a measure."""

from __future__ import annotations

import dataclasses
import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from relyon.core.errors import ParameterError
from relyon.core.texts import message
from relyon.data.convention import Convention, load_convention
from relyon.ltr.losses.definition import Loss, register
from relyon.measures.definition import Measure
from relyon.measures.parser import measure as parse_measure

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import ArrayLike, NDArray

    from relyon.data.scale import Scale

__all__ = ["LambdaRank"]


@register
@dataclass(frozen=True)
class LambdaRank(Loss):
    """RankNet's pairs, each weighted by how much its swap changes a measure.

    Σ |ΔM_ij| softplus(−σ(s_i − s_j)) over all pairs with y_i > y_j, where |ΔM_ij| is the change of
    the measure M if the two documents are swapped in the current order, a constant in the
    derivatives. M is any of NDCG, DCG, CG, AP, RR, ERR, RBP, P, Recall and Success, with
    its gain, threshold and cutoff. For AUC and GAUC, which are made of pairs, each pair of a
    positive and a negative counts 1/(positives × negatives), at any ranks (times GAUC's
    weight of the query), and for PNR and concordance, whose counts are added up over
    queries, every pair of different labels counts 1, which is RankNet.

    λ and Hessian are LightGBM's: Δ = |ΔM|, and with `normalize`, if not all scores of the list
    are equal, Δ = |ΔM| / (0.01 + |s_i − s_j|); ρ = 1/(1 + e^{σ(s_i − s_j)}); λ_i −= σρΔ,
    λ_j += σρΔ, and both Hessians += σ²ρ(1 − ρ)Δ; with `normalize` all of a list are then
    multiplied by log2(1 + S)/S for S = Σ 2σρΔ. Last, each row's two are multiplied by its weight;
    in the value, the weight of a pair is the mean of its rows' weights. With ``weighting=pairs``
    each pair's share is multiplied by the weight of its better document (S is not weighted), which
    is right if weights are inverse propensities of clicks. LightGBM's lambdarank is
    ``lambdarank(measure=ndcg(gain=exp)@30,beyond=discount)``, 30 being its truncation level.

    Documents with equal scores are ranked in the order of the list, as by LightGBM's stable sort,
    independently of the convention: before the first tree that is the order of the rows, which
    must not be that of the labels. `drawn` breaks ties by the seed. If no swap of a list changes
    the measure, its loss is 0. Labels below 0 are not relevant and have no gain; for AUC, GAUC, PNR
    and concordance they keep their order. O(n²), or O(n T) with a truncation or cutoff T.

    Attributes:
        measure: The measure; relyon's convention fills what its name leaves open.
        sigma: The slope σ of the sigmoid, above 0.
        truncation: Only pairs with a document in this many first ranks count; `None` counts all. A
            measure's own cutoff leaves out the others by itself.
        normalize: Whether to divide by the distance of the scores, and by the sum of the list.
        beyond: In a pair with one document inside the cutoff of (N)DCG, a rank beyond it counts
            `nothing`, as in the measure, or keeps its `discount`, as in LightGBM; the ideal list is
            cut in both cases.
        weighting: Whether weights are those of `rows`, as in LightGBM, or of `pairs`.
        ties: Equal scores are in the order of the `input`, or `drawn` from the seed.

    Raises:
        ParameterError: If the measure is not one of these, or its value depends on the order only
            with a cutoff, and it has none.
        InputError: In `evaluate`, for a label whose gain is not finite, or above the `max` of ERR.

    Examples:
        >>> import relyon.ltr
        >>> loss = relyon.ltr.loss("lambdarank(measure=ndcg(gain=exp)@10)")
        >>> loss.swaps([0, 2, 1]).round(4).tolist()
        [[0.0, 0.3049, 0.1377], [0.3049, 0.0, 0.0721], [0.1377, 0.0721, 0.0]]
        >>> loss.evaluate([0, 2, 1], [0.3, 0.2, 0.1]).gradient.round(4).tolist()
        [1.0216, -0.994, -0.0276]

    References:
        Burges, Ragno and Le (2006), Learning to rank with nonsmooth cost functions, NIPS; Burges
        (2010), From RankNet to LambdaRank to LambdaMART; LightGBM 4, rank_objective.hpp.
    """

    name = "lambdarank"
    title = "LambdaRank"
    formula = "sum of |delta M| ln(1 + exp(-sigma (s_i - s_j))) over y_i > y_j"
    measure: str = "ndcg@10"
    sigma: float = 1.0
    truncation: int | None = None
    normalize: bool = True
    beyond: Literal["nothing", "discount"] = "nothing"
    weighting: Literal["rows", "pairs"] = "rows"
    ties: Literal["input", "drawn"] = "input"

    def checked(self, name: str, value: object, hint: object) -> object:
        if name != "measure":
            return super().checked(name, value, hint)
        return str(parse_measure(value if isinstance(value, Measure) else str(value)))

    def kernel(self) -> tuple[str, dict[str, object]]:
        values = super().kernel()[1]
        chosen = parse_measure(self.measure).resolve(load_convention(None))
        known = chosen.kernel()
        if known is None:
            raise ParameterError(
                message(
                    "ltr.cannot-be-objective",
                    measure=self.measure,
                )
            )
        own = {key: value for key, value in known[1].items() if value is not None}
        return self.name, own | values | {"measure": known[0]}

    def resolve(
        self,
        convention: Convention | str | None = None,
        scale: Scale | None = None,
        highest: float = math.nan,
    ) -> LambdaRank:
        """Returns the loss with all parameters of the measure filled in.

        Args:
            convention: The rules.
            scale: The grade scale.
            highest: The highest label, for ERR.

        Examples:
            >>> import relyon.ltr
            >>> str(relyon.ltr.loss("lambdarank(measure=rr@10)").resolve("lightgbm"))
            'lambdarank(measure=rr(rel=1)@10)'
        """
        filled = parse_measure(self.measure).resolve(load_convention(convention), scale, highest)
        return dataclasses.replace(self, measure=str(filled))

    def swaps(self, labels: ArrayLike) -> NDArray[np.float64]:
        """Returns by how much each swap of two documents of a list changes the measure.

        Args:
            labels: The labels in ranked order, shape (n,).

        Returns:
            |ΔM| as a symmetric matrix, shape (n, n), without truncation and normalisation.
        """
        import numpy as np

        from relyon import _native

        rows = _native.swap_changes(self.kernel()[1], np.asarray(labels))
        upper = np.asarray(rows, dtype=np.float64).reshape(len(rows), len(rows))
        changes: NDArray[np.float64] = upper + upper.T
        return changes
