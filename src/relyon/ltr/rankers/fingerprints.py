"""Fingerprints of labelled rows: equal for the same numbers in the same order."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable
from typing import TYPE_CHECKING

from relyon.core.errors import InputError
from relyon.data.input_fingerprints import InputFingerprints, content_of
from relyon.data.matrices import FeatureMatrix, dense
from relyon.measures.fingerprint import LENGTH

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

    from relyon.data.convention import Convention
    from relyon.data.labelled import LabelledRows

__all__ = ["data_fingerprint", "input_fingerprints", "label_fingerprint"]


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


def input_fingerprints(rows: LabelledRows, convention: Convention) -> InputFingerprints | None:
    """Returns the fingerprints of the rows as judgments: those of a file of the same judgments.

    None if queries or documents have no ids, or a document is in a query twice.

    Args:
        rows: Labelled rows; their order does not matter.
        convention: The rules of the measure.

    Examples:
        >>> import polars as pl, relyon
        >>> from relyon.data.convention import load_convention
        >>> columns = {"query": [7, 7], "doc": ["a", "b"], "label": [1, 0], "age": [3, 4]}
        >>> frame = pl.DataFrame(columns)
        >>> found = input_fingerprints(relyon.read_features(frame), load_convention("relyon"))
        >>> relyon.evaluate({"7": {"b": 0, "a": 1}}, {"7": {"a": 1.0}}).inputs == found
        True
    """
    if rows.numbered or rows.documents is None or not len(rows):
        return None
    import polars as pl

    from relyon.data.judgments import Judgments

    queries = pl.Series(rows.queries, dtype=pl.String).gather(rows.qid)
    frame = pl.DataFrame({"query": queries, "document": rows.documents, "grade": rows.labels})
    try:
        content = content_of(Judgments.from_frame(frame).table)
    except InputError:  # a document has two labels
        return None
    return InputFingerprints.of(content, None, convention) if content.rows == len(rows) else None


def _add(update: Callable[[bytes], None], values: ArrayLike) -> None:
    import numpy as np

    # Adding 0 makes one zero of both, and there is one NaN.
    numbers = np.ascontiguousarray(values, dtype="<f8") + 0.0
    numbers[np.isnan(numbers)] = np.nan
    update(str(numbers.shape).encode())
    update(numbers.tobytes())
