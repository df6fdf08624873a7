"""The interface between engines of boosted trees and rankers."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, ClassVar, Literal

from relyon.core.registry import Registry
from relyon.data.convention import Convention
from relyon.ltr.losses import Loss
from relyon.ltr.losses.lambdarank import LambdaRank
from relyon.ltr.objectives.callbacks import stopping
from relyon.ltr.objectives.metric import Metric, feval
from relyon.ltr.objectives.objective import Objective, objective
from relyon.measures.gain import NDCG
from relyon.measures.parser import measure as parse_measure

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from relyon.data.matrices import FeatureMatrix
    from relyon.ltr.objectives.engines import DataSet
    from relyon.ltr.rankers.exporting.onnx_files import OnnxModel
    from relyon.ltr.rankers.exporting.trees import TreeliteModel
    from relyon.ltr.rankers.query_rows import TrainingRows

__all__ = ["Drawn", "Engine", "Forest", "ObjectiveEngine", "Task", "TreeSettings", "engines"]

#: The engines that train with an objective of ours.
ObjectiveEngine = Literal["lightgbm", "xgboost"]

MODULES = {
    "relyon.ltr.rankers.engines.catboost": "catboost",
    "relyon.ltr.rankers.engines.lightgbm": "lightgbm lgb lgbm",
    "relyon.ltr.rankers.engines.xgboost": "xgboost xgb",
}

#: Every engine by its name.
engines: Registry[Engine] = Registry("tree engine", modules=MODULES)


@dataclass(frozen=True, kw_only=True)
class TreeSettings:
    """Settings of trees that every engine understands.

    Attributes:
        trees: The number of trees.
        learning_rate: The factor of each tree's values.
        leaves: The largest number of leaves of a tree.
        depth: The largest number of levels of a tree; None for no limit.
        min_rows: The smallest number of rows of a leaf; None for the engine's default.
        l2: Added to a leaf's Hessian: draws its value towards 0.
        row_fraction: The share of rows that each tree is trained on.
        feature_fraction: The share of features that each tree is trained on.
        seed: The seed of random numbers.
        threads: Threads to use; 0 uses all cores.
        options: Further parameters of the engine, under its own names.
    """

    trees: int
    learning_rate: float
    leaves: int
    depth: int | None
    min_rows: int | None
    l2: float
    row_fraction: float
    feature_fraction: float
    seed: int
    threads: int
    options: Mapping[str, object] = field(default_factory=dict)


@dataclass(frozen=True)
class Task:
    """The training task of the trees.

    Attributes:
        loss: The loss to minimise; the measure of LambdaRank is resolved.
        seed: The seed of losses that draw; each tree adds 1.
        threads: Threads to use; 0 uses all cores.
        measure: The measure on the validation rows.
        convention: The measure's rules.
        stop: Training stops after so many trees without a better measure on those rows;
            `significance`: as soon as the measure is significantly worse than at its best.
    """

    loss: Loss
    seed: int
    threads: int
    measure: str
    convention: Convention
    stop: int | Literal["significance"] | None = None

    def objective(self, rows: TrainingRows, engine: ObjectiveEngine) -> Drawn:
        """Returns the loss as an engine's objective."""
        return Drawn(
            objective(self.loss, rows.rows, engine=engine, threads=self.threads), self.seed
        )

    def metric(self, valid: TrainingRows, engine: ObjectiveEngine) -> Metric:
        """Returns the measure on held-out rows as an engine's metric."""
        found: Metric = feval(
            self.measure,
            valid.rows,
            engine=engine,
            convention=self.convention,
            threads=self.threads,
        )
        return found

    def stopping(self, metric: Metric) -> object:
        """Returns early stopping on a metric as an engine's callback.

        Raises:
            ParameterError: If it stops by significance, and the measure is not a mean over queries.
        """
        if self.stop == "significance":
            return stopping(metric, "significance")
        return stopping(metric, rounds=self.stop)

    def ndcg(self) -> NDCG | None:
        """Returns the NDCG or DCG of LambdaRank, which engines have, too; None for other losses."""
        if not isinstance(self.loss, LambdaRank):
            return None
        found = parse_measure(self.loss.measure)
        return found if isinstance(found, NDCG) else None


class Drawn:
    """An objective with another seed for each tree."""

    def __init__(self, inner: Objective, seed: int) -> None:
        self.inner = inner
        self.seed = seed
        self.trees = 0

    def __call__(
        self, first: NDArray[np.float64], second: DataSet
    ) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
        """Returns gradients and Hessians; an engine calls it with scores and its data set."""
        self.inner.seed = self.seed + self.trees
        self.trees += 1
        return self.inner(first, second)


class Forest(ABC):
    """Trained trees.

    Attributes:
        trees: The number of trees used.
        history: The measure on held-out rows after each tree; empty without such rows.
    """

    trees: int
    history: Sequence[float] = ()

    @abstractmethod
    def predict(self, values: FeatureMatrix) -> NDArray[np.float64]:
        """Scores a matrix of features."""

    @abstractmethod
    def to_bytes(self) -> bytes:
        """Returns the trees in the engine's own format."""

    def to_file(self, ending: str) -> bytes:
        """Returns the trees in the engine's own format with this ending."""
        return self.to_bytes()

    @abstractmethod
    def to_onnx(self) -> tuple[OnnxModel, tuple[int, ...]]:
        """Returns the trees as an ONNX model, and the features that single precision blurs.

        Raises:
            InputError: If they cannot be converted.
            DependencyError: If the converter is not installed.
        """

    def to_treelite(self) -> TreeliteModel:
        """Returns the trees as a model of Treelite.

        Raises:
            NotImplementedError: If Treelite does not read trees of this engine.
            InputError: If they cannot be converted.
            DependencyError: If Treelite is not installed.
        """
        raise NotImplementedError

    @abstractmethod
    def importance(self) -> NDArray[np.float64]:
        """Returns the gain of each feature's splits."""


class Engine(ABC):
    """A library of boosted trees. A subclass is one file, and registers one instance."""

    name: ClassVar[str]
    aliases: ClassVar[tuple[str, ...]] = ()
    #: Its name in sentences.
    title: ClassVar[str]
    #: The file of the trees in a saved ranker.
    part: ClassVar[str]
    #: The endings of files of its own format.
    endings: ClassVar[tuple[str, ...]]
    #: Whether Treelite reads its trees.
    treelite: ClassVar[bool] = True

    @abstractmethod
    def train(
        self, rows: TrainingRows, valid: TrainingRows | None, task: Task, settings: TreeSettings
    ) -> Forest:
        """Trains."""

    @abstractmethod
    def load(self, data: bytes, threads: int) -> Forest:
        """Returns trees from the engine's own format.

        Raises:
            InputError: If they cannot be read.
            DependencyError: If the engine is not installed.
        """

    @abstractmethod
    def version(self) -> str:
        """Returns the version that is installed."""
