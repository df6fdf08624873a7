"""XGBoost."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from types import ModuleType
from typing import TYPE_CHECKING, ClassVar, Protocol

from relyon.core.errors import InputError, ParameterError
from relyon.core.notes import Note, warn
from relyon.core.packages import optional_package
from relyon.core.texts import message
from relyon.ltr.rankers.engines.engine import Engine, Forest, Task, TreeSettings, engines

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import ArrayLike, NDArray

    from relyon.data.matrices import FeatureMatrix
    from relyon.ltr.rankers.exporting.onnx_files import OnnxModel
    from relyon.ltr.rankers.exporting.trees import TreeliteModel
    from relyon.ltr.rankers.query_rows import TrainingRows

__all__ = ["XGBoost"]


class Booster(Protocol):
    """XGBoost's `Booster`."""

    @property
    def best_iteration(self) -> int: ...
    def __getitem__(self, trees: slice, /) -> Booster: ...
    def num_boosted_rounds(self) -> int: ...
    def num_features(self) -> int: ...
    def load_model(self, fname: bytearray) -> None: ...
    def save_raw(self, raw_format: str) -> bytearray: ...
    def set_param(self, params: Mapping[str, object]) -> None: ...
    def get_score(self, *, importance_type: str) -> Mapping[str, float]: ...
    def predict(
        self, data: DMatrix, *, output_margin: bool, iteration_range: tuple[int, int]
    ) -> ArrayLike: ...


class DMatrix(Protocol):
    """XGBoost's `DMatrix`."""

    def set_group(self, group: NDArray[np.int64]) -> None: ...
    def set_weight(self, weight: NDArray[np.float64]) -> None: ...


def _library() -> ModuleType:
    return optional_package("xgboost", purpose=message("ltr.a-ranker"), install="relyon[xgboost]")


class XGBoostForest(Forest):
    """Trees of XGBoost.

    Attributes:
        booster: XGBoost's own model.
    """

    def __init__(self, booster: Booster, trees: int, data: bytes = b"") -> None:
        self.booster = booster
        self.trees = trees
        self.data = data or bytes(booster[:trees].save_raw("ubj"))

    def predict(self, values: FeatureMatrix) -> NDArray[np.float64]:
        """Scores a matrix of features."""
        import numpy as np

        found = self.booster.predict(
            _library().DMatrix(values), output_margin=True, iteration_range=(0, self.trees)
        )
        return np.asarray(found, dtype=np.float64)

    def to_bytes(self) -> bytes:
        """Returns the model as UBJSON, whose numbers are exact."""
        return self.data

    def to_file(self, ending: str) -> bytes:
        """Returns the trees as JSON if the ending is `.json`, else as UBJSON."""
        return self._json() if ending == ".json" else self.data

    def to_onnx(self) -> tuple[OnnxModel, tuple[int, ...]]:
        """Returns the trees as an ONNX model; XGBoost compares in single precision, too."""
        from relyon.ltr.rankers.exporting.trees import xgboost_onnx

        return xgboost_onnx(self._json(), self.booster.num_features()), ()

    def to_treelite(self) -> TreeliteModel:
        """Returns the trees as a model of Treelite."""
        from relyon.ltr.rankers.exporting.trees import xgboost_treelite

        return xgboost_treelite(self._json())

    def _json(self) -> bytes:
        """Returns the trees used as JSON."""
        return bytes(self.booster[: self.trees].save_raw("json"))

    def importance(self) -> NDArray[np.float64]:
        """Returns the gain of each feature's splits."""
        import numpy as np

        gains = np.zeros(self.booster.num_features())
        for name, gain in self.booster.get_score(importance_type="total_gain").items():
            gains[int(name.removeprefix("f"))] = gain
        return gains


