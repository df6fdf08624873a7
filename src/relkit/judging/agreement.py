"""How far judges agree: Cohen's kappa, Fleiss' kappa, Krippendorff's alpha, and where they do not.

Grades come by unit and judge: `{unit: {judge: grade}}`, a unit being one document of one query.
A judge who did not grade a unit is not in it.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from numbers import Real
from typing import Any, Literal, get_args

from relkit.core.errors import InputError, ParameterError
from relkit.core.parameters import check_choice
from relkit.core.rendering import json_values
from relkit.online.sampling.tiers import order_tiers

__all__ = [
    "Agreement",
    "Coefficients",
    "Disagreement",
    "JudgeAgreement",
    "PairAgreement",
    "cohen_kappa",
    "find_disagreements",
    "fleiss_kappa",
    "krippendorff_alpha",
    "measure_agreement",
]

Unit = Hashable
Ratings = Mapping[Any, Mapping[str, float]]
Pattern = tuple[tuple[str, float], ...]
Weights = Literal["none", "linear", "quadratic"]
Level = Literal["nominal", "ordinal", "interval", "ratio"]


def cohen_kappa(
    first: Sequence[float | None], second: Sequence[float | None], *, weights: Weights = "none"
) -> float:
    """Cohen's kappa between two judges.

    1 - (weighted disagreement) / (the same expected by chance from how often each judge gives each
    grade). A disagreement between the grades a and b weighs 1 (`none`), abs(a - b) (`linear`) or
    (a - b)² (`quadratic`). Grades may be negative or lie between levels; for `none` they may be
    names.

    Args:
        first: The grades of one judge, None where there is none.
        second: Those of the other for the same units. Units that either left out do not count.
        weights: How much a disagreement weighs.

    Returns:
        A number of at most 1; 0 is chance. NaN where no unit was graded by both, or where both
        gave one and the same grade throughout.

    Raises:
        ParameterError: If there is no such weighting.
        InputError: If the judges have different numbers of units, or if a grade is no number
            where the distance of grades counts.

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
    if len(first) != len(second):
        raise InputError(
            f"one judge has {len(first)} units and the other {len(second)}",
            hint="give both the same units, with None where there is no grade",
        )
    pairs = [
        (one, other)
        for one, other in zip(first, second, strict=True)
        if one is not None and other is not None
    ]
    if weights != "none":
        _check_numbers(
            {grade for pair in pairs for grade in pair},
            f"the weights `{weights}` need",
            "weights='none' takes names",
        )
    return _kappa(Counter(pairs), weights)


def _kappa(pairs: Counter[tuple[float, float]], weights: Weights) -> float:
    """Cohen's kappa of how often which grades came together."""
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


def _check_numbers(grades: Iterable[Any], what: str, hint: str) -> None:
    for grade in grades:
        if isinstance(grade, bool) or not isinstance(grade, Real) or not math.isfinite(grade):
            raise InputError(f"{what} grades that are numbers, and `{grade}` is none", hint=hint)


def fleiss_kappa(units: Iterable[Iterable[Hashable]]) -> float:
    """Fleiss' kappa: agreement of several judges beyond chance, grades being mere names.

    (P - P_e) / (1 - P_e): P is the share of agreeing pairs of grades within a unit, averaged over
    units with two grades or more; P_e = Σ p², p being the share of a grade within a unit, averaged
    over all units. Where all units have equally many grades it is what Fleiss wrote; where grades
    are missing, Gwet's extension.

    Args:
        units: The grades that each unit was given, by whomever.

    Returns:
        A number of at most 1; NaN where no unit has two grades, or where all grades are the same.

    Examples:
        >>> round(fleiss_kappa([[3, 3, 3], [0, 0, 1], [2, 2, 2]]), 4)
        0.6897

    References:
        Fleiss (1971), Psychological Bulletin 76(5). Gwet (2014), Handbook of Inter-Rater
        Reliability, 4th edition, chapter 2.
    """
    return _fleiss(Counter(map(tuple, units)))


def _fleiss(units: Counter[tuple[Any, ...]]) -> float:
    """Fleiss' kappa of how often which grades came together."""
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
    shares: dict[Hashable, list[float]] = {}
    for found, often in counts:
        for grade, times in found.items():
            shares.setdefault(grade, []).append(often * times / found.total())
    whole = sum(often for _, often in counts)
    seen = math.fsum(agreeing) / several
    chance = math.fsum((math.fsum(one) / whole) ** 2 for one in shares.values())
    return (seen - chance) / (1 - chance) if len(shares) > 1 else math.nan


