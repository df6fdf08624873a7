"""Search for parameters and weights on judged queries, with an estimate for other queries."""

from __future__ import annotations

import math
import random
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import product

from relyon.core.document.terminal import width
from relyon.core.errors import InputError, ParameterError
from relyon.core.parameters import check_whole
from relyon.core.texts import Language, catalogue, message
from relyon.data.judgments import Judgments
from relyon.data.run import Run
from relyon.evaluation import Evaluator
from relyon.io import read_judgments
from relyon.ltr.fusion.fused_run import fused_table
from relyon.ltr.fusion.inputs import check_queries, named_runs, run_weights
from relyon.ltr.fusion.method import Method, method_of
from relyon.ltr.fusion.trained_methods import trained_method
from relyon.measures import measure as measure_of

__all__ = ["FusionSearch", "Trial", "optimize_fusion"]

Progress = Callable[[int, int], None]
Values = dict[str, float]


@dataclass(frozen=True)
class Trial:
    """One setting of the search.

    Attributes:
        parameters: The method's parameters.
        weights: The runs' weights; `None` without weights.
        score: The measure's mean over the queries of the search.
    """

    parameters: Mapping[str, float]
    weights: tuple[float, ...] | None
    score: float = math.nan

    def to_text(self, language: Language = "en") -> str:
        """Returns the parameters and weights as text."""
        shown = [f"{name}={value:g}" for name, value in self.parameters.items()]
        if self.weights is not None:
            shown.append("weights=" + ",".join(f"{weight:g}" for weight in self.weights))
        return " ".join(shown) or catalogue("tables", language)["fusion.no_parameters"]

    def __str__(self) -> str:
        return self.to_text()


@dataclass(frozen=True)
class FusionSearch:
    """The result of a parameter search.

    Attributes:
        measure: The measure.
        method: The method with the best parameters, trained on all queries of the search.
        weights: The best weights, or `None`.
        score: The best mean, on the same queries that chose it: expect less on others.
        held_out: The mean if each query is scored with the setting that the other folds chose: an
            estimate for other queries. `None` without folds.
        folds: The number of folds.
        queries: The number of queries with a value.
        alone: The mean of each single run.
        trials: Every setting, in the order of the search.

    Examples:
        >>> judgments, run = {"q": {"a": 1}}, {"q": {"b": 2.0, "a": 1.0}}
        >>> search = optimize_fusion(judgments, [run, run], "rrf", "rr", folds=0)
        >>> search.score, len(search.trials)
        (0.5, 10)
    """

    measure: str
    method: Method
    weights: tuple[float, ...] | None
    score: float
    held_out: float | None
    folds: int
    queries: int
    alone: Mapping[str, float]
    trials: tuple[Trial, ...] = field(repr=False)

    @property
    def best(self) -> Trial:
        """The best setting; the first of equal ones.

        Examples:
            >>> judgments, run = {"q": {"a": 1}}, {"q": {"a": 1.0}}
            >>> optimize_fusion(judgments, [run, run], "rrf", "rr", folds=0).best
            Trial(parameters={'k': 10}, weights=None, score=1.0)
        """
        return max(self.trials, key=lambda trial: trial.score)

    def to_text(self, language: Language = "en") -> str:
        """Returns the best setting, and its value compared with each single run.

        Args:
            language: `en` or `zh`.
        """
        words = catalogue("tables", language)
        found = {"method": self.method.name, "trials": len(self.trials)}
        lines = [words.say("fusion.search", best=self.best.to_text(language), **found)]
        held_out = words["fusion.held_out"]
        wide = max(width(name) for name in (*self.alone, held_out))
        rows = [
            *((name, value, words["fusion.alone"]) for name, value in self.alone.items()),
            (words["fusion.these"], self.score, words["fusion.optimistic"]),
        ]
        if self.held_out is not None:
            rows.append((held_out, self.held_out, words.say("fusion.expect", folds=self.folds)))
        lines += [
            f"  {name}{' ' * (wide - width(name))}  {self.measure} {value:.4f}  {remark}"
            for name, value, remark in rows
        ]
        return "\n".join(lines)

    def __str__(self) -> str:
        return self.to_text()


