"""Coefficients of agreement: Cohen's kappa, Fleiss' kappa and Krippendorff's alpha."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Hashable, Iterable, Sequence
from itertools import combinations
from numbers import Real
from typing import Literal, TypeGuard, TypeVar, get_args

from relyon.core.errors import InputError
from relyon.core.parameters import check_choice
from relyon.core.texts import message
from relyon.data.row_index import paired

__all__ = [
    "check_numbers",
    "cohen_kappa",
    "fleiss_kappa",
    "krippendorff_alpha",
    "pairs_kappa",
    "patterns_alpha",
    "patterns_fleiss",
]

Weights = Literal["none", "linear", "quadratic"]
Level = Literal["nominal", "ordinal", "interval", "ratio"]
GradeT = TypeVar("GradeT", bound=Hashable)


def cohen_kappa(
    first: Sequence[float | None], second: Sequence[float | None], *, weights: Weights = "none"
) -> float:
    """Cohen's kappa between two judges.

    1 - (weighted disagreement) / (the same expected by chance from how often each judge gives each
    grade). A disagreement between the grades a and b weighs 1 (`none`), abs(a - b) (`linear`) or
    (a - b)² (`quadratic`). Grades may be negative or lie between levels; for `none` they may be
    names.

    Args:
        first: The grades of one judge, None for units without one.
        second: Those of the other for the same units. Units that either left out do not count.
        weights: The weighting of disagreements.

    Returns:
        A number of at most 1; 0 is chance. NaN if no unit was graded by both, or if both always
        gave the same grade.

    Raises:
        ParameterError: If the weighting is unknown.
        InputError: If the judges have different numbers of units, or a grade is not a number
            although the distance of grades counts.

    Examples:
        >>> round(cohen_kappa([3, 2, 0, 1], [3, 1, 0, 1]), 4)
        0.6667
        >>> round(cohen_kappa([3, 2, 0, 1], [3, 1, 0, 1], weights="quadratic"), 4)
        0.9

    References:
        Cohen (1960), Educational and Psychological Measurement 20(1). Cohen (1968), Psychological
        Bulletin 70(4).
    """
    check_choice("weights", weights, get_args(Weights))
    first, second = paired({"first": first, "second": second}).values()
    if len(first) != len(second):
        raise InputError(
            message(
                "judging.one-judge-has-units",
                count=len(first),
                count_2=len(second),
            ),
            hint=message("judging.give-both-same-units"),
        )
    pairs = [
        (one, other)
        for one, other in zip(first, second, strict=True)
        if one is not None and other is not None
    ]
    if weights != "none":
        check_numbers(
            {grade for pair in pairs for grade in pair},
            f"the weights `{weights}` need",
            "weights='none' takes names",
        )
    return pairs_kappa(Counter(pairs), weights)


def pairs_kappa(pairs: Counter[tuple[float, float]], weights: Weights) -> float:
    """Cohen's kappa from counts of pairs of grades."""
    seen = math.fsum(times * _weight(*pair, weights) for pair, times in pairs.items())
    ones: Counter[float] = Counter()
    others: Counter[float] = Counter()
    for (one, other), times in pairs.items():
        ones[one] += times
        others[other] += times
    expected = math.fsum(
        _weight(one, other, weights) * times * often
        for one, times in ones.items()
        for other, often in others.items()
    )
    return 1 - seen * pairs.total() / expected if expected else math.nan


def _weight(one: float, other: float, weights: Weights) -> float:
    if weights == "none":
        return float(one != other)
    return abs(one - other) if weights == "linear" else (one - other) ** 2


def _is_number(grade: object) -> TypeGuard[float]:
    return not isinstance(grade, bool) and isinstance(grade, Real) and math.isfinite(grade)


def check_numbers(grades: Iterable[object], what: str, hint: str) -> list[float]:
    """Returns the grades as they are.

    Raises:
        InputError: If one is not a finite number.
    """
    found: list[float] = []
    for grade in grades:
        if not _is_number(grade):
            raise InputError(
                message(
                    "judging.grades-that-are-numbers",
                    what=what,
                    grade=grade,
                ),
                hint=hint,
            )
        found.append(grade)
    return found


def fleiss_kappa(units: Iterable[Iterable[Hashable]]) -> float:
    """Fleiss' kappa: agreement of several judges beyond chance, for nominal grades.

    (P - P_e) / (1 - P_e): P is the share of agreeing pairs of grades within a unit, averaged over
    units with at least two grades; P_e = Σ p², p being the share of a grade within a unit, averaged
    over all units. If all units have equally many grades it is Fleiss' original; if grades are
    missing, Gwet's extension.

    Args:
        units: The grades of each unit, in any order.

    Returns:
        A number of at most 1; NaN if no unit has two grades, or all grades are the same.

    Examples:
        >>> round(fleiss_kappa([[3, 3, 3], [0, 0, 1], [2, 2, 2]]), 4)
        0.6897

    References:
        Fleiss (1971), Psychological Bulletin 76(5). Gwet (2014), Handbook of Inter-Rater
        Reliability, 4th edition, chapter 2.
    """
    return patterns_fleiss(Counter(map(tuple, units)))


