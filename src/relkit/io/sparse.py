"""Rows that name only some of their numbered values, as columns."""

from __future__ import annotations

from array import array
from collections.abc import Mapping
from typing import TYPE_CHECKING

from relkit.data.columns import feature_role

if TYPE_CHECKING:
    import polars as pl

__all__ = ["SparseRows"]


class SparseRows:
    """Values by number, row after row; a row has 0 where it names none."""

    def __init__(self) -> None:
        self._columns: list[array[float]] = []
        self._height = 0

    def add(self, row: Mapping[str, float]) -> None:
        """Adds a row.

        Args:
            row: Values by their numbers, from 1, as text.
        """
        for name, value in row.items():
            place = int(name) - 1
            while len(self._columns) <= place:
                self._columns.append(array("d"))
            column = self._columns[place]
            column.extend([0.0] * (self._height - len(column)))
            column.append(value)
        self._height += 1

    def columns(self) -> dict[str, pl.Series]:
        """Returns a column per number, from 1 to the highest, by the role of a feature."""
        import polars as pl

        found = {}
        for number, column in enumerate(self._columns, 1):
            column.extend([0.0] * (self._height - len(column)))
            found[feature_role(str(number))] = pl.Series(column, dtype=pl.Float64)
        return found
