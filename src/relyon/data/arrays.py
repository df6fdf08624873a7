"""NumPy arrays of labels and scores with their groups."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from relyon import _native
from relyon.core.errors import InputError
from relyon.core.texts import message
from relyon.data.columns import NAMED_GRADES, is_na, number
from relyon.data.labelled import LabelledRows
from relyon.data.query_numbers import QueryNumbers
from relyon.data.row_index import aligned, has_index, index_label
from relyon.data.scale import Scale

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import ArrayLike, NDArray

__all__ = ["group_rows", "scored_rows"]


def group_rows(
    labels: ArrayLike | None,
    scores: ArrayLike,
    groups: ArrayLike | None = None,
    scale: Scale | None = None,
    weights: ArrayLike | None = None,
) -> LabelledRows:
    """Checks labels, scores and groups, and brings every query's rows together.

    Series of pandas with different indexes are paired by the index; the rows then have a note.

    Args:
        labels: Grades: numbers, or names of the scale. None is refused.
        scores: Numbers of the same shape.
        groups: `None`, sizes that add up to the number of rows, or one id per row. Ids win where
            there are as many as rows.
        scale: Turns names into grades.
        weights: `None`, the weight of each row or, for 2-D labels, of each query's rows.

    Raises:
        InputError: If shapes or indexes do not fit, or a value is missing or not a number.
    """
    columns: dict[str, ArrayLike | None] = {
        "labels": labels,
        "scores": scores,
        "groups": groups,
        "weights": weights,
    }
    given, notes = aligned(columns)
    rows = _grouped(given["labels"], given["scores"], given["groups"], scale, given["weights"])
    return replace(rows, notes=(*rows.notes, *notes)) if notes else rows


def _grouped(
    labels: ArrayLike | None,
    scores: ArrayLike | None,
    groups: ArrayLike | None,
    scale: Scale | None,
    weights: ArrayLike | None,
) -> LabelledRows:
    import numpy as np

    grades = _numbers(labels, "labels", scale)
    values = _numbers(scores, "scores")
    _same_shape(grades, values)
    heavy = None if weights is None else _weights(weights, grades.shape)
    if grades.ndim == 2:
        if groups is not None:
            raise InputError(message("data.groups-of-2-d-labels"))
        names = QueryNumbers(len(grades))
        offsets = np.arange(len(grades) + 1, dtype=np.int64) * grades.shape[1]
        heavy = None if heavy is None else heavy.ravel()
        return LabelledRows(
            grades.ravel(), values.ravel(), offsets, names, weights=heavy, numbered=True
        )
    if grades.ndim != 1:
        raise InputError(message("data.labels-must-have-one-or-two", ndim=grades.ndim))
    if groups is None:
        offsets = np.array([0, len(grades)], dtype=np.int64)
        return LabelledRows(grades, values, offsets, ["0"], weights=heavy, numbered=True)
    _refuse_masked(groups, "groups")
    ids = np.asarray(groups)
    if ids.ndim != 1:
        raise InputError(message("data.groups-must-have-one-dimension", ndim=ids.ndim))
    _refuse_missing(groups, ids, "groups")
    if len(ids) == len(grades):
        return _by_ids(grades, values, ids, heavy)
    return _by_sizes(grades, values, ids, heavy)


def scored_rows(rows: LabelledRows, scores: ArrayLike) -> LabelledRows:
    """Returns labelled rows with scores, one per row in the same order.

    Raises:
        InputError: If there are more or fewer, or a value is not a number.
    """
    values = _numbers(scores, "scores")
    _same_shape(rows.labels, values)
    return replace(rows, scores=values)


def _same_shape(labels: NDArray[np.float64], scores: NDArray[np.float64]) -> None:
    if labels.shape != scores.shape:
        raise InputError(
            message(
                "data.labels-and-scores-differ",
                shape=labels.shape,
                shape_2=scores.shape,
            ),
            hint=message("core.give-one-score"),
        )


def _weights(weights: ArrayLike, shape: tuple[int, ...]) -> NDArray[np.float64]:
    import numpy as np

    heavy = _numbers(weights, "weights")
    if len(shape) == 2 and heavy.shape == shape[:1]:
        heavy = np.repeat(heavy, shape[1]).reshape(shape)
    if heavy.shape != shape:
        raise InputError(
            message(
                "data.labels-and-weights-differ",
                shape=shape,
                shape_2=heavy.shape,
            ),
            hint=message("data.give-one-weight"),
        )
    return heavy


def _numbers(
    values: ArrayLike | None, what: str, scale: Scale | None = None
) -> NDArray[np.float64]:
    import numpy as np

    _refuse_masked(values, what)
    try:
        array = np.asarray(values)
    except ValueError as error:
        raise InputError(
            message("data.are-ragged", what=what, error=error),
            hint=message("data.give-one-flat-array"),
        ) from error
    if array.dtype.kind == "O" or has_index(values):  # of plain numbers, native code says it
        _refuse_missing(values, array, what)
    if scale is not None and array.dtype.kind in "OUS":
        flat = [scale.parse(value) for value in array.ravel().tolist()]
        return np.array(flat, dtype=np.float64).reshape(array.shape)
    if array.dtype.kind == "O":
        try:
            array = array.astype(np.float64)
        except (TypeError, ValueError) as error:
            wrong = next((one for one in array.ravel().tolist() if number(one) is None), error)
            raise InputError(
                message("data.what-are-not-numbers", what=what, error=f"`{wrong}`"),
                hint=message(NAMED_GRADES) if what == "labels" else "",
            ) from error
    if array.dtype.kind not in "biuf":
        raise InputError(
            message("data.are-not-numbers", what=what, dtype=array.dtype),
            hint=message(NAMED_GRADES) if what == "labels" else "",
        )
    if array.dtype.kind == "f" and array.dtype.itemsize not in (4, 8):
        return array.astype(np.float64)
    return array


def _refuse_masked(values: object, what: str) -> None:
    """Refuses an array whose mask hides values: the values below a mask are not data."""
    import numpy as np

    count = int(np.ma.getmaskarray(values).sum()) if isinstance(values, np.ma.MaskedArray) else 0
    if count:
        raise InputError(
            message("data.what-hold-count", what=what, count=count),
            hint=message("data.leave-those-rows-out"),
        )


def _refuse_missing(values: object, array: NDArray[np.generic], what: str) -> None:
    """Refuses rows without a value: None, NaN, NaT and pandas' NA.

    Args:
        values: The values as given.
        array: The same as an array.
        what: Their name in messages.
    """
    import numpy as np

    if array.dtype.kind == "f":
        absent = np.isnan(array)
    elif array.dtype.kind in "mM":
        absent = np.isnat(array)
    elif array.dtype.kind == "O":
        absent = np.fromiter(map(is_na, array.ravel().tolist()), bool, count=array.size)
    else:
        return
    count = int(np.count_nonzero(absent))
    if not count:
        return
    place = int(np.argmax(absent))
    label = index_label(values, place) if array.ndim == 1 else ""
    kind = "data.groups-lack-query" if what == "groups" else "data.rows-lack-value"
    where = message(
        "data.row-with-label" if label else "data.row-place-only", row=place, label=label
    )
    advice = "data.give-every-row-id" if what == "groups" else "data.rows-count-from-0"
    raise InputError(message(kind, what=what, count=count, where=where), hint=message(advice))


def _by_sizes(
    grades: NDArray[np.float64],
    values: NDArray[np.float64],
    sizes: NDArray[np.float64],
    weights: NDArray[np.float64] | None,
) -> LabelledRows:
    import numpy as np

    whole = sizes.dtype.kind in "iu" or (
        sizes.dtype.kind == "f" and bool((sizes == np.floor(sizes)).all())
    )
    total = int(sizes.sum()) if whole else -1
    if not whole or total != len(grades) or bool((sizes < 0).any()):
        given = f"{len(sizes)} numbers that add up to {total}" if whole else f"{len(sizes)} values"
        raise InputError(
            message(
                "data.groups-fit-neither",
                count=len(grades),
                given=given,
            ),
            hint=message("data.give-sizes-that-add"),
        )
    offsets = np.zeros(len(sizes) + 1, dtype=np.int64)
    np.cumsum(sizes, out=offsets[1:])
    names = QueryNumbers(len(sizes))
    return LabelledRows(grades, values, offsets, names, weights=weights, numbered=True)


def _by_ids(
    grades: NDArray[np.float64],
    values: NDArray[np.float64],
    ids: NDArray[np.generic],
    weights: NDArray[np.float64] | None,
) -> LabelledRows:
    import numpy as np

    if ids.dtype.kind in "iu":
        keys = ids.astype(np.int64, copy=False)
    else:
        codes: dict[object, int] = {}
        keys = np.fromiter(
            (codes.setdefault(value, len(codes)) for value in ids.tolist()),
            dtype=np.int64,
            count=len(ids),
        )
    offsets, order = _native.group_offsets(keys)
    if order is not None:
        grades, values, ids = grades[order], values[order], ids[order]
        weights = None if weights is None else weights[order]
    names = [str(value) for value in ids[offsets[:-1]].tolist()]
    return LabelledRows(grades, values, offsets, names, weights=weights)
