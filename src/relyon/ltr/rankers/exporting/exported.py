"""The result of an export: the file, and how far its scores are from the ranker's."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal

from relyon.core.notes import Note

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

__all__ = ["FORMATS", "Candidate", "ExportFormat", "Exported"]

ExportFormat = Literal["onnx", "treelite", "engine"]
FORMATS: tuple[ExportFormat, ...] = ("onnx", "treelite", "engine")


@dataclass(frozen=True)
class Candidate:
    """A file that is about to be written, and how the program that reads it scores rows.

    Attributes:
        data: The file.
        score: Scores a dense matrix of features, read back from the file.
        touched: Of each feature, the values at which scores change.
        whole: The features whose values are whole numbers: categories.
        precision: The type that the file's reader takes features in.
        blurred: The features that this type cannot tell apart where the ranker does.
        lists: Whether a call scores the documents of one query, and no others.
        rounding: Scores of the ranker that differ by less, as a share of the largest, are equal:
            only the order of its own sums tells them apart.
    """

    data: bytes
    score: Callable[[Any], NDArray[np.float64]]
    touched: Mapping[int, NDArray[np.float64]] = field(default_factory=dict)
    whole: frozenset[int] = frozenset()
    precision: Literal["float32", "float64"] = "float32"
    blurred: tuple[int, ...] = ()
    lists: bool = False
    rounding: float = 1e-12


@dataclass(frozen=True)
class Exported:
    """A file that other programs score, compared with the ranker that it was made of.

    Attributes:
        path: The file.
        format: `onnx`, `treelite` or `engine`.
        features: How many features it takes, in the order of the ranker's `feature_names_`.
        tested: On how many rows of made-up features the two were compared: on and beside the
            values where trees split, and with missing values where the ranker takes them.
        difference: The largest difference of their scores on these rows.
        rows: How many of your rows they were compared on; 0 without any.
        queries: How many queries these rows are of.
        changed: In how many of these queries the file puts two documents in another order, or no
            longer tells them apart.
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
