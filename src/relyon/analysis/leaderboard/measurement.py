"""The entry: judgments and runs, results, or values of another program; one task or several."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Literal, TypedDict, Unpack, get_args

from relyon.analysis.comparison.contrast import describes_data
from relyon.analysis.comparison.pairing import Sample
from relyon.analysis.comparison.query_facts import Column, QueryFacts
from relyon.analysis.comparison.runs import Progress, check_titles, evaluate_runs, run_titles
from relyon.analysis.comparison.sample_queries import only_queries
from relyon.analysis.comparison.values import PerQuery
from relyon.analysis.leaderboard.costs import read_costs
from relyon.analysis.leaderboard.ranking import Design, rank_measure
from relyon.analysis.leaderboard.result import Leaderboard
from relyon.analysis.statistics import Resampling
from relyon.core.errors import InputError, ParameterError
from relyon.core.notes import Note, shared_notes, warn
from relyon.core.parameters import check_choice, check_fraction, check_items
from relyon.core.texts import message
from relyon.evaluation import DEFAULT_MEASURES, Average, Evaluator, MeasureNames
from relyon.evaluation.mistakes import refuse_columns_as_runs
from relyon.evaluation.results import Results
from relyon.evaluation.same_inputs import (
    DifferentInputs,
    check_conventions,
    check_definitions,
    queries_judged_alike,
)

if TYPE_CHECKING:
    from relyon.data.convention import Convention
    from relyon.data.scale import Scale

__all__ = ["RankOptions", "Tasks", "leaderboard", "leaderboard_results", "leaderboard_values"]

Tasks = Literal["fixed", "sampled"]
ONE = ""


class RankOptions(TypedDict, total=False):
    """The settings of ranks, as keyword arguments.

    Attributes:
        costs: What each run costs; see `relyon.analysis.leaderboard.read_costs`.
        queries: A table of queries with the column that `cluster` names.
        cluster: The column of clusters of queries that are alike, or a mapping {query: cluster}.
        confidence: The level of the intervals (0.95).
        resamples: Number of draws (1,000).
        seed: Equal seeds give identical results.
    """

    costs: object
    queries: object
    cluster: Column | None
    confidence: float
    resamples: int
    seed: int


def leaderboard(
    judgments: object,
    runs: Sequence[object] | Mapping[str, object],
    measures: MeasureNames = DEFAULT_MEASURES,
    *,
    names: Sequence[str] | None = None,
    convention: Convention | str | Mapping[str, object] | None = None,
    average: Average | None = None,
    scale: Scale | str | None = None,
    threads: int = 0,
    progress: Progress | None = None,
    **options: Unpack[RankOptions],
) -> Leaderboard:
    """Ranks runs on each measure, with intervals of their ranks.

    A run's rank is 1 + the number of runs with a better value. Its interval is from 1 + the number
    of runs that are separated from it and better, to the number of runs minus those that are
    separated and worse. All pairs are tested together on the queries that all runs have, so that
    with probability `confidence` all intervals contain the true ranks at once (Mogstad et al.
    2024; `relyon.analysis.statistics.separation` has the test). Runs that are truly equal have
    several true ranks: all of them are covered. Measures are ranked one by one: there is no
    correction for their number.

    Args:
        judgments: See `relyon.evaluate`.
        runs: Two or more runs, see `relyon.evaluate`; or runs by name, such as {"bm25": run}.
        measures: One or more names such as `ndcg@10`. Measures of the data, such as `judged@10`,
            have no better or worse and are left out.
        names: The names of the runs; by default their files' names.
        convention: See `relyon.evaluate`.
        average: See `relyon.evaluate`.
        scale: See `relyon.evaluate`.
        threads: Threads of the evaluation; 0 uses all cores.
        progress: Called with the work done, the total, and the next step.
        **options: `costs`: what each run costs, such as {"bm25": {"p50": 12.0}}, or a table with a
            column `name`. `queries` and `cluster`: as for `relyon.compare`. `confidence` (0.95) of
            all intervals. `resamples` (1,000): number of draws. `seed` (0).

    Returns:
        A `Leaderboard`: `found["ndcg@10"].standings` are the runs, the best first.

    Raises:
        InputError: If the data cannot be used, or runs have no query in common.
        UnknownNameError: If a measure, preset or scale has no such name.
        ParameterError: If a parameter has an invalid value, or there are fewer than two runs.

    Examples:
        >>> import relyon
        >>> judgments = {f"q{n}": {"good": 1, "bad": 0} for n in range(20)}
        >>> good = {query: {"good": 2.0, "bad": 1.0} for query in judgments}
        >>> bad = {query: {"good": 1.0, "bad": 2.0} for query in judgments}
        >>> found = relyon.leaderboard(judgments, [bad, good], "rr", names=["bad", "good"])
        >>> [(one.run, one.value, one.ranks) for one in found["rr"].standings]
        [('good', 1.0, (1, 1)), ('bad', 0.5, (2, 2))]

    References:
        Mogstad, Romano, Shaikh and Wilhelm (2024), Review of Economic Studies 91(1).
    """
    if isinstance(runs, Mapping):
        names = [str(name) for name in runs] if names is None else names
        runs = list(runs.values())
    one = isinstance(runs, str | os.PathLike)
    runs = [runs] if one else check_items("runs", runs, "a list of runs")
    refuse_columns_as_runs(judgments, runs)
    titles = run_titles(runs, names)
    evaluator = Evaluator(judgments, convention=convention, scale=scale, threads=threads)
    results = evaluate_runs(evaluator, runs, titles, measures, average=average, progress=progress)
    return leaderboard_results(results, **options)


def leaderboard_results(
    results: Sequence[Results] | Mapping[str, Sequence[Results]],
    *,
    tasks: Tasks = "fixed",
    different_inputs: DifferentInputs = "refuse",
    **options: Unpack[RankOptions],
) -> Leaderboard:
    """Ranks runs by existing evaluations: of `relyon.evaluate`, or of `relyon.read_results`.

    Args:
        results: One per run; or by task, such as {"nq": [a, b], "msmarco": [a, b]}: then a run's
            value is the mean over the tasks of its mean over their queries. All with the same
            measures, and in all tasks the same runs.
        tasks: `fixed`: the ranks are those on these tasks, over other queries of each, of which
            each task needs six. `sampled`: they are those on other tasks like these, so that tasks
            are the units; it takes many.
        different_inputs: As for `relyon.compare_results`.
        **options: As for `relyon.leaderboard`.

    Returns:
        A `Leaderboard`, as `relyon.leaderboard`.

    Raises:
        InputError: If they were measured with different judgments, or have no query in common.
        ParameterError: If there are fewer than two, or they differ in measures, rules or runs.

    Examples:
        >>> import relyon
        >>> judgments = {f"q{n}": {"good": 1, "bad": 0} for n in range(12)}
        >>> good = {query: {"good": 2.0, "bad": 1.0} for query in judgments}
        >>> bad = {query: {"good": 1.0, "bad": 2.0} for query in judgments}
        >>> results = [
        ...     relyon.evaluate(judgments, run, "rr", name=name)
        ...     for name, run in (("old", bad), ("new", good))
        ... ]
        >>> found = relyon.leaderboard_results({"first": results, "second": results})
        >>> [(one.run, one.value, one.ranks) for one in found["rr"].standings]
        [('new', 1.0, (1, 1)), ('old', 0.5, (2, 2))]
    """
    check_choice("tasks", tasks, get_args(Tasks))
    several = isinstance(results, Mapping)
    by_task = dict(results) if isinstance(results, Mapping) else {ONE: list(results)}
    if not by_task:
        raise ParameterError(message("analysis.no-tasks"), hint=message("analysis.give-tasks"))
    first = next(iter(by_task.values()))
    titles = [one.run for one in first]
    check_titles(titles)
    names = [name for name in first[0].entries if not describes_data(_definition(first[0], name))]
    notes: list[Note] = []
    samples: dict[str, dict[str, list[Sample]]] = {}
    for task, found in by_task.items():
        ordered = _ordered(found, titles, task)
        _check_measures([first[0], *ordered])
        check_conventions([first[0], *ordered])
        check_definitions([first[0], *ordered])
        alike, more = queries_judged_alike(ordered, different_inputs)
        said = [*shared_notes((one.run, one.notes) for one in ordered), *more]
        notes += [_of_task(note, task) for note in said] if several else said
        for name in names:
            column = [Sample.of(one, name) for one in ordered]
            if alike is not None:
                column = [only_queries(one, alike) for one in column]
            samples.setdefault(name, {})[task] = column
    if not samples:
        raise ParameterError(
            message("analysis.no-measure-ranks", names=list(first[0].entries)),
            hint=message("analysis.name-measure-that-ranks"),
        )
    inputs = {
        (f"{task}: {one.run}" if several else one.run): one.inputs.to_dict()
        for task, found in by_task.items()
        for one in found
        if one.inputs is not None
    }
    facts = {name: (_definition(first[0], name), first[0].entries[name].average) for name in names}
    return _ranked(
        titles, samples, facts, notes, (several, tasks), first[0].convention, inputs, options
    )


def leaderboard_values(
    values: Mapping[str, PerQuery] | Mapping[str, Mapping[str, PerQuery]],
    *,
    tasks: Tasks | None = None,
    **options: Unpack[RankOptions],
) -> Leaderboard:
    """Ranks runs by values that another program computed, query by query; higher is better.

    Measures that relyon knows have their own direction.

    Args:
        values: By run: a mapping {measure: {query: value}}, or a file, as for
            `relyon.compare_values`. With `tasks` by task, then by run.
        tasks: `fixed` or `sampled`, as for `relyon.leaderboard_results`: the values are by task.
            Without it there is one task.
        **options: As for `relyon.leaderboard`.

    Returns:
        A `Leaderboard`, as `relyon.leaderboard`.

    Raises:
        InputError: If a file cannot be read, or runs have no measure or query in common.
        ParameterError: If there are fewer than two runs, or tasks have other runs.

    Examples:
        >>> import relyon
        >>> old = {"ndcg": {f"q{n}": 0.1 * n for n in range(10)}}
        >>> new = {"ndcg": {f"q{n}": 0.1 * n + 0.05 + n % 3 / 50 for n in range(10)}}
        >>> found = relyon.leaderboard_values({"old": old, "new": new})
        >>> [(one.run, one.ranks) for one in found["ndcg"].standings]
        [('new', (1, 1)), ('old', (2, 2))]
    """
    by_task: Mapping[str, Mapping[str, PerQuery]]
    if tasks is None:
        by_task = {ONE: values}  # type: ignore[dict-item]
    else:
        check_choice("tasks", tasks, get_args(Tasks))
        by_task = values  # type: ignore[assignment]
    if not by_task:
        raise ParameterError(message("analysis.no-tasks"), hint=message("analysis.give-tasks"))
    columns = {task: _read(one) for task, one in by_task.items()}
    titles = list(next(iter(columns.values())))
    check_titles(titles)
    every = [one for found in columns.values() for one in found.values()]
    names = [name for name in every[0] if all(name in one for one in every)]
    if not names:
        shown = " and ".join(", ".join(map(str, one)) for one in every[:2])
        raise InputError(
            message("analysis.and-have-no-measure", names=titles[0], names_2=titles[1],
                    columns=shown)
        )  # fmt: skip
    left = sorted({name for one in every for name in one} - set(names))
    notes = [Note("unshared-measures", len(left), values={"measures": left})] if left else []
    samples: dict[str, dict[str, list[Sample]]] = {name: {} for name in names}
    for task, found in columns.items():
        _check_runs(list(found), titles, task)
        for name in names:
            samples[name][task] = [
                Sample({str(query): float(one) for query, one in found[run][name].items()})
                for run in titles
            ]
    facts = dict.fromkeys(names, ("", "macro"))
    way: Tasks = tasks or "fixed"
    return _ranked(titles, samples, facts, notes, (tasks is not None, way), None, {}, options)


def _read(values: Mapping[str, PerQuery]) -> dict[str, Mapping[str, Mapping[str, float]]]:
    from relyon.io.per_query_values import read_values

    return {
        str(run): one if isinstance(one, Mapping) else read_values(one)
        for run, one in values.items()
    }


def _definition(results: Results, name: str) -> str:
    return results.entries[name].definition or name


def _of_task(note: Note, task: str) -> Note:
    """Returns a note that names its task."""
    return note.about(f"{note.run} ({task})" if note.run else task)


def _ordered(found: Sequence[Results], titles: Sequence[str], task: str) -> list[Results]:
    """Returns a task's results in the order of the first task's runs."""
    by_run = {one.run: one for one in found}
    _check_runs(list(by_run), titles, task)
    return [by_run[name] for name in titles]


def _check_runs(found: Sequence[str], titles: Sequence[str], task: str) -> None:
    missing = [name for name in titles if name not in found]
    more = [name for name in found if name not in titles]
    if missing or more:
        raise ParameterError(
            message("analysis.task-has-other-runs", task=task, names=missing or more),
            hint=message("analysis.give-runs-of-every-task"),
        )


def _check_measures(results: Sequence[Results]) -> None:
    for one in results[1:]:
        if list(one.entries) != list(results[0].entries):
            raise ParameterError(
                message(
                    "analysis.has-measures",
                    run=one.run,
                    entries=list(one.entries),
                    run_2=results[0].run,
                    entries_2=list(results[0].entries),
                ),
                hint=message("analysis.evaluate-both-with-same"),
            )


def _ranked(
    titles: Sequence[str],
    samples: Mapping[str, Mapping[str, Sequence[Sample]]],
    facts: Mapping[str, tuple[str, str]],
    notes: Sequence[Note],
    tasks: tuple[bool, Tasks],
    convention: Convention | None,
    inputs: Mapping[str, object],
    options: RankOptions,
) -> Leaderboard:
    """Returns the leaderboard of every measure.

    Args:
        titles: The names of the runs.
        samples: By measure and task, the values of all runs.
        facts: By measure, its definition and its average.
        notes: Notes of the evaluations.
        tasks: Whether values are by task, and how tasks count.
        convention: The rules.
        inputs: Fingerprints.
        options: The settings.
    """
    level = options.get("confidence", 0.95)
    check_fraction("confidence", level)
    draws = Resampling(options.get("resamples", 1000), options.get("seed", 0))
    several, way = tasks
    cluster = options.get("cluster")
    if cluster is not None and several and way == "sampled":
        raise ParameterError(
            message("analysis.clusters-and-sampled-tasks"),
            hint=message("analysis.leave-out-clusters"),
        )
    known = QueryFacts()
    if cluster is not None:
        ids = {
            query
            for by_task in samples.values()
            for column in by_task.values()
            for one in column
            for query in one.values
        }
        known = QueryFacts.read(ids, queries=options.get("queries"), cluster=cluster)
    costs = options.get("costs")
    design = Design(
        tuple(titles),
        level,
        draws,
        known,
        several,
        way == "sampled",
        {} if costs is None else read_costs(costs, titles),
    )
    boards, found = [], list(notes)
    found += known.notes
    counts: dict[str, int] = {}
    for name, by_task in samples.items():
        board, more, counts = rank_measure(name, *facts[name], by_task, design)
        boards.append(board)
        found += [one for one in more if one not in found]
    warn(one for one in found if one not in notes)
    return Leaderboard(
        tuple(boards),
        level,
        counts if several else {},
        several and way == "sampled",
        known.cluster,
        draws.resamples,
        draws.seed,
        convention,
        inputs,
        tuple(found),
    )
