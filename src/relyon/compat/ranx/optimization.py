"""ranx's `optimize_fusion`."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import product
from typing import Any

from relyon.compat.ranx import fusion
from relyon.compat.ranx.evaluation import mean_of_run
from relyon.compat.ranx.normalization import borda_norm
from relyon.compat.ranx.qrels_and_run import Qrels, Run
from relyon.compat.ranx.report import OptimizationReport
from relyon.core.errors import InputError, ParameterError
from relyon.core.registry import suggestion
from relyon.core.texts import message
from relyon.data.run import Run as RelyonRun

__all__ = ["optimize_fusion"]

Trials = Iterable[tuple[str, Mapping[str, object]]]

#: The parameter that is searched, and its default lowest and highest value and step.
SEARCHED: dict[str, tuple[str, float, float, float]] = {
    "gmnz": ("gamma", 0.01, 1.0, 0.01),
    "logn_isr": ("sigma", 0.01, 1.0, 0.01),
    "rbc": ("phi", 0.01, 1.0, 0.01),
    "rrf": ("k", 10, 100, 10),
    "slidefuse": ("w", 1, 100, 1),
    "probfuse": ("n_segments", 1, 100, 1),
}
WEIGHTED = ("mixed", "w_bordafuse", "w_condorcet", "wmnz", "wsum")
TRAINED: dict[str, tuple[str, Callable[[Qrels, Sequence[Run]], object]]] = {
    "bayesfuse": ("log_odds", fusion.bayesfuse_train),
    "mapfuse": ("map_scores", fusion.mapfuse_train),
    "posfuse": ("probs", fusion.posfuse_train),
    "segfuse": ("probs", fusion.segfuse_train),
}


def optimize_fusion(
    qrels: Qrels,
    runs: Sequence[Run],
    norm: str | None = "min-max",
    method: str = "wsum",
    metric: str = "ndcg",
    return_optimization_report: bool = False,
    rounding_digits: int = 3,
    show_percentages: bool = False,
    **kwargs: float,
) -> Any:
    """Tries all settings of a method, as ranx does, and returns the parameters of the best.

    Of equal settings the last wins, as in ranx. Weights are those whose floating-point sum is
    exactly 1, as in ranx: (0.2, 0.1, 0.7) is tried, (0.7, 0.2, 0.1) is not.
    `relyon.optimize_fusion` tries all, and estimates the best one's quality on held-out queries.

    Args:
        qrels: The judgments.
        runs: Two or more runs of the same queries.
        norm: How scores are normalised; `None` does not.
        method: ranx's name of the method.
        metric: The metric to maximise.
        return_optimization_report: Returns (parameters, report) with every setting.
        rounding_digits: Of the report.
        show_percentages: Of the report.
        kwargs: `step`; `min_k`, `max_k` … of the parameter searched; `show_progress`.

    Returns:
        Parameters for `fuse`.

    Raises:
        InputError: If the runs and the qrels do not have the same queries.
        ValueError: If the method has nothing to search, or a name is unknown.
    """
    fusion.check_runs(runs)
    for number, run in enumerate(runs):
        if run.get_query_ids() != qrels.get_query_ids():
            raise InputError(message("compat.run-and-qrels-do", number=number))
    if norm == "borda":
        runs, norm = borda_norm(runs), None
    if method in TRAINED:
        if return_optimization_report:
            raise ParameterError(
                message("compat.does-not-support-optimization-report", method=method)
            )
        name, train = TRAINED[method]
        return {name: train(qrels, runs)}
    if method not in SEARCHED and method not in WEIGHTED:
        known = [*SEARCHED, *WEIGHTED, *TRAINED]
        raise ParameterError(
            message("compat.does-not-support-optimization", method=method),
            hint=suggestion(method, known),
        )
    show_progress = kwargs.pop("show_progress", True) and sys.stderr.isatty()
    trials = list(_trials(method, qrels, runs, kwargs))
    tables = [run.as_run().table for run in runs]
    scores: dict[str, float] = {}
    best: tuple[float, Mapping[str, object]] = (0.0, {})
    for done, (label, params) in enumerate(trials, 1):
        chosen, weights = fusion.made(method, params)
        fused = RelyonRun(fusion.fused_native(tables, chosen, weights, norm))
        scores[label] = mean_of_run(qrels, fused, metric)
        if scores[label] >= best[0]:
            best = (scores[label], params)
        if show_progress:
            end = "\n" if done == len(trials) else ""
            print(f"\rOptimizing {method}: {done} of {len(trials)}", end=end, file=sys.stderr)
    if not return_optimization_report:
        return dict(best[1])
    return dict(best[1]), OptimizationReport(
        method=method,
        configs=list(scores),
        results=list(scores.values()),
        metric=metric,
        rounding_digits=rounding_digits,
        show_percentages=show_percentages,
    )


def _trials(method: str, qrels: Qrels, runs: Sequence[Run], wanted: Mapping[str, float]) -> Trials:
    """Yields each setting's label and parameters, in ranx's order."""
    options = dict(wanted)
    step = options.pop("step", None)
    if method in WEIGHTED:
        _no_more(method, options)
        for weights in product(_multiples(0, 1, step or 0.1), repeat=len(runs)):
            if sum(weights) == 1.0:
                yield str(weights), {"weights": weights}
        return
    name, low, high, usual = SEARCHED[method]
    low, high = options.pop(f"min_{name}", low), options.pop(f"max_{name}", high)
    _no_more(method, options)
    values = _multiples(low, high, step or usual)
    if method == "slidefuse":
        probs = fusion.slidefuse_train(qrels, runs)
        for value in values:
            yield str(value), {"probs": probs, "w": value}
    elif method == "probfuse":
        for value in values:
            yield str(value), {"probs": fusion.probfuse_train(qrels, runs, int(value))}
    else:
        for value in values:
            yield str(value), {name: value}


def _no_more(method: str, options: Mapping[str, object]) -> None:
    if options:
        raise ParameterError(
            message(
                "compat.is-not-searched",
                method=method,
                options=next(iter(options)),
            )
        )


def _multiples(low: float, high: float, step: float) -> list[float]:
    if isinstance(step, int):
        return list(range(int(low), int(high) + 1, step))
    import numpy as np

    digits = str(step)[::-1].find(".")
    return [round(float(value), digits) for value in np.arange(low, high + step, step)]
