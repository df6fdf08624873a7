"""LambdaRank: pairs weighed by what their swap would change in a measure."""

from __future__ import annotations

import dataclasses
import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

from relyon.core.errors import ParameterError
from relyon.core.texts import message
from relyon.data.convention import Convention, load_convention
from relyon.ltr.losses.definition import Loss, register
from relyon.measures.parser import measure as parse_measure

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import ArrayLike, NDArray

    from relyon.data.scale import Scale

__all__ = ["LambdaRank"]


@register
@dataclass(frozen=True)
class LambdaRank(Loss):
    """RankNet's pairs, each weighed by what its swap would change in a measure.

    Σ |ΔM_ij| softplus(−σ(s_i − s_j)) over all pairs with y_i > y_j, where |ΔM_ij| is the change of
    the measure M if the two documents traded places in the current order, held fixed while the
    derivatives are taken. M is any of NDCG, DCG, CG, AP, RR, ERR, RBP, P, Recall and Success, with
    its gain, threshold and cutoff. For AUC and GAUC, which are made of pairs, each pair of a
    positive and a negative counts 1/(positives × negatives), wherever its documents stand (GAUC's
    weight of the query on top), and for PNR and concordance, whose counts are added up over
    queries, every pair of different labels counts 1, which is RankNet.

    λ and Hessian are LightGBM's: Δ = |ΔM|, and with `normalize`, where not all scores of the list
    are equal, Δ = |ΔM| / (0.01 + |s_i − s_j|); ρ = 1/(1 + e^{σ(s_i − s_j)}); λ_i −= σρΔ,
    λ_j += σρΔ, and both Hessians += σ²ρ(1 − ρ)Δ; with `normalize` all of a list are then
    multiplied by log2(1 + S)/S for S = Σ 2σρΔ. Last, each row's two are multiplied by its weight;
    in the value, a pair weighs the mean of its rows. With ``weighting=pairs`` it is each pair's
    share that is multiplied, by the weight of its better document (S stays as it is): right where
    weights are inverse propensities of clicks. What LightGBM calls lambdarank is
    ``lambdarank(measure=ndcg(gain=exp)@30,beyond=discount)``, 30 being its truncation level.

    Documents of equal scores are ranked as they stand in the list, as by LightGBM's stable sort,
    whatever a convention says of ties: before the first tree that is the order of the rows, which
    must not be that of the labels. `drawn` breaks ties by the seed. A list without two documents
    of different worth to the measure has loss 0. Labels below 0 are not relevant and worth
    nothing; for AUC, GAUC, PNR and concordance they keep their order. O(n²), or O(n T) with a
    truncation or cutoff T.

    Attributes:
        measure: The measure; what its name leaves open is relyon's convention.
        sigma: The slope σ of the sigmoid, above 0.
        truncation: Pairs count that have a document, or two, in the first so many ranks; `None`
            counts all. A measure's own cutoff leaves out the others by itself.
        normalize: By the distance of the scores, and by the sum of the list, as above.
        beyond: In a pair with one document inside the cutoff of (N)DCG, a rank beyond it is worth
            `nothing`, as in the measure, or keeps its `discount`, as LightGBM has it; the ideal
            list is cut all the same.
        weighting: Weights are those of `rows` by themselves, as LightGBM has it, or of `pairs`.
        ties: Equal scores are in the order of the `input`, or `drawn` from the seed.

    Raises:
        ParameterError: If the measure is not one of these, or has no cutoff and only one could
            make its order matter.
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

    def checked(self, name: str, value: Any, hint: Any) -> Any:
        if name != "measure":
            return super().checked(name, value, hint)
        return str(parse_measure(value))

    def kernel(self) -> tuple[str, dict[str, Any]]:
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
        """Returns the loss with what the measure's name leaves open filled in.

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
        """Returns by how much each swap of two documents of a list would change the measure.

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
