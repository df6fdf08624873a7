"""Calibration of a language model's grades against people's."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING

from relyon.analysis.statistics import Resampling
from relyon.core.document.json import json_values
from relyon.core.errors import InputError, ParameterError
from relyon.core.parameters import check_fraction, check_whole
from relyon.core.texts import message
from relyon.data.aggregation import Rule, aggregate
from relyon.data.scale import Scale
from relyon.judging.agreement import JudgeAgreement, Ratings, measure_agreement
from relyon.judging.coefficients import krippendorff_alpha
from relyon.judging.llm.figures import Figures, Unit, measure_figures
from relyon.judging.llm.outlook import MARGIN, Outlook, compare_with_people
from relyon.judging.records import Item
from relyon.online.sampling.tiers import order_tiers

if TYPE_CHECKING:
    from relyon.judging.llm.models import Configuration
    from relyon.judging.records import User
    from relyon.judging.store import Store

__all__ = [
    "Calibration",
    "Comparisons",
    "Consistency",
    "Outlook",
    "accept_judge",
    "calibrate",
    "measure_calibration",
]


@dataclass(frozen=True)
class Consistency:
    """How well a model agrees with itself when asked repeatedly.

    Attributes:
        items: Items with a grade.
        samples: Total answers with a grade.
        unanimous: The share of items whose answers are all equal.
        spread: The mean of an item's highest answer minus its lowest.
        alpha_ordinal: Krippendorff's alpha, with every sample as a judge.
    """

    items: int
    samples: int
    unanimous: float
    spread: float
    alpha_ordinal: float


@dataclass(frozen=True)
class Comparisons:
    """Three comparisons over the same part of a project.

    Attributes:
        final: The model against the final grade.
        single: The model against every single person's grade: comparable with `people`, since the
            combined grade of several people is more stable than one person's.
        people: Every person's grade against every other's of the same item; None if no item was
            graded by two.
    """

    final: Figures
    single: Figures | None
    people: Figures | None


@dataclass(frozen=True)
class Calibration:
    """A comparison of a model's grades with people's.

    Attributes:
        judge: The model's name as a judge.
        levels: The grades of `confusion`, from the lowest.
        confusion: Counts by the model's grade (row) and people's (column).
        overall: Over all items.
        tiers: The same by tier, for items with a tier.
        judges: Each person against the other people, and the model against all of them.
        outlook: Whether the model agrees with people as well as they do with each other; None if
            no item was graded by two people.
        consistency: How well the model agrees with itself.
        confidence: Confidence level of the intervals.
        resamples: Number of bootstrap resamples of queries.
        seed: Random seed.
    """

    judge: str
    levels: tuple[float, ...]
    confusion: tuple[tuple[int, ...], ...]
    overall: Comparisons
    tiers: Mapping[str, Comparisons]
    judges: tuple[JudgeAgreement, ...]
    outlook: Outlook | None
    consistency: Consistency
    confidence: float
    resamples: int
    seed: int

    @property
    def items(self) -> int:
        """Items graded by the model and by people."""
        return self.overall.final.items

    def to_dict(self) -> dict[str, object]:
        """Returns everything as JSON-ready values; what is undefined is None."""
        found = {"judge": self.judge, "items": self.items, **json_values(asdict(self))}
        if self.outlook is not None:
            outlook = json_values(asdict(self.outlook))
            outlook |= {"verdict": self.outlook.verdict, "within": self.outlook.within}
            found["outlook"] = {**outlook, "text": self.outlook.text()}
        return found


def measure_calibration(
    judge: str,
    samples: Mapping[int, Sequence[float]],
    final: Mapping[int, float],
    people: Ratings[int],
    items: Sequence[Item],
    scale: Scale,
    *,
    confidence: float = 0.95,
    resampling: Resampling | None = None,
    margin: float = MARGIN,
) -> Calibration:
    """Compares a model's grades with people's.

    The model's grade of an item is the median of its samples, the lower one of two.

    Args:
        judge: The model's name as a judge.
        samples: The model's grades by item.
        final: The final grades by item, from people only.
        people: Grades by item and person.
        items: The items, with query and tier.
        scale: The grade scale.
        confidence: Confidence level of the intervals.
        resampling: Number of resamples of queries, and the seed.
        margin: How far the model's weighted kappa with people may be below that of people.

    Raises:
        InputError: If no item was graded by both.
        ParameterError: If the margin is not between 0 and 1.

    Examples:
        >>> from relyon.data.scale import SEARCH
        >>> items = [Item(f"q{n % 3}", f"d{n}", id=n) for n in range(6)]
        >>> final = {n: float(n % 4) for n in range(6)}
        >>> samples = {n: [final[n], final[n], 0.0] for n in range(6)}
        >>> found = measure_calibration("llm:small", samples, final, {}, items, SEARCH)
        >>> found.items, found.overall.final.kappa.value, round(found.consistency.unanimous, 4)
        (6, 1.0, 0.3333)
    """
    check_fraction("margin", margin)
    graded = {item: aggregate(given).value for item, given in samples.items() if given}
    both = [item for item in items if item.id in graded and item.id in final]
    if not both:
        raise InputError(
            message("judging.no-item-was-graded", judge=judge),
            hint=message("judging.relyon-judge-llm-items"),
        )
    drawn = resampling or Resampling(2000)

    def compare(chosen: Sequence[Item]) -> Comparisons:
        return _compare(chosen, graded, final, people, scale, confidence, drawn)

    named = {item.id: people.get(item.id, {}) for item in both}
    tiers = order_tiers(sorted({item.tier for item in both if item.tier}))
    levels, confusion = _confusion([(graded[one.id], final[one.id]) for one in both], scale)
    judges = _judges(judge, graded, named)
    return Calibration(
        judge,
        levels,
        confusion,
        compare(both),
        {tier: compare([one for one in both if one.tier == tier]) for tier in tiers},
        judges,
        compare_with_people(both, graded, named, margin, confidence),
        _consistency(samples),
        confidence,
        drawn.resamples,
        drawn.seed,
    )


def calibrate(
    store: Store,
    configuration: Configuration,
    *,
    rule: Rule = "median",
    confidence: float = 0.95,
    resampling: Resampling | None = None,
    margin: float = MARGIN,
) -> Calibration:
    """Compares the grades of a model in a database with people's.

    Gold items are included in the comparison with the final grade, but not among people, since
    judges share more of them than of others.

    Args:
        store: The database.
        configuration: The model and its settings.
        rule: How several people's grades are combined: `median` or `majority`.
        confidence: Confidence level of the intervals.
        resampling: Number of resamples of queries, and the seed.
        margin: How far the model's weighted kappa with people may be below that of people.

    Raises:
        InputError: If no item was graded by both.
        ParameterError: If the margin is not between 0 and 1, or the rule gives gains instead of
            grades.
    """
    if rule == "mean_gain":
        raise ParameterError(message("judging.models-grades-are-compared"))
    project = store.projects.get(configuration.project_id)
    known = store.gold.all(project.id)
    return measure_calibration(
        configuration.judge,
        store.replies.samples(configuration),
        {one.item.id: one.value for one in store.decisions.people_grades(project.id, rule=rule)},
        {
            item: found
            for item, found in store.grades.by_judge(project.id).items()
            if item not in known
        },
        store.items.all(project.id),
        project.scale,
        confidence=confidence,
        resampling=resampling,
        margin=margin,
    )


def accept_judge(
    store: Store,
    configuration: Configuration,
    by: User,
    *,
    least: int = 50,
    note: str = "",
    margin: float = MARGIN,
) -> Calibration:
    """Accepts a model's grades for items without human ones, after comparing it with people.

    The lead, the time and the whole calibration are recorded.

    Args:
        store: The database.
        configuration: The model and its settings: another version must be accepted separately.
        by: A lead or an admin.
        least: Minimum number of items graded by both people and the model.
        note: Why.
        margin: How far the model's weighted kappa with people may be below that of people.

    Raises:
        InputError: If fewer items were graded by both.
        ParameterError: If the account is not a lead, or `least` is below 1.
    """
    check_whole("least", least)
    found = calibrate(store, configuration, margin=margin)
    if found.items < least:
        raise InputError(
            message(
                "judging.and-people-both-graded",
                configuration_title=configuration.title,
                items=found.items,
                least=least,
            ),
            hint=message("judging.let-grade-items"),
        )
    store.models.record_acceptance(
        configuration,
        by,
        accepted=True,
        figures=found.overall.final,
        report=found.to_dict(),
        note=note,
    )
    return found


def _compare(
    items: Sequence[Item],
    graded: Mapping[int, float],
    final: Mapping[int, float],
    people: Ratings[int],
    scale: Scale,
    confidence: float,
    resampling: Resampling,
) -> Comparisons:
    def figures(units: list[Unit]) -> Figures | None:
        if not units:
            return None
        return measure_figures(units, scale, confidence=confidence, resampling=resampling)

    single, among = [], []
    for item in items:
        given = list(people.get(item.id, {}).values())
        if given:
            single.append(Unit.of_one_with_each(item.query, graded[item.id], given))
        if len(given) > 1:
            among.append(Unit.of_several(item.query, given))
    counted = [Unit.of_two(item.query, graded[item.id], final[item.id]) for item in items]
    return Comparisons(
        measure_figures(counted, scale, confidence=confidence, resampling=resampling),
        figures(single),
        figures(among),
    )


def _confusion(
    pairs: Sequence[tuple[float, float]], scale: Scale
) -> tuple[tuple[float, ...], tuple[tuple[int, ...], ...]]:
    levels = tuple(sorted({*scale.gains, *(grade for pair in pairs for grade in pair)}))
    return levels, tuple(
        tuple(sum(pair == (row, column) for pair in pairs) for column in levels) for row in levels
    )


def _judges(
    judge: str, graded: Mapping[int, float], people: Ratings[int]
) -> tuple[JudgeAgreement, ...]:
    """Returns every person against other people, then the model against them."""
    if not any(people.values()):
        return ()
    together = {item: {**found, judge: graded[item]} for item, found in people.items() if found}
    machine = [one for one in measure_agreement(together).judges if one.judge == judge]
    return (*measure_agreement(people).judges, *machine)


def _consistency(samples: Mapping[int, Sequence[float]]) -> Consistency:
    given = [list(one) for one in samples.values() if one]
    several = [one for one in given if len(one) > 1]
    return Consistency(
        len(given),
        sum(map(len, given)),
        _share([len(set(one)) == 1 for one in several]),
        _share([max(one) - min(one) for one in several]),
        krippendorff_alpha(several, level="ordinal"),
    )


def _share(values: Sequence[float]) -> float:
    return math.fsum(values) / len(values) if values else math.nan
