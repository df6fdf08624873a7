"""Several judges' grades of one unit as one grade, with the rule that made it."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, get_args

from relyon.core.errors import InputError
from relyon.core.parameters import check_choice
from relyon.core.texts import message

if TYPE_CHECKING:
    from relyon.data.scale import Scale

__all__ = ["Aggregate", "Rule", "aggregate", "describe_rule"]

Rule = Literal["majority", "median", "mean_gain"]

_DESCRIPTIONS: dict[str, str] = {
    "majority": "the most frequent grade; if several are equally frequent, the lower median of"
    " all grades",
    "median": "the middle grade, the lower one of two",
    "mean_gain": "the mean of the grades' gains under the scale: a gain, not a grade",
}


@dataclass(frozen=True)
class Aggregate:
    """The grade aggregated from several judges' grades.

    Attributes:
        value: A grade; under `mean_gain` a gain.
        rule: The aggregation rule.
        judges: How many grades it rests on.
        agreeing: How many of them are equal to the value; under `mean_gain`, by their gain.
        tied: Whether `majority` found several equally frequent grades.
    """

    value: float
    rule: Rule
    judges: int
    agreeing: int
    tied: bool = False


def describe_rule(rule: Rule) -> str:
    """Returns a description of a rule, to print beside its result.

    Raises:
        ParameterError: If there is no such rule.
    """
    check_choice("rule", rule, get_args(Rule))
    return message("data.rule-description", rule=rule, description=message(_DESCRIPTIONS[rule]))


def aggregate(
    grades: Sequence[float] | Mapping[str, float],
    *,
    rule: Rule = "median",
    scale: Scale | None = None,
) -> Aggregate:
    """Aggregates several grades into one.

    Args:
        grades: The grades of one unit, in any order, or by judge.
        rule: `majority` is the most frequent grade or, if several are, the lower median of all;
            `median` the middle grade, the lower one of two, so that it is a grade of the scale;
            `mean_gain` the mean of the gains under the scale.
        scale: Whose gains `mean_gain` takes; without one, or for a scale without levels, the
            gain of a grade is the grade.

    Raises:
        ParameterError: If there is no such rule.
        InputError: If there are no grades, or the scale lacks one of them.

    Examples:
        >>> aggregate([3, 3, 0]).value, aggregate([3, 3, 0, 0]).value
        (3.0, 0.0)
        >>> from relyon.data.scale import SEARCH
        >>> round(aggregate([3, 2, 2], rule="mean_gain", scale=SEARCH).value, 4)
        0.8
        >>> aggregate([3, 2, 1], rule="majority")
        Aggregate(value=2.0, rule='majority', judges=3, agreeing=1, tied=True)
    """
    check_choice("rule", rule, get_args(Rule))
    found = sorted(
        float(grade) for grade in (grades.values() if isinstance(grades, Mapping) else grades)
    )
    if not found:
        raise InputError(message("data.no-grades-to-aggregate"))
    middle = found[(len(found) - 1) // 2]
    if rule == "median":
        return Aggregate(middle, rule, len(found), found.count(middle))
    if rule == "majority":
        times = Counter(found)
        most = max(times.values())
        top = [grade for grade in times if times[grade] == most]
        value = top[0] if len(top) == 1 else middle
        return Aggregate(value, rule, len(found), found.count(value), len(top) > 1)
    gains = [_gain(grade, scale) for grade in found]
    value = math.fsum(gains) / len(gains)
    return Aggregate(value, rule, len(found), gains.count(value))


def _gain(grade: float, scale: Scale | None) -> float:
    if scale is None or not scale.levels:
        return max(grade, 0.0)
    return scale.gains.get(scale.parse(grade), 0.0)
