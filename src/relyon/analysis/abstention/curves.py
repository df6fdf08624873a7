"""Curves over all thresholds: coverage by false answers, and risk by coverage."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

from relyon.core.document.exportable import Exportable
from relyon.core.document.json import json_number, json_values

if TYPE_CHECKING:
    import numpy as np
    import polars
    from numpy.typing import NDArray

    from relyon.analysis.abstention.answers import Answers

__all__ = ["AnswerCurve", "answer_curve", "perfect_area", "risk_area"]


@dataclass(frozen=True)
class AnswerCurve(Exportable):
    """What happens at each threshold, from +∞, where nothing is answered, to the lowest score.

    Queries with equal scores are answered together: every distinct score is one point.

    Attributes:
        thresholds: The thresholds, from the highest.
        false_answers: Share of the unanswerable queries that is answered.
        coverage: Share of the answerable queries that is answered.
        answered: Share of all queries that is answered, at the base rate: φ.
        risk: Share of the answers that is wrong, at the base rate; NaN without answers.
        risk_area: The area below the risk, over φ from 0 to 1.
        perfect_area: The least area with the same answers: all right ones first.
    """

    thresholds: NDArray[np.float64]
    false_answers: NDArray[np.float64]
    coverage: NDArray[np.float64]
    answered: NDArray[np.float64]
    risk: NDArray[np.float64]
    risk_area: float
    perfect_area: float

    def to_frame(self) -> polars.DataFrame:
        """Returns one row per threshold."""
        import polars

        return polars.DataFrame(
            {
                "threshold": self.thresholds,
                "false_answer_rate": self.false_answers,
                "coverage": self.coverage,
                "answered": self.answered,
                "risk": self.risk,
            }
        )

    def to_dict(self) -> dict[str, object]:
        """Returns JSON-ready values: both areas and the points; an infinite threshold is null."""
        return {
            "risk_area": json_number(self.risk_area),
            "perfect_risk_area": json_number(self.perfect_area),
            "points": [json_values(point) for point in self.to_frame().to_dicts()],
        }


def answer_curve(answers: Answers, base_rate: float) -> AnswerCurve:
    """Returns the curves of one system.

    Args:
        answers: Its answers.
        base_rate: π, the share of unanswerable queries: these weigh π in all, the answerable ones
            1 − π.

    References:
        El-Yaniv and Wiener (2010), JMLR 11, for coverage and risk; see `risk_area` for the area.
    """
    import numpy as np

    finite = np.isfinite(answers.scores)
    steps = np.append(math.inf, np.unique(answers.scores[finite])[::-1])
    yes, no = answers.scores[answers.answerable], answers.scores[~answers.answerable]
    coverage = 1 - np.searchsorted(np.sort(yes), steps, "left") / len(yes)
    false = 1 - np.searchsorted(np.sort(no), steps, "left") / len(no)
    groups, weights, errors = _groups(answers, base_rate)
    at = np.searchsorted(-groups, -steps, "right")
    answered = np.append(0.0, np.cumsum(weights))[at]
    wrong = np.append(0.0, np.cumsum(errors))[at]
    some = answered > 0
    risk = np.full(len(steps), math.nan)
    risk[some] = wrong[some] / answered[some]
    return AnswerCurve(
        steps,
        false,
        coverage,
        answered,
        risk,
        risk_area(answers, base_rate),
        perfect_area(float(errors.sum())),
    )


def risk_area(answers: Answers, base_rate: float) -> float:
    """Returns the area below the risk–coverage curve, ∫ r(φ) dφ from 0 to 1; lower is better.

    Answers are given from the highest score down. φ is the share of queries answered so far, and
    the selective risk r the share of these answers that is wrong: an answer to an unanswerable
    query always is, one to an answerable query with 1 − `right`. Queries with equal scores move
    together: between two distinct scores answers are drawn from the group at random, so that errors
    grow evenly, E(φ) = E₀ + s (φ − φ₀) and r = E / φ. Their order therefore does not matter. The
    mean of the risks after 1, 2, …, n answers, which others report, is the sum that approximates
    this integral from the right ends. Queries without an answer come last, and count as wrong.
    Answerable queries without a relevant document among their judgments are left out.

    Args:
        answers: One system's answers.
        base_rate: π, the weight of all unanswerable queries together.

    Examples:
        >>> import numpy as np
        >>> from relyon.analysis.abstention.answers import Answers
        >>> yes = np.array([True, False])
        >>> one = Answers("s", ("a", "b"), yes, np.array([0.9, 0.1]), np.array([1.0, 0.0]))
        >>> round(risk_area(one, 0.5), 4)  # right up to half, then (φ - 1/2) / φ: 1/2 - ln(2) / 2
        0.1534

    References:
        El-Yaniv and Wiener (2010), JMLR 11; Geifman, Uziel and El-Yaniv (2019), ICLR (AURC).
    """
    import numpy as np

    _, weights, errors = _groups(answers, base_rate)
    if not len(weights):
        return math.nan
    ends = np.cumsum(weights)
    starts = np.append(0.0, ends[:-1])
    before = np.append(0.0, np.cumsum(errors)[:-1])
    slopes = errors / weights
    total = slopes * weights
    later = starts > 0
    bend = (before - slopes * starts)[later]
    total[later] += bend * np.log(ends[later] / starts[later])
    return float(total.sum())


def perfect_area(risk: float) -> float:
    """Returns the area if all right answers come first: R + (1 − R) ln(1 − R) for the whole risk R.

    Args:
        risk: The share of wrong answers if every query is answered.

    Examples:
        >>> round(perfect_area(0.5), 4), perfect_area(0.0), perfect_area(1.0)
        (0.1534, 0.0, 1.0)

    References:
        Geifman, Uziel and El-Yaniv (2019), ICLR: the optimum of which E-AURC is the excess.
    """
    if not risk < 1:
        return 1.0 if risk >= 1 else math.nan
    return risk + (1 - risk) * math.log1p(-risk)


def _groups(
    answers: Answers, base_rate: float
) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]:
    """Returns the distinct scores from the highest, and of each the weight and the errors."""
    import numpy as np

    known = ~np.isnan(answers.right)
    scores, right, yes = answers.scores[known], answers.right[known], answers.answerable[known]
    if not yes.any() or yes.all():
        return np.zeros(0), np.zeros(0), np.zeros(0)
    each = np.where(yes, (1 - base_rate) / yes.sum(), base_rate / (~yes).sum())
    groups, place = np.unique(-scores, return_inverse=True)
    weights: NDArray[np.float64] = np.bincount(place, weights=each).astype(np.float64)
    errors: NDArray[np.float64] = np.bincount(place, weights=each * (1 - right)).astype(np.float64)
    return -groups, weights, errors
