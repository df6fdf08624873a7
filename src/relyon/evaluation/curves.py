"""ROC and precision-recall curves, and classification at a threshold."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, get_args

from relyon.core.document.exportable import Exportable
from relyon.core.document.json import json_number, json_values
from relyon.core.errors import InputError
from relyon.core.notes import warn
from relyon.core.parameters import check_choice
from relyon.core.texts import message
from relyon.data.arrays import group_rows

if TYPE_CHECKING:
    import numpy as np
    import polars
    from numpy.typing import ArrayLike, NDArray

__all__ = [
    "Classification",
    "Curve",
    "both_curves",
    "classify",
    "precision_recall_curve",
    "roc_curve",
]

#: The measures of a classification.
NUMBERS = ("accuracy", "precision", "recall", "f1", "macro_f1", "micro_f1")


@dataclass(frozen=True)
class Curve(Exportable):
    """Points of a curve, from the highest threshold to the lowest.

    Attributes:
        x: False-positive rate, or recall.
        y: True-positive rate, or precision.
        thresholds: Documents scored this or higher count as positive. The first is +inf for ROC.
        names: The names of x and y.
    """

    x: NDArray[np.float64]
    y: NDArray[np.float64]
    thresholds: NDArray[np.float64]
    names: tuple[str, str]

    @property
    def area(self) -> float:
        """Area below the curve by the trapezoidal rule; for ROC it is the AUC."""
        return float(((self.x[1:] - self.x[:-1]) * (self.y[1:] + self.y[:-1]) / 2).sum())

    def to_dict(self) -> dict[str, object]:
        """Returns JSON-ready values: the area and the points; an infinite threshold is null."""
        return {
            "area": json_number(self.area),
            "points": [json_values(point) for point in self.to_frame().to_dicts()],
        }

    def to_frame(self) -> polars.DataFrame:
        """Returns the points as a Polars frame."""
        import polars

        return polars.DataFrame(
            {"threshold": self.thresholds, self.names[0]: self.x, self.names[1]: self.y}
        )


def _counts(
    labels: ArrayLike, scores: ArrayLike, rel: float, weights: ArrayLike | None = None
) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]:
    """Returns each distinct score, highest first, with true and false positives down to it."""
    import numpy as np

    rows = group_rows(labels, scores, weights=weights)
    warn(rows.notes)
    positive = rows.labels >= rel
    heavy = None if rows.weights is None else rows.weights.astype(np.float64)
    values = rows.known_scores().astype(np.float64, copy=False)
    if not len(values):
        raise InputError(message("core.there-are-no-rows"))
    if not np.isfinite(values).all():
        row = int(np.flatnonzero(~np.isfinite(values))[0])
        raise InputError(message("evaluation.score-is-not-finite", row=row, values=values[row]))
    if heavy is not None:
        if not (np.isfinite(heavy).all() and (heavy >= 0).all()):
            row = int(np.flatnonzero(~(np.isfinite(heavy) & (heavy >= 0)))[0])
            raise InputError(
                message(
                    "evaluation.weight-row-is-heavy",
                    row=row,
                    heavy=heavy[row],
                )
            )
        kept = heavy > 0
        values, positive, heavy = values[kept], positive[kept], heavy[kept]
        if not len(values):
            raise InputError(message("evaluation.all-weights-are-0"))
    if heavy is None:
        # Sorting plain numbers is several times as fast as sorting rows, and merging two sorted
        # classes, which a stable sort does, faster than sorting both together.
        count = len(values) - int(positive.sum())
        ordered = np.empty(len(values))
        for one, part in ((~positive, ordered[:count]), (positive, ordered[count:])):
            np.compress(one, values, out=part)
            part.sort()
        good = ordered[count:].copy()
        ordered.sort(kind="stable")
        ordered = ordered[::-1]
        last = np.append(np.flatnonzero(ordered[1:] != ordered[:-1]), len(ordered) - 1)
        true = (len(good) - np.searchsorted(good, ordered[last])).astype(np.float64)
        return ordered[last], true, (last + 1) - true
    order = np.argsort(-values, kind="stable")
    values, heavy = values[order], heavy[order]
    right = positive[order].astype(np.float64)
    last = np.append(np.flatnonzero(np.diff(values)), len(values) - 1)
    true, false = np.cumsum(right * heavy), np.cumsum((1 - right) * heavy)
    return values[last], true[last], false[last]


Points = Literal["all", "corners"]


def roc_curve(
    labels: ArrayLike,
    scores: ArrayLike,
    *,
    rel: float = 1.0,
    weights: ArrayLike | None = None,
    points: Points = "all",
) -> Curve:
    """Returns the ROC curve: TPR = TP / (TP + FN) over FPR = FP / (FP + TN).

    Every distinct score is a point, so the area equals the AUC with ties counted half.

    Args:
        labels: Grades; `rel` and higher are positive.
        scores: Model scores.
        rel: Lowest positive grade.
        weights: The weight of each row, 0 or more; `None` for 1 each. Rows of weight 0 are left
            out.
        points: `all` distinct scores, or only the `corners` of the curve, where its slope changes.

    Raises:
        InputError: If one class is absent, or a score is not finite.
        ParameterError: If `points` is something else.

    Examples:
        >>> import relyon
        >>> relyon.roc_curve([1, 0, 1, 0], [0.9, 0.8, 0.7, 0.1]).area
        0.75

    References:
        Fawcett (2006), Pattern Recognition Letters 27.
    """
    import numpy as np

    check_choice("points", points, get_args(Points))
    thresholds, true, false = _counts(labels, scores, rel, weights)
    if points == "corners" and len(thresholds) > 2:
        bent = (np.diff(true, 2) != 0) | (np.diff(false, 2) != 0)
        kept = np.concatenate([[True], bent, [True]])
        thresholds, true, false = thresholds[kept], true[kept], false[kept]
    return _roc(thresholds, true, false)


def _roc(
    thresholds: NDArray[np.float64], true: NDArray[np.float64], false: NDArray[np.float64]
) -> Curve:
    import numpy as np

    if true[-1] == 0 or false[-1] == 0:
        raise InputError(message("evaluation.roc-curve-needs-positives"))
    return Curve(
        np.concatenate([[0.0], false / false[-1]]),
        np.concatenate([[0.0], true / true[-1]]),
        np.concatenate([[np.inf], thresholds]),
        ("fpr", "tpr"),
    )


def precision_recall_curve(
    labels: ArrayLike,
    scores: ArrayLike,
    *,
    rel: float = 1.0,
    weights: ArrayLike | None = None,
) -> Curve:
    """Returns the precision-recall curve: TP / (TP + FP) over TP / (TP + FN).

    Args:
        labels: Grades; `rel` and higher are positive.
        scores: Model scores.
        rel: Lowest positive grade.
        weights: The weight of each row, 0 or more; `None` for 1 each. Rows of weight 0 are left
            out.

    Raises:
        InputError: If there is no positive, or a score is not finite.

    Examples:
        >>> import relyon
        >>> relyon.precision_recall_curve([1, 0, 1], [0.9, 0.8, 0.7]).y.round(4).tolist()
        [1.0, 0.5, 0.6667]

    References:
        Davis and Goadrich (2006), ICML.
    """
    return _precision_recall(*_counts(labels, scores, rel, weights))


def _precision_recall(
    thresholds: NDArray[np.float64], true: NDArray[np.float64], false: NDArray[np.float64]
) -> Curve:
    if true[-1] == 0:
        raise InputError(message("evaluation.precision-recall-curve-needs-positives"))
    return Curve(true / true[-1], true / (true + false), thresholds, ("recall", "precision"))


def both_curves(labels: ArrayLike, scores: ArrayLike, *, rel: float = 1.0) -> tuple[Curve, Curve]:
    """Returns `roc_curve` and `precision_recall_curve`, sorting the rows once.

    Raises:
        InputError: If one class is absent, or a score is not finite.
    """
    counts = _counts(labels, scores, rel)
    return _roc(*counts), _precision_recall(*counts)


@dataclass(frozen=True)
class Classification(Exportable):
    """How well scores cut at thresholds predict the grades.

    Attributes:
        accuracy: Share of rows with the right class.
        precision: TP / (TP + FP) of the highest class against the rest.
        recall: TP / (TP + FN) of the highest class against the rest.
        f1: Their harmonic mean.
        macro_f1: Mean of the F1 of each class.
        micro_f1: F1 of the summed counts; with one class per row it equals accuracy.
        confusion: Rows: true classes, columns: predicted classes, lowest first.
        note: A note on what these numbers ignore.
    """

    accuracy: float
    precision: float
    recall: float
    f1: float
    macro_f1: float
    micro_f1: float
    confusion: tuple[tuple[int, ...], ...]
    note: str = (
        "accuracy and F1 ignore the order of the grades: predicting none for high costs the same"
        " as predicting middle; kappa, tau and PNR see the difference"
    )

    def to_dict(self) -> dict[str, object]:
        """Returns JSON-ready values, with the table of classes."""
        numbers = {name: json_number(getattr(self, name)) for name in NUMBERS}
        return {**numbers, "confusion": [list(row) for row in self.confusion], "note": self.note}

    def to_frame(self) -> polars.DataFrame:
        """Returns one row, one column per number."""
        import polars

        return polars.DataFrame({name: [getattr(self, name)] for name in NUMBERS})


def classify(
    labels: ArrayLike, scores: ArrayLike, thresholds: float | Sequence[float], *, rel: float = 1.0
) -> Classification:
    """Cuts scores at thresholds and compares the classes with the labels.

    Args:
        labels: Grades. With one threshold, `rel` and higher are positive; with n thresholds the
            grades must be 0..n.
        scores: Model scores.
        thresholds: One number, or n ascending ones that cut the scores into the classes 0..n.
        rel: Lowest positive grade, with one threshold.

    Raises:
        InputError: If there are no rows, or a grade is not one of the classes.

    Examples:
        >>> import relyon
        >>> relyon.classify([1, 0, 1, 0], [0.9, 0.8, 0.7, 0.1], 0.5).accuracy
        0.75

    References:
        Sokolova and Lapalme (2009), Information Processing and Management 45(4).
    """
    import numpy as np

    rows = group_rows(labels, scores)
    warn(rows.notes)
    cuts = np.atleast_1d(np.asarray(thresholds, dtype=np.float64))
    if not rows.labels.size:
        raise InputError(message("core.there-are-no-rows"))
    if (np.diff(cuts) <= 0).any() or not np.isfinite(cuts).all():
        raise InputError(message("evaluation.thresholds-must-be-ascending", cuts=cuts.tolist()))
    grades = rows.labels
    truth = (grades >= rel).astype(np.int64) if len(cuts) == 1 else grades.astype(np.int64)
    count = len(cuts) + 1
    if len(cuts) > 1 and ((truth != grades) | (truth < 0) | (truth >= count)).any():
        raise InputError(
            message(
                "evaluation.with-thresholds-grades",
                count=len(cuts),
                count_2=count - 1,
            )
        )
    predicted = np.searchsorted(cuts, rows.known_scores(), side="right")
    table = np.zeros((count, count), dtype=np.int64)
    np.add.at(table, (truth, predicted), 1)
    right = np.diag(table).astype(np.float64)
    actual, guessed = table.sum(axis=1), table.sum(axis=0)
    f1 = np.divide(2 * right, actual + guessed, out=np.zeros(count), where=actual + guessed > 0)
    accuracy = float(right.sum() / table.sum())
    return Classification(
        accuracy=accuracy,
        precision=float(right[-1] / guessed[-1]) if guessed[-1] else 0.0,
        recall=float(right[-1] / actual[-1]) if actual[-1] else 0.0,
        f1=float(f1[-1]),
        macro_f1=float(f1.mean()),
        micro_f1=accuracy,
        confusion=tuple(tuple(int(cell) for cell in row) for row in table),
    )
