"""CatBoost: only with its own losses, since its callbacks never get a whole list."""

from __future__ import annotations

from collections.abc import Iterable
from types import ModuleType
from typing import TYPE_CHECKING, ClassVar, Protocol

from relyon.core.errors import InputError, ParameterError
from relyon.core.packages import optional_package
from relyon.core.texts import message
from relyon.ltr.losses.lambdarank import LambdaRank
from relyon.ltr.rankers.engines.engine import Engine, Forest, Task, TreeSettings, engines
from relyon.ltr.rankers.watched_rows import Watched

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import ArrayLike, NDArray

    from relyon.data.matrices import FeatureMatrix
    from relyon.ltr.rankers.exporting.onnx_files import OnnxModel
    from relyon.ltr.rankers.query_rows import TrainingRows

__all__ = ["CatBoost"]

#: CatBoost's own name of each loss that it has.
OWN = {
    "squared_error": "RMSE",
    "logistic": "Logloss",
    "cross_entropy": "CrossEntropy",
    "ranknet": "PairLogit",
    "softmax": "QuerySoftMax",
}
#: Losses of pairs, which take no weights of rows.
PAIRS = ("ranknet", "lambdarank")


class Booster(Protocol):
    """CatBoost's `CatBoost`."""

    @property
    def tree_count_(self) -> int: ...
    def load_model(self, *, blob: bytes) -> object: ...
    def save_model(self, fname: str, *, format: str) -> None: ...
    def get_feature_importance(self, *, type: str) -> ArrayLike: ...
    def staged_predict(
        self, data: FeatureMatrix, *, prediction_type: str
    ) -> Iterable[ArrayLike]: ...
    def predict(
        self, data: FeatureMatrix, *, prediction_type: str, thread_count: int
    ) -> ArrayLike: ...
    def _serialize_model(self) -> bytes: ...


def _library() -> ModuleType:
    return optional_package("catboost", purpose=message("ltr.a-ranker"), install="relyon[catboost]")


class CatBoostForest(Forest):
    """Trees of CatBoost.

    Attributes:
        booster: CatBoost's own model.
    """

    def __init__(self, booster: Booster, threads: int, data: bytes = b"") -> None:
        self.booster = booster
        self.threads = threads or -1
        self.trees = int(booster.tree_count_)
        self.data = data or bytes(booster._serialize_model())

    def predict(self, values: FeatureMatrix) -> NDArray[np.float64]:
        """Scores a matrix of features."""
        import numpy as np

        found = self.booster.predict(
            values, prediction_type="RawFormulaVal", thread_count=self.threads
        )
        return np.asarray(found, dtype=np.float64)

    def to_bytes(self) -> bytes:
        """Returns the model as CatBoost's cbm, whose numbers are exact."""
        return self.data

    def to_onnx(self) -> tuple[OnnxModel, tuple[int, ...]]:
        """Returns the ONNX model that CatBoost writes; its borders are of single precision."""
        from relyon.ltr.rankers.exporting.trees import catboost_onnx

        return catboost_onnx(lambda path: self.booster.save_model(path, format="onnx")), ()

    def importance(self) -> NDArray[np.float64]:
        """Returns how much each feature's splits change the scores, in percent."""
        import numpy as np

        found = self.booster.get_feature_importance(type="PredictionValuesChange")
        return np.asarray(found, dtype=np.float64)


