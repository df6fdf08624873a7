"""Rules for early stopping: a number of rounds without a better one, or a significant drop."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Literal, get_args

from relyon.analysis.statistics import interval
from relyon.core.errors import InputError, ParameterError
from relyon.core.parameters import check_choice, check_fraction, check_whole
from relyon.core.texts import message

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import ArrayLike, NDArray

__all__ = ["EarlyStopping", "Rule"]

Rule = Literal["rounds", "significance"]


class EarlyStopping:
    """Decides after each round whether training goes on.

    `rounds`: it stops a number of rounds after the best one. `significance`: it stops as soon as
    the measure of the best round is significantly above that of the current one: as soon as the
    lower end of the paired t interval of (best − now) over the validation queries is above 0.

    A difference is tested after every round, and the best round is a selected one, so the level is
    divided: round t has t − 1 rounds before it, each of which may be the best, and a comparison in
    round t has the one-sided level α / (t (t − 1)²). The sum over all rounds and pairs is α, so if
    all rounds are equally good, training stops wrongly with a probability of at most α, for any
    number of rounds and any dependence between them (Bonferroni). That costs power: only a clear
    drop stops it, and late rounds need a clearer one. A model that neither improves nor gets worse
    is trained to the end, unless `rounds` is given, too.

    Attributes:
        rule: `rounds` or `significance`.
        rounds: The number of rounds without a better one after which it stops; None with
            `significance`: no limit.
        level: The significance level α.
        best_round: The best round, from 0; the first of equal ones. -1 before the first.
        best_value: Its measure, higher is better; NaN before the first.
        values: The measure of every round.
        stopped: The reason why it stopped: `rounds`, `significance`, or empty.

    Raises:
        ParameterError: If `rule` is unknown, `rounds` is below 1 or missing for the rule `rounds`,
            or the level is not between 0 and 1.

    Examples:
        >>> stopping = EarlyStopping("rounds", rounds=2)
        >>> [stopping.update(value) for value in (0.3, 0.5, 0.4, 0.4)]
        [False, False, False, True]
        >>> stopping.best_round, stopping.stopped
        (1, 'rounds')
    """

    def __init__(
        self, rule: Rule = "rounds", *, rounds: int | None = None, level: float = 0.05
    ) -> None:
        check_choice("rule", rule, get_args(Rule))
        check_fraction("level", level)
        if rounds is not None:
            rounds = check_whole("rounds", rounds)
        elif rule == "rounds":
            raise ParameterError(
                message("ltr.rule-rounds-needs-number"), hint=message("ltr.such-as-rounds-50")
            )
        self.rule = rule
        self.rounds = rounds
        self.level = level
        self.reset()

    def reset(self) -> None:
        """Forgets all rounds, for another training."""
        self.best_round = -1
        self.best_value = math.nan
        self.values: list[float] = []
        self.stopped: str = ""
        self._best: NDArray[np.float64] | None = None

    def update(self, value: float, by_query: ArrayLike | None = None) -> bool:
        """Records a round, and returns whether to stop.

        Args:
            value: The measure on the validation queries.
            by_query: Its value for each query, in the same order in every round, NaN if undefined;
                for `significance`.

        Raises:
            InputError: If the measure is NaN; or, with `significance`, if values of queries are
                missing, fewer than two, or of other queries than before.
        """
        if math.isnan(value):
            raise InputError(
                message("ltr.measure-has-no-value"),
                hint=message("ltr.check-their-labels"),
            )
        now = self._checked(by_query) if self.rule == "significance" else None
        self.values.append(float(value))
        if self.best_round < 0 or value > self.best_value:
            self.best_round, self.best_value = len(self.values) - 1, float(value)
            self._best = now
            return False
        if now is not None and self._is_worse(now):
            self.stopped = "significance"
        elif self.rounds is not None and len(self.values) - 1 - self.best_round >= self.rounds:
            self.stopped = "rounds"
        return bool(self.stopped)

    def _checked(self, by_query: ArrayLike | None) -> NDArray[np.float64]:
        import numpy as np

        if by_query is None:
            raise InputError(
                message("ltr.rule-significance-needs-values"),
                hint=message("ltr.name-measure-that-is-mean"),
            )
        now = np.array(by_query, dtype=np.float64)
        if (~np.isnan(now)).sum() < 2:
            raise InputError(
                message("ltr.rule-significance-needs-two"),
                hint=message("ltr.use-rule-rounds"),
            )
        if self._best is not None and now.shape != self._best.shape:
            raise InputError(message("ltr.validation-queries-are-others"))
        return now

    def _is_worse(self, now: NDArray[np.float64]) -> bool:
        """Returns whether the best round is significantly better than the current one."""
        import numpy as np

        if self._best is None:
            return False
        differences = self._best - now
        differences = differences[~np.isnan(differences)]
        rounds = len(self.values)
        level = self.level / (rounds * (rounds - 1) ** 2)
        low, _ = interval("t", differences, confidence=1 - 2 * level)
        return low > 0

    def __repr__(self) -> str:
        limit = "" if self.rounds is None else f", rounds={self.rounds}"
        level = f", level={self.level:g}" if self.rule == "significance" else ""
        return f"EarlyStopping({self.rule!r}{limit}{level})"
