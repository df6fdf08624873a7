"""Labels of training rows by query, and their order in an engine."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeVar

from relyon.core.errors import InputError
from relyon.core.notes import warn
from relyon.core.texts import message
from relyon.data.arrays import group_rows
from relyon.data.labelled import LabelledRows

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import ArrayLike, NDArray

    from relyon.data.scale import Scale

__all__ = ["TrainingRows", "training_rows"]

T = TypeVar("T", bound="np.generic")


@dataclass(frozen=True, eq=False)
class TrainingRows:
    """Labels with the rows of each query together, and their order in an engine.

    Attributes:
        rows: The labels by query.
        order: Row i of `rows` is row order[i] of the engine; None if the order is the same.
    """

    rows: LabelledRows
    order: NDArray[np.int64] | None = None

    def gathered(self, values: NDArray[T]) -> NDArray[T]:
        """Returns values of an engine's rows in the order of `rows`.

        Raises:
            InputError: If their number is not that of the rows.
        """
        if values.shape != (len(self.rows),):
            raise InputError(
                message(
                    "ltr.model-scored-rows",
                    scored=values.size,
                    count=len(self.rows),
                ),
                hint=message("ltr.give-labels-of-rows"),
            )
        return values if self.order is None else values[self.order]

    def scattered(self, values: NDArray[T]) -> NDArray[T]:
        """Returns values of `rows` in the order of the engine."""
        import numpy as np

        if self.order is None:
            return values
        spread = np.empty_like(values)
        spread[self.order] = values
        return spread

    def check_labels(self, labels: NDArray[np.float64] | None) -> None:
        """Rejects an engine's labels that differ from these in single precision.

        Raises:
            InputError: If one differs.
        """
        import numpy as np

        if labels is None:
            return
        own = np.asarray(self.rows.labels, dtype=np.float32)
        given = self.gathered(labels)
        if np.array_equal(own, given.astype(np.float32)):
            return
        place = int(np.flatnonzero(own != given)[0])
        row = place if self.order is None else int(self.order[place])
        raise InputError(
            message(
                "ltr.row-of-data-set",
                row=row,
                given=float(given[place]),
                own=float(own[place]),
            ),
            hint=message("ltr.give-labels-of-rows"),
        )


def training_rows(
    labels: LabelledRows | ArrayLike,
    groups: ArrayLike | None = None,
    weights: ArrayLike | None = None,
    scale: Scale | None = None,
) -> TrainingRows:
    """Groups labels by query; rows of a query need not be adjacent if `groups` are ids.

    Args:
        labels: Labelled rows, or one grade per row.
        groups: Sizes of queries that add up to the number of rows, or one id per row; None for
            labelled rows.
        weights: One weight per row, or None.
        scale: The scale of labels that are names of grades.

    Raises:
        InputError: If shapes do not fit, or a label is not finite.
    """
    import numpy as np

    if isinstance(labels, LabelledRows):
        if groups is not None or weights is not None:
            raise InputError(
                message("ltr.labelled-rows-contain-their"),
                hint=message("ltr.leave-out-groups"),
            )
        rows, order = labels, None
    else:
        if groups is None:
            raise InputError(
                message("ltr.labels-come-without-queries"),
                hint=message("ltr.give-sizes-of-queries"),
            )
        shape = np.shape(labels)
        if len(shape) != 1:
            raise InputError(message("ltr.labels-must-have-one-dimension", count=len(shape)))
        # The scores of this grouping are the numbers of the rows.
        numbered = group_rows(labels, np.arange(shape[0]), groups, scale, weights)
        warn(numbered.notes)
        places = numbered.known_scores().astype(np.int64, copy=False)
        together = bool((places == np.arange(shape[0])).all())
        rows, order = numbered, None if together else places
    values = np.asarray(rows.labels)
    if values.dtype.kind == "f" and not bool(np.isfinite(values).all()):
        place = int(np.flatnonzero(~np.isfinite(values))[0])
        row = place if order is None else int(order[place])
        raise InputError(
            message("ltr.labels-row", row=row, value=float(values[place])),
            hint=message("ltr.rows-count-from-0"),
        )
    return TrainingRows(rows, order)
