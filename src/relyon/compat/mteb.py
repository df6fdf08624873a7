"""MTEB's predictions as runs, its tasks' judgments, and its results as values of tasks."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from typing import Any

from relyon.compat.identical_ids import without_identical_ids
from relyon.core.errors import InputError, UnknownNameError
from relyon.core.notes import Note, warn
from relyon.core.texts import message
from relyon.data.judgments import Judgments
from relyon.data.run import Run
from relyon.io.byte_source import Source

__all__ = ["judgments", "run", "scores"]

#: The key of a predictions file that is not a subset.
META = "mteb_model_meta"


def judgments(task: Any, *, subset: str | None = None, split: str | None = None) -> Judgments:
    """Returns the judgments of a retrieval or reranking task.

    MTEB leaves out queries without any judgment before it searches; they are not here either.

    Args:
        task: A task of MTEB 2, such as `mteb.get_task("SciFact")`. Its data are loaded if they are
            not.
        subset: The subset, such as a language; None takes the only one.
        split: The split, such as `test`; None takes the only one.

    Raises:
        InputError: If the task is not about retrieval, or has no judgments there.
        UnknownNameError: If it has no such subset or split, or several and none is named.
    """
    data = _data(task, subset, split)
    grades = {query: dict(one) for query, one in data["relevant_docs"].items() if len(one)}
    return Judgments.from_dict(grades, source=str(task.metadata.name))


def run(
    predictions: str | os.PathLike[str] | Mapping[str, Any],
    *,
    subset: str | None = None,
    split: str | None = None,
    task: Any = None,
    name: str | None = None,
) -> Run:
    """Returns what a model retrieved, as `mteb.evaluate(…, prediction_folder=FOLDER)` stores it.

    A predictions file has all results. MTEB's scores of some tasks leave out a query's own document
    (`ignore_identical_ids`) or the first result (`skip_first_result`): give the task, and the run
    has what these scores count. For MTEB's numbers evaluate with `convention="pytrec_eval"`.

    Args:
        predictions: A file `TASK_predictions.json`, or its content.
        subset: The subset, such as a language; None takes the only one.
        split: The split, such as `test`; None takes the only one.
        task: The task whose rules are to be followed.
        name: The name of the run; by default that of the model.

    Raises:
        InputError: If it is not a file of predictions.
        UnknownNameError: If it has no such subset or split, or several and none is named.

    Examples:
        >>> stored = {"default": {"test": {"q1": {"d1": 0.5}}}}
        >>> run(stored).to_dict()
        {'q1': {'d1': 0.5}}
    """
    path = os.fspath(predictions) if isinstance(predictions, str | os.PathLike) else ""
    content = _content(path) if path else predictions
    if not isinstance(content, Mapping):
        raise InputError(message("compat.no-predictions-of-mteb"), path=path)
    subsets = {key: value for key, value in content.items() if key != META}
    found = _chosen(_chosen(subsets, subset, "subset", path), split, "split", path)
    meta = content.get(META)
    scores = {query: dict(one) for query, one in found.items()}
    if getattr(task, "ignore_identical_ids", False):
        scores = without_identical_ids(scores)
    if getattr(task, "skip_first_result", False):
        # As MTEB does: a stable sort by score, so that the first of tied results is the first here.
        best = {query: max(one, key=one.__getitem__, default=None) for query, one in scores.items()}
        scores = {
            query: {key: score for key, score in one.items() if key != best[query]}
            for query, one in scores.items()
        }
    named = name or (str(meta.get("model_name")) if isinstance(meta, Mapping) else None)
    return Run.from_dict(scores, name=named, source=path or "memory")


def scores(
    folder: str | os.PathLike[str], *, measure: str = "main_score", split: str | None = None
) -> dict[str, dict[str, dict[str, dict[str, float]]]]:
    """Returns the results of models, as MTEB stores them, by task, for a leaderboard over tasks.

    `relyon.leaderboard_values(scores(FOLDER), tasks="sampled")` ranks the models: a task's value is
    the mean over its subsets, such as languages, and tasks are the units. Only tasks that all
    models have are returned; a note says how many are left out.

    Args:
        folder: A folder with the files `MODEL/REVISION/TASK.json`, such as a copy of MTEB's
            repository of results or what `mteb.evaluate` stores.
        measure: A score of the files, such as `ndcg_at_10`; `main_score` is that of MTEB's tables.
        split: The split, such as `dev`; by default `test` if a task has it, or the only one.

    Returns:
        {task: {model: {measure: {subset: value}}}}.

    Raises:
        InputError: If there are no results, no task is common to all models, or a model has two
            revisions of a task.
        UnknownNameError: If a task has no such split, or several and none is named.
    """
    found: dict[str, dict[str, dict[str, dict[str, float]]]] = {}
    base = os.fspath(folder)
    models: set[str] = set()
    for place, _, files in sorted(os.walk(base)):
        for file in sorted(files):
            path = os.path.join(place, file)
            if not file.endswith(".json") or file == "model_meta.json":
                continue
            content = _content(path)
            if not isinstance(content, Mapping) or "task_name" not in content:
                continue
            model = os.path.relpath(path, base).split(os.sep)[0].replace("__", "/")
            by_model = found.setdefault(str(content["task_name"]), {})
            if model in by_model:
                raise InputError(message("compat.two-results-of-mteb", model=model), path=path)
            models.add(model)
            by_model[model] = {measure: _subsets(content.get("scores"), measure, split, path)}
    whole = {task: one for task, one in sorted(found.items()) if len(one) == len(models)}
    if not whole:
        raise InputError(
            message("compat.no-results-of-mteb", count=len(models), tasks=len(found)), path=base
        )
    left = sorted(found.keys() - whole.keys())
    if left:
        warn([Note("mteb-tasks-left-out", len(left), "warning", tuple(left[:3]))])
    return {task: {model: one[model] for model in sorted(models)} for task, one in whole.items()}


def _subsets(content: Any, measure: str, split: str | None, path: str) -> dict[str, float]:
    """Returns a score of each subset of a task."""
    splits = content if isinstance(content, Mapping) else {}
    name = "test" if split is None and "test" in splits else split
    if not splits or not all(isinstance(one, list) for one in splits.values()):
        raise InputError(message("compat.no-scores-of-mteb", measure=measure), path=path)
    rows = _chosen({key: {"rows": one} for key, one in splits.items()}, name, "split", path)
    found = {}
    for row in rows["rows"]:
        value = row.get(measure) if isinstance(row, Mapping) else None
        if isinstance(value, bool) or not isinstance(value, int | float):
            raise InputError(message("compat.no-scores-of-mteb", measure=measure), path=path)
        found[str(row.get("hf_subset", "default"))] = float(value)
    return found


def _data(task: Any, subset: str | None, split: str | None) -> Mapping[str, Any]:
    if not hasattr(task, "convert_v1_dataset_format_to_v2"):
        raise InputError(message("compat.task-is-not-retrieval", name=type(task).__name__))
    if not task.data_loaded:
        task.load_data()
    task.convert_v1_dataset_format_to_v2(num_proc=None)
    source = str(task.metadata.name)
    return _chosen(_chosen(task.dataset, subset, "subset", source), split, "split", source)


def _content(path: str) -> object:
    text = Source(path).read_all()
    try:
        return json.loads(text)
    except ValueError:
        raise InputError(message("compat.no-predictions-of-mteb"), path=path) from None


def _chosen(
    content: Mapping[str, Any], asked: str | None, what: str, path: str
) -> Mapping[str, Any]:
    """Returns the part of a name, or the only one."""
    if not content or not all(isinstance(one, Mapping) for one in content.values()):
        raise InputError(message("compat.no-predictions-of-mteb"), path=path)
    name = next(iter(content)) if asked is None and len(content) == 1 else asked
    if name is None or name not in content:
        found = message("compat.part-of-mteb", name=what, parts=sorted(content), given=asked)
        if path:
            found = message("core.path-message", path=path, message=found)
        raise UnknownNameError(found)
    part: Mapping[str, Any] = content[name]
    return part
