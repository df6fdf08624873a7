"""LightGBM: the default engine."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

from relkit.core.errors import InputError, ParameterError
from relkit.core.packages import optional_package
from relkit.core.texts import message
from relkit.ltr.rankers.engines.base import Engine, Forest, Task, TreeSettings, engines

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from relkit.ltr.rankers.rows import TrainingRows

__all__ = ["LightGBM"]

#: LightGBM's gains are a table of so many labels, from 0.
LABELS = 31


def _library() -> Any:
    return optional_package("lightgbm", purpose="a ranker", install="relkit[ltr]")


class LightGBMForest(Forest):
    """Trees of LightGBM."""

    def __init__(self, booster: Any, threads: int, data: bytes = b"") -> None:
        self.booster = booster
        self.threads = threads
        self.data = data or str(booster.model_to_string()).encode()

    def predict(self, values: Any) -> NDArray[np.float64]:
        """Scores a matrix of features."""
        import numpy as np

        found = self.booster.predict(values, raw_score=True, num_threads=self.threads)
        return np.asarray(found, dtype=np.float64)

    def to_bytes(self) -> bytes:
        """Returns LightGBM's text of the model, whose numbers are exact."""
        return self.data

    def importance(self) -> NDArray[np.float64]:
        """Returns how much each feature's splits gained."""
        import numpy as np

        return np.asarray(self.booster.feature_importance("gain"), dtype=np.float64)


class LightGBM(Engine):
    """LightGBM: `lightgbm.train` with its own objective where that is the same, else with ours."""

    name: ClassVar[str] = "lightgbm"
    aliases: ClassVar[tuple[str, ...]] = ("lgb", "lgbm")
    part: ClassVar[str] = "lightgbm.txt"

    def train(
        self, rows: TrainingRows, valid: TrainingRows | None, task: Task, settings: TreeSettings
    ) -> LightGBMForest:
        """Trains."""
        library = _library()
        parameters = _parameters(settings) | _objective(rows, task) | dict(settings.options)
        data = library.Dataset(
            rows.values,
            label=rows.rows.labels,
            group=rows.sizes[rows.sizes > 0],
            weight=rows.rows.weights,
            position=rows.positions,
            params=parameters,
        )
        try:
            booster = library.train(parameters, data, num_boost_round=settings.trees)
        except library.basic.LightGBMError as error:
            raise InputError(
                message("LightGBM cannot train on these rows: {error}", error=error)
            ) from None
        return LightGBMForest(booster, settings.threads)

    def load(self, data: bytes, threads: int) -> LightGBMForest:
        """Returns trees from LightGBM's text of them."""
        library = _library()
        try:
            return LightGBMForest(library.Booster(model_str=data.decode()), threads, data)
        except (library.basic.LightGBMError, ValueError) as error:
            raise InputError(
                message("LightGBM cannot read its trees: {error}", error=error)
            ) from None

    def version(self) -> str:
        """Returns the version that is installed."""
        return str(_library().__version__)


def _parameters(settings: TreeSettings) -> dict[str, Any]:
    """Returns the settings under LightGBM's names.

    Histograms are built row by row always: LightGBM would choose by a stopwatch, and the sums of
    floats differ between the two ways.
    """
    return {
        "verbosity": -1,
        "learning_rate": settings.learning_rate,
        "num_leaves": settings.leaves,
        "max_depth": -1 if settings.depth is None else settings.depth,
        "min_data_in_leaf": settings.min_rows,
        "lambda_l2": settings.l2,
        "bagging_fraction": settings.row_fraction,
        "bagging_freq": 1 if settings.row_fraction < 1 else 0,
        "feature_fraction": settings.feature_fraction,
        "seed": settings.seed,
        "num_threads": settings.threads,
        "deterministic": True,
        "force_row_wise": True,
    }


def _objective(rows: TrainingRows, task: Task) -> dict[str, Any]:
    """Returns LightGBM's own objective for a loss."""
    if task.loss in {"regression", "squared_error"}:
        return {"objective": "regression"}
    labels = rows.rows.labels
    if labels.min() < 0 or labels.max() >= LABELS or (labels != labels.round()).any():
        raise ParameterError(
            message(
                "LightGBM's lambdarank takes whole labels from 0 to {highest}",
                highest=LABELS - 1,
            )
        )
    return {"objective": "lambdarank"}


engines.register(LightGBM())
