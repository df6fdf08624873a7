"""How many queries and repeated runs detect a difference, and which of them cost least."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from relyon.analysis.comparison.contrast_parts import contrast_label
from relyon.analysis.comparison.margins.amounts import Amount
from relyon.core.document.json import json_number
from relyon.core.document.model import Table
from relyon.core.errors import ParameterError
from relyon.core.texts import Language, catalogue, message
from relyon.core.texts.numbers import TERMINAL

if TYPE_CHECKING:
    from relyon.analysis.comparison.contrast import Contrast
    from relyon.analysis.comparison.paired_runs import PairedRuns

__all__ = ["RUNS", "PlannedRuns", "beyond_runs", "plan_runs", "run_rows", "run_table"]

#: Runs of each system that are tried.
RUNS = (2, 3, 5, 10)


@dataclass(frozen=True)
class PlannedRuns:
    """The queries that one difference needs, by the number of runs of each system.

    Attributes:
        measure: The measure's name.
        label: Its name in tables.
        candidate: The run compared with the baseline.
        difference: δ.
        power: The probability of detecting it.
        runs: Runs of each system.
        queries: The queries needed with each; 0 if no number of queries is enough.
        repeat_cost: What running one query once more costs, relative to grading one more; NaN if
            not given.
        cheapest: The place of the cheapest in `runs`; -1 if there is none, or no cost is given.
    """

    measure: str
    label: str
    candidate: str
    difference: float
    power: float
    runs: tuple[int, ...]
    queries: tuple[int, ...]
    repeat_cost: float = math.nan
    cheapest: int = -1

    @property
    def costs(self) -> tuple[float, ...]:
        """Returns n (1 + 2 R C) for each, in units of grading one query; NaN if unknown."""
        return tuple(
            queries * (1 + 2 * runs * self.repeat_cost) if queries else math.nan
            for runs, queries in zip(self.runs, self.queries, strict=True)
        )

    def to_dict(self) -> dict[str, object]:
        """Returns JSON-ready values; missing numbers are null."""
        known = not math.isnan(self.repeat_cost)
        return {
            "measure": self.measure,
            "candidate": self.candidate,
            "difference": self.difference,
            "power": self.power,
            "by_runs": [
                {
                    "runs": runs,
                    "queries": queries or None,
                    **({"cost": json_number(cost)} if known else {}),
                }
                for runs, queries, cost in zip(self.runs, self.queries, self.costs, strict=True)
            ],
            **({"repeat_cost": self.repeat_cost} if known else {}),
            **({"cheapest": self.runs[self.cheapest]} if self.cheapest >= 0 else {}),
        }


def plan_runs(
    comparison: PairedRuns,
    amounts: Sequence[Amount],
    level: float,
    powers: Sequence[float],
    repeat_cost: float | None = None,
) -> tuple[PlannedRuns, ...]:
    """Returns the queries needed by the number of runs; empty without repeated runs.

    By `queries_for_runs`, from the variance components of each measure that is a mean over queries,
    if the t test decides. That the components are estimates is counted as in `plan_test`.

    Args:
        comparison: The comparison.
        amounts: The differences.
        level: The level of each test.
        powers: The probabilities of detecting them; the first is planned for.
        repeat_cost: What running one query once more costs, relative to grading one more.

    Raises:
        ParameterError: If the cost is not a number of 0 or more, or no system has several runs.
    """
    from relyon.analysis.statistics import planned_power, spread_certainty
    from relyon.analysis.statistics.plans.runs import queries_for_runs

    known = [one for one in comparison.contrasts if one.tested and _is_planned(one)]
    if repeat_cost is not None:
        if not (math.isfinite(repeat_cost) and repeat_cost >= 0):
            raise ParameterError(message("analysis.repeat-cost-is-number", value=str(repeat_cost)))
        if all(one.repeats is None for one in comparison.contrasts):
            raise ParameterError(
                message("analysis.repeat-cost-needs-systems"),
                hint=message("analysis.write-systems"),
            )
    found = []
    for one in known:
        if one.repeats is None or one.repeats.components is None:
            continue
        values = comparison.parts_of_difference(one.candidate, one.measure)
        certainty = spread_certainty(values)
        if not certainty:
            continue
        real = planned_power(powers[0], level, round(certainty, 2))
        for amount in amounts:
            size = amount.size(one)
            queries = tuple(
                queries_for_runs(one.repeats.components, size, runs, alpha=level, power=real)
                for runs in RUNS
            )
            row = PlannedRuns(
                one.measure,
                contrast_label(one),
                one.candidate,
                size,
                powers[0],
                RUNS,
                queries,
                math.nan if repeat_cost is None else repeat_cost,
            )
            found.append(_with_cheapest(row))
    return tuple(found)


def beyond_runs(one: Contrast, difference: float, level: float, power: float) -> float:
    """Returns the difference that is left for queries to detect, with the runs of a comparison.

    δ² - (z_{α/2} + z_β)² E, with the variance E that runs share and the test counts: more queries
    do not lower it.

    Args:
        one: The contrast.
        difference: δ.
        level: The level of the test.
        power: 1 - β.

    Returns:
        Its square root; δ without repeated runs, 0 if no number of queries is enough.
    """
    from relyon.analysis.statistics import normal_quantile

    if one.repeats is None or not one.repeats.included or not one.repeats.excess > 0:
        return difference
    multiple = normal_quantile(1 - level / 2) + normal_quantile(power)
    return math.sqrt(max(difference**2 - multiple**2 * one.repeats.excess, 0.0))


def _is_planned(one: Contrast) -> bool:
    """Whether the test counts what runs share, and queries are not in clusters."""
    return one.repeats is not None and one.repeats.included and one.clusters is None


def _with_cheapest(row: PlannedRuns) -> PlannedRuns:
    from dataclasses import replace

    costs = [(cost, place) for place, cost in enumerate(row.costs) if math.isfinite(cost)]
    return replace(row, cheapest=min(costs)[1]) if costs else row


def run_rows(rows: Sequence[PlannedRuns]) -> list[dict[str, object]]:
    """Returns one row per number of runs."""
    return [
        {
            "measure": one.measure,
            "candidate": one.candidate,
            "difference": one.difference,
            "power": one.power,
            "runs": runs,
            "queries": queries or None,
            "cost": json_number(cost),
        }
        for one in rows
        for runs, queries, cost in zip(one.runs, one.queries, one.costs, strict=True)
    ]


def run_table(rows: Sequence[PlannedRuns], language: Language = "en") -> Table:
    """Returns the queries needed by the number of runs, the cheapest named."""
    words = catalogue("repeats", language)
    costs = any(not math.isnan(one.repeat_cost) for one in rows)
    headings = [
        words["plan.candidate"],
        words["heading.measure"],
        words["plan.difference"],
        *(words.say("plan.runs", runs=runs) for runs in rows[0].runs),
        *([words["plan.cheapest"]] if costs else []),
    ]
    shown = []
    for one in rows:
        row = [one.candidate, one.label, TERMINAL.number(one.difference)]
        row += [f"{queries:,}" if queries else "-" for queries in one.queries]
        if costs:
            place = one.cheapest
            row.append(f"{one.queries[place]:,} × {one.runs[place]}" if place >= 0 else "-")
        shown.append(row)
    notes = [words.say("plan.legend", power=f"{rows[0].power:g}")]
    if costs:
        notes.append(words.say("plan.cost", cost=f"{rows[0].repeat_cost:g}"))
    return Table(headings, shown, left=2, long=(0, 1), notes=notes)
