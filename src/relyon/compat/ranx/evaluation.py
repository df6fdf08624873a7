"""ranx's `evaluate`."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from relyon.compat.ranx.arrays import grades_of, scores_of
from relyon.compat.ranx.metrics import Metric
from relyon.compat.ranx.qrels_and_run import Qrels, Run
from relyon.core.errors import InputError
from relyon.core.texts import message
from relyon.data.convention import load_convention
from relyon.data.judgments import Judgments
from relyon.data.run import Run as RelyonRun
from relyon.evaluation import Evaluator

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

__all__ = ["evaluate", "mean_of_run"]


def evaluate(
    qrels: object,
    run: object,
    metrics: Sequence[str] | str,
    return_mean: bool = True,
    return_std: bool = False,
    threads: int = 0,
    save_results_in_run: bool = True,
    make_comparable: bool = False,
) -> Any:
    """Evaluates a run as ranx does.

    Args:
        qrels: Judgments: `Qrels`, a dict, or NumPy arrays (a list of them, Python's or numba's):
            for each query (document, grade) rows, documents being numbers.
        run: The run in the same forms; the rows of arrays are in ranked order.
        metrics: One name or several: `hits`, `hit_rate`, `precision`, `recall`, `f1`,
            `r-precision`, `mrr`, `map`, `dcg`, `dcg_burges`, `ndcg`, `ndcg_burges`, `bpref`, each
            with `@k`, and `rbp.95` for a persistence of 0.95. `-l2` at the end sets the lowest
            relevant grade.
        return_mean: Returns means; otherwise one array per metric, in the order of the query ids
            (of the dict, if `qrels` is one).
        return_std: Returns {"mean": ..., "std": ...} for each metric.
        threads: Threads to use; 0 uses all cores.
        save_results_in_run: Keeps the values in `run.scores`, `run.mean_scores`.
        make_comparable: Adds an empty list for judged queries missing from the run, and leaves out
            unjudged queries of the run.

    Returns:
        A number (or array) for one metric, a dict by name for several.

    Raises:
        InputError: If qrels and run do not have the same queries, or another form.
        ValueError: If a metric is unknown.

    Examples:
        >>> qrels = Qrels({"q1": {"d1": 3, "d2": 2}})
        >>> run = Run({"q1": {"d2": 1.5, "d1": 1.2, "d3": 0.3}})
        >>> round(float(evaluate(qrels, run, "ndcg@10")), 4)
        0.9134
    """
    import numpy as np

    names = [metrics] if isinstance(metrics, str) else list(metrics)
    wanted = {name: Metric(name) for name in names}
    if make_comparable and isinstance(qrels, Qrels) and isinstance(run, Run):
        run = run.make_comparable(qrels)
    grades = qrels._data if isinstance(qrels, Qrels) else grades_of(qrels)
    queries = qrels.get_query_ids() if isinstance(qrels, Qrels) else list(grades)
    scores: Mapping[str, Mapping[str, float]]
    scores = run._data if isinstance(run, Run) else scores_of(run)
    if make_comparable:
        scores = {query: scores.get(query, {}) for query in queries}
    _check_queries(queries, scores)
    judgments = qrels.judgments() if isinstance(qrels, Qrels) else Judgments.from_dict(dict(grades))
    source = scores if any(scores[query] for query in queries) else None
    found = _values(judgments, grades, source, queries, wanted, threads=threads)
    if isinstance(run, Run) and save_results_in_run:
        for name, column in found.items():
            run.mean_scores[name] = float(np.mean(column))
            if return_mean and return_std:
                run.std_scores[name] = float(np.std(column))
            run.scores[name] = dict(zip(queries, column, strict=True))
    answers: dict[str, object] = dict(found)
    if return_mean:
        for name, column in found.items():
            mean = np.mean(column)
            answers[name] = {"mean": mean, "std": np.std(column)} if return_std else mean
    return answers[names[0]] if len(answers) == 1 else answers


def _check_queries(queries: Sequence[str], scores: Mapping[str, object]) -> None:
    missing = [query for query in queries if query not in scores]
    more = len(scores) - (len(queries) - len(missing))
    if missing or more:
        example = f", such as `{missing[0]}`" if missing else ""
        raise InputError(
            message(
                "compat.qrels-and-run-do",
                count=len(missing),
                example=example,
                more=more,
            ),
            hint=message("compat.make-comparable-true-adds-empty"),
        )


def _values(
    judgments: Judgments,
    grades: Mapping[str, Mapping[str, float]],
    scores: Mapping[str, Mapping[str, float]] | RelyonRun | None,
    queries: Sequence[str],
    wanted: Mapping[str, Metric],
    *,
    threads: int,
) -> dict[str, NDArray[np.float64]]:
    """Returns every metric's values in the order of `queries`; `None` is an empty run."""
    import numpy as np

    levels: list[float] = []
    if judgments.table.fractional or any(metric.needs_levels for metric in wanted.values()):
        levels = sorted({float(grade) for row in grades.values() for grade in row.values()})
    convention = load_convention("ranx").replace(missing="zero", name="ranx")
    evaluator = Evaluator(judgments, convention=convention, threads=threads)
    spelled = {name: metric.measure(levels) for name, metric in wanted.items()}
    asked = list(dict.fromkeys([*spelled.values(), *_extra(wanted)]))
    if scores is not None and len(judgments.table):
        run = scores if isinstance(scores, RelyonRun) else dict(scores)
        results = evaluator.evaluate(run, asked)
        order = {query: place for place, query in enumerate(results.queries)}
        places = [order.get(query, -1) for query in queries]
        columns = {
            name: np.nan_to_num(np.array([*results.column(name), 0.0]), nan=0.0)[places]
            for name in asked
        }
    else:
        columns = {name: np.zeros(len(queries)) for name in asked}
    found = {}
    for name, metric in wanted.items():
        column = columns[spelled[name]] * metric.factor(levels)
        if metric.name == "bpref":
            # 0/0 there: every judged document is relevant
            retrieved = columns[metric.retrieved()]
            for place, query in enumerate(queries):
                if retrieved[place] and min(grades[query].values()) >= metric.level:
                    column[place] = math.nan
        found[name] = column
    return found


def mean_of_run(qrels: Qrels, run: RelyonRun, metric: str) -> float:
    """Returns one metric's mean over the queries of the qrels, for a run of relyon's own."""
    import numpy as np

    queries = qrels.get_query_ids()
    wanted = {metric: Metric(metric)}
    source = run if len(run) else None
    values = _values(qrels.judgments(), qrels._data, source, queries, wanted, threads=0)
    return float(np.mean(values[metric]))


def _extra(wanted: Mapping[str, Metric]) -> list[str]:
    return [metric.retrieved() for metric in wanted.values() if metric.name == "bpref"]
