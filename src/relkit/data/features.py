"""What a ranker knows of each row: a matrix of numbers, a column per feature."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, get_args

from relkit.core.packages import scipy_part
from relkit.core.parameters import check_choice

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

#: Whose labels rows have: those of their own file, those that judgments will give them, or none.
Labelling = Literal["own", "judgments", "none"]

#: Text in which fewer values than this share are not 0 is kept sparse, unless the caller says
#: otherwise: LightGBM calls a column sparse from 80% zeros, too, and half the memory is saved.
SPARSE_BELOW = 0.2

#: Types of columns whose values single precision holds exactly.
SHORT = ("Float32", "Int8", "Int16", "UInt8", "UInt16", "Boolean")


@dataclass(frozen=True)
class Storage:
    """How features are kept in memory.

    Attributes:
        dtype: "float32" or "float64". None: "float32" for SVMlight and LETOR text; of a table,
            "float32" where every column has a type that it holds exactly, else "float64".
        matrix: "dense" or "sparse". "auto": text of which fewer than 20% of the values are other
            than 0 is sparse; tables are dense.

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
        """The share of values other than 0 below which text is kept sparse."""
        return {"auto": SPARSE_BELOW, "dense": 0.0, "sparse": 2.0}[self.matrix]


STORAGE = Storage()


@dataclass(frozen=True, eq=False)
class Features:
    """The features of labelled rows.

    Attributes:
        names: What each column is called.
        values: One row per labelled row and one column per feature: a NumPy array, NaN where a
            value is missing; or a SciPy CSR array, where what is not stored is 0. XGBoost takes
            what a CSR array does not store as missing, LightGBM and scikit-learn as 0.
    """

    names: tuple[str, ...]
    values: Any

    @property
    def sparse(self) -> bool:
        """Whether the values are a SciPy CSR array."""
        return hasattr(self.values, "indptr")

    def dense(self) -> NDArray[Any]:
        """Returns the values as a NumPy array."""
        values: NDArray[Any] = self.values.toarray() if self.sparse else self.values
        return values

    def take(self, rows: NDArray[np.int64]) -> Features:
        """Returns the features of some rows, in this order."""
        return Features(self.names, self.values[rows])

    def __repr__(self) -> str:
        names = [*map(repr, self.names[:20]), *(["…"] if len(self.names) > 20 else [])]
        kept = ", sparse" if self.sparse else ""
        return f"Features(rows={self.values.shape[0]}, names=[{', '.join(names)}]{kept})"


def feature_columns(columns: Mapping[str, pl.Series], path: str = "") -> dict[str, pl.Series]:
    """Returns the columns of features as numbers, null where there is none.

    Single precision stays what it is: twice the memory would say no more.

    Args:
        columns: Series by role.
        path: The file, for messages.
    """
    from relkit.data.columns import feature_name, to_numbers

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
    """Returns columns of numbers as one matrix: of single precision where that holds them exactly.

    Args:
        given: The columns as they came, by role.
        numbers: The columns as numbers, by role.
        order: The rows' order; None leaves it as it is.
        storage: How they are kept, where the caller says so.
    """
    import numpy as np

    from relkit.data.columns import feature_name

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
