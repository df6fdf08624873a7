"""Matrices of features: NumPy arrays, or SciPy's sparse ones, which have no types of their own."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol, TypeAlias

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import ArrayLike, NDArray

__all__ = ["FeatureMatrix", "SparseMatrix", "dense"]


class SparseMatrix(Protocol):
    """A matrix or array of SciPy in CSR form."""

    @property
    def shape(self) -> tuple[int, ...]: ...
    @property
    def nnz(self) -> int: ...
    @property
    def data(self) -> NDArray[np.float64]: ...
    @property
    def indices(self) -> NDArray[np.int64]: ...
    @property
    def indptr(self) -> NDArray[np.int64]: ...
    def __getitem__(self, rows: object, /) -> SparseMatrix: ...
    def __matmul__(self, other: NDArray[np.float64], /) -> NDArray[np.float64]: ...
    def __rmatmul__(self, other: NDArray[np.float64], /) -> NDArray[np.float64]: ...
    def multiply(self, other: object) -> SparseMatrix: ...
    def mean(self, axis: int) -> ArrayLike: ...
    def toarray(self) -> NDArray[np.float64]: ...
    def tocsr(self) -> SparseMatrix: ...


FeatureMatrix: TypeAlias = "NDArray[np.float64] | SparseMatrix"


def dense(values: FeatureMatrix) -> NDArray[np.float64]:
    """Returns a matrix of features as a NumPy array."""
    return values.toarray() if hasattr(values, "toarray") else values
