"""LightGBM: the default engine."""

from __future__ import annotations

from types import ModuleType
from typing import TYPE_CHECKING, ClassVar, Protocol

from relyon.core.errors import InputError, ParameterError
from relyon.core.packages import optional_package
from relyon.core.rules import gain_function
from relyon.core.texts import message
from relyon.ltr.losses.lambdarank import LambdaRank
from relyon.ltr.rankers.engines.engine import Engine, Forest, Task, TreeSettings, engines

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import ArrayLike, NDArray

    from relyon.data.matrices import FeatureMatrix
    from relyon.ltr.rankers.exporting.onnx_files import OnnxModel
    from relyon.ltr.rankers.exporting.trees import TreeliteModel
    from relyon.ltr.rankers.query_rows import TrainingRows

__all__ = ["LightGBM"]

#: The number of whole labels, from 0, that LightGBM's LambdaRank takes.
LABELS = 10_000
#: Values, features times rows, below which one thread is as fast as two.
FEW = 1_000_000


class Booster(Protocol):
    """LightGBM's `Booster`."""

    @property
    def best_iteration(self) -> int: ...
    def current_iteration(self) -> int: ...
    def num_trees(self) -> int: ...
    def num_feature(self) -> int: ...
    def model_to_string(self, *, num_iteration: int) -> str: ...
    def feature_importance(self, importance_type: str, *, iteration: int) -> ArrayLike: ...
    def predict(
        self, data: FeatureMatrix, *, raw_score: bool, num_iteration: int, num_threads: int
    ) -> ArrayLike: ...


class Dataset(Protocol):
    """LightGBM's `Dataset`."""

    def construct(self) -> object: ...
    def num_feature(self) -> int: ...
    def feature_num_bin(self, feature: int) -> int: ...


def _library() -> ModuleType:
    return optional_package("lightgbm", purpose=message("ltr.a-ranker"), install="relyon[ltr]")


class LightGBMForest(Forest):
    """Trees of LightGBM.

    Attributes:
        booster: LightGBM's own model.
    """

    def __init__(self, booster: Booster, threads: int, data: bytes = b"") -> None:
        self.booster = booster
        self.threads = threads
        self.trees = int(booster.best_iteration)
        if self.trees <= 0:
            self.trees = int(booster.current_iteration())
        self.data = data or str(booster.model_to_string(num_iteration=self.trees)).encode()

    def predict(self, values: FeatureMatrix) -> NDArray[np.float64]:
        """Scores a matrix of features."""
        import numpy as np

        found = self.booster.predict(
            values, raw_score=True, num_iteration=self.trees, num_threads=self.threads
        )
        return np.asarray(found, dtype=np.float64)

    def to_bytes(self) -> bytes:
        """Returns LightGBM's text of the model, whose numbers are exact."""
        return self.data

    def to_onnx(self) -> tuple[OnnxModel, tuple[int, ...]]:
        """Returns the trees as an ONNX model, and the features that single precision blurs."""
        from relyon.ltr.rankers.exporting.trees import lightgbm_onnx

        return lightgbm_onnx(self.data.decode(), self.booster.num_feature())

    def to_treelite(self) -> TreeliteModel:
        """Returns the trees as a model of Treelite, in double precision."""
        from relyon.ltr.rankers.exporting.trees import lightgbm_treelite

        return lightgbm_treelite(self.data.decode())

    def importance(self) -> NDArray[np.float64]:
        """Returns the gain of each feature's splits."""
        import numpy as np

        found = self.booster.feature_importance("gain", iteration=self.trees)
        return np.asarray(found, dtype=np.float64)


