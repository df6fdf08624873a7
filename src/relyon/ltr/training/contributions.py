"""Contributions of features to a score: SHAP values from the trees' engine."""

from __future__ import annotations

import os
import tempfile
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from relyon.core.errors import ParameterError
from relyon.core.packages import optional_package
from relyon.core.parameters import check_choice
from relyon.core.texts import message

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

__all__ = ["ENGINES", "Contributions", "linear_contributions", "tree_contributions"]

#: The engines whose trees are explained.
ENGINES = ("lightgbm", "xgboost", "catboost")


@dataclass(frozen=True, eq=False)
class Contributions:
    """Scores as sums: one part per feature, and a base that all rows share.

    Attributes:
        values: Shape (rows, features): what each feature adds.
        base: What every score begins with.
    """

    values: NDArray[np.float64]
    base: float

    @property
    def scores(self) -> NDArray[np.float64]:
        """The scores that the parts add up to."""
        found: NDArray[np.float64] = self.values.sum(axis=1) + self.base
        return found

    def within(self, offsets: NDArray[np.int64]) -> NDArray[np.float64]:
        """Returns the parts without their mean over the query's rows: what orders the query.

        A feature that is the same for all documents of a query can have large contributions and
        still move none of them past another one. Those of different queries are never compared.

        Args:
            offsets: Query i holds the rows `offsets[i]` to `offsets[i + 1]`.
        """
        import numpy as np

        sizes = np.diff(offsets)
        kept = sizes > 0
        sums = np.add.reduceat(self.values, offsets[:-1][kept], axis=0)
        means = sums / sizes[kept][:, np.newaxis]
        found: NDArray[np.float64] = self.values - np.repeat(means, sizes[kept], axis=0)
        return found


def tree_contributions(engine: str, booster: Any, features: Any) -> Contributions:
    """Returns the SHAP values of an ensemble of trees, as its engine computes them (TreeSHAP).

    They depend on the path through the trees: what is expected of a feature that is not known is
    what the training rows did that reached the node. LightGBM and CatBoost compute them in double
    precision, XGBoost in single precision. CatBoost computes them from a copy of the model that was
    written as JSON and read again: from the model itself, where trees are grown leaf by leaf, its
    SHAP values miss the scores by up to their whole size (its issues 1125 and 2136), and those of
    the copy are the Shapley values of the trees.

    Args:
        engine: `lightgbm`, `xgboost` or `catboost`.
        booster: Its trained model: a LightGBM or XGBoost `Booster`, a CatBoost model.
        features: Shape (rows, features).

    Raises:
        ParameterError: If there is no such engine.

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
    # The last column is the expected score of the training rows; all rows have the same.
    base = float(dense[0, -1]) if len(dense) else 0.0
    return Contributions(np.ascontiguousarray(dense[:, :-1]), base)


def _weighed(booster: Any, library: Any) -> Any:
    """Returns a copy of CatBoost's model that knows how many training rows each leaf holds."""
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "model.json")
        booster.save_model(path, format="json")
        return library.CatBoost().load_model(path, format="json")


def linear_contributions(
    weights: NDArray[np.float64], centre: NDArray[np.float64], features: Any, intercept: float = 0.0
) -> Contributions:
    """Returns what each feature adds to the score of a linear ranker: w (x - centre).

    These are its SHAP values where features are taken to be independent.

    Args:
        weights: One per feature.
        centre: What each feature is compared with: its mean over the training rows.
        features: Shape (rows, features), dense or sparse.
        intercept: What the score begins with, at 0.

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
