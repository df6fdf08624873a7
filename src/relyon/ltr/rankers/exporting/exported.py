"""The result of an export: the file, and how far its scores are from the ranker's."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal

from relyon.core.notes import Note

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

__all__ = ["FORMATS", "Candidate", "ExportFormat", "Exported"]

ExportFormat = Literal["onnx", "treelite", "engine"]
FORMATS: tuple[ExportFormat, ...] = ("onnx", "treelite", "engine")


@dataclass(frozen=True)
class Candidate:
    """A file not yet written, and the scores of the program that reads it.

    Attributes:
        data: The content of the file.
        score: Scores a dense matrix of features, read back from the file.
        touched: The values at which scores change, by feature.
        whole: The features whose values are whole numbers: categories.
        precision: The type of features in the file's reader.
        blurred: The features with values that the ranker tells apart, but this type does not.
        lists: Whether a call scores the documents of one query only.
        rounding: Scores of the ranker that differ by less, as a share of the largest, are equal:
            they differ only by the order of its sums.
    """

    data: bytes
    score: Callable[[NDArray[np.float64]], NDArray[np.float64]]
    touched: Mapping[int, NDArray[np.float64]] = field(default_factory=dict)
    whole: frozenset[int] = frozenset()
    precision: Literal["float32", "float64"] = "float32"
    blurred: tuple[int, ...] = ()
    lists: bool = False
    rounding: float = 1e-12


@dataclass(frozen=True)
class Exported:
    """A file that other programs score, compared with its ranker.

    Attributes:
        path: The file.
        format: `onnx`, `treelite` or `engine`.
        features: The number of features, in the order of the ranker's `feature_names_`.
        tested: The number of generated rows that the two were compared on: on and beside the
            values where trees split, and with missing values if the ranker accepts them.
        difference: The largest difference of their scores on these rows.
        rows: The number of your rows that they were compared on; 0 without any.
        queries: The number of queries of these rows.
        changed: The number of these queries in which the file orders two documents differently, or
            gives them equal scores.
        rows_difference: The largest difference of the scores on your rows.
        notes: Notes about the file.
    """

    path: str
    format: ExportFormat
    features: int
    tested: int
    difference: float
    rows: int = 0
    queries: int = 0
    changed: int = 0
    rows_difference: float = 0.0
    notes: tuple[Note, ...] = ()
