"""Training on some queries and scoring the others, part by part."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

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

    Pair = tuple[LabelledRows, LabelledRows, NDArray[np.int64]]

__all__ = ["Fitted", "Plan", "dealt_pairs", "without_positions"]


@dataclass(frozen=True, eq=False)
class Fitted:
    """What came of training on each part.

    Attributes:
        parts: The rankers with their rows.
        scores: One per held-out row, of the ranker that was not trained on its query.
        values: The measure of each held-out query.
        trials: What the search of the first part tried.
        counts: How many steps were chosen on each part; empty without early stopping.
    """

    parts: list[Part]
    scores: NDArray[np.float64]
    values: list[float]
    trials: tuple[SearchTrial, ...]
    counts: tuple[int, ...] = ()


@dataclass(eq=False)
class Plan:
    """How rankers are trained and measured.

    Attributes:
        goal: The measure.
        search: How many settings are tried before each training; 0 for none.
        seed: Of the search.
        steps: How many rankers are trained in all, searches not counted.
        duplicates: Whether queries that share a row stay together in a search.
        fixed: Parameters that are not searched for.
        watch: Rows that decide when a ranker stops that can; None for a share of the training ones.
        progress: Called with the rankers trained, all of them, and what was reached so far.
        done: How many are trained.
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
        self, ranker: Any, rows: LabelledRows, steps: int | None = None
    ) -> tuple[Any, tuple[SearchTrial, ...], int | None]:
        """Returns a trained copy of a ranker, what its search tried, and where it stopped.

        Args:
            ranker: A ranker that is not trained.
            rows: Training rows.
            steps: How many steps it makes, where that is known; None lets it stop where it may.
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
        ranker: Any,
        pairs: Sequence[Pair],
        held: LabelledRows,
    ) -> Fitted:
        """Trains on each part, and scores the rows that it lacks.

        Args:
            ranker: A ranker that is not trained.
            pairs: Training rows, held-out rows, and where those stand among all held-out rows.
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
            self._told(self.goal.values(rest, own))
        values = self.goal.values(held, scores)
        return Fitted(parts, scores, values, tried[0] if tried else (), tuple(counts))

    def _told(self, values: list[float]) -> None:
        """Says what the last ranker reaches on its held-out queries."""
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
    """Returns the parts with training rows of unknown positions, for losses that learn no bias.

    Args:
        pairs: Training rows, held-out rows, and where those stand among all held-out rows.
    """
    return [(replace(train, positions=None), rest, at) for train, rest, at in pairs]


def dealt_pairs(rows: LabelledRows, folds: int, seed: int, duplicates: Duplicates) -> list[Pair]:
    """Returns the parts of cross-validation by query, as `relyon.ltr.split` deals them.

    Args:
        rows: Labelled rows.
        folds: How many folds.
        seed: The same seed deals alike.
        duplicates: Keep queries that share a row in the same part.

    Raises:
        InputError: If there are too few queries.
    """
    import numpy as np

    slices = split(rows, folds=folds, seed=seed, duplicates=duplicates).slices
    pairs = []
    for out in range(folds):
        train, rest = (rows.select(np.flatnonzero(side)) for side in (slices != out, slices == out))
        pairs.append((train, rest, np.flatnonzero(slices[rows.qid] == out)))
    return pairs
