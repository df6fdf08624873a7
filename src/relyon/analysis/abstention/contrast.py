"""Two systems on the same queries: areas, false answers and right answers."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Literal

from relyon.analysis.abstention.refitted import refitted_errors
from relyon.core.document.json import json_number

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from relyon.analysis.abstention.answers import Answers
    from relyon.analysis.abstention.rules import AbstentionRules
    from relyon.analysis.abstention.system import SystemAbstention
    from relyon.analysis.abstention.thresholds import Choice

__all__ = ["AbstentionContrast", "contrasts"]

Quantity = Literal["auroc", "false_answer_rate", "right_answers"]


@dataclass(frozen=True)
class AbstentionContrast:
    """A candidate against the baseline, each at its own threshold, paired by query.

    Attributes:
        baseline: The name of the baseline.
        candidate: The name of the candidate.
        measure: `auroc`; `false_answer_rate`, the share of unanswerable queries answered, of which
            less is better; `right_answers`, the share of answerable queries answered rightly.
        baseline_value: The baseline's value on the paired queries.
        candidate_value: The candidate's.
        difference: Candidate minus baseline; NaN without queries or a threshold.
        low: The lower bound of its interval; NaN if there is none.
        high: The upper bound.
        p: Two-sided: DeLong's test of paired areas; of the shares the larger of two: of the exact
            test of the queries on which the systems differ (McNemar's, a sign test), and of a
            bootstrap that chooses both thresholds anew. With a threshold that is given, only the
            first. The interval contains those of both.
        p_adjusted: Corrected for the number of contrasts.
        queries: The number of paired queries; of areas that of the smaller class.
        verdict: `better`, `worse` or `undecided`, as in other comparisons: significant on six
            queries or more.
    """

    baseline: str
    candidate: str
    measure: Quantity
    baseline_value: float
    candidate_value: float
    difference: float
    low: float
    high: float
    p: float
    p_adjusted: float
    queries: int
    verdict: Literal["better", "worse", "undecided"] = "undecided"

    @property
    def bounds(self) -> tuple[float, float]:
        """Both bounds of the interval."""
        return self.low, self.high

    def to_dict(self) -> dict[str, object]:
        """Returns JSON-ready values."""
        return {
            "baseline": self.baseline,
            "candidate": self.candidate,
            "measure": self.measure,
            "baseline_value": json_number(self.baseline_value),
            "candidate_value": json_number(self.candidate_value),
            "difference": json_number(self.difference),
            "low": json_number(self.low),
            "high": json_number(self.high),
            "p": json_number(self.p),
            "p_adjusted": json_number(self.p_adjusted),
            "queries": self.queries,
            "verdict": self.verdict,
        }


def contrasts(
    systems: Sequence[SystemAbstention],
    choice: Choice,
    tuned: Sequence[Answers | None],
    rules: AbstentionRules,
) -> tuple[AbstentionContrast, ...]:
    """Returns every candidate against the first system, with p-values corrected as one family.

    Args:
        systems: The baseline, then the candidates.
        choice: The rule of their thresholds.
        tuned: Of each system, the answers on which its threshold was chosen; None for those that
            are reported.
        rules: Level of the intervals, significance level, correction, seed.

    Raises:
        ParameterError: If the correction is unknown.
    """
    from relyon.analysis.statistics import adjust, is_significant

    found: list[AbstentionContrast] = []
    for candidate, own in zip(systems[1:], tuned[1:], strict=True):
        first, false, right = _contrasts(systems[0], candidate, rules.confidence)
        if choice.rule != "fixed" and not math.isnan(false.difference):
            errors = refitted_errors(
                systems[0].outcomes.answers,
                candidate.outcomes.answers,
                choice,
                None if own is None or tuned[0] is None else (tuned[0], own),
                seed=rules.seed,
            )
            false = _widened(false, errors.false, errors.freedom, rules.confidence)
            right = _widened(right, errors.right, errors.freedom, rules.confidence)
        found += [first, false, right]
    adjusted = adjust([one.p for one in found], rules.correction)
    decided = []
    for one, p in zip(found, adjusted, strict=True):
        gain = -one.difference if one.measure == "false_answer_rate" else one.difference
        verdict: Literal["better", "worse", "undecided"] = "undecided"
        if gain != 0 and is_significant(one.queries, p, rules.alpha):
            verdict = "better" if gain > 0 else "worse"
        decided.append(replace(one, p_adjusted=p, verdict=verdict))
    return tuple(decided)


def _widened(
    one: AbstentionContrast, error: float, freedom: int, confidence: float
) -> AbstentionContrast:
    """Returns a contrast that also allows for thresholds chosen anew."""
    from relyon.analysis.statistics import student, student_quantile

    if not error > 0 or math.isnan(one.p):
        return one
    p = max(one.p, 2 * student(freedom, -abs(one.difference) / error))
    half = student_quantile(freedom, 0.5 + confidence / 2) * error
    low, high = max(one.difference - half, -1.0), min(one.difference + half, 1.0)
    if not math.isnan(one.low):
        low, high = min(low, one.low), max(high, one.high)
    return replace(one, low=low, high=high, p=p, p_adjusted=p)


def _contrasts(
    baseline: SystemAbstention, candidate: SystemAbstention, confidence: float
) -> list[AbstentionContrast]:
    from relyon.analysis.statistics.auroc import area_difference

    before, after = baseline.outcomes.answers, candidate.outcomes.answers
    areas = area_difference(before.area, after.area)
    yes = int(before.answerable.sum())
    smaller = min(yes, len(before.queries) - yes)
    names = baseline.system, candidate.system
    first = AbstentionContrast(
        *names,
        "auroc",
        before.area.value,
        after.area.value,
        areas.value,
        *areas.interval(confidence),
        areas.p,
        areas.p,
        smaller,
    )
    old, new = baseline.outcomes, candidate.outcomes
    unknown = math.isnan(baseline.threshold) or math.isnan(candidate.threshold)
    return [
        first,
        _of_queries(names, "false_answer_rate", old.false, new.false, unknown, confidence),
        _of_queries(names, "right_answers", old.right, new.right, unknown, confidence),
    ]


def _of_queries(
    names: tuple[str, str],
    measure: Quantity,
    old: NDArray[np.float64],
    new: NDArray[np.float64],
    unknown: bool,
    confidence: float,
) -> AbstentionContrast:
    """Returns the contrast of outcomes from 0 to 1, one per query."""
    import numpy as np

    from relyon.analysis.statistics import paired_test
    from relyon.analysis.statistics.bounded import mean_interval

    known = ~np.isnan(old) & ~np.isnan(new)
    old, new = old[known], new[known]
    differences = new - old
    if unknown or not len(differences):
        no = math.nan
        return AbstentionContrast(*names, measure, no, no, no, no, no, no, no, len(differences))
    p = paired_test("sign", differences).p
    low, high = mean_interval(differences, -1.0, 1.0, confidence).bounds
    return AbstentionContrast(
        *names,
        measure,
        float(old.mean()),
        float(new.mean()),
        float(differences.mean()),
        low,
        high,
        p,
        p,
        len(differences),
    )
