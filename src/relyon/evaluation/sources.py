"""Evaluates runs in place: streamed from a file, from a mapping, from a frame's columns."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, TypeGuard

from relyon import _native
from relyon.core.errors import InputError
from relyon.core.notes import Note
from relyon.data.run import TRAINED, Run
from relyon.evaluation.measure_columns import (
    Column,
    batch_columns,
    python_columns,
    unrecorded_notes,
)
from relyon.evaluation.passage_columns import chunk_notes
from relyon.io import Source, opened, read_run
from relyon.io.format import formats

if TYPE_CHECKING:
    from relyon.data.judgments import Judgments
    from relyon.data.ranking import Ranking
    from relyon.data.traces import Traces
    from relyon.evaluation.program import Program

__all__ = ["evaluate_run"]


def evaluate_run(
    judgments: Judgments, program: Program, run: object, threads: int
) -> tuple[_native.Batch, dict[str, Column], tuple[Note, ...]]:
    """Evaluates a run in place: a file is streamed, a frame's columns are not copied.

    Traces, and files of traces, are read whole; their rows are tasks.
    """
    table = judgments.table
    given = opened(run, "run") or run
    if isinstance(given, Source) and "traces" in formats.get(given.format).kinds:
        from relyon.io.traces import read_traces

        given = read_traces(given)
    if is_traces(given):
        from relyon.evaluation.task_columns import evaluate_traces

        return evaluate_traces(judgments, program, given, threads)
    told = _trained_on(given)
    whole = program.in_python or judgments.passages is not None
    streamed = None if whole else _streamed(table, program, given, threads)
    if streamed is not None:
        batch, notes = streamed
        return batch, batch_columns(program, batch), (*notes, *told)
    kept = read_run(given)
    lists = ((query, kept.table.documents(query)[0]) for query in kept.queries if query in table)
    told += chunk_notes(program, judgments.passages, lists, kept.path)
    batch = _native.evaluate_run(table, program.plan, kept.table, threads)
    columns = batch_columns(program, batch)
    if program.in_python:
        columns |= _in_python(judgments, program, batch, kept)
    return batch, columns, (*kept.notes, *told, *unrecorded_notes(program, columns))


def is_traces(run: object) -> TypeGuard[Traces]:
    """Whether a run is traces, without importing them."""
    loaded = sys.modules.get("relyon.data.traces")
    return loaded is not None and isinstance(run, loaded.Traces)


def _trained_on(run: object) -> tuple[Note, ...]:
    """Returns a note if the tag of a run says that a ranker ranked its own training rows."""
    tag = run.tag if isinstance(run, Run) else ""
    if isinstance(run, Source):
        tag = formats.get(run.format).run_tag(run.head)
    if not tag.endswith(TRAINED):
        return ()
    return (Note("run-of-training-rows", level="warning", values={"name": tag}),)


def _in_python(
    judgments: Judgments, program: Program, batch: _native.Batch, run: Run
) -> dict[str, Column]:
    """Evaluates the measures without a kernel, query by query."""
    from relyon.data.ranking import Ranking
    from relyon.evaluation.passage_columns import only_places, ranked_chunks

    passages = judgments.passages
    light = only_places(program, passages)

    def rankings() -> Iterable[Ranking]:
        for query in batch.queries:
            documents, scores, ranks = listed = (
                run.table.documents(query) if query in run.table else ([], [], None)
            )
            if light and passages is not None:
                found = ranked_chunks(query, listed, passages, program.convention)
                if found is not None:
                    yield found
                    continue
            yield Ranking.build(
                judgments.table.grades(query),
                documents,
                scores,
                program.convention,
                ranks=ranks,
                query=query,
                graded=judgments.table.subtopics(query),
                passages=passages,
            )

    return python_columns(program, rankings(), batch.missing)


def _streamed(
    table: _native.JudgmentTable, program: Program, run: object, threads: int
) -> tuple[_native.Batch, tuple[Note, ...]] | None:
    """Evaluates a run without keeping it; None if it must be kept."""
    if isinstance(run, Source):
        found = formats.get(run.format).stream_run(run, table, program.plan, threads)
        return None if found is None else (found[0], (*run.notes, *found[1]))
    if isinstance(run, Mapping):
        return _native.evaluate_dict(table, program.plan, run), ()
    if _is_data_frame(run):
        return _evaluate_frame(table, program, run, threads)
    return None


def _is_data_frame(run: object) -> bool:
    if isinstance(run, Run):
        return False
    from relyon.data.columns import is_frame

    return is_frame(run)


def _evaluate_frame(
    table: _native.JudgmentTable, program: Program, frame: object, threads: int
) -> tuple[_native.Batch, tuple[Note, ...]]:
    """Evaluates the columns of a data frame without copying them."""
    import polars as pl

    from relyon.data.columns import arrow_columns, polars_columns, refuse_run, run_columns

    columns = arrow_columns(frame, "run")
    if program.convention.ties != "rank" and "score" in columns:
        columns.pop("rank", None)
    run = run_columns(columns)
    try:
        batch = _native.evaluate_arrow(
            table, program.plan, run.query, run.document, run.score, run.rank, threads
        )
    except InputError:
        series = {role: one for role, one in columns.items() if isinstance(one, pl.Series)}
        if len(series) < len(columns):
            converted = polars_columns(frame, "run")
            series = {role: converted[role] for role in columns}
        refuse_run(series)
        raise
    return batch, run.notes
