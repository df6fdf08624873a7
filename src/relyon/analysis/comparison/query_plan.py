"""How many queries to grade to detect a difference."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING

from relyon.core.document.exportable import Exportable
from relyon.core.document.json import json_number
from relyon.core.document.model import Document, Table
from relyon.core.errors import ParameterError
from relyon.core.parameters import check_fraction
from relyon.core.texts import Language, catalogue, message
from relyon.core.texts.numbers import TERMINAL

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
        deviation: σ of the differences by query.
        graded: Number of queries behind σ.
        queries: Queries needed, one number per power of the plan; 0 if σ is unknown.
    """

    measure: str
    candidate: str
    difference: float
    share: float
    deviation: float
    graded: int
    queries: tuple[int, ...]

    def to_dict(self) -> dict[str, object]:
        """Returns JSON-ready values: NaN becomes null."""
        values = asdict(self) | {"queries": [one or None for one in self.queries]}
        return {name: json_number(one) if isinstance(one, float) else one
                for name, one in values.items()}  # fmt: skip


@dataclass(frozen=True)
class QueryPlan(Exportable):
    """How many queries detect which difference, given the spread of a comparison.

    Attributes:
        rows: One per candidate, measure and difference.
        powers: The probabilities of detecting it.
        alpha: The significance level of the whole comparison.
        comparisons: Number of differences tested together.
        level: The significance level of each p-value: alpha / comparisons.
    """

    rows: tuple[PlannedDifference, ...]
    powers: tuple[float, ...]
    alpha: float
    comparisons: int
    level: float

    def to_dict(self) -> dict[str, object]:
        """Returns JSON-ready values."""
        return {
            "powers": list(self.powers),
            "alpha": self.alpha,
            "comparisons": self.comparisons,
            "level": self.level,
            "rows": [one.to_dict() for one in self.rows],
        }

    def to_frame(self) -> polars.DataFrame:
        """Returns one row per candidate, measure, difference and power."""
        import polars

        rows = [
            {**asdict(one), "queries": queries or None, "power": power}
            for one in self.rows
            for power, queries in zip(self.powers, one.queries, strict=True)
        ]
        return polars.DataFrame(rows, infer_schema_length=None)

    def document(self, language: Language = "en") -> Document:
        """Returns the table of differences and queries, with its assumptions."""
        words = catalogue("planning", language)
        headings = [
            words["heading.candidate"],
            words["heading.measure"],
            words["heading.deviation"],
            words["heading.graded"],
            words["heading.difference"],
            words["heading.share"],
            *(words.say("heading.power", power=f"{power:g}") for power in self.powers),
        ]
        rows = [
            [
                one.candidate,
                one.measure,
                TERMINAL.number(one.deviation),
                f"{one.graded:,}",
                TERMINAL.number(one.difference),
                "-" if math.isnan(one.share) else f"{100 * one.share:.3g}%",
                *(f"{queries:,}" if queries else "-" for queries in one.queries),
            ]
            for one in self.rows
        ]
        notes = [
            words.say(
                "queries.level",
                alpha=f"{self.alpha:g}",
                comparisons=self.comparisons,
                level=f"{self.level:.3g}",
            ),
            words["queries.deviation"],
        ]
        return Document([Table(headings, rows, left=2, long=(0, 1), notes=notes)])


def plan_queries(
    comparison: PairedRuns,
    differences: Sequence[float | str] | None = None,
    *,
    powers: Sequence[float] = POWERS,
) -> QueryPlan:
    """Returns how many queries detect a difference, from the spread of a comparison.

    n = (z_{a/2} + z_β)² σ² / δ² + z²_{a/2} / 2, rounded up, with σ the standard deviation of the
    differences by query and a = α / m for m comparisons that are corrected together: the first step
    of Holm's correction, which does not depend on the other differences. For a single
    comparison, or without a correction, a = α.

    Args:
        comparison: The result of `relyon.compare`; its test, alpha and correction also apply to the
            planned comparison.
        differences: δ, as numbers, or as shares of the baseline's number such as "2%"; None takes
            1, 2, 5 and 10%.
        powers: The probabilities of detecting the difference, 1 - β.

    Raises:
        ParameterError: If a difference is not above 0, or a power is not between 0 and 1.

    Examples:
        >>> import relyon
        >>> old = {"rate": {f"q{n}": 0.5 for n in range(40)}}
        >>> new = {"rate": {f"q{n}": 0.5 + 0.1 * (n % 3) for n in range(40)}}
        >>> comparison = relyon.compare_values({"old": old, "new": new})
        >>> plan = comparison.plan(["10%", 0.02])
        >>> [row.queries for row in plan.rows]
        [(24, 31), (138, 184)]

    References:
        Sakai (2016), Information Retrieval Journal 19, doi 10.1007/s10791-015-9273-z.
    """

    from relyon.analysis.statistics import queries_needed, standard_deviation

    for power in powers:
        check_fraction("power", power)
    wanted = [_difference(one) for one in (differences or [f"{100 * one:g}%" for one in SHARES])]
    settings = comparison.settings
    together = len(comparison.tested) * len(comparison.candidates)
    count = together if settings.correction != "none" else 1
    level = settings.alpha / max(count, 1)
    rows = []
    for one in comparison.contrasts:
        if one.measure not in comparison.tested:
            continue
        deltas = comparison.parts_of_difference(one.candidate, one.measure)
        deviation = standard_deviation(deltas) or math.nan
        for number, relative in wanted:
            base = abs(one.baseline_mean)
            size = number * base if relative else number
            share = number if relative else size / base if base else math.nan
            rows.append(
                PlannedDifference(
                    one.measure,
                    one.candidate,
                    size,
                    share,
                    deviation,
                    one.queries,
                    tuple(queries_needed(size, deviation, level, power) for power in powers),
                )
            )
    return QueryPlan(tuple(rows), tuple(powers), settings.alpha, count, level)


def _difference(value: float | str) -> tuple[float, bool]:
    """Returns a difference and whether it is a share."""
    text = str(value).strip()
    try:
        number = float(text.removesuffix("%"))
    except ValueError:
        number = math.nan
    if not (math.isfinite(number) and number > 0):
        raise ParameterError(
            message("analysis.is-not-difference", value=text),
            hint=message("analysis.write-number-above-0"),
        )
    return (number / 100, True) if text.endswith("%") else (number, False)