class LightGBM(Engine):
    """LightGBM: `lightgbm.train` with its own objective if that is the same, else with ours."""

    name: ClassVar[str] = "lightgbm"
    aliases: ClassVar[tuple[str, ...]] = ("lgb", "lgbm")
    title: ClassVar[str] = "LightGBM"
    part: ClassVar[str] = "lightgbm.txt"
    endings: ClassVar[tuple[str, ...]] = (".txt",)

    def train(
        self, rows: TrainingRows, valid: TrainingRows | None, task: Task, settings: TreeSettings
    ) -> LightGBMForest:
        """Trains."""
        library = _library()
        parameters = _parameters(settings, rows.values.shape[0] * rows.values.shape[1])
        labels, weights = rows.rows.labels, rows.rows.weights
        own = _own(rows, task)
        if own is None:
            # The weights are in the gradients and Hessians.
            own, weights = {"objective": task.objective(rows, "lightgbm")}, None
        elif task.loss.name == "logistic":
            labels = (labels >= getattr(task.loss, "rel", 1.0)).astype(float)
        parameters |= own | dict(settings.options)
        data: Dataset = library.Dataset(
            rows.values,
            label=labels,
            group=rows.sizes[rows.sizes > 0],
            weight=weights,
            position=rows.rows.positions,
            # Data sets have no use for functions.
            params={key: one for key, one in parameters.items() if not callable(one)},
        )
        _check_splits(data, library)
        watched: dict[str, object] = {}
        history: dict[str, dict[str, list[float]]] = {}
        if valid is not None:
            parameters["metric"] = "None"
            metric = task.metric(valid, "lightgbm")
            stopping = [] if task.stop is None else [task.stopping(metric)]
            watched = {
                "valid_sets": [library.Dataset(
                    valid.values, label=valid.rows.labels, group=valid.sizes[valid.sizes > 0],
                    reference=data,
                )],
                "feval": metric,
                "callbacks": [library.record_evaluation(history), *stopping],
            }  # fmt: skip
        try:
            booster: Booster = library.train(
                parameters, data, num_boost_round=settings.trees, **watched
            )
        except library.basic.LightGBMError as error:
            raise InputError(message("ltr.lightgbm-cannot-train", error=error)) from None
        forest = LightGBMForest(booster, settings.threads)
        forest.history = next(iter(history.get("valid_0", {}).values()), ())
        return forest

    def load(self, data: bytes, threads: int) -> LightGBMForest:
        """Returns trees from LightGBM's text of them."""
        library = _library()
        try:
            return LightGBMForest(library.Booster(model_str=data.decode()), threads, data)
        except (library.basic.LightGBMError, ValueError) as error:
            raise InputError(message("ltr.lightgbm-cannot-read-trees", error=error)) from None

    def version(self) -> str:
        """Returns the version that is installed."""
        return str(_library().__version__)


def _check_splits(data: Dataset, library: ModuleType) -> None:
    """Rejects rows that no feature can split: LightGBM's objectives would give all one score.

    Raises:
        InputError: If no feature has a split with enough rows on both sides.
    """
    try:
        data.construct()
    except library.basic.LightGBMError as error:
        raise InputError(message("ltr.lightgbm-cannot-train", error=error)) from None
    if not any(data.feature_num_bin(place) for place in range(data.num_feature())):
        raise InputError(
            message(
                "ltr.none-of-feature-s",
                count=data.num_feature(),
            ),
            hint=message("ltr.leaf-needs-min-rows-rows"),
        )


def _parameters(settings: TreeSettings, values: int) -> dict[str, object]:
    """Returns the settings under LightGBM's names.

    For few values one thread is faster than several.

    Histograms are always built row by row: LightGBM would choose by timing, and the sums of floats
    differ between the two ways.
    """
    rows: dict[str, object] = (
        {} if settings.min_rows is None else {"min_data_in_leaf": settings.min_rows}
    )
    found: dict[str, object] = {
        "verbosity": -1,
        "learning_rate": settings.learning_rate,
        "num_leaves": settings.leaves,
        "max_depth": -1 if settings.depth is None else settings.depth,
        "lambda_l2": settings.l2,
        "bagging_fraction": settings.row_fraction,
        "bagging_freq": 1 if settings.row_fraction < 1 else 0,
        "feature_fraction": settings.feature_fraction,
        "seed": settings.seed,
        "num_threads": settings.threads or int(values < FEW),
        "deterministic": True,
        "force_row_wise": True,
    }
    return rows | found


def _own(rows: TrainingRows, task: Task) -> dict[str, object] | None:
    """Returns LightGBM's own objective if it is the loss, or if rows have positions; else None.

    Its pointwise objectives start from the mean, which takes fewer trees. Its LambdaRank is the
    only one that learns the position bias; ours optimises any measure.

    Raises:
        ParameterError: If rows have positions, and the loss is not LambdaRank with NDCG.
    """
    known = {
        "squared_error": "regression",
        "logistic": "binary",
        "cross_entropy": "cross_entropy",
    }
    if rows.rows.positions is None:
        return {"objective": known[task.loss.name]} if task.loss.name in known else None
    found, loss = task.ndcg(), task.loss
    if found is None or not isinstance(loss, LambdaRank):
        raise ParameterError(
            message("ltr.lightgbm-learns-position-bias"),
            hint=message("ltr.loss-lambdarank-with-measure"),
        )
    labels = rows.rows.labels
    highest = float(labels.max())
    if labels.min() < 0 or highest >= LABELS or bool((labels != labels.round()).any()):
        raise InputError(
            message(
                "ltr.lightgbms-lambdarank-takes-whole",
                highest=LABELS - 1,
            ),
            hint=message("ltr.with-positions-own-objective"),
        )
    gain = gain_function(found.gain or "linear")
    return {
        "objective": "lambdarank",
        "label_gain": [gain(float(label)) for label in range(max(int(highest) + 1, 2))],
        "lambdarank_truncation_level": found.k or max(int(rows.sizes.max()), 1),
        "lambdarank_norm": loss.normalize,
        "sigmoid": loss.sigma,
    }


engines.register(LightGBM())
