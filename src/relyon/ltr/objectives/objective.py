"""Losses as objectives of boosted trees."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Literal

from relyon.core.errors import InputError, ParameterError
from relyon.core.parameters import check_whole
from relyon.core.texts import message
from relyon.data.convention import load_convention
from relyon.data.scale import load_scale
from relyon.ltr.losses import Loss, loss as parse_loss
from relyon.ltr.losses.lambdarank import LambdaRank
from relyon.ltr.objectives.engines import (
    DataSet,
    check_engine,
    group_sizes,
    is_data_set,
    labels_of,
    weights_of,
)
from relyon.ltr.objectives.row_labels import TrainingRows, training_rows

if TYPE_CHECKING:
    from collections.abc import Mapping

    import numpy as np
    from numpy.typing import ArrayLike, NDArray

    from relyon.data.convention import Convention
    from relyon.data.labelled import LabelledRows
    from relyon.data.scale import Scale

__all__ = ["Objective", "objective"]


class Objective:
    """A loss of fixed rows, which an engine calls with the scores of its trees so far.

    LightGBM and XGBoost call it alike.

    Attributes:
        loss: The loss, with all parameters filled in.
        engine: The engine that calls it.
        seed: The seed of losses with random draws.
    """

    #: Otherwise CatBoost compiles the methods with Numba, and warns that it cannot.
    no_jit = True

    def __init__(
        self, loss: Loss, rows: TrainingRows, engine: str, seed: int = 0, threads: int = 0
    ) -> None:
        import numpy as np

        from relyon import _native

        self.loss = loss
        self.engine = engine
        self._rows = rows
        self.seed, self._threads = seed, threads
        self._checked: object = None
        self._prepared = None
        known = rows.rows
        self._labels = np.asarray(known.labels)
        self._weights = known.weights
        if isinstance(loss, LambdaRank):
            self._prepared = _native.LambdaLists(
                loss.kernel()[1], self._labels, known.groups, self._weights
            )
            if not self._prepared.effective:
                raise InputError(
                    message(
                        "ltr.no-query-has-two",
                        measure=loss.measure,
                    ),
                    hint=message("ltr.there-is-nothing"),
                )
        else:
            self._native = loss.native()

    def derivatives(self, scores: ArrayLike) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
        """Returns gradient and Hessian by row, in the order of the engine's rows.

        Args:
            scores: One per row.

        Raises:
            InputError: If their number is not that of the labels, or one is not finite.
        """
        import numpy as np

        values = self._rows.gathered(np.asarray(scores))
        if self._prepared is not None:
            found = self._prepared.derivatives(values, self.seed, self._threads)
            return self._rows.scattered(found[0]), self._rows.scattered(found[1])
        _, gradient, hessian = self._native.evaluate(
            self._labels,
            values,
            self._rows.rows.groups,
            self._weights,
            True,
            self.seed,
            self._threads,
        )
        if hessian is None:
            raise RuntimeError("the loss has no Hessian")
        single = gradient.astype(np.float32), hessian.astype(np.float32)
        return self._rows.scattered(single[0]), self._rows.scattered(single[1])

    def __call__(
        self, first: ArrayLike, second: object
    ) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
        """Returns gradient and Hessian for scores and a data set, or for labels and scores.

        LightGBM's and XGBoost's own functions pass scores and a data set; LightGBM's
        scikit-learn classes pass labels and scores.
        """
        import numpy as np

        if is_data_set(second):
            self._check(second)
            return self.derivatives(first)
        return self.derivatives(np.asarray(second))

    def calc_ders_range(self, approxes: object, targets: object, weights: object) -> None:
        """Refuses CatBoost, which calls this with blocks of rows.

        Raises:
            ParameterError: Always.
        """
        raise ParameterError(
            message("ltr.catboost-calls-objective"),
            hint=message("ltr.train-with-engine-lightgbm"),
        )

    def _check(self, data: DataSet) -> None:
        """Checks each data set once.

        Raises:
            InputError: If its labels, queries or weights differ.
        """
        import numpy as np

        if data is self._checked:
            return
        self._rows.check_labels(labels_of(data))
        sizes = group_sizes(data)
        if (
            sizes is not None
            and self._rows.order is None
            and not np.array_equal(sizes, np.diff(self._rows.rows.groups))
        ):
            raise InputError(
                message("ltr.data-set-and-labels"),
                hint=message("ltr.give-sizes-or-ids"),
            )
        if self._weights is None and weights_of(data) is not None:
            raise InputError(
                message("ltr.data-set-has-weights"),
                hint=message("ltr.give-one-weight-per"),
            )
        self._checked = data

    def __deepcopy__(self, memo: object) -> Objective:
        """Returns itself: LightGBM copies its parameters, and an objective does not change."""
        return self

    def __reduce__(self) -> tuple[type[Objective], tuple[object, ...]]:
        """Pickles as its constructor arguments."""
        return Objective, (self.loss, self._rows, self.engine, self.seed, self._threads)

    def __repr__(self) -> str:
        return f"Objective({str(self.loss)!r}, rows={len(self._rows.rows)}, {self.engine!r})"


def objective(
    loss: str | Loss,
    labels: LabelledRows | ArrayLike,
    groups: ArrayLike | None = None,
    *,
    weights: ArrayLike | None = None,
    engine: Literal["lightgbm", "xgboost", "catboost"] = "lightgbm",
    convention: Convention | str | Mapping[str, object] | None = None,
    scale: Scale | str | None = None,
    seed: int = 0,
    threads: int = 0,
) -> Objective:
    """Returns a loss as the objective of boosted trees.

    It is LightGBM's parameter `objective`, and the argument `obj` of XGBoost's `train`. What
    depends on the labels only is computed once. The labels must be those of the training rows, in
    the same order; the rows of a query need not be adjacent if `groups` are ids. Engines do not
    pass weights to objectives: give them here. There is one weight per row, also for XGBoost, whose
    data has one per query.

    CatBoost is not supported: it calls objectives with blocks of 1,000 or 500 rows, on several
    threads and without groups, so lists are not complete.

    Args:
        loss: A loss or its name, such as `lambdarank(measure=ndcg@10)` or `softrank(sigma=0.5)`.
        labels: Labelled rows, or one label per row.
        groups: Sizes of queries that add up to the number of rows, or one id per row.
        weights: One weight per row, 0 or more.
        engine: `lightgbm` or `xgboost`.
        convention: The rules that fill open parameters of LambdaRank's measure, as for
            `relyon.evaluate`.
        scale: The grade scale, as for `relyon.evaluate`.
        seed: The seed of losses with random draws; the draws are the same in every round.
        threads: Threads to use; 0 uses all cores.

    Raises:
        ParameterError: If the engine is CatBoost, or unknown.
        InputError: If shapes do not fit, a label or weight is invalid, or no query has two
            documents whose order counts.

    Examples:
        >>> import relyon.ltr
        >>> one = relyon.ltr.objective("lambdarank(measure=rr)", [1, 0, 0, 1], [2, 2])
        >>> gradient, hessian = one.derivatives([0.0, 0.0, 0.0, 0.0])
        >>> gradient.astype(float).round(4).tolist()
        [-0.2925, 0.2925, 0.2925, -0.2925]
    """
    check_engine(engine)
    if engine == "catboost":
        raise ParameterError(
            message("ltr.catboost-calls-objective"),
            hint=message("ltr.train-with-engine-lightgbm"),
        )
    chosen = parse_loss(loss)
    rules, known = load_convention(convention), load_scale(scale)
    rows = training_rows(labels, groups, weights, known)
    values = rows.rows.labels
    if isinstance(chosen, LambdaRank):
        highest = float(values.max()) if len(values) else math.nan
        if rules.negative == "error" and len(values) and float(values.min()) < 0:
            raise InputError(
                message("ltr.lowest-label-is-label", label=float(values.min())),
                hint=message("ltr.convention-says-negative-error"),
            )
        chosen = chosen.resolve(rules, known, highest)
    return Objective(
        chosen,
        rows,
        engine,
        check_whole("seed", seed, least=0),
        check_whole("threads", threads, least=0),
    )