class CatBoost(Engine):
    """CatBoost: `catboost.train` with leaf-wise trees, like the other engines."""

    name: ClassVar[str] = "catboost"
    title: ClassVar[str] = "CatBoost"
    part: ClassVar[str] = "catboost.cbm"
    endings: ClassVar[tuple[str, ...]] = (".cbm",)
    treelite: ClassVar[bool] = False

    def train(
        self, rows: TrainingRows, valid: TrainingRows | None, task: Task, settings: TreeSettings
    ) -> CatBoostForest:
        """Trains."""
        library = _library()
        labels = rows.rows.labels
        if task.loss.name == "logistic":
            labels = (labels >= getattr(task.loss, "rel", 1.0)).astype(float)
        parameters = _parameters(settings)
        parameters |= {"loss_function": _own(rows, task)} | dict(settings.options)
        queries = _numbers(rows)
        try:
            pool = library.Pool(
                rows.values, label=labels, group_id=queries, weight=rows.rows.weights
            )
            booster: Booster = library.train(pool, parameters)
        except library.CatBoostError as error:
            text = str(error).strip().rpartition("\n")[2]
            raise InputError(message("ltr.catboost-cannot-train-on-these", error=text)) from None
        history, best = ([], 0) if valid is None else _history(booster, valid, task)
        if history and task.stop is not None:
            # CatBoost can cut symmetric trees only; the first trees of a shorter run are the same.
            parameters["iterations"] = best
            booster = library.train(pool, parameters)
        forest = CatBoostForest(booster, settings.threads)
        forest.history = history
        return forest

    def load(self, data: bytes, threads: int) -> CatBoostForest:
        """Returns trees from CatBoost's cbm of them."""
        library = _library()
        try:
            booster: Booster = library.CatBoost()
            booster.load_model(blob=data)
            return CatBoostForest(booster, threads, data)
        except (library.CatBoostError, ValueError) as error:
            text = str(error).strip().rpartition("\n")[2]
            raise InputError(message("ltr.catboost-cannot-read-trees", error=text)) from None

    def version(self) -> str:
        """Returns the version that is installed."""
        return str(_library().__version__)


def _numbers(rows: TrainingRows) -> NDArray[np.int64]:
    """Returns the number of each row's query."""
    import numpy as np

    return np.repeat(np.arange(len(rows.sizes)), rows.sizes)


def _history(booster: Booster, valid: TrainingRows, task: Task) -> tuple[list[float], int]:
    """Returns the measure on held-out rows after each tree, and after how many it was best.

    All trees are grown first: CatBoost passes a metric the labels that its loss was trained on, and
    those of a logistic loss are not the grades to measure.
    """
    import numpy as np

    watched = Watched(valid, task.measure, task.convention, task.stop, task.threads)
    for scores in booster.staged_predict(valid.values, prediction_type="RawFormulaVal"):
        if watched.look(np.asarray(scores, dtype=np.float64)):
            break
    return watched.history, watched.best


def _own(rows: TrainingRows, task: Task) -> str:
    """Returns CatBoost's name of a loss.

    Raises:
        ParameterError: If it lacks the loss, or does not support the rows' weights or positions.
    """
    loss = task.loss
    if rows.rows.positions is not None:
        raise ParameterError(
            message("ltr.catboost-learns-no-position"),
            hint=message("ltr.leave-out-positions"),
        )
    if rows.rows.weights is not None and loss.name in PAIRS:
        raise ParameterError(
            message("ltr.catboosts-takes-no-row", name=loss.title),
            hint=message("ltr.engine-lightgbm-and-engine-xgboost"),
        )
    found = task.ndcg()
    if isinstance(loss, LambdaRank) and found is not None and found.gain in {None, "linear", "exp"}:
        kind = "Exp" if found.gain == "exp" else "Base"
        top = "" if found.k is None else f";top={found.k}"
        norm = str(loss.normalize).lower()
        return f"LambdaMart:metric=NDCG;type={kind}{top};sigma={loss.sigma!r};norm={norm}"
    if loss.name in OWN and getattr(loss, "sigma", 1.0) == 1.0:
        return OWN[loss.name]
    raise ParameterError(
        message("ltr.catboost-cannot-train", loss=loss),
        hint=message("ltr.engine-lightgbm-and-engine"),
    )


def _parameters(settings: TreeSettings) -> dict[str, object]:
    """Returns the settings under CatBoost's names."""
    parameters: dict[str, object] = {
        "logging_level": "Silent",
        "allow_writing_files": False,
        "grow_policy": "Lossguide",
        "iterations": settings.trees,
        "learning_rate": settings.learning_rate,
        "max_leaves": settings.leaves,
        "depth": 16 if settings.depth is None else settings.depth,
        "l2_leaf_reg": settings.l2,
        "rsm": settings.feature_fraction,
        "random_seed": settings.seed,
        "thread_count": settings.threads or -1,
    }
    if settings.min_rows is not None:
        parameters["min_data_in_leaf"] = settings.min_rows
    if settings.row_fraction < 1:
        return parameters | {"bootstrap_type": "Bernoulli", "subsample": settings.row_fraction}
    return parameters | {"bootstrap_type": "No"}


engines.register(CatBoost())
