"""What a ranker knows of each row: a matrix of numbers, a column per feature."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from relkit.data.columns import feature_name, to_numbers

if TYPE_CHECKING:
    import numpy as np
    import polars as pl
    from numpy.typing import NDArray

__all__ = ["Features", "feature_columns", "feature_matrix"]

#: Types of columns whose values single precision holds exactly.
SHORT = ("Float32", "Int8", "Int16", "UInt8", "UInt16", "Boolean")


@dataclass(frozen=True, eq=False)
class Features:
    """The features of labelled rows.

    Attributes:
        names: What each column is called.
        values: One row per labelled row and one column per feature; NaN where a value is missing.
    """

    names: tuple[str, ...]
    values: NDArray[Any]

    def __repr__(self) -> str:
        return f"Features(rows={len(self.values)}, names={list(self.names)})"


def feature_columns(columns: Mapping[str, pl.Series], path: str = "") -> dict[str, pl.Series]:
    """Returns the columns of features as numbers, null where there is none.

    Args:
        columns: Series by role.
        path: The file, for messages.
    """
    return {
        role: to_numbers(series, role, path).fill_nan(None)
        for role, series in columns.items()
        if feature_name(role) is not None
    }


def feature_matrix(
    given: Mapping[str, pl.Series],
    numbers: Mapping[str, pl.Series],
    order: NDArray[np.int64] | None = None,
) -> Features:
    """Returns columns of numbers as one matrix: of single precision where that holds them exactly.

    Args:
        given: The columns as they came, by role.
        numbers: The columns as numbers, by role.
        order: The rows' order; None leaves it as it is.
    """
    import numpy as np

    short = all(str(given[role].dtype) in SHORT for role in numbers)
    height = max((len(series) for series in numbers.values()), default=0)
    values = np.empty((height, len(numbers)), dtype=np.float32 if short else np.float64)
    for place, series in enumerate(numbers.values()):
        column = series.fill_null(float("nan")).to_numpy()
        values[:, place] = column if order is None else column[order]
    return Features(tuple(feature_name(role) or role for role in numbers), values)
