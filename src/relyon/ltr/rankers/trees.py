"""Rankers of boosted trees."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, ClassVar

from relyon.core.errors import ParameterError
from relyon.core.parameters import check_least, check_whole
from relyon.core.texts import message
from relyon.data.convention import Convention
from relyon.ltr.losses import Loss
from relyon.ltr.rankers.engines.engine import Engine, Forest, Task, TreeSettings, engines
from relyon.ltr.rankers.exporting.exported import Candidate, ExportFormat
from relyon.ltr.rankers.ranker import Ranker
from relyon.ltr.rankers.training_loss import checked_loss, plain
from relyon.ltr.rankers.watched_rows import Stop, checked_stop
from relyon.measures.definition import Measure

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import ArrayLike, NDArray

    from relyon.data.matrices import FeatureMatrix
    from relyon.ltr.rankers.query_rows import TrainingRows

__all__ = ["TreeRanker"]


class TreeRanker(Ranker):
    """Boosted trees that minimise a loss of ranked lists: LambdaMART and its relatives.

    Args:
        loss: The loss: `lambdarank`, `regression`, …
        engine: `lightgbm`, `xgboost` or `catboost`.
        measure: The measure to optimise: the ranker is scored by it.
        convention: The measure's rules.
        trees: The number of trees.
        learning_rate: The factor of each tree's values.
        leaves: The largest number of leaves of a tree.
        depth: The largest number of levels of a tree; None for no limit.
        min_rows: The smallest number of rows of a leaf; None for the engine's default: 20 of
            LightGBM, 1 of CatBoost. XGBoost has no such bound.
        l2: Added to a leaf's Hessian: draws its value towards 0.
        row_fraction: The share of rows that each tree is trained on.
        feature_fraction: The share of features that each tree is trained on.
        stop: With an `eval_set`: training stops after so many trees without a better measure on
            it, and the trees up to the best are used; `significance`: as soon as the measure is
            significantly worse than at its best; None: never.
        seed: The seed of random numbers: the same data and seed give the same trees. LambdaRank's
            differ by seed even if no fraction is drawn: the seed draws the order of equal scores,
            and before the first tree all are equal. `lambdarank(ties=input)` takes the order of
            the rows instead, which must not be that of the labels.
        threads: Threads to use; 0 uses all cores, or a single one for few rows of LightGBM,
            whose trees do not depend on it.
        options: Further parameters of the engine, under its own names.

    Attributes:
        forest_: The trees, behind an interface that every engine has.
        history_: The measure on `eval_set` after each tree.
        n_iter_: The number of trees used.
        feature_importances_: The gain of each feature's splits, or, of CatBoost, how much they
            change the scores; adds up to 1.

    Examples:
        >>> import numpy as np, relyon.ltr
        >>> random = np.random.default_rng(1)
        >>> X = random.normal(size=(200, 3))
        >>> labels, qid = (X[:, 0] > 0.5).astype(int), np.arange(200) // 10
        >>> ranker = relyon.ltr.TreeRanker(trees=5, min_rows=5, threads=1).fit(X, labels, qid=qid)
        >>> ranker.score(X, labels, qid) > 0.95
        True
        >>> ranker.feature_importances_.argmax().item()
        0

    References:
        Burges (2010), From RankNet to LambdaRank to LambdaMART.
    """

    kind: ClassVar[str] = "trees"
    steps: ClassVar[str] = "trees"
    takes_missing: ClassVar[bool] = True

    def __init__(
        self,
        loss: str | Loss = "lambdarank",
        *,
        engine: str = "lightgbm",
        measure: str | Measure = "ndcg@10",
        convention: Convention | str | Mapping[str, object] | None = None,
        trees: int = 100,
        learning_rate: float = 0.1,
        leaves: int = 31,
        depth: int | None = None,
        min_rows: int | None = None,
        l2: float = 0.0,
        row_fraction: float = 1.0,
        feature_fraction: float = 1.0,
        stop: Stop = None,
        seed: int = 0,
        threads: int = 0,
        options: Mapping[str, object] | None = None,
    ) -> None:
        self.loss = loss
        self.engine = engine
        self.measure = measure
        self.convention = convention
        self.trees = trees
        self.learning_rate = learning_rate
        self.leaves = leaves
        self.depth = depth
        self.min_rows = min_rows
        self.l2 = l2
        self.row_fraction = row_fraction
        self.feature_fraction = feature_fraction
        self.stop = stop
        self.seed = seed
        self.threads = threads
        self.options = options

    def _train(self, rows: TrainingRows, valid: TrainingRows | None) -> None:
        engine = self._engine()
        settings = self._settings()
        stop = checked_stop(self.stop, valid)
        loss = checked_loss(self.loss, self.measure_, self.convention_, rows)
        task = Task(
            loss,
            settings.seed,
            settings.threads,
            self.measure_,
            self.convention_,
            stop,
        )
        self.forest_: Forest = engine.train(rows, valid, task, settings)
        self.history_ = list(self.forest_.history)

    def _scores(self, values: FeatureMatrix, qid: ArrayLike | None) -> NDArray[np.float64]:
        return self.forest_.predict(values)

    @property
    def n_iter_(self) -> int:
        """The number of trees used."""
        return int(self.forest_.trees)

    @property
    def feature_importances_(self) -> NDArray[np.float64]:
        """The gain of each feature's splits, as shares of 1; 0 each if nothing was split."""
        gains = self.forest_.importance()
        total = gains.sum()
        return gains / total if total > 0 else gains

    def _engine(self) -> Engine:
        return engines.get(self.engine)

    def _settings(self) -> TreeSettings:
        """Returns the parameters, checked.

        Raises:
            ParameterError: If one has an invalid value.
        """
        for name, least in (("trees", 1), ("leaves", 2), ("seed", 0), ("threads", 0)):
            check_whole(name, plain(getattr(self, name)), least=least)
        for name in ("depth", "min_rows"):
            if getattr(self, name) is not None:
                check_whole(name, plain(getattr(self, name)))
        check_least("l2", self.l2)
        for name in ("learning_rate", "row_fraction", "feature_fraction"):
            value = getattr(self, name)
            if not 0 < value <= 1:
                raise ParameterError(
                    message(
                        "core.parameter-must-be-above",
                        name=name,
                        value=value,
                    )
                )
        return TreeSettings(
            trees=int(self.trees),
            learning_rate=float(self.learning_rate),
            leaves=int(self.leaves),
            depth=None if self.depth is None else int(self.depth),
            min_rows=None if self.min_rows is None else int(self.min_rows),
            l2=float(self.l2),
            row_fraction=float(self.row_fraction),
            feature_fraction=float(self.feature_fraction),
            seed=int(self.seed),
            threads=int(self.threads),
            options=dict(self.options or {}),
        )

    @classmethod
    def _files(cls, parameters: Mapping[str, object]) -> tuple[str, ...]:
        return (engines.get(str(parameters["engine"])).part,)

    def _parts(self) -> dict[str, bytes]:
        return {self._engine().part: self.forest_.to_bytes()}

    def _restore(self, parts: Mapping[str, bytes]) -> None:
        engine = self._engine()
        self.forest_ = engine.load(parts[engine.part], self.threads)

    def _formats(self) -> dict[ExportFormat, tuple[str, ...]]:
        engine = self._engine()
        found: dict[ExportFormat, tuple[str, ...]] = {"onnx": (".onnx",)}
        if engine.treelite:
            found["treelite"] = (".treelite", ".tl")
        return found | {"engine": engine.endings}

    def _exported_name(self) -> str:
        return self._engine().title

    def _candidate(self, format: ExportFormat, ending: str) -> Candidate:
        if format == "engine":
            data = self.forest_.to_file(ending)
            return Candidate(
                data, self._engine().load(data, self.threads).predict, precision="float64"
            )
        from relyon.ltr.rankers.exporting.onnx_files import described, tree_candidate

        if format == "treelite":
            from relyon.ltr.rankers.exporting.trees import treelite_candidate

            return treelite_candidate(self.forest_.to_treelite(), described(self))
        model, blurred = self.forest_.to_onnx()
        return tree_candidate(model, self.n_features_in_, described(self), blurred)

    def _versions(self) -> dict[str, str]:
        engine = self._engine()
        return {engine.name: engine.version()}
