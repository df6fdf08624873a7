"""Grades together with their queries: a y that scikit-learn splits like any other."""

from __future__ import annotations

from functools import total_ordering
from typing import TYPE_CHECKING, NoReturn, TypeGuard

from relyon.core.errors import InputError
from relyon.core.texts import message
from relyon.data.row_index import paired

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import ArrayLike, NDArray

__all__ = ["grades", "is_grades", "labels_of", "queries_of"]


@total_ordering
class _Query:
    """A row's query within `grades`: it refuses to be compared.

    A step that reads y itself, such as `SelectKBest(f_classif)`, sorts it to find its classes. With
    plain numbers, each pair of a label and a query would silently become a class.
    """

    __slots__ = ("name",)

    def __init__(self, name: object) -> None:
        self.name = name

    def _refuse(self) -> NoReturn:
        raise InputError(
            message("ltr.y-holds-each-rows"),
            hint=message("ltr.select-features-without-y"),
        )

    def __eq__(self, other: object) -> bool:
        return self is other or self._refuse()

    def __lt__(self, other: object) -> bool:
        self._refuse()

    def __hash__(self) -> int:
        return hash(self.name)

    def __reduce__(self) -> tuple[type[_Query], tuple[object]]:
        return _Query, (self.name,)

    def __repr__(self) -> str:
        return repr(self.name)


def grades(labels: ArrayLike, qid: ArrayLike) -> NDArray[np.void]:
    """Returns labels with their queries as one array, which scikit-learn splits like any other.

    scikit-learn passes X and y to every split and scorer, but no third array. So y has both labels
    and queries, as a structured array with the fields `label` and `qid`.

    Args:
        labels: One number per row.
        qid: The query of each row; rows of one query need not be adjacent.

    Raises:
        InputError: If their lengths differ, or labels are not numbers.

    Examples:
        >>> import relyon.ltr
        >>> y = relyon.ltr.grades([2, 0, 1], ["red shoe", "red shoe", "blue hat"])
        >>> y["label"].tolist(), y.shape
        ([2.0, 0.0, 1.0], (3,))
    """
    import numpy as np

    given = paired({"labels": labels, "qid": qid})
    try:
        values = np.asarray(given["labels"], dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise InputError(message("ltr.labels-are-not-numbers", error=error)) from None
    queries = np.asarray(given["qid"])
    if values.ndim != 1 or queries.shape != values.shape:
        raise InputError(
            message(
                "ltr.labels-and-qid-differ",
                shape=values.shape,
                shape_2=queries.shape,
            ),
            hint=message("ltr.qid-names-query"),
        )
    found = np.empty(len(values), dtype=[("label", np.float64), ("qid", object)])
    found["label"] = values
    known: dict[object, _Query] = {}
    found["qid"] = [
        known.get(name) or known.setdefault(name, _Query(name)) for name in queries.tolist()
    ]
    return found


def is_grades(y: object) -> TypeGuard[NDArray[np.void]]:
    """Returns whether an array is a result of `grades`."""
    return getattr(getattr(y, "dtype", None), "names", None) == ("label", "qid")


def labels_of(y: NDArray[np.void]) -> NDArray[np.float64]:
    """Returns the labels of a result of `grades`."""
    import numpy as np

    return np.ascontiguousarray(y["label"], dtype=np.float64)


def queries_of(y: NDArray[np.void]) -> NDArray[np.generic]:
    """Returns the query of each row of a result of `grades`."""
    import numpy as np

    names = [one.name if isinstance(one, _Query) else one for one in y["qid"].tolist()]
    found = np.empty(len(names), dtype=object)
    found[:] = names
    numbers = all(type(one) is int for one in names)
    return found.astype(np.int64) if numbers and names else found
