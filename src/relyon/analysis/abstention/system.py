"""One system: how well its score tells answerable queries apart, and what its threshold does."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from relyon.analysis.abstention.curves import AnswerCurve, answer_curve
from relyon.analysis.abstention.rates import Rate, hull, rate_of, weighted_sum
from relyon.analysis.abstention.thresholds import Choice, folds_of
from relyon.core.document.exportable import Exportable
from relyon.core.document.json import json_number

if TYPE_CHECKING:
    import numpy as np
    import polars
    from numpy.typing import NDArray

    from relyon.analysis.abstention.answers import Answers

__all__ = ["RATES", "Outcomes", "SystemAbstention", "system_abstention"]

#: The numbers of a system, in the order of tables and frames.
RATES = ("auroc", "false_answer_rate", "coverage", "right", "error")


@dataclass(frozen=True)
class Outcomes:
    """What a system does at its threshold, query by query.

    Attributes:
        answers: The answers to the queries on which it is reported.
        answered: Whether each is given.
    """

    answers: Answers
    answered: NDArray[np.bool_]

    @property
    def false(self) -> NDArray[np.float64]:
        """1 for each unanswerable query that is answered, 0 for the others."""
        import numpy as np

        found: NDArray[np.float64] = self.answered[~self.answers.answerable].astype(np.float64)
        return found

    @property
    def covered(self) -> NDArray[np.float64]:
        """1 for each answerable query that is answered, 0 for the others."""
        import numpy as np

        found: NDArray[np.float64] = self.answered[self.answers.answerable].astype(np.float64)
        return found

    @property
    def right(self) -> NDArray[np.float64]:
        """How right the answer to each answerable query is; 0 without an answer, NaN if unknown."""
        yes = self.answers.answerable
        found: NDArray[np.float64] = self.answers.right[yes] * self.answered[yes]
        return found

    @property
    def right_answers(self) -> NDArray[np.float64]:
        """The same for those that are answered and whose right answer is known."""
        import numpy as np

        right = self.answers.right[self.answers.answerable & self.answered]
        found: NDArray[np.float64] = right[~np.isnan(right)]
        return found


@dataclass(frozen=True)
class SystemAbstention(Exportable):
    """How well one system tells questions with an answer from those without.

    Attributes:
        system: Its name.
        auroc: The probability that an answerable query has a higher score than an unanswerable one,
            ties half; its interval is `Area.interval`.
        threshold: The threshold chosen on all queries (with `tune`: on those), to be used; NaN if
            none can be chosen, +∞ to answer nothing.
        thresholds: The thresholds behind the numbers: one per part, each chosen on the other parts.
        false_answer_rate: Share of the unanswerable queries that is answered: F.
        coverage: Share of the answerable queries that is answered: C.
        right: Share of right answers among the answers to answerable queries.
        error: π F + (1 − π) (1 − C), the share of wrong decisions at the base rate π.
        risk: Share of wrong answers among all answers at the base rate, without interval:
            (π F + (1 − π) C (1 − right)) / (π F + (1 − π) C).
        curve: The curves over all thresholds, on the queries that are reported.
        unanswered: Queries to which the system returned nothing.
    """

    system: str
    auroc: Rate
    threshold: float
    thresholds: tuple[float, ...]
    false_answer_rate: Rate
    coverage: Rate
    right: Rate
    error: Rate
    risk: float
    curve: AnswerCurve
    unanswered: int
    outcomes: Outcomes = field(repr=False, compare=False)

    @property
    def rates(self) -> dict[str, Rate]:
        """Every number with an interval, by its name."""
        return {name: getattr(self, name) for name in RATES}

    def to_dict(self, *, points: bool = False) -> dict[str, object]:
        """Returns JSON-ready values; an infinite threshold is null, and `answers_nothing` is true.

        Args:
            points: Adds the points of the curves.
        """
        values: dict[str, object] = {
            "system": self.system,
            **{name: rate.to_dict() for name, rate in self.rates.items()},
            "risk": json_number(self.risk),
            "risk_area": json_number(self.curve.risk_area),
            "perfect_risk_area": json_number(self.curve.perfect_area),
            "threshold": json_number(self.threshold),
            "answers_nothing": self.threshold == math.inf,
            "fold_thresholds": [json_number(one) for one in self.thresholds],
            "unanswered": self.unanswered,
        }
        if points:
            values["points"] = self.curve.to_dict()["points"]
        return values

    def to_frame(self) -> polars.DataFrame:
        """Returns one row per number: measure, value, low, high, queries."""
        import polars

        rows = [
            {"measure": name, "value": one.value, "low": one.low, "high": one.high}
            | {"queries": one.queries}
            for name, one in self.rates.items()
        ]
        return polars.DataFrame(rows)


def system_abstention(
    answers: Answers, tune: Answers | None, choice: Choice, folds: int, confidence: float
) -> SystemAbstention:
    """Returns the numbers of one system.

    Without queries of their own, thresholds are cross-fitted: each part of the queries is reported
    at the threshold chosen on the others, and the rates are shares over all parts. The threshold to
    be used is chosen on all queries, and can differ from each of these, above all with few
    unanswerable queries. The interval of a rate therefore contains two exact intervals: of the
    cross-fitted share, and of the share at the threshold to be used, measured where it was chosen.
    The first alone can miss the coverage at that threshold in most cases, the second alone the
    false answers (`tests/honest/test_abstention.py`).

    Args:
        answers: Its answers to the queries that are reported.
        tune: Its answers to the queries on which the threshold is chosen; None to choose the
            threshold of each part of the queries on the other parts.
        choice: The rule.
        folds: The number of parts.
        confidence: The level of the intervals.
    """
    import numpy as np

    answers = answers.by_id()
    if choice.rule == "fixed" or tune is not None:
        shipped = choice.threshold(answers if tune is None else tune)
        used = np.full(len(answers.queries), shipped)
        thresholds: tuple[float, ...] = (shipped,)
    else:
        shipped = choice.threshold(answers)
        places = folds_of(answers.queries, folds)
        used = np.full(len(answers.queries), math.nan)
        for fold in np.unique(places):
            used[places == fold] = choice.threshold(answers.part(places != fold))
        thresholds = tuple(float(used[places == fold][0]) for fold in np.unique(places))
    area = answers.area
    unknown = any(map(math.isnan, thresholds))
    outcomes = Outcomes(answers, np.zeros(len(used), bool) if unknown else answers.scores >= used)
    false, covered, right = _rates(outcomes, confidence, unknown)
    if len(thresholds) > 1 and not unknown:
        applied = _rates(Outcomes(answers, answers.scores >= shipped), confidence, False)
        false, covered, right = map(hull, (false, covered, right), applied)
    missed = Rate(1 - covered.value, 1 - covered.high, 1 - covered.low, covered.queries)
    return SystemAbstention(
        system=answers.system,
        auroc=Rate(area.value, *area.interval(confidence), len(answers.queries)),
        threshold=math.nan if unknown else shipped,
        thresholds=thresholds,
        false_answer_rate=false,
        coverage=covered,
        right=right,
        error=weighted_sum(false, missed, choice.base_rate),
        risk=_risk(false.value, covered.value, right.value, choice.base_rate),
        curve=answer_curve(answers, choice.base_rate),
        unanswered=answers.without_answer,
        outcomes=outcomes,
    )


def _rates(outcomes: Outcomes, confidence: float, unknown: bool) -> tuple[Rate, Rate, Rate]:
    """Returns false answers, coverage and right answers; NaN without a threshold."""
    if unknown:
        none = Rate(math.nan, math.nan, math.nan, 0)
        return none, none, none
    return (
        rate_of(outcomes.false, confidence),
        rate_of(outcomes.covered, confidence),
        rate_of(outcomes.right_answers, confidence),
    )


def _risk(false: float, covered: float, right: float, base_rate: float) -> float:
    """Returns the share of wrong answers among all; NaN if nothing is answered."""
    wrong = base_rate * false
    given = wrong + (1 - base_rate) * covered
    if covered > 0:
        wrong += (1 - base_rate) * covered * (1 - right)
    return wrong / given if given > 0 else math.nan
