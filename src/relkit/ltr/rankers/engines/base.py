"""What an engine of boosted trees does for a ranker."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar

from relkit.core.registry import Registry

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from relkit.ltr.rankers.rows import TrainingRows

__all__ = ["Engine", "Forest", "Task", "TreeSettings", "engines"]

MODULES = {
    "relkit.ltr.rankers.engines.lightgbm": "lightgbm lgb lgbm",
}

#: Every engine by its name.
engines: Registry[Engine] = Registry("tree engine", modules=MODULES)


@dataclass(frozen=True, kw_only=True)
class TreeSettings:
    """How trees are grown, in words that every engine understands.

    Attributes:
        trees: How many.
        learning_rate: What share of a tree's answer is added.
        leaves: Leaves of a tree at most.
        depth: Levels of a tree at most; None for any number.
        min_rows: Rows of a leaf at least.
        l2: What is added to a leaf's Hessian: draws its value towards 0.
        row_fraction: The share of rows that each tree sees.
        feature_fraction: The share of features that each tree sees.
        seed: Where random numbers start.
        threads: Threads to use; 0 takes one per processor.
        options: Further parameters of the engine, under its own names.
    """

    trees: int
    learning_rate: float
    leaves: int
    depth: int | None
    min_rows: int
    l2: float
    row_fraction: float
    feature_fraction: float
    seed: int
    threads: int
    options: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Task:
    """What the trees are to learn.

    Attributes:
        loss: What they make small.
    """

    loss: str


class Forest(ABC):
    """Trained trees."""

    @abstractmethod
    def predict(self, values: Any) -> NDArray[np.float64]:
        """Scores a matrix of features."""

    @abstractmethod
    def to_bytes(self) -> bytes:
        """Returns the trees in the engine's own format."""

    @abstractmethod
    def importance(self) -> NDArray[np.float64]:
        """Returns how much each feature's splits gained."""


class Engine(ABC):
    """A library of boosted trees. A subclass is one file, and registers one instance."""

    name: ClassVar[str]
    aliases: ClassVar[tuple[str, ...]] = ()
    #: The file of a saved ranker that holds the trees.
    part: ClassVar[str]

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
