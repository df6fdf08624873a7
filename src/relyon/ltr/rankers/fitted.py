"""The attributes of a fitted ranker that its files and exports read."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, NotRequired, Protocol, TypedDict

from relyon.data.convention import Convention
from relyon.ltr.rankers.exporting.exported import Candidate, ExportFormat
from relyon.ltr.rankers.trained_rows import RowSketch

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import ArrayLike, NDArray

    from relyon.data.matrices import FeatureMatrix

__all__ = ["FittedRanker", "TrainedOn"]


class TrainedOn(TypedDict):
    """The rows that a ranker was trained on.

    Attributes:
        fingerprint: Equal for the same labels, groups, weights and features.
        rows: The number of rows.
        queries: The number of queries.
        varied: The number of queries with at least two different labels.
        source: Their file, or "memory".
        seen: Hashes of some of them; rankers of older versions have none.
        inputs: Fingerprints of the rows as judgments, if `relyon.ltr.train` trained it on rows
            with ids.
    """

    fingerprint: str
    rows: int
    queries: int
    varied: int
    source: str
    seen: NotRequired[RowSketch]
    inputs: NotRequired[dict[str, object]]


class FittedRanker(Protocol):
    """A fitted `Ranker`; its attributes are described there."""

    @property
    def kind(self) -> str: ...
    @property
    def takes_missing(self) -> bool: ...
    @property
    def n_features_in_(self) -> int: ...
    @property
    def feature_names_(self) -> tuple[str, ...]: ...
    @property
    def measure_(self) -> str: ...
    @property
    def convention_(self) -> Convention: ...
    @property
    def fingerprint_(self) -> str: ...
    @property
    def data_(self) -> TrainedOn: ...
    def get_params(self, deep: bool = True) -> Mapping[str, object]: ...
    def predict(self, X: object, qid: ArrayLike | None = None) -> NDArray[np.float64]: ...
    def _matrix(self, X: object, *, reset: bool) -> FeatureMatrix: ...
    def _parts(self) -> dict[str, bytes]: ...
    def _versions(self) -> dict[str, str]: ...
    def _formats(self) -> dict[ExportFormat, tuple[str, ...]]: ...
    def _candidate(self, format: ExportFormat, ending: str) -> Candidate: ...
    def _exported_name(self) -> str: ...
