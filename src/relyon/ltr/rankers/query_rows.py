"""X, y and qid as rows to train on, the rows of each query together."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from relyon.core.errors import InputError
from relyon.core.notes import Note, warn
from relyon.core.packages import scipy_part
from relyon.core.texts import message
from relyon.data.arrays import group_rows
from relyon.data.features import Features
from relyon.data.labelled import LabelledRows
from relyon.data.matrices import FeatureMatrix, SparseMatrix, dense
from relyon.data.row_index import paired
from relyon.ltr.rankers.grades import is_grades, labels_of, queries_of

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import ArrayLike, NDArray

__all__ = [
    "Targets",
    "TrainingRows",
    "beside",
    "check_varied",
    "known_features",
    "list_order",
    "older_sparse",
    "targets_of",
    "training_rows",
]


#: The number of rows compared at once.
CHUNK = 10_000


@dataclass(frozen=True)
class TrainingRows:
    """Rows to train on.

    Attributes:
        rows: Labels, groups, weights, positions and features, the rows of one query together.
    """

    rows: LabelledRows

    @property
    def values(self) -> FeatureMatrix:
        """The features."""
        found: FeatureMatrix = known_features(self.rows).values
        return found

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the features."""
        return known_features(self.rows).names

    @property
    def sizes(self) -> NDArray[np.int64]:
        """The number of rows of each query."""
        import numpy as np

        return np.diff(self.rows.groups)

    def varied(self) -> int:
        """The number of queries with at least two different labels."""
        return self.rows.varied(self.rows.labels)


def check_varied(values: FeatureMatrix) -> None:
    """Rejects features that are constant.

    Args:
        values: The features.

    Raises:
        InputError: If each feature is the same in all rows.
    """
    import numpy as np

    for start in range(1, values.shape[0], CHUNK):
        some, first = dense(values[start : start + CHUNK]), dense(values[:1])
        same = (some == first) | (np.isnan(some) & np.isnan(first))
        if not same.all():
            return
    raise InputError(
        message("ltr.all-features-are-constant"),
        hint=message("ltr.name-columns-that-are-features"),
    )


def known_features(rows: LabelledRows) -> Features:
    """Returns the features of labelled rows.

    Raises:
        InputError: If they have none.
    """
    return rows.known_features()


class Targets(NamedTuple):
    """What is known of rows besides their features; None for what was not given.

    Attributes:
        labels: The label of each row.
        queries: The query of each row.
        weights: The weight of each row.
        positions: The position at which each row was shown.
    """

    labels: NDArray[np.generic]
    queries: ArrayLike | None = None
    weights: ArrayLike | None = None
    positions: ArrayLike | None = None


def targets_of(
    X: object,
    y: object,
    qid: ArrayLike | None,
    weights: ArrayLike | None = None,
    positions: ArrayLike | None = None,
) -> Targets:
    """Returns what is known of each row of X, paired by the index of pandas where it differs.

    Raises:
        InputError: If there are no labels, queries are given twice, or indexes do not fit.
    """

    if isinstance(X, LabelledRows):
        if y is not None or qid is not None:
            raise InputError(message("ltr.labelled-rows-contain-their-own"))
        return Targets(X.labels, X.qid, weights, positions)
    if y is None:
        raise InputError(
            message("ltr.ranker-requires-y"),
            hint=message("ltr.y-holds-labels"),
        )
    if is_grades(y):
        if qid is not None:
            raise InputError(message("ltr.y-holds-queries"))
        return Targets(labels_of(y), queries_of(y), weights, positions)
    y = paired({"y": y}, to={"X": X})["y"]
    found = beside({"X": X, "y": y}, qid=qid, sample_weight=weights, positions=positions)
    return Targets(_flat(y), found["qid"], found["sample_weight"], found["positions"])


def beside(to: Mapping[str, object], **given: ArrayLike | None) -> dict[str, ArrayLike | None]:
    """Returns what is given of rows besides others, paired by the index of pandas, with a warning.

    Args:
        to: The other values of the rows, such as X.
        **given: By name in messages; None stays None.

    Raises:
        InputError: If indexes do not fit.
    """
    return paired(given, to=to)


