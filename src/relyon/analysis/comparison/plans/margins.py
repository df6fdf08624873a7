"""How many queries show that a candidate is not worse, or equal, within a margin."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING

from relyon.analysis.comparison.contrast import gain_sign
from relyon.analysis.comparison.plans.basis import Basis, basis_of, with_error, with_share
from relyon.analysis.comparison.plans.clusters import units_of
from relyon.analysis.comparison.plans.repeats import beyond_runs
from relyon.core.document.json import json_number
from relyon.core.document.model import Table
from relyon.core.texts import Language, catalogue
from relyon.core.texts.numbers import TERMINAL

if TYPE_CHECKING:
    from relyon.analysis.comparison.contrast import Contrast
    from relyon.analysis.comparison.paired_runs import PairedRuns

__all__ = ["PlannedMargin", "margin_rows", "margin_table", "plan_margins"]

#: What is to be shown, in the order of tables.
STATEMENTS = ("not_worse", "not_worse_observed", "equal")
#: From so many runs of each system on, plans reach about the power that they state.
ENOUGH_RUNS = 5


@dataclass(frozen=True)
class PlannedMargin:
    """The queries that one margin needs.

    Attributes:
        measure: The measure's name.
        candidate: The run compared with the baseline.
        margin: M, the smallest difference that matters.
        share: M as a share of the baseline's number; NaN if that is 0.
        observed: The observed difference, signed so that a gain is positive.
        deviation: s, the standard deviation of the differences by query.
        error: The relative standard error of s; NaN if unknown.
        graded: Number of queries behind s, or of their clusters.
        differing: How many of them differ.
        test: The test of the margin.
        level: The significance level of each of its two sides.
        basis: Whether these are enough queries for a plan: `enough`, `few`, or `too_few`.
        not_worse: Queries needed to show "not worse" if there is truly no difference, one number
            per power of the plan; 0 if unknown.
        not_worse_observed: The same if the true difference is the observed one; 0 if that is a loss
            of the margin or more.
        equal: Queries needed to show "equal within the margin" if there is truly no difference.
        cluster_size: The mean number of queries of a cluster, if queries are in clusters: as many
            queries are needed as there are in whole clusters. Then `deviation`, `error`, `graded`
            and `differing` are those of clusters. 0 without clusters.
        runs: The fewest runs of a system, if what its runs share is counted; 0 if not.
    """

    measure: str
    candidate: str
    margin: float
    share: float
    observed: float
    deviation: float
    error: float
    graded: int
    differing: int
    test: str
    level: float
    basis: Basis
    not_worse: tuple[int, ...]
    not_worse_observed: tuple[int, ...]
    equal: tuple[int, ...]
    cluster_size: float = 0.0
    runs: int = 0

    def to_dict(self) -> dict[str, object]:
        """Returns JSON-ready values: NaN and 0 queries become null."""
        return {
            name: [each or None for each in one]
            if isinstance(one, tuple)
            else json_number(one)
            if isinstance(one, float)
            else one
            for name, one in asdict(self).items()
            if name not in {"cluster_size", "runs"} or one
        }

    def shown(self, statement: str) -> list[str]:
        """Returns the queries by power, with the clusters that they are in."""
        found = []
        for queries in getattr(self, statement):
            clusters = round(queries / self.cluster_size) if self.cluster_size else 0
            text = f"{queries:,}" if queries else "-"
            found.append(f"{text} ({clusters:,})" if clusters else text)
        return found


def plan_margins(comparison: PairedRuns, powers: Sequence[float]) -> tuple[PlannedMargin, ...]:
    """Returns the queries that each margin of a comparison needs.

    A sum over queries grows with their number, so it has no plan.

    Args:
        comparison: The result of `relyon.compare`.
        powers: The probabilities of showing it.
    """
    given = [one for one in comparison.contrasts if one.margin is not None and one.margin.size > 0]
    corrected = comparison.settings.correction != "none"
    level = comparison.settings.alpha / (len(given) if corrected and given else 1)
    return tuple(_planned(one, comparison, level, powers) for one in given)


def _planned(
    one: Contrast, comparison: PairedRuns, level: float, powers: Sequence[float]
) -> PlannedMargin:
    import numpy as np

    from relyon.analysis.statistics import spread_certainty, standard_deviation
    from relyon.analysis.statistics.plans.margins import MarginPlan

    size, test = (0.0, one.test) if one.margin is None else (one.margin.size, one.margin.test)
    sign = gain_sign(one.measure)
    parts = sign * comparison.parts_of_difference(one.candidate, one.measure)
    queries = comparison.own_values(one.candidate, one.measure)
    units = units_of(dict(zip(queries, parts.tolist(), strict=True)), comparison.facts)
    deltas = units.values
    differing = one.changed_units if units.size else one.changed
    known = one.average != "sum" and bool(np.isfinite(deltas).all())
    certainty = spread_certainty(deltas) if known else 0.0
    gain = sign * one.difference

    def beyond(amount: float, power: float) -> float:
        return beyond_runs(one, amount, level, power)

    plan = MarginPlan(deltas, size, test, differing if known else 0, level, beyond)
    return PlannedMargin(
        one.measure,
        one.candidate,
        size,
        share=size / abs(one.baseline_mean) if one.baseline_mean else math.nan,
        observed=gain,
        deviation=standard_deviation(deltas) or math.nan if known else math.nan,
        error=1 / math.sqrt(2 * certainty) if certainty else math.nan,
        graded=len(deltas) if units.size else one.queries,
        differing=differing,
        test=test,
        level=level,
        basis=basis_of(differing, certainty),
        not_worse=tuple(units.queries(plan.not_worse(power)) for power in powers),
        not_worse_observed=tuple(units.queries(plan.not_worse(power, gain)) for power in powers),
        equal=tuple(units.queries(plan.equal(power)) for power in powers),
        cluster_size=units.size,
        runs=_shared_runs(one),
    )


def _shared_runs(one: Contrast) -> int:
    """Returns the fewest runs from which the plan knows what runs share; 0 if it counts nothing."""
    found = one.repeats
    if found is None or not found.included or not found.excess > 0:
        return 0
    return min(floor.runs for floor in (found.baseline, found.candidate) if floor.runs > 1)


def margin_rows(
    planned: Sequence[PlannedMargin], powers: Sequence[float]
) -> Iterator[dict[str, object]]:
    """Yields one row per candidate, measure, statement and power."""
    for one in planned:
        values = one.to_dict()
        statements = {name: values.pop(name) for name in STATEMENTS}
        for name in statements:
            for power, queries in zip(powers, getattr(one, name), strict=True):
                yield {**values, "statement": name, "queries": queries or None, "power": power}


def margin_table(
    planned: Sequence[PlannedMargin],
    powers: Sequence[float],
    alpha: float,
    language: Language = "en",
) -> Table:
    """Returns the queries that each margin needs, with the assumptions.

    Args:
        planned: The plans.
        powers: The probabilities of showing it.
        alpha: The significance level of the whole comparison.
        language: `en` or `zh`.
    """
    from relyon.analysis.statistics import ENOUGH_QUERIES

    words, tests = catalogue("planning", language), catalogue("tables", language)
    headings = [
        words["heading.candidate"],
        words["heading.measure"],
        words["heading.margin"],
        words["heading.to_show"],
        *(words.say("heading.power", power=f"{power:g}") for power in powers),
    ]
    rows = []
    for one in planned:
        first = [one.candidate, one.measure, with_share(one.margin, one.share)]
        for name in STATEMENTS:
            shown = words.say(f"margins.{name}", observed=TERMINAL.signed(one.observed))
            rows.append([*first, shown, *one.shown(name)])
            first = [""] * len(first)
    used = dict.fromkeys(one.test for one in planned)
    notes = [
        words.say(
            "margins.level",
            tests=[tests.name("test", one) for one in used],
            alpha=f"{alpha:g}",
            comparisons=len(planned),
            level=f"{planned[0].level:.3g}",
        ),
        *(
            words.say(
                "margins.spread",
                candidate=one.candidate,
                measure=one.measure,
                deviation=with_error(one.deviation, one.error),
                differing=one.differing,
                graded=one.graded,
            )
            for one in planned
        ),
        words["queries.deviation"],
        *([words["queries.clusters"]] if any(one.cluster_size for one in planned) else []),
    ]
    few = [one for one in planned if 0 < one.runs < ENOUGH_RUNS]
    if few:
        what = dict.fromkeys(f"{one.candidate}, {one.measure}" for one in few)
        notes.append(words.say("margins.runs", what=[*what], runs=min(one.runs for one in few)))
    in_clusters = ".clusters" if any(one.cluster_size for one in planned) else ""
    for basis in ("few", "too_few"):
        found = dict.fromkeys(
            f"{one.candidate}, {one.measure}" for one in planned if one.basis == basis
        )
        if found:
            key = f"queries.{basis}{in_clusters}"
            notes.append(words.say(key, what=[*found], least=ENOUGH_QUERIES))
    return Table(headings, rows, left=2, long=(0, 1), notes=notes)
