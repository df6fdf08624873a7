"""A simple model of rewards: the mean of each cell, shrunk to the mean of its position."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from relyon.labels.off_policy.choices import Choices
    from relyon.labels.off_policy.feedback import Values

__all__ = ["FOLDS", "PRIOR", "RewardModel", "fit_rewards"]

#: Sessions at the position's mean that each cell begins with.
PRIOR = 10.0

#: Parts of the log for estimates that must not use a session's own reward.
FOLDS = 5


@dataclass(frozen=True)
class RewardModel:
    """The predicted reward of each place, for each part of the log.

    Attributes:
        fold: The part of each session; its predictions come from the other parts.
        logged: Of what was shown. Shape (n, k).
        candidate: Of what the candidate shows, the mean over its chances. Shape (parts, contexts,
            k).
    """

    fold: NDArray[np.int64]
    logged: Values
    candidate: Values

    def of_sessions(self, context: NDArray[np.int64]) -> Values:
        """Returns the predicted rewards of the candidate in each session. Shape (n, k)."""
        found: Values = self.candidate[self.fold, context]
        return found


def fit_rewards(choices: Choices, *, folds: int = FOLDS) -> RewardModel:
    """Fits the reward of each document at each place of each context.

    A cell of n sessions with rewards r has the prediction (Σr + s m) / (n + s): m is the mean at
    its position over all contexts, s is 10 sessions. What was never shown has m, and so has
    nothing at all 0.

    Args:
        choices: The candidate on the log's decisions.
        folds: Parts of the log, by the hash of the session's id: each is predicted from the others.
            With 1, all of the log predicts all of it.
    """
    import numpy as np

    feedback = choices.feedback
    shown = feedback.documents >= 0
    fold = (feedback.hashes % np.uint64(folds)).astype(np.int64)
    position = feedback.positions[feedback.context]
    deepest = int(feedback.positions.max()) + 1
    logged_keys = choices.logged_keys
    cells, cell = np.unique(logged_keys, return_inverse=True)
    cell = cell.reshape(shown.shape)

    def added(of: NDArray[np.int64], size: int, values: Values) -> Values:
        """Sums per fold; those of all other folds, or of all where there is one."""
        flat = (fold[:, None] * size + of)[shown]
        own = np.bincount(flat, values[shown], folds * size).astype(np.float64)
        own = own.reshape(folds, size)
        others: Values = own.sum(axis=0) - own if folds > 1 else own
        return others

    ones = np.ones(shown.shape)
    counts, earned = (added(position, deepest, values) for values in (ones, feedback.rewards))
    every = counts.sum(axis=1, keepdims=True)
    overall = np.divide(
        earned.sum(axis=1, keepdims=True), every, out=np.zeros_like(every), where=every > 0
    )
    means = np.where(counts > 0, earned / np.maximum(counts, 1), overall)
    cell_counts, cell_earned = (
        added(cell, len(cells), values) for values in (ones, feedback.rewards)
    )

    def foreseen(
        part: NDArray[np.int64] | int, at: NDArray[np.int64], mean: Values, known: NDArray[np.bool_]
    ) -> Values:
        count = np.where(known, cell_counts[part, at], 0.0)
        total = np.where(known, cell_earned[part, at], 0.0)
        found: Values = (total + PRIOR * mean) / (count + PRIOR)
        return found

    parts = fold[:, None]
    logged = foreseen(parts, cell, means[parts, position], shown)
    at = np.minimum(np.searchsorted(cells, choices.keys), len(cells) - 1)
    known = cells[at] == choices.keys
    place_of = feedback.positions[choices.context, choices.place]
    something = choices.document >= 0
    candidate = np.stack(
        [
            choices.per_place(
                np.where(
                    something,
                    choices.probability * foreseen(part, at, means[part, place_of], known),
                    0.0,
                )
            )
            for part in range(folds)
        ]
    )
    return RewardModel(fold, np.where(shown, logged, 0.0), candidate)
