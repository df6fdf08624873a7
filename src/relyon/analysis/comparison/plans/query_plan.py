"""How many queries to grade to detect a difference."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING

from relyon.analysis.comparison.margins.amounts import Amount
from relyon.analysis.comparison.plans.basis import Basis, basis_of, with_error, with_share
from relyon.analysis.comparison.plans.clusters import units_of
from relyon.analysis.comparison.plans.margins import (
    PlannedMargin,
    margin_rows,
    margin_table,
    plan_margins,
)
from relyon.analysis.comparison.plans.repeats import (
    PlannedRuns,
    beyond_runs,
    plan_runs,
    run_rows,
    run_table,
)
from relyon.core.document.exportable import Exportable
from relyon.core.document.json import json_number
from relyon.core.document.model import Block, Document, Table
from relyon.core.errors import ParameterError
from relyon.core.parameters import check_fraction
from relyon.core.texts import Language, catalogue, message

if TYPE_CHECKING:
    import polars

    from relyon.analysis.comparison.paired_runs import PairedRuns

__all__ = ["POWERS", "SHARES", "PlannedDifference", "QueryPlan", "plan_queries"]

#: The default powers of a plan.
POWERS = (0.8, 0.9)
#: Default differences, as shares of the baseline's number.
SHARES = (0.01, 0.02, 0.05, 0.1)


@dataclass(frozen=True)
class PlannedDifference:
    """The queries that one difference needs.

    Attributes:
        measure: The measure's name.
        candidate: The run compared with the baseline.
        difference: δ.
        share: δ as a share of the baseline's number; NaN if that is 0.
        deviation: s, the standard deviation of the differences by query.
        error: The relative standard error of s, from the queries behind it; NaN if unknown.
        graded: Number of queries behind s.
        differing: How many of them differ.
        test: The test that is to find the difference.
        basis: Whether these are enough queries for a plan: `enough`, `few`, or `too_few`.
        queries: Queries needed, one number per power of the plan; 0 if unknown.
        clusters: Clusters needed, if queries are in clusters: as many queries are needed as there
            are in so many clusters of the present sizes. Then `deviation`, `error`, `graded` and
            `differing` are those of clusters.
    """

    measure: str
    candidate: str
    difference: float
    share: float
    deviation: float
    error: float
    graded: int
    differing: int
    test: str
    basis: Basis
    queries: tuple[int, ...]
    clusters: tuple[int, ...] = ()

    def to_dict(self) -> dict[str, object]:
        """Returns JSON-ready values: NaN becomes null."""
        values = asdict(self) | {"queries": [one or None for one in self.queries]}
        del values["clusters"]
        if self.clusters:
            values["clusters"] = [one or None for one in self.clusters]
        return {name: json_number(one) if isinstance(one, float) else one
                for name, one in values.items()}  # fmt: skip

    def rows(self, powers: Sequence[float]) -> Iterator[dict[str, object]]:
        """Yields one row per power."""
        values = asdict(self)
        del values["clusters"]
        for place, power in enumerate(powers):
            row = {**values, "queries": self.queries[place] or None, "power": power}
            yield row | ({"clusters": self.clusters[place] or None} if self.clusters else {})

    def shown(self) -> list[str]:
        """Returns the queries needed by power, with the clusters that they are in."""
        found = [f"{queries:,}" if queries else "-" for queries in self.queries]
        pairs = zip(found, self.clusters, strict=False)
        held = [f"{text} ({count:,})" if count else text for text, count in pairs]
        return held or found


@dataclass(frozen=True)
class QueryPlan(Exportable):
    """How many queries detect which difference, given the spread of a comparison.

    Attributes:
        rows: One per candidate, measure and difference.
        powers: The probabilities of detecting it.
        alpha: The significance level of the whole comparison.
        comparisons: Number of differences tested together.
        level: The significance level of each p-value: alpha / comparisons.
        margins: The queries that each margin needs, if the comparison has margins.
        repeats: The queries that each difference needs by the number of runs, if a system has
            several.
    """

    rows: tuple[PlannedDifference, ...]
    powers: tuple[float, ...]
    alpha: float
    comparisons: int
    level: float
    margins: tuple[PlannedMargin, ...] = ()
    repeats: tuple[PlannedRuns, ...] = ()

    def to_dict(self) -> dict[str, object]:
        """Returns JSON-ready values."""
        margins = [one.to_dict() for one in self.margins]
        return {
            "powers": list(self.powers),
            "alpha": self.alpha,
            "comparisons": self.comparisons,
            "level": self.level,
            "rows": [one.to_dict() for one in self.rows],
            **({"margins": margins} if margins else {}),
            **({"repeats": [one.to_dict() for one in self.repeats]} if self.repeats else {}),
        }

    def to_frame(self) -> polars.DataFrame:
        """Returns one row per candidate, measure, difference and power."""
        import polars

        rows = [row for one in self.rows for row in one.rows(self.powers)]
        rows += margin_rows(self.margins, self.powers)
        rows += run_rows(self.repeats)
        return polars.DataFrame(rows, infer_schema_length=None)

    def document(self, language: Language = "en") -> Document:
        """Returns the table of differences and queries, with its assumptions."""
        from relyon.analysis.statistics import ENOUGH_QUERIES
        from relyon.analysis.statistics.plans.tests import RANK_TESTS

        words, tests = catalogue("planning", language), catalogue("tables", language)
        blocks: list[Block] = []
        if self.margins:
            blocks += [margin_table(self.margins, self.powers, self.alpha, language)]
        if not self.rows:
            return Document(blocks)
        headings = [
            words["heading.candidate"],
            words["heading.measure"],
            words["heading.deviation"],
            words["heading.graded"],
            words["heading.difference"],
            *(words.say("heading.power", power=f"{power:g}") for power in self.powers),
        ]
        rows = [
            [
                one.candidate,
                one.measure,
                with_error(one.deviation, one.error),
                f"{one.differing:,}/{one.graded:,}",
                with_share(one.difference, one.share),
                *one.shown(),
            ]
            for one in self.rows
        ]
        notes = [
            words.say(
                "queries.level",
                tests=[tests.name("test", one) for one in dict.fromkeys(r.test for r in self.rows)],
                alpha=f"{self.alpha:g}",
                comparisons=self.comparisons,
                level=f"{self.level:.3g}",
            ),
            words["queries.deviation"],
        ]
        if any(one.clusters for one in self.rows):
            notes.append(words["queries.clusters"])
        if any(one.test in RANK_TESTS for one in self.rows):
            notes.append(words["queries.ranks"])
        in_clusters = ".clusters" if any(one.clusters for one in self.rows) else ""
        for basis in ("few", "too_few"):
            found = dict.fromkeys(
                f"{one.candidate}, {one.measure}" for one in self.rows if one.basis == basis
            )
            if found:
                key = f"queries.{basis}{in_clusters}"
                notes.append(words.say(key, what=[*found], least=ENOUGH_QUERIES))
        blocks.append(Table(headings, rows, left=2, long=(0, 1), notes=notes))
        blocks += [run_table(self.repeats, language)] if self.repeats else []
        return Document(blocks)


def plan_queries(
    comparison: PairedRuns,
    differences: Sequence[float | str] | None = None,
    *,
    powers: Sequence[float] = POWERS,
    repeat_cost: float | None = None,
) -> QueryPlan:
    """Returns how many queries detect a difference, from the spread of a comparison.

    By `plan_test`, for the test of the comparison, at the level a = α / m for m comparisons that
    are corrected together: the first step of Holm's correction, which does not depend on the other
    differences. For a single comparison, or without a correction, a = α; under Tukey's test m
    counts all pairs of runs, which asks for slightly more than needed. That the standard deviation
    is an estimate is counted; fewer than six queries that differ carry no plan.

    Args:
        comparison: The result of `relyon.compare`; its test, alpha and correction also apply to the
            planned comparison.
        differences: δ, as numbers, or as shares of the baseline's number such as "2%"; None takes
            1, 2, 5 and 10%, and none if the comparison has margins, for which it plans.
        powers: The probabilities of detecting the difference, 1 - β.
        repeat_cost: What running one query once more costs, relative to grading one more: names
            the cheapest number of repeated runs.

    Raises:
        ParameterError: If a difference is not above 0, a text without a percent sign is at least
            1 and the baseline's value, or a power is not between 0 and 1.

    Examples:
        >>> import relyon
        >>> old = {"rate": {f"q{n}": 0.5 for n in range(40)}}
        >>> new = {"rate": {f"q{n}": 0.5 + 0.1 * (n % 3) for n in range(40)}}
        >>> comparison = relyon.compare_values({"old": old, "new": new})
        >>> plan = comparison.plan(["10%", 0.02])
        >>> [row.queries for row in plan.rows]
        [(25, 33), (144, 197)]

    References:
        Sakai (2016), Information Retrieval Journal 19, doi 10.1007/s10791-015-9273-z; Julious and
        Owen (2006), Pharmaceutical Statistics 5(1).
    """

    from relyon.analysis.statistics import spread_certainty, standard_deviation
    from relyon.analysis.statistics.plans.tests import plan_test

    for power in powers:
        check_fraction("power", power)
    margins = plan_margins(comparison, powers)
    if repeat_cost is not None and margins and not differences:
        raise ParameterError(
            message("analysis.repeat-cost-needs-difference"),
            hint=message("analysis.difference-of-margin", size=f"{margins[0].margin:.4g}"),
        )
    asked = differences or ([] if margins else [f"{100 * one:g}%" for one in SHARES])
    wanted = [_amount(one) for one in asked]
    settings = comparison.settings
    if settings.always_valid:
        raise ParameterError(
            message("analysis.plan-of-anytime"), hint=message("analysis.plan-without-anytime")
        )
    runs, measures = len(comparison.candidates), len(comparison.tested)
    corrected = settings.correction != "none"
    count = runs * measures if corrected else 1
    if settings.test == "tukey":
        count = (runs + 1) * runs // 2 * (measures if corrected else 1)
    level = settings.alpha / max(count, 1)
    rows = []
    for one in comparison.contrasts:
        if one.measure not in comparison.tested:
            continue
        test = settings.test if settings.test == "tukey" else one.test
        units = units_of(comparison.deltas(one.candidate, one.measure), comparison.facts)
        deviation = standard_deviation(units.values) or math.nan
        certainty = spread_certainty(units.values)
        differing = units.differing
        for amount in wanted:
            size = amount.size(one)
            needed = tuple(
                plan_test(
                    units.values,
                    beyond_runs(one, size, level, power),
                    test,
                    alpha=level,
                    power=power,
                    differing=differing,
                )
                for power in powers
            )
            rows.append(
                PlannedDifference(
                    one.measure,
                    one.candidate,
                    size,
                    share=amount.share(one),
                    deviation=deviation,
                    error=1 / math.sqrt(2 * certainty) if certainty else math.nan,
                    graded=len(units.values) if units.size else one.queries,
                    differing=differing,
                    test=test,
                    basis=basis_of(differing, certainty),
                    queries=tuple(units.queries(count) for count in needed),
                    clusters=needed if units.size else (),
                )
            )
    repeats = plan_runs(comparison, wanted, level, powers, repeat_cost)
    return QueryPlan(tuple(rows), tuple(powers), settings.alpha, count, level, margins, repeats)


def _amount(value: float | str) -> Amount:
    """Returns a difference.

    Raises:
        ParameterError: If it is not a number above 0, or a share.
    """
    found = Amount.of(value)
    if found is None:
        raise ParameterError(
            message("analysis.is-not-difference", value=str(value).strip()),
            hint=message("analysis.write-number-above-0"),
        )
    return found
