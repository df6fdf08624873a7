"""Training on parts of the queries, and scoring of the held-out ones."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, NamedTuple

from relyon.core.notes import Note
from relyon.core.texts import message
from relyon.ltr.preparation.query_split import Duplicates, split
from relyon.ltr.training.goal import Goal
from relyon.ltr.training.held_out import held_out
from relyon.ltr.training.outcome import SearchTrial
from relyon.ltr.training.parameter_search import search_parameters
from relyon.ltr.training.parts import Part
from relyon.ltr.training.stopping_rows import stopped, with_steps

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from relyon.data.labelled import LabelledRows
    from relyon.ltr.rankers.ranker import Ranker

    Pair = tuple[LabelledRows, LabelledRows, NDArray[np.int64]]

__all__ = ["Dealt", "Fitted", "Plan", "dealt_pairs", "without_positions"]


@dataclass(frozen=True, eq=False)
class Fitted:
    """The rankers trained on each part.

    Attributes:
        parts: The rankers with their rows.
        scores: One per held-out row, of the ranker that was not trained on its query.
        values: The measure of each held-out query.
        trials: The settings of the search of the first part.
        counts: The number of steps chosen on each part; empty without early stopping.
    """

    parts: list[Part]
    scores: NDArray[np.float64]
    values: list[float]
    trials: tuple[SearchTrial, ...]
    counts: tuple[int, ...] = ()


@dataclass(eq=False)
class Plan:
    """The settings of training and evaluation.

    Attributes:
        goal: The measure.
        search: The number of settings to try before each training; 0 for no search.
        seed: The seed of the search.
        steps: The total number of rankers to train, without those of searches.
        duplicates: Whether queries that share a row stay together in a search.
        fixed: Parameters that are not searched for.
        watch: The rows for early stopping; None for a share of the training rows.
        progress: Called with the number of rankers trained, their total, and the value so far.
        done: The number of rankers trained.
    """

    goal: Goal
    search: int
    seed: int
    steps: int
    duplicates: Duplicates = "together"
    fixed: Collection[str] = ()
    watch: LabelledRows | None = None
    progress: Callable[[int, int, str], None] | None = None
    done: int = field(default=0)

    def fit(
        self, ranker: Ranker, rows: LabelledRows, steps: int | None = None
    ) -> tuple[Ranker, tuple[SearchTrial, ...], int | None]:
        """Returns a trained copy of a ranker, the settings of its search, and its number of steps.

        Args:
            ranker: An unfitted ranker.
            rows: Training rows.
            steps: The number of steps, if it is known; None finds it by early stopping.
        """
        from sklearn.base import clone

        chosen = clone(ranker)
        trials: tuple[SearchTrial, ...] = ()
        if self.search:
            best, trials = search_parameters(
                ranker,
                rows,
                self.search,
                lambda one, scoring: self.goal.mean(scoring, one.predict(scoring)),
                seed=self.seed,
                duplicates=self.duplicates,
                fixed=self.fixed,
                progress=self._tried,
            )
            chosen.set_params(**best)
        if getattr(chosen, "stop", None) is None:
            return chosen.fit(rows), trials, None
        if steps is not None:
            return with_steps(chosen, steps).fit(rows), trials, steps
        fitted, steps, said = stopped(
            chosen, rows, self.watch, seed=self.seed, duplicates=self.duplicates
        )
        if self.progress is not None:
            self.progress(self.done, self.steps, said)
        return fitted, trials, steps

    def run(
        self,
        ranker: Ranker,
        pairs: Sequence[Pair],
        held: LabelledRows,
    ) -> Fitted:
        """Trains on each part, and scores its held-out rows.

        Args:
            ranker: An unfitted ranker.
            pairs: Training rows, held-out rows, and the places of those among all held-out rows.
            held: All held-out rows.
        """
        import numpy as np

        scores = np.full(len(held), np.nan)
        parts, tried, counts = [], [], []
        for train, rest, at in pairs:
            fitted, trials, steps = self.fit(ranker, train)
            counts += [] if steps is None else [steps]
            own = fitted.predict(rest)
            scores[at] = own
            parts.append(Part(fitted, train, rest, at))
            tried.append(trials)
            self._report(self.goal.values(rest, own))
        values = self.goal.values(held, scores)
        return Fitted(parts, scores, values, tried[0] if tried else (), tuple(counts))

    def _report(self, values: list[float]) -> None:
        """Reports the value of the last ranker on its held-out queries."""
        self.done += 1
        if self.progress is None:
            return
        found = held_out(values)
        low, high = found.interval
        value = f"{self.goal.measure} {found.value:.4f} [{low:.4f}, {high:.4f}]"
        self.progress(self.done, self.steps, value)

    def _tried(self, done: int, total: int, best: str) -> None:
        if self.progress is not None:
            self.progress(
                self.done,
                self.steps,
                message("ltr.done-total", done=done, total=total, best=best),
            )


def without_positions(pairs: Sequence[Pair]) -> list[Pair]:
    """Returns the parts without positions of training rows, for losses that learn no bias.

    Args:
        pairs: Training rows, held-out rows, and the places of those among all held-out rows.
    """
    return [(replace(train, positions=None), rest, at) for train, rest, at in pairs]


class Dealt(NamedTuple):
    """The parts of cross-validation.

    Attributes:
        pairs: Training rows, held-out rows, and the places of those among all rows; the groups of
            queries that stay together are named in them.
        rows: All rows, with those groups.
        notes: Notes on queries that stay together, or should.
        clusters: The group of each query among those that are not independent; None if all are.
    """

    pairs: list[Pair]
    rows: LabelledRows
    notes: tuple[Note, ...]
    clusters: NDArray[np.int64] | None


def dealt_pairs(rows: LabelledRows, folds: int, seed: int, duplicates: Duplicates) -> Dealt:
    """Returns the parts of cross-validation by query, as `relyon.ltr.split` forms them.

    Args:
        rows: Labelled rows.
        folds: The number of folds.
        seed: The same seed gives the same folds.
        duplicates: Keep queries that share a row, or are nearly copies, in the same part.

    Raises:
        InputError: If there are too few queries.
    """
    import numpy as np

    found = split(rows, folds=folds, seed=seed, duplicates=duplicates)
    slices = found.slices
    if found.groups is not None and len(np.unique(found.groups)) < len(found.groups):
        rows = replace(rows, together=found.groups[rows.qid])
    pairs = []
    for out in range(folds):
        train, rest = (rows.select(np.flatnonzero(side)) for side in (slices != out, slices == out))
        pairs.append((train, rest, np.flatnonzero(slices[rows.qid] == out)))
    notes = tuple(note for note in found.notes if note not in rows.notes)
    return Dealt(pairs, rows, notes, found.clusters)
