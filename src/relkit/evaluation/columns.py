"""One measure over all queries, from the native batch or from Python."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from relkit import _native
from relkit.results import Parts

if TYPE_CHECKING:
    from relkit.evaluation.program import Program
    from relkit.ranking import Ranking

__all__ = ["Column", "batch_columns", "kept_column", "python_columns"]


@dataclass(frozen=True)
class Column:
    """One measure over all queries."""

    values: Callable[[], list[float]]
    total: _native.Total
    parts: Callable[[], Parts]


def batch_columns(program: Program, batch: _native.Batch) -> dict[str, Column]:
    def column(place: int) -> Column:
        return Column(
            lambda: batch.values(place), batch.total(place), lambda: batch.arrays(place)[1:]
        )

    return {name: column(place) for name, place in program.places.items()}


def python_columns(
    program: Program, rankings: Iterable[Ranking], missing: int
) -> dict[str, Column]:
    """Evaluates measures in Python over rankings, of which the last `missing` are empty."""
    wanted = program.in_python
    expected = program.convention.ties == "expected"
    values: dict[str, list[float]] = {name: [] for name, _ in wanted}
    parts: dict[str, list[tuple[float, float]]] = {name: [] for name, _ in wanted}
    for ranking in rankings:
        for name, one in wanted:
            values[name].append(one.expected(ranking) if expected else one.value(ranking))
            parts[name].append(one.parts(ranking))
    columns = {}
    for name, _ in wanted:
        total = _native.Total()
        numerators = [numerator for numerator, _ in parts[name]]
        denominators = [denominator for _, denominator in parts[name]]
        total.add(values[name], numerators, denominators, missing)
        columns[name] = kept_column(values[name], total, (numerators, denominators))
    return columns


def kept_column(
    values: Sequence[float], total: _native.Total, parts: tuple[Sequence[float], Sequence[float]]
) -> Column:
    return Column(lambda: list(values), total, lambda: parts)
