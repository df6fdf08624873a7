"""The runs to fuse, and their weights."""

from __future__ import annotations

import math
import os
from collections.abc import Iterable, Mapping, Sequence
from os import PathLike, fspath

from relyon.core.errors import InputError, ParameterError
from relyon.core.notes import Note
from relyon.core.parameters import check_items
from relyon.core.rules import SortTies as Ties
from relyon.core.texts import message
from relyon.data.run import Run
from relyon.io import read_run
from relyon.ltr.fusion.method import Method

__all__ = ["Ties", "check_queries", "named_runs", "repeated_runs", "run_weights"]


def named_runs(runs: Iterable[object] | Mapping[str, object]) -> list[Run]:
    """Returns the runs; the keys of a mapping become their names.

    Raises:
        ParameterError: If there are fewer than two.
    """
    listed = runs.values() if isinstance(runs, Mapping) else runs
    values = check_items("runs", listed, "a list of runs")
    if len(values) < 2:
        raise ParameterError(
            message("core.fusion-needs-at-least", count=len(values)),
            hint=message("ltr.runs-is-list"),
        )
    found = _read_all(values)
    if not isinstance(runs, Mapping):
        return found
    return [
        Run(run.table, name=name, source=run.source, notes=run.notes)
        for name, run in zip(runs, found, strict=True)
    ]


def _read_all(values: Sequence[object]) -> list[Run]:
    """Returns the runs; files are read in parallel, and the first invalid one is reported."""
    if not all(isinstance(value, str | PathLike) and fspath(value) != "-" for value in values):
        return [read_run(value) for value in values]
    from concurrent.futures import ThreadPoolExecutor

    with ThreadPoolExecutor(min(len(values), os.cpu_count() or 1, 8)) as pool:
        return list(pool.map(read_run, values))


def check_queries(runs: Sequence[Run]) -> tuple[Note, ...]:
    """Returns a note on queries that some runs lack.

    Raises:
        InputError: If no query is in two of the runs.
    """
    having: dict[str, int] = {}
    for run in runs:
        for query in run.queries:
            having[query] = having.get(query, 0) + 1
    if not having:
        raise InputError(message("ltr.runs-are-empty"))
    if max(having.values()) < 2:
        examples = ", ".join(f"`{run.queries[0]}`" for run in runs if run.queries)
        raise InputError(
            message("ltr.no-query-occurs"),
            hint=message("ltr.check-query-ids", examples=examples),
        )
    partial = [query for query, count in having.items() if count < len(runs)]
    if not partial:
        return ()
    return (
        Note(
            "partial-queries",
            len(partial),
            "warning",
            tuple(partial[:3]),
            {"queries": len(having), "runs": len(runs)},
        ),
    )


def repeated_runs(runs: Sequence[Run]) -> tuple[Note, ...]:
    """Returns a note on runs that are the same as one before them, document by document.

    Args:
        runs: The runs. Of two that differ, only the queries up to the first difference are read.
    """
    again: list[str] = []
    alike: dict[tuple[int, tuple[str, ...]], list[Run]] = {}
    for number, run in enumerate(runs, start=1):
        earlier = alike.setdefault((len(run), tuple(sorted(run.queries))), [])
        if any(_same(run, one) for one in earlier):
            again.append(run.name or f"run {number}")
        else:
            earlier.append(run)
    if not again:
        return ()
    return (Note("repeated-runs", len(again), "warning", tuple(again[:3])),)


def _same(one: Run, other: Run) -> bool:
    return all(one.documents(query) == other.documents(query) for query in one.queries)


def run_weights(method: Method, weights: Sequence[float] | None, runs: int) -> list[float]:
    """Returns one weight per run.

    Raises:
        ParameterError: If the method does not allow weights or requires them, or their number is
            not that of the runs.
    """
    if weights is None:
        if method.needs_weights:
            raise ParameterError(
                message("ltr.fusion-method-needs-weights", method_name=method.name),
                hint=message("ltr.give-numbers", runs=runs),
            )
        return [1.0] * runs
    if not method.weighted:
        raise ParameterError(message("ltr.fusion-method-does", method_name=method.name))
    try:
        numbers = [float(weight) for weight in weights]
    except (TypeError, ValueError):
        numbers = [math.nan]
    if not all(map(math.isfinite, numbers)):
        raise ParameterError(message("ltr.weights-must-be-numbers", weights=weights))
    if len(numbers) != runs:
        raise ParameterError(
            message("ltr.there-are-weights", count=len(numbers), runs=runs),
            hint=message("ltr.one-per-run"),
        )
    return numbers
