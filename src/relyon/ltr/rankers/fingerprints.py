"""Fingerprints of labelled rows: the same rows train, or measure, the same ranker."""

from __future__ import annotations

import hashlib
import json
from typing import TYPE_CHECKING, Any

from relyon.measures.fingerprint import LENGTH

if TYPE_CHECKING:
    from relyon.data.labelled import LabelledRows

__all__ = ["data_fingerprint", "label_fingerprint"]


def data_fingerprint(rows: LabelledRows) -> str:
    """Returns a fingerprint of labels, groups, weights and features: their numbers and order.

    The type of the numbers does not matter: all are taken in double precision. Names of queries
    and files do not count.

    Args:
        rows: Labelled rows.
    """
    import numpy as np

    found = hashlib.sha256()
    parts: list[Any] = [rows.labels, rows.groups]
    parts += [rows.weights] if rows.weights is not None else []
    for part in parts:
        _add(found, np.asarray(part))
    if rows.features is not None:
        found.update(json.dumps(list(rows.features.names)).encode())
        values = rows.features.values
        for start in range(0, len(rows), 65_536):
            block = values[start : start + 65_536]
            _add(found, np.asarray(block.toarray() if hasattr(block, "toarray") else block))
    return found.hexdigest()[:LENGTH]


def label_fingerprint(rows: LabelledRows) -> str:
    """Returns a fingerprint of labels and queries, which says whether numbers are of the same ones.

    Features do not count: a ranker that has more of them is measured on the same queries.

    Args:
        rows: Labelled rows.
    """
    import numpy as np

    found = hashlib.sha256(json.dumps(list(rows.queries)).encode())
    for part in (rows.labels, rows.groups):
        _add(found, np.asarray(part))
    return found.hexdigest()[:LENGTH]


def _add(found: Any, values: Any) -> None:
    import numpy as np

    # Adding 0 makes one zero of both, and there is one NaN.
    numbers = np.ascontiguousarray(values, dtype="<f8") + 0.0
    numbers[np.isnan(numbers)] = np.nan
    found.update(str(numbers.shape).encode())
    found.update(numbers.tobytes())
