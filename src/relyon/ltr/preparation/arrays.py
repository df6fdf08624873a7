"""Labelled rows of arrays."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from relyon.core.errors import InputError
from relyon.core.packages import scipy_part
from relyon.core.texts import message
from relyon.data.arrays import group_rows
from relyon.data.features import Features
from relyon.data.labelled import LabelledRows, scattered_of
from relyon.data.row_index import aligned

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import ArrayLike, NDArray

    from relyon.data.matrices import FeatureMatrix

__all__ = ["labelled_rows"]


def labelled_rows(
    features: object,
    labels: ArrayLike,
    queries: ArrayLike | None = None,
    *,
    weights: ArrayLike | None = None,
    positions: ArrayLike | None = None,
    documents: Sequence[object] | None = None,
    names: Sequence[str] | None = None,
) -> LabelledRows:
    """Returns labelled rows of arrays, the rows of one query together.

    Args:
        features: Shape (rows, features): NumPy, SciPy sparse, or a data frame. float32 is kept;
            other numbers become float64.
        labels: One per row.
        queries: The query of each row, or the number of rows of each query; None for one query.
        weights: The weight of each row; None for 1 each.
        positions: The position at which each row was shown, from 1.
        documents: The document of each row.
        names: The names of the features; None takes a frame's columns, else 1, 2, ….

    Raises:
        InputError: If shapes or indexes do not fit, or a value is not a number.

    Examples:
        >>> import relyon.ltr
        >>> rows = relyon.ltr.labelled_rows([[3.5], [1.0], [2.0]], [1, 0, 2], ["a", "b", "a"])
        >>> rows.queries, rows.labels.tolist(), rows.features.values.ravel().tolist()
        (['a', 'b'], [1, 2, 0], [3.5, 2.0, 1.0])
    """
    import numpy as np

    if names is None:
        names = [str(name) for name in getattr(features, "columns", ())] or None
    beside: dict[str, ArrayLike | None] = {
        "labels": labels,
        "queries": queries,
        "weights": weights,
        "positions": positions,
    }
    given, notes = aligned(beside, to={"features": features})
    ours, queries, weights, positions = given.values()
    to = {"features": features, "labels": ours}
    named, further = aligned({"documents": documents}, to=to)
    listed = named["documents"]
    documents = None if listed is None else list(listed)
    values = _values(features)
    if len(values.shape) != 2:
        raise InputError(
            message("ltr.features-must-have-two", ndim=len(values.shape)),
            hint=message("ltr.one-row-per-label"),
        )
    width = values.shape[1]
    columns = {"labels": np.asarray(ours), "weights": weights, "positions": positions}
    lengths = {name: len(one) for name, one in columns.items() if one is not None}  # type: ignore[arg-type]
    lengths |= {} if documents is None else {"documents": len(documents)}
    for name, length in lengths.items():
        if length != values.shape[0]:
            raise InputError(
                message(
                    "ltr.there-are-rows",
                    rows=values.shape[0],
                    length=length,
                    name=name,
                )
            )
    if names is not None and len(names) != width:
        raise InputError(message("ltr.there-are-features", width=width, count=len(names)))
    # The places of rows are the scores, which show afterwards how rows were grouped.
    grouped = group_rows(ours, np.arange(values.shape[0]), queries, weights=weights)
    order = grouped.known_scores()
    shown = None if positions is None else _whole(positions)[order]
    return replace(
        grouped,
        scores=None,
        queries=list(grouped.queries),
        notes=(*grouped.notes, *notes, *further),
        features=Features(
            tuple(names or map(str, range(1, width + 1))),
            values if bool((order[1:] > order[:-1]).all()) else values[order],
        ),
        positions=shown,
        documents=None if documents is None else [str(documents[row]) for row in order],
        scattered=0 if bool((order[1:] > order[:-1]).all()) else _scattered(queries),
    )


def _values(features: object) -> FeatureMatrix:
    """Returns features as an array, or as a CSR array of SciPy, of float32 or float64."""
    import numpy as np

    sparse = hasattr(features, "tocsr")
    values = scipy_part("sparse").csr_array(features) if sparse else np.asarray(features)
    if values.dtype.kind not in "biuf":
        raise InputError(message("ltr.features-must-be-numbers", dtype=values.dtype))
    floats = values.dtype in (np.float32, np.float64)
    found: FeatureMatrix = values if floats else values.astype(np.float64)
    return found


def _whole(positions: ArrayLike) -> NDArray[np.int64]:
    import numpy as np

    given = np.asarray(positions)
    if given.dtype.kind not in "iuf" or bool((given != np.floor(given)).any()):
        raise InputError(message("ltr.positions-are-not-whole"))
    return given.astype(np.int64)


def _scattered(queries: ArrayLike | None) -> int:
    """Returns the number of ids whose rows are not adjacent."""
    import numpy as np

    ids = np.asarray(queries)
    starts = ids[np.concatenate([[True], ids[1:] != ids[:-1]])]
    return scattered_of(starts.tolist())