def optimize_fusion(
    judgments: object,
    runs: Iterable[object] | Mapping[str, object],
    method: str = "wsum",
    measure: str = "ndcg@10",
    *,
    normalize: str | None = None,
    grid: Mapping[str, Sequence[float]] | None = None,
    step: float = 0.1,
    folds: int = 5,
    progress: Progress | None = None,
) -> FusionSearch:
    """Searches the best parameters and weights of a method on judged queries, by grid search.

    The mean of the best setting on the queries that chose it is too high. So the queries are also
    split into folds, and each is scored with the setting that the other folds chose (and, for
    trained methods, trained): that mean is `held_out`, to be compared with those of single runs.

    Args:
        judgments: Judgments, in any form that `relyon.evaluate` takes.
        runs: Two or more runs.
        method: The fusion method's name. If it needs weights, all multiples of `step` that add up
            to 1 are tried.
        measure: The measure to maximise: one that is a mean over queries.
        normalize: As in `relyon.fuse`.
        grid: The values to try by parameter; `None` takes the method's own.
        step: The step between weights, such as 0.1 or 0.05.
        folds: The number of folds of the queries; 0 computes no `held_out`.
        progress: Called with the number of settings done, and their total.

    Returns:
        The best setting, its value, and all settings tried.

    Raises:
        ParameterError: If the method has no parameters to search or learn, or an argument is
            invalid.
        InputError: If none of the runs' queries is judged, or too few for the folds.

    Examples:
        >>> import relyon
        >>> judgments = {f"q{n}": {"a": 1} for n in range(4)}
        >>> good = {f"q{n}": {"a": 2.0, "b": 1.5, "c": 1.0} for n in range(4)}
        >>> poor = {f"q{n}": {"c": 2.0, "b": 1.9, "a": 1.0} for n in range(4)}
        >>> search = relyon.optimize_fusion(judgments, [good, poor], "wsum", "rr", folds=2)
        >>> search.score, search.held_out, search.weights
        (1.0, 1.0, (0.7, 0.3))
    """
    search = _Search(judgments, runs, method, measure, normalize)
    settings = search.settings(grid, step)
    parts = check_whole("folds", folds, least=0)
    if parts == 1:
        raise ParameterError(message("ltr.parameter-folds-must-be-0"))
    values = search.all_values(settings, search.judgments, progress, parts)
    if parts > len(values[0]):
        raise InputError(
            message(
                "ltr.judged-queries-cannot",
                count=len(values[0]),
                parts=parts,
            ),
            hint=message("ltr.give-fewer-folds"),
        )
    means = [_mean(found.values()) for found in values]
    best = settings[means.index(max(means))]
    held_out = None
    if parts:
        held_out = search.held_out(settings, values, parts, progress)
    return FusionSearch(
        measure=measure,
        method=search.taught(best, search.judgments),
        weights=best.weights,
        score=max(means),
        held_out=held_out,
        folds=parts,
        queries=len(values[0]),
        alone=search.alone(),
        trials=tuple(
            Trial(setting.parameters, setting.weights, mean)
            for setting, mean in zip(settings, means, strict=True)
        ),
    )