def krippendorff_alpha(units: Iterable[Iterable[Any]], *, level: Level = "nominal") -> float:
    """Krippendorff's alpha: agreement of any number of judges, with missing grades.

    1 - D_o / D_e. D_o is the mean squared difference of two grades of the same unit, D_e that of
    any two grades. The difference of two grades a and b is 0 or 1 (`nominal`); the number of grades
    given from the one to the other, each end counting half (`ordinal`); a - b (`interval`); or
    (a - b) / (a + b), for numbers with a true zero such as counts and seconds (`ratio`).

    Args:
        units: The grades that each unit was given. Units with one grade do not count.
        level: What the differences of grades mean.

    Returns:
        A number of at most 1; 0 is chance. NaN where no unit has two grades, or where all grades
        are the same.

    Raises:
        ParameterError: If there is no such level.
        InputError: If the level is not `nominal` and a grade is no number, or it is `ratio` and a
            grade is below 0.

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
    return _alpha(Counter(map(tuple, units)), level)


def _alpha(units: Counter[tuple[Any, ...]], level: Level) -> float:
    """Krippendorff's alpha of how often which grades came together."""
    counts = [(Counter(grades), often) for grades, often in units.items() if len(grades) > 1]
    totals: Counter[Any] = Counter()
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


def _distances(totals: Counter[Any], level: str) -> dict[tuple[Any, Any], float]:
    """Returns the squared difference of any two grades."""
    values = list(totals)
    if level == "nominal":
        return {(one, other): 1.0 for one in values for other in values}
    _check_numbers(values, f"the level `{level}` needs", "level='nominal' takes names")
    if level == "ratio":
        return _ratios(values)
    places = {value: float(value) for value in values}
    if level == "ordinal":
        below = 0
        for value in sorted(values):
            places[value] = below + totals[value] / 2
            below += totals[value]
    return {(one, other): (places[one] - places[other]) ** 2 for one in values for other in values}


def _ratios(values: Sequence[float]) -> dict[tuple[Any, Any], float]:
    for value in values:
        if value < 0:
            raise InputError(
                f"the level `ratio` needs grades of 0 or more, and `{value:g}` is below",
                hint="level='interval' takes any number",
            )
    return {
        (one, other): ((one - other) / (one + other)) ** 2 if one != other else 0.0
        for one in values
        for other in values
    }


@dataclass(frozen=True)
class Coefficients:
    """Agreement over some units.

    Attributes:
        units: Units with two grades or more.
        grades: Grades of those units.
        equal: The share of pairs of grades, of different judges in one unit, that are equal.
        fleiss: Fleiss' kappa.
        alpha_nominal: Krippendorff's alpha, grades being names.
        alpha_ordinal: … being in an order.
        alpha_interval: … being numbers.
    """

    units: int
    grades: int
    equal: float
    fleiss: float
    alpha_nominal: float
    alpha_ordinal: float
    alpha_interval: float


@dataclass(frozen=True)
class PairAgreement:
    """Agreement of two judges over the units that both graded.

    Attributes:
        first: One judge.
        second: The other.
        units: Units graded by both.
        equal: The share of them with equal grades.
        kappa: Cohen's kappa.
        weighted_kappa: With quadratic weights.
    """

    first: str
    second: str
    units: int
    equal: float
    kappa: float
    weighted_kappa: float


@dataclass(frozen=True)
class JudgeAgreement:
    """One judge against the others.

    Attributes:
        judge: Whom it is about.
        grades: Grades given.
        units: Of them, those in units that someone else graded too.
        equal: The share of pairs with another judge's grade of the same unit that are equal.
        difference: The mean of own grade less the other's over these pairs: above 0 is generous.
        weighted_kappa: Quadratic weighted kappa over these pairs.
    """

    judge: str
    grades: int
    units: int
    equal: float
    difference: float
    weighted_kappa: float


@dataclass(frozen=True)
class Agreement:
    """How far judges agree.

    Attributes:
        overall: Over all units.
        tiers: The same by tier, where tiers were given.
        pairs: Every two judges with a unit in common, by name.
        judges: Every judge against all others, by name.
    """

    overall: Coefficients
    tiers: Mapping[str, Coefficients]
    pairs: tuple[PairAgreement, ...]
    judges: tuple[JudgeAgreement, ...]

    def to_dict(self) -> dict[str, Any]:
        """Returns everything as JSON-ready values; what is undefined is None."""
        from dataclasses import asdict

        found = json_values(asdict(self))
        if not isinstance(found, dict):
            raise TypeError(found)
        return found


