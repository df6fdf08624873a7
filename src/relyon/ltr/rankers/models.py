"""Rankers by the names of the literature: a loss and a scorer."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Literal

from relyon.core.errors import ParameterError, UnknownNameError
from relyon.core.parameters import check_choice
from relyon.core.registry import suggestion
from relyon.core.texts import message
from relyon.ltr.losses import losses
from relyon.ltr.rankers.ranker import Ranker

__all__ = ["MODELS", "ranker"]

#: Losses of other libraries, without case and signs, and the nearest one here.
ELSEWHERE: Mapping[str, str] = {
    "xendcg": "listnet",
    "rankxendcg": "listnet",
    "ranknetloss": "ranknet",
    "rankpairwise": "ranknet",
    "rankndcg": "lambdarank",
    "rankmap": "lambdarank(measure=ap)",
    "yetirank": "lambdarank",
    "pairlogit": "ranknet",
    "queryrmse": "regression",
    "querysoftmax": "listnet",
}

#: The loss of each model.
MODELS: Mapping[str, str] = {
    "regression": "squared_error",
    "classification": "logistic",
    "ordinal": "ordinal",
    "ranknet": "ranknet",
    "lambdarank": "lambdarank",
    "lambdamart": "lambdarank",
    "listnet": "listnet",
    "listmle": "listmle",
    "softrank": "softrank",
    "approxndcg": "approx_ndcg",
    "neuralndcg": "neural_ndcg",
    "lambdaloss": "ndcg_loss2pp",
}

NAME = re.compile(r"\s*([A-Za-z][\w+-]*)\s*(\(.*\))?\s*")
SCORERS = ("trees", "linear", "neural")


def ranker(
    name: str, *, scorer: Literal["trees", "linear", "neural"] = "trees", **parameters: object
) -> Ranker:
    """Returns a ranker, not yet trained, by the name of a model.

    A model is a loss and a scorer of documents: by default trees, which need no PyTorch.
    `lambdamart` is LambdaRank's loss with trees, and has no other scorer.

    Args:
        name: `regression`, `classification`, `ordinal`, `ranknet`, `lambdarank`, `lambdamart`,
            `listnet`, `listmle`, `softrank`, `approxndcg`, `neuralndcg`, `lambdaloss`, or any
            loss; optionally with parameters of the loss: `softrank(sigma=0.5)`.
        scorer: `trees`, `linear` or `neural`.
        parameters: Those of `TreeRanker`, `LinearRanker` or `NeuralRanker`.

    Raises:
        UnknownNameError: If the model is unknown; the hint names the nearest.
        ParameterError: If the scorer has no such parameter.

    Examples:
        >>> import relyon.ltr
        >>> relyon.ltr.ranker("lambdamart", trees=50)
        TreeRanker(trees=50)
        >>> relyon.ltr.ranker("ranknet(sigma=2)", scorer="linear")
        LinearRanker(loss='ranknet(sigma=2)')
    """
    found = NAME.fullmatch(name) if isinstance(name, str) else None
    if found is None:
        raise ParameterError(
            message("ltr.not-models-name", name=name),
            hint=message("ltr.write-name-such-as-lambdamart"),
        )
    word, arguments = found[1].lower(), found[2] or ""
    if word not in MODELS and word not in losses:
        raise UnknownNameError(
            message("ltr.unknown-model", name=found[1]),
            hint=message("ltr.nearest-is", name=ELSEWHERE[plain])
            if (plain := re.sub("[^a-z]", "", word)) in ELSEWHERE
            else suggestion(word, [*MODELS, *losses]),
        )
    check_choice("scorer", scorer, SCORERS)
    if word == "lambdamart" and scorer != "trees":
        raise ParameterError(
            message("ltr.lambdamart-is-made"), hint=message("ltr.loss-is-lambdarank")
        )
    kind = _scorer(scorer)
    known = kind._get_param_names()
    for given in parameters:
        if given not in known or given == "loss":
            raise ParameterError(
                message("ltr.has-no-parameter", name=kind.__name__, given=given),
                hint=suggestion(given, [one for one in known if one != "loss"]),
            )
    made: Ranker = kind(loss=f"{MODELS.get(word, word)}{arguments}", **parameters)
    return made


def _scorer(name: str) -> type[Ranker]:
    if name == "trees":
        from relyon.ltr.rankers.trees import TreeRanker

        return TreeRanker
    if name == "linear":
        from relyon.ltr.rankers.linear import LinearRanker

        return LinearRanker
    from relyon.ltr.rankers.neural import NeuralRanker

    return NeuralRanker
