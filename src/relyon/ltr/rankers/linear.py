"""Linear rankers: a weight per feature, without PyTorch."""

from __future__ import annotations

import io
from collections.abc import Mapping
from typing import TYPE_CHECKING, ClassVar

from relyon.core.errors import InputError
from relyon.core.packages import scipy_part
from relyon.core.parameters import check_least, check_whole
from relyon.core.texts import message
from relyon.data.convention import Convention
from relyon.ltr.losses import Loss
from relyon.ltr.rankers.exporting.exported import Candidate, ExportFormat
from relyon.ltr.rankers.ranker import Ranker
from relyon.ltr.rankers.scaling import Scaling
from relyon.ltr.rankers.training_loss import POINTWISE, checked_loss, plain, refuse_positions
from relyon.ltr.rankers.watched_rows import Stop, Watched, checked_stop
from relyon.measures.definition import Measure

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import ArrayLike, NDArray

    from relyon.data.matrices import FeatureMatrix
    from relyon.ltr.rankers.query_rows import TrainingRows

__all__ = ["LinearRanker"]

#: Convex losses: a descent finds their minimum from anywhere.
CONVEX = frozenset({*POINTWISE, "ranknet", "listnet", "listmle", "softmax"})


class LinearRanker(Ranker):
    """A weighted sum of features that minimises a loss of ranked lists.

    It minimises Σ loss(list) / lists + l2 ‖w‖² / 2 by L-BFGS over the weights w of standardised
    features and an intercept, which is not penalised; losses of differences of scores leave it
    at 0. Losses that are not convex start from the minimum of RankNet. LambdaRank and LambdaLoss
    jump when two documents change places, so the best point of the search is used.

    Args:
        loss: The loss: `ranknet`, `listnet`, `softrank(sigma=0.5)`, …
        measure: The measure to optimise: the ranker is scored by it.
        convention: The measure's rules.
        l2: The strength of the penalty on weights.
        iterations: The largest number of steps.
        stop: With an `eval_set`: the search stops after so many steps without a better measure on
            it, and the best step is used; `significance`: as soon as the measure is significantly
            worse than at its best; None: never.
        seed: The seed of losses that draw.
        threads: Threads to use; 0 uses all cores. The weights do not depend on it.

    Attributes:
        coef_: The weight of each unscaled feature.
        intercept_: The intercept.
        loss_: The mean loss of a list at the end.
        history_: The measure on `eval_set` after each step.
        n_iter_: The number of steps used.

    Examples:
        >>> import numpy as np, relyon.ltr
        >>> random = np.random.default_rng(1)
        >>> X = random.normal(size=(200, 3))
        >>> labels, qid = (X[:, 0] > 0.5).astype(int), np.arange(200) // 10
        >>> ranker = relyon.ltr.LinearRanker("ranknet", threads=1).fit(X, labels, qid=qid)
        >>> ranker.score(X, labels, qid)
        1.0
        >>> np.abs(ranker.coef_).argmax().item()
        0
    """

    kind: ClassVar[str] = "linear"
    steps: ClassVar[str] = "iterations"

    def __init__(
        self,
        loss: str | Loss = "ranknet",
        *,
        measure: str | Measure = "ndcg@10",
        convention: Convention | str | Mapping[str, object] | None = None,
        l2: float = 0.001,
        iterations: int = 200,
        stop: Stop = None,
        seed: int = 0,
        threads: int = 0,
    ) -> None:
        self.loss = loss
        self.measure = measure
        self.convention = convention
        self.l2 = l2
        self.iterations = iterations
        self.stop = stop
        self.seed = seed
        self.threads = threads

    def _train(self, rows: TrainingRows, valid: TrainingRows | None) -> None:
        import numpy as np

        iterations = check_whole("iterations", plain(self.iterations))
        check_least("l2", self.l2)
        stop = checked_stop(self.stop, valid)
        refuse_positions(rows, "a linear ranker")
        loss = checked_loss(self.loss, self.measure_, self.convention_, rows)
        scaling = Scaling.of(rows.values)
        point = np.zeros(rows.values.shape[1] + 1)
        problem = _Problem(rows, scaling, self)
        if loss.name not in CONVEX:
            point, _ = problem.lowest(
                checked_loss("ranknet", self.measure_, self.convention_, rows), point, 50
            )
        watched = None
        if valid is not None:
            watched = Watched(valid, self.measure_, self.convention_, stop, int(self.threads))
        point, self.n_iter_ = problem.lowest(loss, point, iterations, watched, valid)
        self.history_ = [] if watched is None else watched.history
        self.loss_ = problem.value(loss, point)
        self.coef_ = point[:-1] / scaling.scale
        self.intercept_ = float(point[-1] - scaling.centre @ self.coef_)

    def _scores(self, values: FeatureMatrix, qid: ArrayLike | None) -> NDArray[np.float64]:
        import numpy as np

        return np.asarray(values @ self.coef_ + self.intercept_, dtype=np.float64)

    @classmethod
    def _files(cls, parameters: Mapping[str, object]) -> tuple[str, ...]:
        return ("weights.npz",)

    def _parts(self) -> dict[str, bytes]:
        import numpy as np

        file = io.BytesIO()
        numbers = np.array([self.intercept_, self.loss_, self.n_iter_])
        np.savez(file, allow_pickle=False, coef=self.coef_, numbers=numbers)
        return {"weights.npz": file.getvalue()}

    def _restore(self, parts: Mapping[str, bytes]) -> None:
        import numpy as np

        try:
            with np.load(io.BytesIO(parts["weights.npz"]), allow_pickle=False) as found:
                coef, numbers = found["coef"], found["numbers"]
            fits = coef.shape == (self.n_features_in_,) and numbers.shape == (3,)
        except (OSError, ValueError, KeyError, EOFError):
            fits = False
        if not fits:
            raise InputError(message("ltr.weights-of-ranker-cannot"))
        self.coef_ = coef
        self.intercept_, self.loss_ = float(numbers[0]), float(numbers[1])
        self.n_iter_ = int(numbers[2])

    def _formats(self) -> dict[ExportFormat, tuple[str, ...]]:
        return {"onnx": (".onnx",)}

    def _candidate(self, format: ExportFormat, ending: str) -> Candidate:
        from relyon.ltr.rankers.exporting.onnx_files import described, linear_model, onnx_candidate

        return onnx_candidate(linear_model(self.coef_, self.intercept_), described(self))

    def _versions(self) -> dict[str, str]:
        return {"scipy": str(scipy_part("version").version)}