def measure_agreement(ratings: Ratings, *, tiers: Mapping[Any, str] | None = None) -> Agreement:
    """Measures agreement overall, by tier, between any two judges and of each with the others.

    Args:
        ratings: Grades by unit and judge.
        tiers: The tier of each unit.

    Raises:
        InputError: If there is no grade, a grade is no number, or a unit has no tier although tiers
            are given.

    Examples:
        >>> found = measure_agreement(
        ...     {"a": {"Ann": 3, "Bo": 3}, "b": {"Ann": 0, "Bo": 1}, "c": {"Ann": 2, "Bo": 2}}
        ... )
        >>> found.overall.units, round(found.overall.equal, 4)
        (3, 0.6667)
        >>> [(one.judge, round(one.difference, 4)) for one in found.judges]
        [('Ann', -0.3333), ('Bo', 0.3333)]
    """
    if not any(ratings.values()):
        raise InputError("there are no grades to compare")
    _check_numbers(
        {grade for found in ratings.values() for grade in found.values()},
        "agreement needs",
        "give the places of a scale; fleiss_kappa, krippendorff_alpha and cohen_kappa take names",
    )
    # Units are many, and few differ in who gave which grades.
    whole: Counter[Pattern] = Counter()
    by_tier: dict[str, Counter[Pattern]] = {}
    for unit, found in ratings.items():
        pattern = tuple(found.items())
        whole[pattern] += 1
        if tiers is not None:
            if unit not in tiers:
                raise InputError(f"the unit `{unit}` has no tier", hint="give every unit one")
            by_tier.setdefault(tiers[unit], Counter())[pattern] += 1
    names = sorted({judge for pattern in whole for judge, _ in pattern})
    common: dict[tuple[str, str], Counter[tuple[float, float]]] = {}
    for pattern, often in whole.items():
        for (one, mine), (other, theirs) in combinations(sorted(pattern), 2):
            common.setdefault((one, other), Counter())[mine, theirs] += often
    return Agreement(
        overall=_coefficients(whole),
        tiers={tier: _coefficients(by_tier[tier]) for tier in order_tiers(by_tier)},
        pairs=tuple(
            PairAgreement(
                one,
                other,
                pairs.total(),
                _equal(pairs),
                _kappa(pairs, "none"),
                _kappa(pairs, "quadratic"),
            )
            for (one, other), pairs in sorted(common.items())
        ),
        judges=tuple(_judge(name, whole) for name in names),
    )


def _coefficients(units: Counter[Pattern]) -> Coefficients:
    grades: Counter[tuple[float, ...]] = Counter()
    pairs: Counter[tuple[float, float]] = Counter()
    for pattern, often in units.items():
        if len(pattern) > 1:
            unit = tuple(grade for _, grade in pattern)
            grades[unit] += often
            for pair in combinations(unit, 2):
                pairs[pair] += often
    return Coefficients(
        units=grades.total(),
        grades=sum(often * len(unit) for unit, often in grades.items()),
        equal=_equal(pairs),
        fleiss=_fleiss(grades),
        alpha_nominal=_alpha(grades, "nominal"),
        alpha_ordinal=_alpha(grades, "ordinal"),
        alpha_interval=_alpha(grades, "interval"),
    )


def _equal(pairs: Counter[tuple[float, float]]) -> float:
    total = pairs.total()
    return (
        sum(pairs[one, other] for one, other in pairs if one == other) / total
        if total
        else math.nan
    )


def _judge(name: str, units: Counter[Pattern]) -> JudgeAgreement:
    own = shared = 0
    pairs: Counter[tuple[float, float]] = Counter()
    for pattern, often in units.items():
        mine = dict(pattern).get(name)
        if mine is None:
            continue
        own += often
        if len(pattern) > 1:
            shared += often
        for judge, grade in pattern:
            if judge != name:
                pairs[mine, grade] += often
    total = pairs.total()
    difference = math.fsum(often * (one - other) for (one, other), often in pairs.items())
    return JudgeAgreement(
        judge=name,
        grades=own,
        units=shared,
        equal=_equal(pairs),
        difference=difference / total if total else math.nan,
        weighted_kappa=_kappa(pairs, "quadratic"),
    )


@dataclass(frozen=True)
class Disagreement:
    """A unit whose judges differ.

    Attributes:
        unit: What was graded.
        grades: The grades by judge.
        spread: The highest less the lowest.
    """

    unit: Any
    grades: Mapping[str, float]
    spread: float


def find_disagreements(ratings: Ratings, *, at_least: float = 1.0) -> list[Disagreement]:
    """Finds the units whose grades lie apart, the widest first, then in the order given.

    Args:
        ratings: Grades by unit and judge.
        at_least: The least spread that counts.

    Raises:
        ParameterError: If `at_least` is not above 0.

    Examples:
        >>> found = find_disagreements({"a": {"Ann": 3, "Bo": 0}, "b": {"Ann": 1, "Bo": 1}})
        >>> [(one.unit, one.spread) for one in found]
        [('a', 3.0)]
    """
    if not at_least > 0:
        raise ParameterError(f"the parameter `at_least` must be above 0. Got `{at_least}` instead.")
    found = [
        Disagreement(unit, dict(grades), float(max(grades.values()) - min(grades.values())))
        for unit, grades in ratings.items()
        if len(grades) > 1
    ]
    apart = [one for one in found if one.spread >= at_least]
    return sorted(apart, key=lambda one: -one.spread)
