"""The search for parameters, on training queries only, by Optuna."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

from relyon.core.errors import ParameterError
from relyon.core.packages import optional_package
from relyon.core.texts import message
from relyon.ltr.preparation.query_split import Duplicates, split
from relyon.ltr.training.outcome import SearchTrial

if TYPE_CHECKING:
    from relyon.data.labelled import LabelledRows
    from relyon.ltr.rankers.ranker import Ranker

__all__ = ["Span", "search_parameters", "space_of"]

#: The share of the training queries that scores the trials.
SHARE = 0.25


class Trial(Protocol):
    """A trial of Optuna."""

    def suggest_int(self, name: str, low: int, high: int, *, log: bool) -> int: ...
    def suggest_float(self, name: str, low: float, high: float, *, log: bool) -> float: ...


@dataclass(frozen=True)
class Span:
    """The range of a parameter in a search.

    Attributes:
        low: The lowest.
        high: The highest.
        whole: Whether it is a whole number.
        logarithmic: Whether its logarithm is sampled uniformly.
    """

    low: float
    high: float
    whole: bool = False
    logarithmic: bool = False

    def draw(self, trial: Trial, name: str) -> float:
        """Returns the value that Optuna suggests, an int if it is a whole number.

        Args:
            trial: A trial of Optuna.
            name: The parameter's name.
        """
        if self.whole:
            return trial.suggest_int(name, int(self.low), int(self.high), log=self.logarithmic)
        return trial.suggest_float(name, self.low, self.high, log=self.logarithmic)


#: The ranges of a search by the kind of ranker.
SPACES: Mapping[str, Mapping[str, Span]] = {
    "trees": {
        "trees": Span(30, 300, whole=True, logarithmic=True),
        "learning_rate": Span(0.02, 0.3, logarithmic=True),
        "leaves": Span(4, 63, whole=True, logarithmic=True),
        "min_rows": Span(5, 100, whole=True, logarithmic=True),
        "l2": Span(0.001, 10, logarithmic=True),
        "feature_fraction": Span(0.4, 1),
    },
    "linear": {"l2": Span(1e-6, 10, logarithmic=True)},
    "neural": {
        "epochs": Span(5, 60, whole=True, logarithmic=True),
        "learning_rate": Span(0.0005, 0.02, logarithmic=True),
        "l2": Span(1e-6, 0.01, logarithmic=True),
        "dropout": Span(0, 0.4),
    },
}


def space_of(ranker: Ranker) -> Mapping[str, Span]:
    """Returns the ranges of a search for a ranker: its attribute `space`, or those of its kind.

    Raises:
        ParameterError: If there are none.
    """
    found = getattr(ranker, "space", None) or SPACES.get(getattr(ranker, "kind", ""))
    if not found:
        raise ParameterError(
            message("ltr.no-parameters-to-search", name=type(ranker).__name__),
            hint=message("ltr.leave-out-search"),
        )
    known: Mapping[str, Span] = found
    return known


def search_parameters(
    ranker: Ranker,
    rows: LabelledRows,
    trials: int,
    measured: Callable[[Ranker, LabelledRows], float],
    *,
    seed: int = 0,
    duplicates: Duplicates = "together",
    fixed: Collection[str] = (),
    progress: Callable[[int, int, str], None] | None = None,
) -> tuple[dict[str, object], tuple[SearchTrial, ...]]:
    """Returns the best parameters of a ranker, and all trials.

    A quarter of the queries scores the trials; the others train them. The rows must be training
    rows, without held-out ones.

    Args:
        ranker: An unfitted ranker.
        rows: Training rows.
        trials: The number of settings to try.
        measured: Called with a trained ranker and rows; returns the measure.
        seed: The seed of the search and of the choice of queries.
        duplicates: Keep queries that share a row in the same part.
        fixed: Parameters that are not searched for; nor is the number of steps of a ranker with
            early stopping, which uses the queries that score the trial.
        progress: Called with the number of trials done, their total, and the best value.

    Raises:
        ParameterError: If the ranker has no parameters to search.
        InputError: If there are too few queries.
        DependencyError: If Optuna is not installed.
    """
    from sklearn.base import clone

    optuna = optional_package(
        "optuna", purpose=message("ltr.parameter-search"), install="relyon[tuning]"
    )
    stops = getattr(ranker, "stop", None) is not None
    fixed = {*fixed, *([ranker.steps] if stops else [])}
    space = {name: span for name, span in space_of(ranker).items() if name not in fixed}
    if not space:
        raise ParameterError(
            message("ltr.every-parameter-is-given"),
            hint=message("ltr.leave-out-search-or-parameter"),
        )
    parts = split(rows, test=SHARE, valid=0, seed=seed, duplicates=duplicates)
    training, scoring = parts.train, parts.test
    tried: list[SearchTrial] = []

    def score(trial: Trial) -> float:
        drawn: dict[str, object] = {name: span.draw(trial, name) for name, span in space.items()}
        tried_on = {"eval_set": scoring} if stops else {}
        value = measured(clone(ranker).set_params(**drawn).fit(training, **tried_on), scoring)
        tried.append(SearchTrial(drawn, value))
        if progress is not None:
            progress(len(tried), trials, f"{max(one.score for one in tried):.4f}")
        return value

    verbosity = optuna.logging.get_verbosity()
    optuna.logging.set_verbosity(optuna.logging.WARNING)
    try:
        study = optuna.create_study(
            direction="maximize", sampler=optuna.samplers.TPESampler(seed=seed)
        )
        study.optimize(score, n_trials=trials)
    finally:
        optuna.logging.set_verbosity(verbosity)
    best = max(tried, key=lambda one: one.score)
    return dict(best.parameters), tuple(tried)
