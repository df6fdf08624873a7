"""One measure over all queries, from the native batch or from Python."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

from relyon import _native
from relyon.core.notes import Note
from relyon.evaluation.results import Parts, Pool

if TYPE_CHECKING:
    from relyon.data.convention import Convention
    from relyon.data.ranking import Ranking
    from relyon.evaluation.program import Program

__all__ = [
    "Column",
    "Evaluated",
    "batch_columns",
    "counted_parts",
    "differ",
    "kept_column",
    "python_columns",
    "unrecorded_notes",
]


class Evaluated(Protocol):
    """What computes one value of a ranking: a measure, or one over the calls of a task."""

    @property
    def combine(self) -> str: ...
    def value(self, ranking: Ranking, /) -> float: ...
    def expected(self, ranking: Ranking, /) -> float: ...
    def seen(self, ranking: Ranking, /) -> Ranking: ...
    def parts(self, ranking: Ranking, /) -> tuple[float, float]: ...
    def counted(self, rules: Convention, /) -> float: ...
    def query_weight(self, ranking: Ranking, /) -> float: ...


@dataclass(frozen=True)
class Column:
    """One measure over all queries.

    Attributes:
        values: Returns the value of each query.
        total: The exact sums.
        parts: Returns the numerator and the denominator of each query.
        equal_pairs: Returns the pairs of equal labels of each query.
        pool: Returns the scores behind a pooled AUC.
        counted: How many queries without a value contribute to a ratio of sums; `None` counts.
    """

    values: Callable[[], list[float]]
    total: _native.Total
    parts: Callable[[], Parts]
    equal_pairs: Callable[[], list[list[float]]] | None = None
    pool: Callable[[], Pool] | None = None
    counted: int | None = None

    def weighty(self) -> int:
        """Returns how many queries without a value contribute to a ratio of sums."""
        if self.counted is not None:
            return self.counted
        denominators = self.parts()[1]
        return sum(
            math.isnan(value) and bool(weight)
            for value, weight in zip(self.values(), denominators, strict=True)
        )


def batch_columns(program: Program, batch: _native.Batch) -> dict[str, Column]:
    def column(place: int) -> Column:
        return Column(
            lambda: batch.values(place),
            batch.total(place),
            lambda: batch.arrays(place)[1:],
            lambda: batch.levels(place),
            lambda: batch.pool(place),
        )

    return {name: column(place) for name, place in program.places.items()}


def python_columns(
    program: Program,
    rankings: Iterable[Ranking],
    missing: int,
    wanted: Sequence[tuple[str, Evaluated]] | None = None,
) -> dict[str, Column]:
    """Evaluates measures in Python over rankings; the last `missing` ones are empty.

    Args:
        program: The measures and rules.
        rankings: One per query.
        missing: How many are of queries that the run lacks.
        wanted: The measures by name; `None` takes those of the program without a kernel.
    """
    wanted = program.in_python if wanted is None else wanted
    rules = program.convention
    rule = rules.ties
    values: dict[str, list[float]] = {name: [] for name, _ in wanted}
    parts: dict[str, list[tuple[float, float]]] = {name: [] for name, _ in wanted}
    totals = {name: _native.Total() for name, _ in wanted}
    for ranking in rankings:
        orders = _orders(ranking) if ranking.tied and rule != "rank" else None
        for name, one in wanted:
            counted = orders[0] if orders is not None and name in program.worst else ranking
            mean = rule == "expected" and name not in program.worst
            value = one.expected(counted) if mean else one.value(counted)
            values[name].append(rules.rounded(value))
            parts[name].append(counted_parts(one, counted, values[name][-1], rules))
            if orders is not None:
                as_is = (values[name][-1], *parts[name][-1])
                worst, best = (_ordered(one, order, rules) for order in orders)
                if differ(as_is[0], worst[0]) or differ(as_is[0], best[0]):
                    totals[name].add_orders(as_is, worst, best)
    columns = {}
    for name, total in totals.items():
        numerators = [numerator for numerator, _ in parts[name]]
        denominators = [denominator for _, denominator in parts[name]]
        total.add(values[name], numerators, denominators, missing)
        columns[name] = kept_column(values[name], total, (numerators, denominators))
    return columns


def unrecorded_notes(program: Program, columns: Mapping[str, Column]) -> list[Note]:
    """Notes which measures have no value as no call recorded what was read, or its tokens."""
    kinds = {"reads": "reads-not-recorded", "tokens": "tokens-not-recorded"}
    found: dict[str, list[str]] = {}
    for asked, one in zip(program.asked, program.resolved, strict=True):
        lacking = getattr(one, "records", None)  # of measures of tasks
        if lacking not in kinds:
            continue
        total = columns[str(asked)].total
        if total.undefined == total.queries:
            found.setdefault(lacking, []).append(asked.shown)
    return [Note(kinds[what], values={"measures": names}) for what, names in found.items()]


def _ordered(measure: Evaluated, order: Ranking, rules: Convention) -> tuple[float, float, float]:
    value = rules.rounded(measure.value(order))
    return (value, *counted_parts(measure, order, value, rules))


def counted_parts(
    measure: Evaluated, ranking: Ranking, value: float, rules: Convention
) -> tuple[float, float]:
    """Returns a query's part of a ratio; a query without a value counts with its weight."""
    ranking = measure.seen(ranking)
    instead = measure.counted(rules)
    if measure.combine == "ratio" and math.isnan(value) and not math.isnan(instead):
        weight = measure.query_weight(ranking)
        return weight * instead, weight
    return measure.parts(ranking)


def _orders(ranking: Ranking) -> tuple[Ranking, Ranking]:
    return ranking.reordered("worst"), ranking.reordered("best")


def differ(one: float, other: float) -> bool:
    """Whether two values differ, and not in their last bits."""
    if math.isnan(one) or math.isnan(other):
        return False
    return not math.isclose(one, other, rel_tol=1e-12, abs_tol=0.0)


def kept_column(values: Sequence[float], total: _native.Total, parts: Parts) -> Column:
    return Column(lambda: list(values), total, lambda: parts)
