"""Fingerprints of labelled rows: equal for the same numbers in the same order."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable
from typing import TYPE_CHECKING

from relyon.data.matrices import FeatureMatrix, dense
from relyon.measures.fingerprint import LENGTH

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

    from relyon.data.labelled import LabelledRows

__all__ = ["data_fingerprint", "label_fingerprint"]


def data_fingerprint(rows: LabelledRows) -> str:
    """Returns a fingerprint of labels, groups, weights and features: their numbers and order.

    It does not depend on the type of the numbers (all are converted to double precision), nor on
    the names of queries and files.

    Args:
        rows: Labelled rows.
    """
    found = hashlib.sha256()
    for part in (rows.labels, rows.groups, rows.weights):
        if part is not None:
            _add(found.update, part)
    if rows.features is not None:
        found.update(json.dumps(list(rows.features.names)).encode())
        values: FeatureMatrix = rows.features.values
        for start in range(0, len(rows), 65_536):
            _add(found.update, dense(values[start : start + 65_536]))
    return found.hexdigest()[:LENGTH]


def label_fingerprint(rows: LabelledRows) -> str:
    """Returns a fingerprint of labels and queries: equal if rankers are measured on the same rows.

    It does not depend on features.

    Args:
        rows: Labelled rows.
    """
    found = hashlib.sha256(json.dumps(list(rows.queries)).encode())
    for part in (rows.labels, rows.groups):
        _add(found.update, part)
    return found.hexdigest()[:LENGTH]


def _add(update: Callable[[bytes], None], values: ArrayLike) -> None:
    import numpy as np

    # Adding 0 makes one zero of both, and there is one NaN.
    numbers = np.ascontiguousarray(values, dtype="<f8") + 0.0
    numbers[np.isnan(numbers)] = np.nan
    update(str(numbers.shape).encode())
    update(numbers.tobytes())