class _Search:
    """The data of one search, and the evaluation of settings on it."""

    def __init__(
        self,
        judgments: object,
        runs: Iterable[object] | Mapping[str, object],
        method: str,
        measure: str,
        normalize: str | None,
    ) -> None:
        self.judgments = read_judgments(judgments)
        self.runs = named_runs(runs)
        check_queries(self.runs)
        self.method = method
        self.kind = type(method_of(method, {}))
        self.measure = measure
        self.normalize = normalize
        self.evaluator = Evaluator(self.judgments)
        if measure_of(measure).combine != "mean":
            raise ParameterError(
                message(
                    "ltr.is-not-mean-over",
                    measure=measure,
                ),
                hint=message("ltr.choose-one-such-as-ndcg"),
            )

    def settings(self, grid: Mapping[str, Sequence[float]] | None, step: float) -> list[Trial]:
        """Returns the settings to try."""
        values = self.kind.grid if grid is None else grid
        weights: list[tuple[float, ...] | None] = [None]
        if self.kind.needs_weights:
            weights = list(_weights(len(self.runs), step))
        elif not values and not self.kind.trained:
            raise ParameterError(
                message(
                    "ltr.fusion-method-has-no-parameters",
                    kind_name=self.kind.name,
                ),
                hint=message("ltr.has-no-parameters"),
            )
        names = list(values)
        settings = [
            Trial(dict(zip(names, numbers, strict=True)), shares)
            for numbers in product(*values.values())
            for shares in weights
        ]
        if not settings:
            raise ParameterError(message("ltr.grid-is-empty"), hint=message("ltr.give-at-least"))
        for setting in settings:
            self.kind.of(**setting.parameters)
        return settings

    def taught(self, setting: Trial, judgments: Judgments) -> Method:
        """Returns the method of a setting, trained on judgments if it is a trained method."""
        method = self.kind.of(**setting.parameters)
        return trained_method(method, judgments, self.runs, "doc-desc")

    def values(self, setting: Trial, taught_by: Judgments) -> Values:
        """Returns the measure's values of all judged queries that have one."""
        method = self.taught(setting, taught_by)
        table = fused_table(
            [run.table for run in self.runs],
            method,
            normalize=self.normalize,
            weights=run_weights(method, setting.weights, len(self.runs)),
            ties="doc-desc",
        )
        return self._measured(Run(table, name=method.name))

    def _measured(self, run: Run) -> Values:
        values = self.evaluator.evaluate(run, [self.measure]).values_by_query(self.measure)
        return {query: value for query, value in values.items() if not math.isnan(value)}

    def alone(self) -> dict[str, float]:
        """Returns the mean of each single run; runs with the same name are numbered."""
        names = [run.name for run in self.runs]
        if len(set(names)) < len(names):
            names = [f"{name} ({place})" for place, name in enumerate(names, 1)]
        return {
            name: _mean(self._measured(run).values())
            for name, run in zip(names, self.runs, strict=True)
        }

    def all_values(
        self, settings: Sequence[Trial], taught_by: Judgments, progress: Progress | None, parts: int
    ) -> list[Values]:
        """Returns the values of every setting."""
        total = len(settings) * (1 + (parts if self.kind.trained else 0))
        found = []
        for done, setting in enumerate(settings, 1):
            found.append(self.values(setting, taught_by))
            if progress is not None:
                progress(done, total)
        return found

    def held_out(
        self,
        settings: Sequence[Trial],
        values: list[Values],
        parts: int,
        progress: Progress | None,
    ) -> float:
        """Returns the mean over queries, each scored with the setting of the other folds."""
        queries = sorted(values[0])
        random.Random(0).shuffle(queries)
        grades = self.judgments.to_dict() if self.kind.trained else {}
        total = len(settings) * (1 + (parts if self.kind.trained else 0))
        scores = []
        for part in range(parts):
            held = queries[part::parts]
            rest = [query for query in queries if query not in set(held)]
            columns: Iterable[Values] = values
            if self.kind.trained:
                others = Judgments.from_dict({query: grades[query] for query in rest})
                columns = []
                for done, setting in enumerate(settings, 1):
                    columns.append(self.values(setting, others))
                    if progress is not None:
                        progress(len(settings) * (1 + part) + done, total)
            best = max(columns, key=lambda column: _mean(column[query] for query in rest))
            scores += [best[query] for query in held]
        return _mean(scores)


def _mean(values: Iterable[float]) -> float:
    numbers = list(values)
    return math.fsum(numbers) / len(numbers) if numbers else math.nan


def _weights(runs: int, step: float) -> Iterator[tuple[float, ...]]:
    """Yields all weights that are multiples of a step and add up to 1, the most even ones first."""
    parts = round(1 / step) if 0 < step <= 1 else 0
    if not parts or not math.isclose(parts * step, 1, rel_tol=1e-9):
        raise ParameterError(
            message(
                "ltr.parameter-step-must-divide",
                step=step,
            ),
            hint=message("ltr.such-as-0-1"),
        )

    def shares(left: int, places: int) -> Iterator[tuple[int, ...]]:
        if places == 1:
            yield (left,)
            return
        for first in range(left, -1, -1):
            for others in shares(left - first, places - 1):
                yield (first, *others)

    for whole in sorted(shares(parts, runs), key=lambda found: sum(part * part for part in found)):
        yield tuple(part / parts for part in whole)