class _Problem:
    """The function of the weights to minimise."""

    def __init__(self, rows: TrainingRows, scaling: Scaling, ranker: LinearRanker) -> None:
        self.rows = rows.rows
        self.scaling = scaling
        self.values = rows.values
        self.lists = max(int((rows.sizes > 0).sum()), 1)
        self.l2 = float(ranker.l2)
        self.seed = int(ranker.seed)
        self.threads = int(ranker.threads)

    def __call__(self, loss: Loss, point: NDArray[np.float64]) -> tuple[float, NDArray[np.float64]]:
        """Returns the value and the gradient at a point."""
        import numpy as np

        found = loss.evaluate(
            self.rows.labels,
            self.scores(point, self.values),
            self.rows.groups,
            weights=self.rows.weights,
            hessian=False,
            seed=self.seed,
            threads=self.threads,
        )
        slope = found.gradient / self.lists
        total = slope.sum()
        gradient = np.empty_like(point)
        gradient[:-1] = (slope @ self.values - total * self.scaling.centre) / self.scaling.scale
        gradient[:-1] += self.l2 * point[:-1]
        gradient[-1] = total
        value = found.values.sum() / self.lists + self.l2 * (point[:-1] @ point[:-1]) / 2
        return float(value), gradient

    def scores(self, point: NDArray[np.float64], values: FeatureMatrix) -> NDArray[np.float64]:
        """Returns the scores of rows at a point."""
        import numpy as np

        weights = point[:-1] / self.scaling.scale
        shift = point[-1] - self.scaling.centre @ weights
        return np.asarray(values @ weights + shift, dtype=np.float64)

    def value(self, loss: Loss, point: NDArray[np.float64]) -> float:
        """Returns the mean loss of a list at a point."""
        penalty = self.l2 * float(point[:-1] @ point[:-1]) / 2
        return self(loss, point)[0] - penalty

    def lowest(
        self,
        loss: Loss,
        start: NDArray[np.float64],
        iterations: int,
        watched: Watched | None = None,
        valid: TrainingRows | None = None,
    ) -> tuple[NDArray[np.float64], int]:
        """Returns the lowest point of a search, and its number of steps.

        If watched rows may stop the search, returns the point of the step that is best on them.
        """
        minimize = scipy_part("optimize").minimize

        best, lowest = start, float("inf")

        def function(point: NDArray[np.float64]) -> tuple[float, NDArray[np.float64]]:
            nonlocal best, lowest
            value, gradient = self(loss, point)
            if value < lowest:
                best, lowest = point.copy(), value
            return value, gradient

        points: list[NDArray[np.float64]] = []

        def step(point: NDArray[np.float64]) -> None:
            if watched is not None and valid is not None:
                ends = watched.look(self.scores(point, valid.values))
                if watched.best == len(watched.history):
                    points[:] = [point.copy()]
                if ends:
                    raise StopIteration

        found = minimize(
            function,
            start,
            jac=True,
            method="L-BFGS-B",
            options={"maxiter": iterations},
            callback=step,
        )
        if watched is not None and watched.stops and points:
            return points[0], watched.best
        return best, int(found.nit)
