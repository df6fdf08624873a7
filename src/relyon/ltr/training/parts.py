"""Rankers trained on parts of the queries, evaluated on the held-out ones."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from relyon.data.features import Features
from relyon.ltr.training.contributions import Contributions
from relyon.ltr.training.curve import CurvePoint
from relyon.ltr.training.feature_contributions import contributions_of, forest_of
from relyon.ltr.training.goal import Goal
from relyon.ltr.training.importance import (
    FeatureImportance,
    contribution_importance,
    permutation_importance,
)
from relyon.ltr.training.steps import points_of, scores_after

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from relyon.data.labelled import LabelledRows
    from relyon.ltr.rankers.ranker import Ranker

__all__ = ["Part", "curves_of", "importance_of"]


@dataclass(frozen=True, eq=False)
class Part:
    """A ranker, and the rows that it was not trained on.

    Attributes:
        ranker: The trained ranker.
        train: The rows it was trained on.
        held_out: The rows it was not trained on.
        at: The places of these rows among all held-out rows.
    """

    ranker: Ranker
    train: LabelledRows
    held_out: LabelledRows
    at: NDArray[np.int64]


def curves_of(parts: list[Part], goal: Goal) -> list[tuple[CurvePoint, ...]]:
    """Returns the learning curves of rankers of trees; an empty list for others.

    Args:
        parts: The rankers and their rows.
        goal: The measure.
    """
    forests = [forest for part in parts if (forest := forest_of(part.ranker)) is not None]
    trees = min((forest.trees for forest in forests), default=0)
    if trees < 1:
        return []
    points = points_of(trees)
    found = []
    for part, forest in zip(parts, forests, strict=True):
        sides = [
            [
                goal.mean(rows, scores)
                for scores in scores_after(
                    forest.engine,
                    forest.booster,
                    part.ranker._matrix(rows, reset=False),
                    points,
                )
            ]
            for rows in (part.train, part.held_out)
        ]
        found.append(tuple(CurvePoint(*one) for one in zip(points, *sides, strict=True)))
    return found


def importance_of(
    parts: list[Part], rows: LabelledRows, goal: Goal, *, seed: int, level: float
) -> tuple[FeatureImportance, ...]:
    """Returns the importance of features on held-out rows, the most important first.

    Args:
        parts: The rankers, each with the rows that it was not trained on.
        rows: All held-out rows.
        goal: The measure.
        seed: The seed of permutations, for rankers without contributions.
        level: Confidence level of the intervals.
    """
    import numpy as np

    names = rows.features.names if rows.features is not None else ()
    found = [contributions_of(one.ranker, one.held_out) for one in parts]
    known = [one for one in found if one is not None]
    if len(known) == len(parts):
        whole = np.empty((len(rows), len(names)))
        for part, one in zip(parts, known, strict=True):
            whole[part.at] = one.values
        return contribution_importance(Contributions(whole, 0.0), rows.groups, names)

    def measured(values: NDArray[np.float64]) -> list[float]:
        scores = np.empty(len(rows))
        for part in parts:
            features = Features(tuple(names), values[part.at])
            scores[part.at] = part.ranker.predict(replace(part.held_out, features=features))
        return goal.values(rows, scores)

    return permutation_importance(
        rows.known_features().dense(), names, measured, seed=seed, level=level
    )
