"""Runs evaluated where they lie: streamed from a file, from a mapping, from a frame's columns."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from contextlib import ExitStack
from os import PathLike, fspath
from typing import TYPE_CHECKING, Any

from relkit import _native, io
from relkit.evaluation.columns import Column, batch_columns, python_columns
from relkit.io import as_run
from relkit.run import Run

if TYPE_CHECKING:
    from relkit.evaluation.program import Program
    from relkit.judgments import Judgments
    from relkit.notes import Note
    from relkit.ranking import Ranking

__all__ = ["evaluate_run"]


def evaluate_run(
    judgments: Judgments, program: Program, run: Any, threads: int
) -> tuple[_native.Batch, dict[str, Column], tuple[Note, ...]]:
    """Evaluates a run where it lies: a file is streamed, a frame's columns are not copied."""
    table = judgments.table
    notes: tuple[Note, ...] = ()
    if not program.in_python and _is_data_frame(run):
        batch, notes = _evaluate_frame(table, program, run, threads)
    elif program.in_python or not _streams(run):
        run = as_run(run)
        notes = run.notes
        batch = _native.evaluate_run(table, program.plan, run.table, threads)
    else:
        batch = _evaluate_stream(table, program.plan, run, threads)
    columns = batch_columns(program, batch)
    if program.in_python:
        columns |= _in_python(judgments, program, batch, run)
    return batch, columns, notes


def _in_python(
    judgments: Judgments, program: Program, batch: _native.Batch, run: Run
) -> dict[str, Column]:
    """Evaluates the measures that have no kernel, query by query."""
    from relkit.ranking import Ranking

    def rankings() -> Iterable[Ranking]:
        for query in batch.queries:
            documents, scores, ranks = (
                run.table.documents(query) if query in run.table else ([], [], None)
            )
            yield Ranking.build(
                judgments.table.grades(query),
                documents,
                scores,
                program.convention,
                ranks=ranks,
                query=query,
                graded=judgments.table.subtopics(query),
            )

    return python_columns(program, rankings(), batch.missing)


def _streams(run: Any) -> bool:
    """Whether a run can be evaluated without keeping it."""
    if isinstance(run, str | PathLike):
        return io.is_trec_run(fspath(run))
    return isinstance(run, Mapping)


def _is_data_frame(run: Any) -> bool:
    if isinstance(run, str | PathLike | Mapping | Run):
        return False
    from relkit.columns import is_frame

    return is_frame(run)


def _evaluate_frame(
    table: _native.JudgmentTable, program: Program, frame: Any, threads: int
) -> tuple[_native.Batch, tuple[Note, ...]]:
    """Evaluates the columns of a data frame where they lie."""
    from relkit.columns import polars_columns, run_columns

    columns = polars_columns(frame, "run")
    if program.convention.ties != "rank" and "score" in columns:
        columns.pop("rank", None)
    run = run_columns(columns)
    batch = _native.evaluate_arrow(
        table, program.plan, run.query, run.document, run.score, run.rank, threads
    )
    return batch, run.notes


def _evaluate_stream(
    table: _native.JudgmentTable, plan: _native.Plan, run: Any, threads: int
) -> _native.Batch:
    if isinstance(run, Mapping):
        return _native.evaluate_dict(table, plan, run)
    with io.open_source(fspath(run)) as source, ExitStack() as readers:
        if source.plain:
            return _native.evaluate_text(table, plan, source.path, threads)

        def again() -> Callable[[int], bytes]:
            reader = source.open()
            readers.callback(reader.close)
            return reader.read

        once = source.waiting
        return _native.evaluate_chunks(
            table, plan, source.read, source.path, None if once else again, threads
        )
