"""Contributions of features to a score: SHAP values from the trees' engine."""

from __future__ import annotations

import os
import tempfile
from dataclasses import dataclass
from types import ModuleType
from typing import TYPE_CHECKING, Protocol

from relyon.core.errors import ParameterError
from relyon.core.packages import optional_package
from relyon.core.parameters import check_choice
from relyon.core.texts import message

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import ArrayLike, NDArray

    from relyon.data.matrices import FeatureMatrix

__all__ = ["ENGINES", "Booster", "Contributions", "linear_contributions", "tree_contributions"]

#: The engines whose trees are explained.
ENGINES = ("lightgbm", "xgboost", "catboost")


class Booster(Protocol):
    """A trained model of LightGBM, XGBoost or CatBoost."""

    def predict(self, data: object, **settings: object) -> object: ...
    def save_model(self, path: str, **settings: object) -> object: ...


class CatBoostModel(Protocol):
    """A CatBoost model that computes SHAP values."""

    def get_feature_importance(self, data: object, *, type: str) -> object: ...


@dataclass(frozen=True, eq=False)
class Contributions:
    """Scores as sums: one part per feature, and a base that all rows share.

    Attributes:
        values: Shape (rows, features): the contribution of each feature.
        base: The part that all scores share.
    """

    values: NDArray[np.float64]
    base: float

    @property
    def scores(self) -> NDArray[np.float64]:
        """The sums of the contributions."""
        found: NDArray[np.float64] = self.values.sum(axis=1) + self.base
        return found

    def within(self, offsets: NDArray[np.int64]) -> NDArray[np.float64]:
        """Returns the contributions minus their mean over the query's rows: they order the query.

        A feature that is the same for all documents of a query can have large contributions, but
        does not change their order. Documents of different queries are never compared.

        Args:
            offsets: Query i has the rows `offsets[i]` to `offsets[i + 1]`.
        """
        import numpy as np

        sizes = np.diff(offsets)
        kept = sizes > 0
        sums = np.add.reduceat(self.values, offsets[:-1][kept], axis=0)
        means = sums / sizes[kept][:, np.newaxis]
        found: NDArray[np.float64] = self.values - np.repeat(means, sizes[kept], axis=0)
        return found


def tree_contributions(
    engine: str, booster: Booster, features: FeatureMatrix | ArrayLike
) -> Contributions:
    """Returns the SHAP values of an ensemble of trees, as its engine computes them (TreeSHAP).

    They depend on the path through the trees: the expectation over an unknown feature is that of
    the training rows that reached the node. LightGBM and CatBoost compute them in double
    precision, XGBoost in single precision. CatBoost computes them from a copy of the model that was
    written as JSON and read again: those of the model itself, if trees are grown leaf by leaf, do
    not add up to the scores (its issues 1125 and 2136), and those of the copy are the Shapley
    values of the trees.

    Args:
        engine: `lightgbm`, `xgboost` or `catboost`.
        booster: Its trained model: a LightGBM or XGBoost `Booster`, a CatBoost model.
        features: Shape (rows, features).

    Raises:
        ParameterError: If the engine is unknown.

    References:
        Lundberg et al. (2020), From local explanations to global understanding with explainable AI
        for trees, Nature Machine Intelligence 2.
    """
    import numpy as np

    check_choice("engine", engine, ENGINES)
    if engine == "lightgbm":
        found = booster.predict(features, pred_contrib=True)
    elif engine == "xgboost":
        library = optional_package(
            "xgboost", purpose=message("ltr.ranker-of-trees"), install="relyon[xgboost]"
        )
        matrix = library.DMatrix(features)
        found = booster.predict(matrix, pred_contribs=True, validate_features=False)
    else:
        library = optional_package(
            "catboost", purpose=message("ltr.ranker-of-trees"), install="relyon[catboost]"
        )
        known = _weighed(booster, library)
        found = known.get_feature_importance(library.Pool(features), type="ShapValues")
    dense = np.asarray(found.toarray() if hasattr(found, "toarray") else found, dtype=np.float64)
    # The last column is the expected score of the training rows, the same for all rows.
    base = float(dense[0, -1]) if len(dense) else 0.0
    return Contributions(np.ascontiguousarray(dense[:, :-1]), base)


def _weighed(booster: Booster, library: ModuleType) -> CatBoostModel:
    """Returns a copy of CatBoost's model that has the number of training rows of each leaf."""
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "model.json")
        booster.save_model(path, format="json")
        copy: CatBoostModel = library.CatBoost().load_model(path, format="json")
        return copy


def linear_contributions(
    weights: NDArray[np.float64],
    centre: NDArray[np.float64],
    features: FeatureMatrix | ArrayLike,
    intercept: float = 0.0,
) -> Contributions:
    """Returns the contribution of each feature to the score of a linear ranker: w (x - centre).

    These are its SHAP values for independent features.

    Args:
        weights: One per feature.
        centre: The reference value of each feature: its mean over the training rows.
        features: Shape (rows, features), dense or sparse.
        intercept: The score of features that are all 0.

    Raises:
        ParameterError: If the shapes do not fit.

    Examples:
        >>> import numpy as np
        >>> found = linear_contributions(np.array([2.0, -1.0]), np.array([1.0, 0.0]), [[2, 3]])
        >>> found.values, found.base, found.scores
        (array([[ 2., -3.]]), 2.0, array([1.]))
    """
    import numpy as np

    dense = np.asarray(
        features.toarray() if hasattr(features, "toarray") else features, dtype=np.float64
    )
    if dense.ndim != 2 or dense.shape[1] != len(weights) or len(weights) != len(centre):
        raise ParameterError(message("ltr.there-must-be-one-weight"))
    return Contributions((dense - centre) * weights, float(weights @ centre) + intercept)
