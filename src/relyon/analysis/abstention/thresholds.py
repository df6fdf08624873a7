"""The threshold from which on a system answers: how it is chosen, and on which queries."""

from __future__ import annotations

import hashlib
import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from relyon.core.errors import ParameterError
from relyon.core.parameters import check_fraction, check_whole
from relyon.core.texts import message

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from relyon.analysis.abstention.answers import Answers

__all__ = ["DEFAULT_TARGET", "Choice", "fold_of", "folds_of"]

#: The share of unanswerable queries that may be answered, unless another rule is asked for.
DEFAULT_TARGET = 0.1


@dataclass(frozen=True)
class Choice:
    """The rule that chooses a threshold t; a system answers if its score is at least t.

    - `target`: the lowest observed score at which at most this share of the unanswerable queries is
      answered.
    - `cost`: the observed score that minimises cost · π · F + (1 − π) (1 − C), with the base rate π
      of unanswerable queries, the false-answer rate F and the coverage C; of equal costs, the
      highest score.
    - `fixed`: a number that is given.

    A threshold of +∞, at which nothing is answered, is always among the choices.

    Attributes:
        rule: Which of them.
        value: The share, the cost or the threshold.
        base_rate: π, the share of unanswerable queries where the system is used.
    """

    rule: Literal["target", "cost", "fixed"]
    value: float
    base_rate: float

    @classmethod
    def of(
        cls, target: float | None, cost: float | None, threshold: float | None, base_rate: float
    ) -> Choice:
        """Returns the rule that was asked for; without any, the default target.

        Raises:
            ParameterError: If more than one is given, or a value is invalid.
        """
        given = [
            name
            for name, value in (("target", target), ("cost", cost), ("threshold", threshold))
            if value is not None
        ]
        if len(given) > 1:
            raise ParameterError(
                message("analysis.one-rule-of-threshold", names=given),
                hint=message("analysis.name-one-rule-of-threshold"),
            )
        check_fraction("base_rate", base_rate)
        if cost is not None:
            if not (math.isfinite(cost) and cost > 0):
                raise ParameterError(message("analysis.cost-is-above-0", value=cost))
            return cls("cost", cost, base_rate)
        if threshold is not None:
            if not math.isfinite(threshold):
                raise ParameterError(message("analysis.threshold-is-finite", value=threshold))
            return cls("fixed", threshold, base_rate)
        chosen = DEFAULT_TARGET if target is None else target
        if not 0 <= chosen < 1:
            raise ParameterError(message("analysis.target-is-share", value=chosen))
        return cls("target", chosen, base_rate)

    def allowed(self, unanswerable: int) -> int:
        """Returns how many of the unanswerable queries a target allows to be answered."""
        return math.floor(self.value * unanswerable + 1e-9)

    def threshold(self, answers: Answers) -> float:
        """Returns the threshold chosen on these queries.

        NaN if they have no answerable or no unanswerable query, unless it is fixed.

        Examples:
            >>> import numpy as np
            >>> from relyon.analysis.abstention.answers import Answers
            >>> yes = np.array([True, True, False, False])
            >>> scores = np.array([0.9, 0.4, 0.5, 0.1])
            >>> one = Answers("s", ("a", "b", "c", "d"), yes, scores, yes.astype(float))
            >>> Choice("target", 0.0, 0.5).threshold(one), Choice("target", 0.5, 0.5).threshold(one)
            (0.9, 0.4)
        """
        import numpy as np

        if self.rule == "fixed":
            return self.value
        yes, no = answers.scores[answers.answerable], answers.scores[~answers.answerable]
        if not len(yes) or not len(no):
            return math.nan
        observed = np.unique(answers.scores[np.isfinite(answers.scores)])
        steps = np.append(observed, math.inf)  # from the lowest
        false = len(no) - np.searchsorted(np.sort(no), steps, "left")
        if self.rule == "target":
            return float(steps[int(np.argmax(false <= self.allowed(len(no))))])
        missed = np.searchsorted(np.sort(yes), steps, "left")
        costs = self.value * self.base_rate * false / len(no)
        costs = costs + (1 - self.base_rate) * missed / len(yes)
        # Rounding must not separate equal costs.
        best = np.flatnonzero(costs <= costs.min() + 1e-12)
        return float(steps[int(best[-1])])


def fold_of(query: str, folds: int) -> int:
    """Returns the part that a query belongs to: a hash of its id alone.

    Other queries, their order, the system and the platform do not matter, so that a query stays in
    its part when others are added.

    Args:
        query: The id.
        folds: The number of parts.

    Examples:
        >>> [fold_of(query, 5) for query in ("q1", "q2", "q3", "退货")]
        [1, 4, 0, 1]
    """
    digest = hashlib.blake2b(query.encode("utf-8", "surrogatepass"), digest_size=8).digest()
    return int.from_bytes(digest, "big") % folds


def folds_of(queries: Sequence[str], folds: int) -> NDArray[np.int64]:
    """Returns the part of each query.

    Args:
        queries: The ids.
        folds: The number of parts, 2 or more.

    Raises:
        ParameterError: If there are fewer than two.
    """
    import numpy as np

    check_whole("folds", folds, least=2)
    return np.array([fold_of(query, folds) for query in queries], dtype=np.int64)
