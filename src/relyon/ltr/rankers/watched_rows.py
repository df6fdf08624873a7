"""The measure on validation rows during training, and early stopping by it."""

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

#: After so many steps without a better measure; as soon as it is significantly worse; never.
Stop = int | Literal["significance"] | None


def checked_stop(stop: object, valid: TrainingRows | None) -> Stop:
    """Returns the rule to stop training, checked.

    Args:
        stop: The ranker's parameter.
        valid: The validation rows.

    Raises:
        ParameterError: If the rule is invalid, or there are no validation rows.
    """
    if stop is None:
        return None
    found: Stop = "significance" if stop == "significance" else check_whole("stop", plain(stop))
    if valid is None:
        raise ParameterError(message("ltr.stop-needs-rows"), hint=message("ltr.fit-eval-set-x-y"))
    return found


class Watched:
    """A measure on validation rows, step by step.

    Args:
        valid: The rows.
        measure: The measure.
        convention: Its rules.
        stop: The rule to stop training.
        threads: Threads to use; 0 uses all cores.

    Attributes:
        history: The measure after each step.
        best: The step, from 1, with the best measure; the first of equal ones.

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
        """Adds the scores of the rows after another step, and returns whether to stop.

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
