"""Agreement of judges, overall and in pairs, and disagreements.

Grades are given by unit and judge: `{unit: {judge: grade}}`, a unit being one document of one
query. Judges who did not grade a unit are left out.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Hashable, Mapping
from dataclasses import asdict, dataclass
from itertools import combinations
from typing import Generic, TypeAlias, TypedDict, TypeVar

from relyon.core.document.json import json_number, json_values
from relyon.core.errors import InputError, ParameterError
from relyon.core.texts import message
from relyon.judging.coefficients import (
    check_numbers,
    pairs_kappa,
    patterns_alpha,
    patterns_fleiss,
)
from relyon.online.sampling.tiers import order_tiers

__all__ = [
    "Agreement",
    "AgreementValues",
    "CoefficientValues",
    "Coefficients",
    "Disagreement",
    "JudgeAgreement",
    "PairAgreement",
    "find_disagreements",
    "measure_agreement",
]

UnitT = TypeVar("UnitT", bound=Hashable)
Ratings: TypeAlias = Mapping[UnitT, Mapping[str, float]]
"""Grades by unit and judge."""
Pattern = tuple[tuple[str, float], ...]

#: From this many items on, people hardly ever give all of them the same grades.
MANY = 20


class CoefficientValues(TypedDict):
    """`Coefficients` as JSON: None for NaN."""

    units: int
    grades: int
    equal: float | None
    fleiss: float | None
    alpha_nominal: float | None
    alpha_ordinal: float | None
    alpha_interval: float | None


class AgreementValues(TypedDict):
    """`Agreement` as JSON."""

    overall: CoefficientValues
    tiers: dict[str, CoefficientValues]
    pairs: list[dict[str, object]]
    judges: list[dict[str, object]]


@dataclass(frozen=True)
class Coefficients:
    """Agreement over some units.

    Attributes:
        units: Units with at least two grades.
        grades: Grades of those units.
        equal: The share of pairs of grades, of different judges in one unit, that are equal.
        fleiss: Fleiss' kappa.
        alpha_nominal: Krippendorff's alpha with nominal grades.
        alpha_ordinal: … with ordinal grades.
        alpha_interval: … with interval grades.
    """

    units: int
    grades: int
    equal: float
    fleiss: float
    alpha_nominal: float
    alpha_ordinal: float
    alpha_interval: float

    def to_dict(self) -> CoefficientValues:
        """Returns JSON-ready values; what is undefined is None."""
        return {
            "units": self.units,
            "grades": self.grades,
            "equal": json_number(self.equal),
            "fleiss": json_number(self.fleiss),
            "alpha_nominal": json_number(self.alpha_nominal),
            "alpha_ordinal": json_number(self.alpha_ordinal),
            "alpha_interval": json_number(self.alpha_interval),
        }


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

    @property
    def identical(self) -> bool:
        """Whether all of many grades are equal, and not all the same grade: as in copies."""
        return self.units >= MANY and self.equal == 1 and not math.isnan(self.kappa)

    def to_dict(self) -> dict[str, object]:
        """Returns JSON-ready values; what is undefined is None."""
        return {**json_values(asdict(self)), "identical": self.identical}


@dataclass(frozen=True)
class JudgeAgreement:
    """One judge against the others.

    Attributes:
        judge: The judge.
        grades: Grades given.
        units: Grades in units that another judge graded, too.
        equal: The share of pairs with another judge's grade of the same unit that are equal.
        difference: The mean of the own grade minus the other's over these pairs: above 0 is
            generous.
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
    """Agreement of judges.

    Attributes:
        overall: Over all units.
        tiers: The same by tier, if tiers were given.
        pairs: All pairs of judges with a unit in common, by name.
        judges: Every judge against all others, by name.
    """

    overall: Coefficients
    tiers: Mapping[str, Coefficients]
    pairs: tuple[PairAgreement, ...]
    judges: tuple[JudgeAgreement, ...]

    def to_dict(self) -> AgreementValues:
        """Returns everything as JSON-ready values; what is undefined is None."""
        return {
            "overall": self.overall.to_dict(),
            "tiers": {tier: found.to_dict() for tier, found in self.tiers.items()},
            "pairs": [one.to_dict() for one in self.pairs],
            "judges": [json_values(asdict(one)) for one in self.judges],
        }


def measure_agreement(
    ratings: Ratings[UnitT], *, tiers: Mapping[UnitT, str] | None = None
) -> Agreement:
    """Measures agreement overall, by tier, between pairs of judges, and of each with the others.

    Args:
        ratings: Grades by unit and judge.
        tiers: The tier of each unit.

    Raises:
        InputError: If there are no grades, a grade is not a number, or a unit has no tier although
            tiers are given.

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
        raise InputError(message("judging.there-are-no-grades"))
    check_numbers(
        {grade for found in ratings.values() for grade in found.values()},
        "agreement needs",
        "give ranks on a scale; fleiss_kappa, krippendorff_alpha and cohen_kappa accept names",
    )
    # There are many units, but few distinct patterns of grades.
    whole: Counter[Pattern] = Counter()
    by_tier: dict[str, Counter[Pattern]] = {}
    for unit, found in ratings.items():
        pattern = tuple(found.items())
        whole[pattern] += 1
        if tiers is not None:
            if unit not in tiers:
                raise InputError(
                    message("judging.unit-has-no-tier", unit=unit),
                    hint=message("judging.give-every-unit"),
                )
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
                pairs_kappa(pairs, "none"),
                pairs_kappa(pairs, "quadratic"),
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
        fleiss=patterns_fleiss(grades),
        alpha_nominal=patterns_alpha(grades, "nominal"),
        alpha_ordinal=patterns_alpha(grades, "ordinal"),
        alpha_interval=patterns_alpha(grades, "interval"),
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
        weighted_kappa=pairs_kappa(pairs, "quadratic"),
    )


@dataclass(frozen=True)
class Disagreement(Generic[UnitT]):
    """A unit whose judges differ.

    Attributes:
        unit: The unit.
        grades: The grades by judge.
        spread: The highest minus the lowest.
    """

    unit: UnitT
    grades: Mapping[str, float]
    spread: float


def find_disagreements(
    ratings: Ratings[UnitT], *, at_least: float = 1.0
) -> list[Disagreement[UnitT]]:
    """Finds the units whose grades differ, the largest spread first, then in the given order.

    Args:
        ratings: Grades by unit and judge.
        at_least: The minimum spread.

    Raises:
        ParameterError: If `at_least` is not above 0.

    Examples:
        >>> found = find_disagreements({"a": {"Ann": 3, "Bo": 0}, "b": {"Ann": 1, "Bo": 1}})
        >>> [(one.unit, one.spread) for one in found]
        [('a', 3.0)]
    """
    if not at_least > 0:
        raise ParameterError(
            message(
                "judging.parameter-at-least",
                at_least=at_least,
            )
        )
    found = [
        Disagreement(unit, dict(grades), float(max(grades.values()) - min(grades.values())))
        for unit, grades in ratings.items()
        if len(grades) > 1
    ]
    apart = [one for one in found if one.spread >= at_least]
    return sorted(apart, key=lambda one: -one.spread)