def patterns_fleiss(units: Counter[tuple[GradeT, ...]]) -> float:
    """Fleiss' kappa from counts of patterns of grades."""
    counts = [(Counter(grades), often) for grades, often in units.items() if grades]
    agreeing: list[float] = []
    several = 0
    for found, often in counts:
        total = found.total()
        if total > 1:
            pairs = sum(times * (times - 1) for times in found.values())
            agreeing.append(often * pairs / (total * (total - 1)))
            several += often
    if not several:
        return math.nan
    shares: dict[GradeT, list[float]] = {}
    for found, often in counts:
        for grade, times in found.items():
            shares.setdefault(grade, []).append(often * times / found.total())
    whole = sum(often for _, often in counts)
    seen = math.fsum(agreeing) / several
    chance = math.fsum((math.fsum(one) / whole) ** 2 for one in shares.values())
    return (seen - chance) / (1 - chance) if len(shares) > 1 else math.nan


def krippendorff_alpha(units: Iterable[Iterable[Hashable]], *, level: Level = "nominal") -> float:
    """Krippendorff's alpha: agreement of any number of judges, with missing grades.

    1 - D_o / D_e. D_o is the mean squared difference of two grades of the same unit, D_e that of
    any two grades. The difference of two grades a and b is 0 or 1 (`nominal`); the number of grades
    given from the one to the other, each end counting half (`ordinal`); a - b (`interval`); or
    (a - b) / (a + b), for numbers with a true zero such as counts and seconds (`ratio`).

    Args:
        units: The grades that each unit was given. Units with one grade do not count.
        level: The level of measurement.

    Returns:
        A number of at most 1; 0 is chance. NaN if no unit has two grades, or all grades are the
        same.

    Raises:
        ParameterError: If the level is unknown.
        InputError: If the level is not `nominal` and a grade is not a number, or it is `ratio` and
            a grade is below 0.

    Examples:
        >>> units = [[3, 3], [2, 3], [0, 0], [1]]
        >>> round(krippendorff_alpha(units), 4)
        0.5455
        >>> round(krippendorff_alpha(units, level="ordinal"), 4)
        0.7778

    References:
        Krippendorff (2011), Computing Krippendorff's Alpha-Reliability.
    """
    check_choice("level", level, get_args(Level))
    return patterns_alpha(Counter(map(tuple, units)), level)


def patterns_alpha(units: Counter[tuple[GradeT, ...]], level: Level) -> float:
    """Krippendorff's alpha from counts of patterns of grades."""
    counts = [(Counter(grades), often) for grades, often in units.items() if len(grades) > 1]
    totals: Counter[Hashable] = Counter()
    for found, often in counts:
        for grade, times in found.items():
            totals[grade] += often * times
    if len(totals) < 2:
        return math.nan
    distance = _distances(totals, level)
    within = math.fsum(
        often * 2 * found[one] * found[other] * distance[one, other] / (found.total() - 1)
        for found, often in counts
        for one, other in combinations(found, 2)
    )
    expected = math.fsum(
        2 * totals[one] * totals[other] * distance[one, other]
        for one, other in combinations(totals, 2)
    ) / (totals.total() - 1)
    return 1 - within / expected


def _distances(totals: Counter[Hashable], level: Level) -> dict[tuple[Hashable, Hashable], float]:
    """Returns the squared difference of any two grades."""
    if level == "nominal":
        return {(one, other): 1.0 for one in totals for other in totals}
    values = check_numbers(totals, f"the level `{level}` needs", "level='nominal' takes names")
    if level == "ratio":
        return _ratios(values)
    places = {value: float(value) for value in values}
    if level == "ordinal":
        below = 0
        for value in sorted(values):
            places[value] = below + totals[value] / 2
            below += totals[value]
    return {(one, other): (places[one] - places[other]) ** 2 for one in values for other in values}


def _ratios(values: Sequence[float]) -> dict[tuple[Hashable, Hashable], float]:
    for value in values:
        if value < 0:
            raise InputError(
                message(
                    "judging.level-ratio-needs-grades",
                    value=value,
                ),
                hint=message("judging.level-interval-takes-any"),
            )
    return {
        (one, other): ((one - other) / (one + other)) ** 2 if one != other else 0.0
        for one in values
        for other in values
    }