def _flat(y: object) -> NDArray[np.generic]:
    """Returns labels as one finite number per row.

    Raises:
        InputError: If they are something else.
    """
    from sklearn.utils.validation import check_array, column_or_1d

    try:
        found = check_array(
            y, ensure_2d=False, dtype=None, ensure_all_finite=True, input_name="y", copy=False
        )
        flat: NDArray[np.generic] = column_or_1d(found, warn=True)
    except ValueError as error:
        raise InputError(str(error), hint=message("ltr.y-holds-one-label")) from None
    return flat


def training_rows(
    values: FeatureMatrix,
    names: tuple[str, ...],
    targets: Targets,
) -> TrainingRows:
    """Brings the rows of each query together, in the order in which queries first appear.

    Args:
        values: The features, one row per label.
        names: Their names.
        targets: Labels, queries, weights and positions; queries can be the sizes of groups, and
            without any all rows are one query.

    Raises:
        InputError: If lengths differ, or a value cannot be used.
    """
    import numpy as np

    height = values.shape[0]
    labels, qid, weights, positions = targets
    if qid is None:
        warn([Note("one-query", level="warning")])
    weighed = None if weights is None else _weights(weights)
    shown = None if positions is None else _positions(positions)
    for what, given in (("y", labels), ("sample_weight", weighed), ("positions", shown)):
        if given is not None and len(given) != height:
            raise InputError(
                message(
                    "ltr.x-has-rows",
                    count=height,
                    what=what,
                    count_2=len(given),
                )
            )
    found = group_rows(labels, np.arange(height), qid, None, weighed)
    _check_sizes(found.labels)
    order = np.asarray(found.known_scores(), dtype=np.int64)
    moved = bool((order[1:] < order[:-1]).any()) if height else False
    rows = LabelledRows(
        np.ascontiguousarray(found.labels, dtype=np.float64),
        None,
        found.groups,
        list(found.queries),
        weights=found.weights,
        features=Features(names, values[order] if moved else values),
        positions=None if shown is None else shown[order],
    )
    return TrainingRows(rows)


def _check_sizes(labels: NDArray[np.float64]) -> None:
    """Rejects labels that no engine can represent.

    Raises:
        InputError: If one is beyond single precision.
    """
    import numpy as np

    largest = float(np.abs(labels).max(initial=0.0))
    if largest > float(np.finfo(np.float32).max):
        raise InputError(
            message("ltr.label-is-too-large", label=largest),
            hint=message("ltr.rankers-keep-labels"),
        )


def _weights(weights: ArrayLike) -> NDArray[np.float64]:
    import numpy as np

    found = np.asarray(weights, dtype=np.float64)
    if found.ndim != 1:
        raise InputError(message("ltr.sample-weight-must-be-one-dimensional"))
    if not np.isfinite(found).all() or bool((found < 0).any()):
        raise InputError(message("ltr.weight-in-sample-weight"))
    if not found.any():
        raise InputError(message("ltr.all-weights-in-sample-weight"))
    return found


def _positions(positions: ArrayLike) -> NDArray[np.int64]:
    import numpy as np

    given = np.asarray(positions)
    whole = given.dtype.kind in "iu" or (
        given.dtype.kind == "f" and bool((given == np.floor(given)).all())
    )
    if not whole or bool((given < 1).any()):
        raise InputError(message("ltr.position-is-not-whole"))
    return given.astype(np.int64)


def list_order(qid: ArrayLike, height: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Returns the order that brings each query's rows together, and the queries' offsets."""
    import numpy as np

    found = group_rows(np.zeros(height), np.arange(height), qid)
    return np.asarray(found.known_scores(), dtype=np.int64), found.groups


def older_sparse(values: SparseMatrix) -> SparseMatrix:
    """Returns a sparse matrix that engines read: not SciPy's newer array, with 32-bit indices."""
    import numpy as np

    csr_matrix = scipy_part("sparse").csr_matrix

    short = max(values.nnz, *values.shape) < 2**31
    kind = np.int32 if short else np.int64
    parts = values.data, values.indices.astype(kind), values.indptr.astype(kind)
    found: SparseMatrix = csr_matrix(parts, shape=values.shape)
    return found
