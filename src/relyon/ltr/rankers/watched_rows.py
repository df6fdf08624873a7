"""Rows that are watched while a ranker learns from others, and when they say to stop."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from relyon.core.errors import ParameterError
from relyon.core.parameters import check_whole
from relyon.core.texts import message
from relyon.data.convention import Convention
from relyon.ltr.objectives.callbacks import stopping
from relyon.ltr.objectives.early_stopping import EarlyStopping
from relyon.ltr.objectives.metric import Metric, feval
from relyon.ltr.rankers.training_loss import plain

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from relyon.ltr.rankers.query_rows import TrainingRows

__all__ = ["Stop", "Watched", "checked_stop"]

#: After so many steps without a better measure; as soon as it is significantly worse; or never.
Stop = int | Literal["significance"] | None


def checked_stop(stop: object, valid: TrainingRows | None) -> Stop:
    """Returns when training is to stop.

    Args:
        stop: What the ranker was given.
        valid: The rows to watch.

    Raises:
        ParameterError: If it is none of these, or there are no rows to watch.
    """
    if stop is None:
        return None
    found: Stop = "significance" if stop == "significance" else check_whole("stop", plain(stop))
    if valid is None:
        raise ParameterError(message("ltr.stop-needs-rows"), hint=message("ltr.fit-eval-set-x-y"))
    return found


class Watched:
    """A measure on rows that are not trained on, step by step.

    Args:
        valid: The rows.
        measure: The measure.
        convention: Its rules.
        stop: When training is to stop.
        threads: Threads to use; 0 uses all cores.

    Attributes:
        history: The measure after each step.
        best: The scores' step, from 1, at which it was best; the first of equal ones.

    Raises:
        ParameterError: If it stops by significance, and the measure is not a mean over queries.
    """

    def __init__(
        self,
        valid: TrainingRows,
        measure: str,
        convention: Convention,
        stop: Stop,
        threads: int = 0,
    ) -> None:
        metric: Metric = feval(measure, valid.rows, convention=convention, threads=threads)
        self._held = next(iter(metric))
        self._measure = measure
        self._decision: EarlyStopping | None = None
        if stop is not None:
            rounds = None if stop == "significance" else stop
            rule: Literal["significance", "rounds"] = (
                "significance" if stop == "significance" else "rounds"
            )
            self._decision = stopping(metric, rule, rounds=rounds).decision
        self.history: list[float] = []
        self.best = 0

    @property
    def stops(self) -> bool:
        """Whether it may stop training, so that the best step counts."""
        return self._decision is not None

    def look(self, scores: NDArray[np.float64]) -> bool:
        """Takes in the scores of the rows after another step, and returns whether to stop.

        Raises:
            InputError: If the measure has no value.
        """
        value = self._held.measure(scores)[self._measure]
        if not self.history or value > self.history[self.best - 1]:
            self.best = len(self.history) + 1
        self.history.append(value)
        if self._decision is None:
            return False
        return bool(self._decision.update(value, (self._held.values or {}).get(self._measure)))