class XGBoost(Engine):
    """XGBoost: `xgboost.train` with histograms, with its own objective if that is the same."""

    name: ClassVar[str] = "xgboost"
    aliases: ClassVar[tuple[str, ...]] = ("xgb",)
    title: ClassVar[str] = "XGBoost"
    part: ClassVar[str] = "xgboost.ubj"
    endings: ClassVar[tuple[str, ...]] = (".ubj", ".json")

    def train(
        self, rows: TrainingRows, valid: TrainingRows | None, task: Task, settings: TreeSettings
    ) -> XGBoostForest:
        """Trains."""
        library = _library()
        if settings.options.get("booster") == "gblinear":
            raise ParameterError(
                message("ltr.booster-gblinear-does"),
                hint=message("ltr.leave-booster-out"),
            )
        if settings.min_rows is not None:
            warn([Note("xgboost-min-rows", level="warning")])
        parameters = _parameters(settings)
        pointwise = {"squared_error": "reg:squarederror", "logistic": "binary:logistic",
                     "cross_entropy": "binary:logistic"}  # fmt: skip
        own = None
        data = rows
        if rows.rows.positions is not None:
            parameters |= _unbiased(rows, task)
            data = _as_shown(rows)
        elif task.loss.name in pointwise:
            parameters["objective"] = pointwise[task.loss.name]
        else:
            own = task.objective(rows, "xgboost")
            parameters |= {"base_score": 0.0, "disable_default_eval_metric": True}
        matrix: DMatrix = library.DMatrix(data.values, label=_labels(data, task))
        if rows.rows.positions is not None or own is not None:
            matrix.set_group(data.sizes[data.sizes > 0])
        elif rows.rows.weights is not None:
            matrix.set_weight(rows.rows.weights)
        parameters |= dict(settings.options)
        watched: dict[str, object] = {}
        history: dict[str, dict[str, list[float]]] = {}
        if valid is not None:
            held: DMatrix = library.DMatrix(valid.values, label=valid.rows.labels)
            held.set_group(valid.sizes[valid.sizes > 0])
            parameters["disable_default_eval_metric"] = True
            metric = task.metric(valid, "xgboost")
            watched = {
                "evals": [(held, "valid")],
                "custom_metric": metric,
                "evals_result": history,
                "verbose_eval": False,
            }
            if task.stop is not None:
                watched["callbacks"] = [task.stopping(metric)]
        try:
            booster: Booster = library.train(parameters, matrix, settings.trees, obj=own, **watched)
        except library.core.XGBoostError as error:
            text = str(error).partition("\n")[0]
            raise InputError(message("ltr.xgboost-cannot-train", error=text)) from None
        stopped = task.stop is not None and valid is not None
        trees = booster.best_iteration + 1 if stopped else booster.num_boosted_rounds()
        forest = XGBoostForest(booster, int(trees))
        forest.history = next(iter(history.get("valid", {}).values()), ())
        return forest

    def load(self, data: bytes, threads: int) -> XGBoostForest:
        """Returns trees from XGBoost's UBJSON of them."""
        library = _library()
        try:
            booster: Booster = library.Booster()
            booster.load_model(bytearray(data))
            booster.set_param({"nthread": threads})
            return XGBoostForest(booster, int(booster.num_boosted_rounds()), data)
        except (library.core.XGBoostError, ValueError) as error:
            text = str(error).partition("\n")[0]
            raise InputError(message("ltr.xgboost-cannot-read-trees", error=text)) from None

    def version(self) -> str:
        """Returns the version that is installed."""
        return str(_library().__version__)


def _labels(rows: TrainingRows, task: Task) -> NDArray[np.float64]:
    """Returns the labels for an objective of XGBoost."""
    labels = rows.rows.labels
    if task.loss.name == "logistic":
        return (labels >= getattr(task.loss, "rel", 1.0)).astype(float)
    return labels


def _parameters(settings: TreeSettings) -> dict[str, object]:
    """Returns the settings under XGBoost's names.

    By default a leaf of XGBoost needs a sum of Hessians of 1. Losses of lists have Hessians far
    below 1, so there would be hardly a split: LightGBM's bound, 0.001, is used. `l2`, by default 0,
    is added to the sums of Hessians, not XGBoost's default of 1.
    """
    return {
        "verbosity": 0,
        "tree_method": "hist",
        "grow_policy": "lossguide",
        "eta": settings.learning_rate,
        "max_leaves": settings.leaves,
        "max_depth": 0 if settings.depth is None else settings.depth,
        "min_child_weight": 0.001,
        "lambda": settings.l2,
        "subsample": settings.row_fraction,
        "colsample_bytree": settings.feature_fraction,
        "seed": settings.seed,
        "nthread": settings.threads,
    }


def _unbiased(rows: TrainingRows, task: Task) -> dict[str, object]:
    """Returns XGBoost's LambdaMART that learns the position bias.

    Raises:
        ParameterError: If the loss is not LambdaRank with NDCG, or rows have weights.
    """
    found = task.ndcg()
    if found is None or rows.rows.weights is not None or found.gain not in {None, "linear", "exp"}:
        raise ParameterError(
            message("ltr.xgboost-learns-position-bias"),
            hint=message("ltr.loss-lambdarank-with-measure"),
        )
    return {
        "objective": "rank:ndcg",
        "lambdarank_unbiased": True,
        "lambdarank_pair_method": "topk",
        "lambdarank_num_pair_per_sample": found.k or max(int(rows.sizes.max()), 1),
        "ndcg_exp_gain": found.gain == "exp",
    }


def _as_shown(rows: TrainingRows) -> TrainingRows:
    """Returns each query's rows by position: XGBoost takes their order for the positions.

    Raises:
        InputError: If two rows of a query have one position.
    """
    import numpy as np

    known = rows.rows
    query = np.repeat(np.arange(len(rows.sizes)), rows.sizes)
    order = np.lexsort((np.asarray(known.positions), query))
    shown = np.asarray(known.positions)[order]
    if bool(((shown[1:] == shown[:-1]) & (query[1:] == query[:-1])).any()):
        raise InputError(message("ltr.two-rows-of-one-query"))
    return replace(rows, rows=known.in_order(order))


engines.register(XGBoost())
