"""The features of labelled rows: a matrix of numbers, one column per feature."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, get_args

from relyon.core.packages import scipy_part
from relyon.core.parameters import check_choice

if TYPE_CHECKING:
    import numpy as np
    import polars as pl
    from numpy.typing import NDArray

__all__ = [
    "STORAGE",
    "Features",
    "Labelling",
    "Matrix",
    "Precision",
    "Storage",
    "feature_columns",
    "feature_matrix",
]

Precision = Literal["float32", "float64"]
Matrix = Literal["auto", "dense", "sparse"]

#: The source of the rows' labels: their own file, judgments to come, or none.
Labelling = Literal["own", "judgments", "none"]

#: Text with a smaller share of nonzero values than this is kept sparse, unless the caller says
#: otherwise: LightGBM also calls a column sparse from 80% zeros, and it halves the memory.
SPARSE_BELOW = 0.2

#: Column types whose values single precision represents exactly.
SHORT = ("Float32", "Int8", "Int16", "UInt8", "UInt16", "Boolean")


@dataclass(frozen=True)
class Storage:
    """Type of features in memory.

    Attributes:
        dtype: "float32" or "float64". None: "float32" for SVMlight and LETOR text; for a table,
            "float32" if it represents every column's type exactly, else "float64".
        matrix: "dense" or "sparse". "auto": text with fewer than 20% nonzero values is sparse;
            tables are dense.

    Raises:
        ParameterError: If one of them is something else.
    """

    dtype: Precision | None = None
    matrix: Matrix = "auto"

    def __post_init__(self) -> None:
        if self.dtype is not None:
            check_choice("dtype", self.dtype, get_args(Precision))
        check_choice("matrix", self.matrix, get_args(Matrix))

    @property
    def least(self) -> float:
        """The share of nonzero values below which text is kept sparse."""
        return {"auto": SPARSE_BELOW, "dense": 0.0, "sparse": 2.0}[self.matrix]


STORAGE = Storage()


@dataclass(frozen=True, eq=False)
class Features:
    """The features of labelled rows.

    Attributes:
        names: The column names.
        values: One row per labelled row and one column per feature: a NumPy array, NaN where a
            value is missing; or a SciPy CSR array, where what is not stored is 0. XGBoost treats
            values that a CSR array does not store as missing, LightGBM and scikit-learn as 0.
    """

    names: tuple[str, ...]
    values: Any

    @property
    def sparse(self) -> bool:
        """Whether the values are a SciPy CSR array."""
        return hasattr(self.values, "indptr")

    def dense(self) -> NDArray[np.float64]:
        """Returns the values as a NumPy array."""
        values: NDArray[np.float64] = self.values.toarray() if self.sparse else self.values
        return values

    def widened(self, names: tuple[str, ...]) -> Features | None:
        """Returns the features with columns of 0 for names that come after their own.

        SVMlight and LETOR text leaves values of 0 out, so a file is as wide as its last other one.

        Args:
            names: All names.

        Returns:
            The wider features; `None` where these are not the first of `names`.
        """
        import numpy as np

        width = len(self.names)
        if width >= len(names) or names[:width] != self.names:
            return None
        height = self.values.shape[0]
        if self.sparse:
            wide = self.values.copy()
            wide.resize((height, len(names)))
        else:
            zeros = np.zeros((height, len(names) - width), dtype=self.values.dtype)
            wide = np.hstack([self.values, zeros])
        return Features(names, wide)

    def take(self, rows: NDArray[np.int64]) -> Features:
        """Returns the features of some rows, in this order."""
        return Features(self.names, self.values[rows])

    def __repr__(self) -> str:
        names = [*map(repr, self.names[:20]), *(["…"] if len(self.names) > 20 else [])]
        kept = ", sparse" if self.sparse else ""
        return f"Features(rows={self.values.shape[0]}, names=[{', '.join(names)}]{kept})"


def feature_columns(columns: Mapping[str, pl.Series], path: str = "") -> dict[str, pl.Series]:
    """Returns the columns of features as numbers, with null for missing values.

    Single precision is kept: double would only take more memory.

    Args:
        columns: Series by role.
        path: The file, for messages.
    """
    from relyon.data.columns import feature_name, to_numbers

    return {
        role: (
            series if str(series.dtype) == "Float32" else to_numbers(series, role, path)
        ).fill_nan(None)
        for role, series in columns.items()
        if feature_name(role) is not None
    }


def feature_matrix(
    given: Mapping[str, pl.Series],
    numbers: Mapping[str, pl.Series],
    order: NDArray[np.int64] | None = None,
    storage: Storage = STORAGE,
) -> Features:
    """Returns columns of numbers as one matrix, in single precision if that is exact.

    Args:
        given: The original columns, by role.
        numbers: The columns as numbers, by role.
        order: The order of rows; None keeps it.
        storage: The precision and form to store; by default chosen from the columns.
    """
    import numpy as np

    from relyon.data.columns import feature_name

    exact = all(str(given[role].dtype) in SHORT for role in numbers)
    kind = storage.dtype or ("float32" if exact else "float64")
    height = max((len(series) for series in numbers.values()), default=0)
    values = np.empty((height, len(numbers)), dtype=kind)
    for place, series in enumerate(numbers.values()):
        column = series.fill_null(float("nan")).to_numpy()
        values[:, place] = column if order is None else column[order]
    names = tuple(feature_name(role) or role for role in numbers)
    if storage.matrix != "sparse":
        return Features(names, values)
    csr_array = scipy_part("sparse").csr_array

    return Features(names, csr_array(values))
