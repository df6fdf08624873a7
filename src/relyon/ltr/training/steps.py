"""Scores of a ranker after some of its trees, for the learning curve."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from relyon.core.parameters import check_choice
from relyon.ltr.training.contributions import ENGINES, Booster

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from relyon.data.matrices import FeatureMatrix

__all__ = ["points_of", "scores_after"]


def points_of(trees: int, most: int = 25) -> list[int]:
    """Returns the numbers of trees at which a curve has a point: all, or `most` of them.

    Examples:
        >>> points_of(3), points_of(100, 5)
        ([1, 2, 3], [1, 26, 51, 75, 100])
    """
    if trees <= most:
        return list(range(1, trees + 1))
    return sorted({1 + round(step * (trees - 1) / (most - 1)) for step in range(most)})


def scores_after(
    engine: str, booster: Booster, features: FeatureMatrix, points: Sequence[int]
) -> list[NDArray[np.float64]]:
    """Returns the scores after some numbers of trees; each tree is evaluated once.

    A constant that all scores share may be missing: it does not change the order.

    Args:
        engine: `lightgbm`, `xgboost` or `catboost`.
        booster: Its trained model.
        features: Shape (rows, features).
        points: Numbers of trees, increasing.

    Raises:
        ParameterError: If the engine is unknown.
    """
    import numpy as np

    check_choice("engine", engine, ENGINES)
    given = _matrix(engine, features)
    total = np.zeros(features.shape[0])
    found = []
    for start, end in zip([0, *points[:-1]], points, strict=True):
        span: dict[str, object]
        if engine == "lightgbm":
            span = {"start_iteration": start, "num_iteration": end - start, "raw_score": True}
        elif engine == "xgboost":
            span = {"iteration_range": (start, end), "output_margin": True}
            span["validate_features"] = False
        else:
            span = {"ntree_start": start, "ntree_end": end, "prediction_type": "RawFormulaVal"}
        part = booster.predict(given, **span)
        total = total + np.asarray(part, dtype=np.float64)
        found.append(total)
    return found


def _matrix(engine: str, features: FeatureMatrix) -> object:
    if engine == "xgboost":
        import xgboost

        return xgboost.DMatrix(features)
    return features
