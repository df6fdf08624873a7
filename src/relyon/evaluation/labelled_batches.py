"""Measures of labelled rows: in memory, or streamed from a file."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from os import PathLike, fspath
from typing import TYPE_CHECKING, Literal

from relyon import _native, io
from relyon.core.errors import ParameterError
from relyon.core.texts import message
from relyon.data.labelled import LabelFacts
from relyon.evaluation.measure_columns import Column, batch_columns, python_columns
from relyon.evaluation.program import Average, Program
from relyon.io.format import formats

if TYPE_CHECKING:
    from relyon.core.notes import Note
    from relyon.data.convention import Convention
    from relyon.data.labelled import LabelledRows
    from relyon.data.ranking import Ranking
    from relyon.data.scale import Scale
    from relyon.measures.definition import Measure

__all__ = [
    "Evaluated",
    "Settings",
    "compile_rows",
    "evaluate_file",
    "evaluate_rows",
    "needs_highest",
    "row_columns",
    "row_program",
]


@dataclass(frozen=True)
class Settings:
    """Options for evaluating labelled rows.

    Attributes:
        convention: The rules.
        average: See `evaluate_scores`.
        scale: See `evaluate_scores`.
        threads: Threads to use; 0 uses all cores.
        otherwise: The tie rule of measures without a mean over the orders of tied rows.
        spans: Whether to evaluate tied rows in the worst and the best order, too.
    """

    convention: Convention
    average: Average | None = None
    scale: Scale | None = None
    threads: int = 0
    otherwise: Literal["error", "worst"] = "error"
    spans: bool = True


@dataclass(frozen=True)
class Evaluated:
    """The measures of labelled rows.

    Attributes:
        program: The resolved measures.
        columns: The measures by name.
        queries: The names of the queries.
        facts: Facts about the labels.
        notes: Notes about the data.
    """

    program: Program
    columns: dict[str, Column]
    queries: Sequence[str] | Callable[[], list[str]]
    facts: LabelFacts
    notes: tuple[Note, ...] = ()


def evaluate_rows(rows: LabelledRows, measures: Sequence[Measure], settings: Settings) -> Evaluated:
    """Evaluates rows in memory."""
    program = row_program(rows, measures, settings, rows.weights is not None)
    columns, facts = row_columns(program, rows, settings.threads)
    return Evaluated(program, columns, rows.queries, facts, rows.notes)


def row_program(
    rows: LabelledRows, measures: Sequence[Measure], settings: Settings, weighted: bool
) -> Program:
    """Resolves measures for rows, independently of their scores."""
    highest = math.nan
    if needs_highest(measures) and rows.labels.size:
        highest = float(rows.labels.max())
    return compile_rows(measures, settings, weighted, highest)


def row_columns(
    program: Program, rows: LabelledRows, threads: int = 0
) -> tuple[dict[str, Column], LabelFacts]:
    """Evaluates rows with a program that was resolved for them, and finds facts about labels."""
    batch = _native.evaluate_arrays(
        program.plan, rows.labels, rows.known_scores(), rows.groups, threads, rows.weights
    )
    columns = _columns(program, batch, rows.weights is not None)
    if program.in_python:
        from relyon.data.ranking import Ranking

        def rankings() -> Iterable[Ranking]:
            for query, grades, values in rows.lists():
                names = [str(row) for row in range(len(grades))]
                grade_of = dict(zip(names, grades, strict=True))
                yield Ranking.build(grade_of, names, values, program.convention, query=query)

        columns |= python_columns(program, rankings(), 0)
    return columns, LabelFacts(*batch.label_facts)


def evaluate_file(
    path: str | PathLike[str],
    names: Mapping[str, str] | None,
    measures: Sequence[Measure],
    settings: Settings,
) -> Evaluated:
    """Evaluates the rows of a file, streaming them if its format allows it.

    Args:
        path: The file.
        names: Column names by role; other roles are found by the usual names.
        measures: The measures.
        settings: The options.
    """
    source = io.open_source(fspath(path), kind="scored", named=bool(names))
    weighted = "weight" in (names or {})
    if not needs_highest(measures):
        program = compile_rows(measures, settings, weighted)
        streamed = None
        if not program.in_python:
            streamed = formats.get(source.format).stream_scored(
                source, program.plan, columns=names, scale=settings.scale, threads=settings.threads
            )
        if streamed is not None:
            batch = streamed.batch
            columns = _columns(program, batch, weighted)
            notes = (*source.notes, *streamed.notes)
            return Evaluated(program, columns, lambda: batch.queries, streamed.facts, notes)
    return evaluate_rows(io.read_rows(source, names, settings.scale), measures, settings)


def needs_highest(measures: Sequence[Measure]) -> bool:
    """Whether a measure's parameters depend on the highest label."""
    return any(getattr(one, "max", 0.0) is None for one in measures)


def compile_rows(
    measures: Sequence[Measure], settings: Settings, weighted: bool, highest: float = math.nan
) -> Program:
    """Resolves measures for rows.

    Args:
        measures: The measures.
        settings: The options.
        weighted: Whether rows have weights.
        highest: The highest label; NaN if no measure needs it.

    Raises:
        ParameterError: If there are weights, but a measure does not support them.
    """
    program = Program.compile(
        measures,
        settings.convention,
        settings.scale,
        settings.average,
        highest,
        otherwise=settings.otherwise,
        spans=settings.spans,
    )
    program.check_inputs(False)
    others = [str(one) for one in program.asked if not one.weighted]
    if weighted and others:
        raise ParameterError(
            message("evaluation.weights-are-not-supported", others=list(others)),
            hint=message("evaluation.weights-work-with-pnr"),
        )
    return program


def _columns(program: Program, batch: _native.Batch, weighted: bool) -> dict[str, Column]:
    columns = batch_columns(program, batch)
    if weighted:
        # A comparison resamples rows with equal weights.
        columns = {name: replace(column, pool=None) for name, column in columns.items()}
    return columns
