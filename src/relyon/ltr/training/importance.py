"""The importance of features for the order of documents."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from relyon.analysis.statistics import interval, mean
from relyon.core.document.json import json_number, json_values

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from relyon.ltr.training.contributions import Contributions

__all__ = ["FeatureImportance", "contribution_importance", "permutation_importance"]

NOTHING = (float("nan"), float("nan"))
Kind = Literal["shap", "permutation"]


@dataclass(frozen=True)
class FeatureImportance:
    """The importance of a feature.

    Attributes:
        feature: Its name.
        value: `shap`: the mean over rows of |contribution - its mean in the query|, in the unit of
            scores. `permutation`: the drop of the measure if its values are permuted between rows.
        share: The share in the sum over all features; NaN if that is 0, or for `permutation`.
        interval: For `permutation`: Student's interval of the drop, over queries.
        kind: `shap` or `permutation`.
        overall: For `shap`: the mean of |contribution|, which includes features of the query.
    """

    feature: str
    value: float
    share: float
    kind: Kind
    interval: tuple[float, float] = NOTHING
    overall: float = NOTHING[0]

    def to_dict(self) -> dict[str, object]:
        """Returns JSON-ready values."""
        return {
            "feature": self.feature,
            "kind": self.kind,
            "value": json_number(self.value),
            "share": json_number(self.share),
            "interval": json_values(self.interval),
            "overall": json_number(self.overall),
        }


def contribution_importance(
    contributions: Contributions, offsets: NDArray[np.int64], names: Sequence[str]
) -> tuple[FeatureImportance, ...]:
    """Returns the features by their contributions within queries, the largest first.

    Args:
        contributions: The contributions to some rows.
        offsets: Query i has the rows `offsets[i]` to `offsets[i + 1]`.
        names: The features.

    Examples:
        >>> import numpy as np
        >>> from relyon.ltr.training.contributions import Contributions
        >>> parts = Contributions(np.array([[1.0, 5.0], [3.0, 5.0]]), 0.0)
        >>> found = contribution_importance(parts, np.array([0, 2]), ["bm25", "query length"])
        >>> [(one.feature, one.value, one.overall) for one in found]
        [('bm25', 1.0, 2.0), ('query length', 0.0, 5.0)]
    """
    import numpy as np

    if not len(contributions.values):
        return ()
    moved = np.abs(contributions.within(offsets)).mean(axis=0)
    overall = np.abs(contributions.values).mean(axis=0)
    total = float(moved.sum())
    found = [
        FeatureImportance(
            name,
            float(value),
            float(value) / total if total > 0 else float("nan"),
            "shap",
            overall=float(plain),
        )
        for name, value, plain in zip(names, moved, overall, strict=True)
    ]
    return tuple(sorted(found, key=lambda one: (-one.value, -one.overall)))


def permutation_importance(
    features: NDArray[np.float64],
    names: Sequence[str],
    measured: Callable[[NDArray[np.float64]], Sequence[float]],
    *,
    seed: int = 0,
    level: float = 0.95,
) -> tuple[FeatureImportance, ...]:
    """Returns the drop of a measure if a feature's values are permuted between rows.

    Values are permuted between all rows, so a feature that depends on others gets combinations
    that do not occur in the data (Hooker, Mentch and Zhou, 2021).

    Args:
        features: Shape (rows, features).
        names: The features.
        measured: Called with features; returns the measure of each query, NaN if undefined.
        seed: The seed of the permutations.
        level: Confidence level of the intervals.

    References:
        Breiman (2001), Random Forests, Machine Learning 45.
    """
    import numpy as np

    known = np.asarray(measured(features), dtype=np.float64)
    random = np.random.default_rng(seed)
    found = []
    for place, name in enumerate(names):
        changed = features.copy()
        changed[:, place] = features[random.permutation(len(features)), place]
        drops = known - np.asarray(measured(changed), dtype=np.float64)
        drops = drops[~np.isnan(drops)]
        bounds = interval("t", drops, confidence=level)
        found.append(FeatureImportance(name, mean(drops), NOTHING[0], "permutation", bounds))
    return tuple(sorted(found, key=lambda one: -one.value))
