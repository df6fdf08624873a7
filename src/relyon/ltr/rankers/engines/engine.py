"""The interface between engines of boosted trees and rankers."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar, Literal

from relyon.core.registry import Registry
from relyon.data.convention import Convention
from relyon.ltr.losses import Loss
from relyon.ltr.losses.lambdarank import LambdaRank
from relyon.ltr.objectives.callbacks import stopping
from relyon.ltr.objectives.metric import feval
from relyon.ltr.objectives.objective import Objective, objective
from relyon.measures.gain import NDCG
from relyon.measures.parser import measure as parse_measure

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from relyon.ltr.rankers.query_rows import TrainingRows

__all__ = ["Drawn", "Engine", "Forest", "Task", "TreeSettings", "engines"]

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
        trees: How many.
        learning_rate: What share of a tree's answer is added.
        leaves: Leaves of a tree at most.
        depth: Levels of a tree at most; None for any number.
        min_rows: Rows of a leaf at least; None leaves it to the engine.
        l2: What is added to a leaf's Hessian: draws its value towards 0.
        row_fraction: The share of rows that each tree sees.
        feature_fraction: The share of features that each tree sees.
        seed: Where random numbers start.
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
    options: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Task:
    """The training task of the trees.

    Attributes:
        loss: What they make small; the measure of LambdaRank is resolved.
        seed: Where the draws of losses come from that draw: another one for each tree.
        threads: Threads to use; 0 uses all cores.
        measure: The measure on the validation rows.
        convention: The measure's rules.
        stop: After so many trees without a better measure on those rows no more are grown;
            `significance`: as soon as one is significantly worse than the best.
    """

    loss: Loss
    seed: int
    threads: int
    measure: str
    convention: Convention
    stop: int | Literal["significance"] | None = None

    def objective(self, rows: TrainingRows, engine: Any) -> Drawn:
        """Returns the loss as an engine's objective."""
        return Drawn(
            objective(self.loss, rows.rows, engine=engine, threads=self.threads), self.seed
        )

    def metric(self, valid: TrainingRows, engine: Any) -> Any:
        """Returns the measure on held-out rows as an engine's metric."""
        return feval(
            self.measure,
            valid.rows,
            engine=engine,
            convention=self.convention,
            threads=self.threads,
        )

    def stopping(self, metric: Any) -> Any:
        """Returns early stopping on a metric, as an engine calls it.

        Raises:
            ParameterError: If it stops by significance, and the measure is not a mean over queries.
        """
        if self.stop == "significance":
            return stopping(metric, "significance")
        return stopping(metric, rounds=self.stop)

    def ndcg(self) -> NDCG | None:
        """Returns the NDCG or DCG of LambdaRank: what engines know themselves; None for others."""
        if not isinstance(self.loss, LambdaRank):
            return None
        found = parse_measure(self.loss.measure)
        return found if isinstance(found, NDCG) else None


class Drawn:
    """An objective that draws anew for each tree, where it draws at all."""

    def __init__(self, inner: Objective, seed: int) -> None:
        self.inner = inner
        self.seed = seed
        self.trees = 0

    def __call__(self, first: Any, second: Any) -> Any:
        """Answers an engine with gradients and Hessians."""
        self.inner.seed = self.seed + self.trees
        self.trees += 1
        return self.inner(first, second)


class Forest(ABC):
    """Trained trees.

    Attributes:
        booster: The engine's own model.
        trees: The number of trees used.
        history: The measure on held-out rows after each tree; empty without such rows.
    """

    booster: Any
    trees: int
    history: Sequence[float] = ()

    @abstractmethod
    def predict(self, values: Any) -> NDArray[np.float64]:
        """Scores a matrix of features."""

    @abstractmethod
    def to_bytes(self) -> bytes:
        """Returns the trees in the engine's own format."""

    def to_file(self, ending: str) -> bytes:
        """Returns the trees in the engine's own format that a file's ending names."""
        return self.to_bytes()

    @abstractmethod
    def to_onnx(self) -> tuple[Any, tuple[int, ...]]:
        """Returns the trees as an ONNX model, and the features that single precision blurs.

        Raises:
            InputError: If they cannot be converted.
            DependencyError: If what converts them is not installed.
        """

    def to_treelite(self) -> Any:
        """Returns the trees as Treelite holds them, where the engine offers that format.

        Raises:
            InputError: If they cannot be converted.
            DependencyError: If Treelite is not installed.
        """
        raise NotImplementedError

    @abstractmethod
    def importance(self) -> NDArray[np.float64]:
        """Returns how much each feature's splits gained."""


class Engine(ABC):
    """A library of boosted trees. A subclass is one file, and registers one instance."""

    name: ClassVar[str]
    aliases: ClassVar[tuple[str, ...]] = ()
    #: Its name in sentences.
    title: ClassVar[str]
    #: The file of a saved ranker that holds the trees.
    part: ClassVar[str]
    #: How files of its own format end.
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
