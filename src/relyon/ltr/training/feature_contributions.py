"""Contributions of features to a ranker's scores, and to the order of two documents."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from relyon.core.errors import InputError, ParameterError, UnknownNameError
from relyon.core.registry import suggestion
from relyon.core.texts import message
from relyon.ltr.training.contributions import (
    Booster,
    Contributions,
    linear_contributions,
    tree_contributions,
)
from relyon.ltr.training.order_explanation import FeatureReason, OrderExplanation

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from relyon.data.labelled import LabelledRows
    from relyon.ltr.rankers.ranker import Ranker

__all__ = ["TrainedForest", "contributions_of", "explain_order", "forest_of"]


@dataclass(frozen=True, eq=False)
class TrainedForest:
    """The trees of a ranker.

    Attributes:
        engine: `lightgbm`, `xgboost` or `catboost`.
        booster: The engine's own model.
        trees: The number of trees.
    """

    engine: str
    booster: Booster
    trees: int


def forest_of(ranker: Ranker) -> TrainedForest | None:
    """Returns the trees of a trained ranker, or None for other rankers.

    Args:
        ranker: A trained ranker.
    """
    forest = getattr(ranker, "forest_", None)
    if forest is None:
        return None
    booster, engine = forest.booster, _engine_of(ranker)
    if engine == "lightgbm":
        return TrainedForest(engine, booster, int(booster.num_trees()))
    if engine == "xgboost":
        return TrainedForest(engine, booster, int(booster.num_boosted_rounds()))
    return TrainedForest(engine, booster, int(booster.tree_count_))


def _engine_of(ranker: Ranker) -> str:
    from relyon.ltr.rankers.engines.engine import engines

    return engines.get(ranker.engine).name


def contributions_of(ranker: Ranker, rows: LabelledRows) -> Contributions | None:
    """Returns the contribution of each feature to the score of each row; None for networks.

    It is also None if the contributions do not add up to the scores. For a linear ranker the
    reference value is the mean of the feature over these rows.

    Args:
        ranker: A trained ranker.
        rows: Rows with features.

    Raises:
        InputError: If the rows lack features of the ranker.
    """
    import numpy as np

    matrix = ranker._matrix(rows, reset=False)
    forest = forest_of(ranker)
    if forest is not None:
        found = tree_contributions(forest.engine, forest.booster, matrix)
        return found if _adds_up(found, ranker.predict(rows)) else None
    weights = getattr(ranker, "coef_", None)
    if weights is None:
        return None
    dense = np.asarray(matrix.toarray() if hasattr(matrix, "toarray") else matrix)
    return linear_contributions(weights, dense.mean(axis=0), dense, ranker.intercept_)


def _adds_up(found: Contributions, scores: NDArray[np.float64]) -> bool:
    """Returns whether contributions add up to the scores."""
    import numpy as np

    size = float(np.abs(scores).max(initial=0.0))
    return bool(np.allclose(found.scores, scores, rtol=0, atol=1e-4 * max(size, 1e-12)))


def explain_order(
    ranker: Ranker,
    rows: LabelledRows,
    query: str,
    first: str,
    second: str,
    *,
    name: str = "",
) -> OrderExplanation:
    """Explains why a ranker ranks one document of a query above another.

    The part of a feature is its SHAP value for the first document minus that for the second one;
    the parts add up to the difference of the scores.

    Args:
        ranker: A trained ranker of trees, or a linear one.
        rows: Rows with features and documents.
        query: The query.
        first: A document of the query.
        second: Another one.
        name: The name of the ranker; by default its class.

    Raises:
        UnknownNameError: If the query or a document is unknown.
        InputError: If the rows have no documents.
        ParameterError: If no contributions add up to the scores, as for networks.
    """
    import numpy as np

    if query not in rows.queries:
        raise UnknownNameError(
            message("ltr.no-query-in-rows", query=query),
            hint=suggestion(query, list(rows.queries)),
        )
    if rows.documents is None:
        raise InputError(
            message("ltr.rows-have-no-documents"),
            path=rows.path,
            hint=message("ltr.name-their-column"),
        )
    own = rows.select([rows.queries.index(query)])
    documents = own.documents or []
    for document in (first, second):
        if document not in documents:
            raise UnknownNameError(
                message(
                    "ltr.no-document-in-rows",
                    document=document,
                    query=query,
                ),
                hint=suggestion(document, documents),
            )
    found = contributions_of(ranker, own)
    if found is None:
        raise ParameterError(
            message(
                "ltr.scores-of-cannot",
                name=getattr(ranker, "engine", type(ranker).__name__),
            ),
            hint=message("ltr.trees-and-linear-rankers"),
        )
    one, other = documents.index(first), documents.index(second)
    scores = ranker.predict(own)
    parts = found.values[one] - found.values[other]
    matrix = ranker._matrix(own, reset=False)
    dense = np.asarray(matrix.toarray() if hasattr(matrix, "toarray") else matrix)
    reasons = [
        FeatureReason(feature, float(dense[one, at]), float(dense[other, at]), float(parts[at]))
        for at, feature in enumerate(ranker.feature_names_)
    ]
    return OrderExplanation(
        name or type(ranker).__name__,
        query,
        first,
        second,
        float(scores[one]),
        float(scores[other]),
        tuple(sorted(reasons, key=lambda reason: -abs(reason.difference))),
    )
