"""Labelled scores in arrays: an offline test set."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

from relkit import _native
from relkit.convention import Convention, load_convention
from relkit.errors import ParameterError
from relkit.evaluation.assembly import assemble
from relkit.evaluation.columns import Column, batch_columns, python_columns
from relkit.evaluation.notes import measure_notes
from relkit.evaluation.program import Average, MeasureNames, Program, chosen_scale
from relkit.notes import Note
from relkit.parameters import check_whole
from relkit.results import Results

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

    from relkit.io.arrays import Rows
    from relkit.io.scored import Scored
    from relkit.ranking import Ranking
    from relkit.scale import Scale

__all__ = [
    "DEFAULT_SCORE_MEASURES",
    "array_rules",
    "evaluate_rows",
    "evaluate_scores",
    "grouped_rows",
]

DEFAULT_SCORE_MEASURES = ("auc", "gauc", "pnr", "ndcg@10")


def evaluate_scores(
    labels: ArrayLike | Scored,
    scores: ArrayLike | None = None,
    groups: ArrayLike | None = None,
    measures: MeasureNames = DEFAULT_SCORE_MEASURES,
    *,
    convention: Convention | str | Mapping[str, Any] | None = None,
    average: Average | None = None,
    scale: Scale | str | None = None,
    name: str = "scores",
    strict: bool = False,
    threads: int = 0,
) -> Results:
    """Evaluates labelled scores: an offline test set.

    Documents have no ids here, so a tie rule that needs them (`doc-desc`, `doc-asc`) falls back
    to `input`, the order in which the rows are given.

    Args:
        labels: Grades, shape (rows,), or (queries, documents) with one query a row; or what
            `read_scored` returns, which holds scores and groups too.
        scores: Model scores of the same shape.
        groups: Rows a query (sizes that add up to the number of rows), or one query id a row.
            `None`: one query, or one a row of a 2-D array.
        measures: One or more names such as `auc`, `pnr`, `ndcg@10`.
        convention: As for `evaluate`.
        average: As for `evaluate`.
        scale: As for `evaluate`; with names in `labels` it is needed.
        name: What to call the scores.
        strict: As for `evaluate`.
        threads: As for `evaluate`.

    Raises:
        InputError: If shapes differ, or a score is NaN or infinite.

    Examples:
        >>> import relkit
        >>> results = relkit.evaluate_scores([1, 0, 1, 0], [0.9, 0.8, 0.7, 0.1], [2, 2], ["auc"])
        >>> results["auc"]
        0.75
    """
    chosen = chosen_scale(scale)
    rules = array_rules(load_convention(convention))
    rows, notes = grouped_rows(labels, scores, groups, chosen)
    program, columns = evaluate_rows(
        rows, measures, rules, average, chosen, check_whole("threads", threads, least=0)
    )
    notes += measure_notes(program, columns)
    return assemble(name, program, rows.queries, columns, notes, strict)


def grouped_rows(
    labels: ArrayLike | Scored,
    scores: ArrayLike | None,
    groups: ArrayLike | None,
    scale: Scale | None,
) -> tuple[Rows, list[Note]]:
    """Returns labels and scores grouped by query, and what was noticed when they were read."""
    from relkit.io.arrays import Rows, group_rows
    from relkit.io.scored import Scored

    if isinstance(labels, Scored):
        if scores is not None or groups is not None:
            raise ParameterError("what read_scored returns holds its own scores and groups")
        return Rows(labels.labels, labels.scores, labels.groups, labels.queries), list(labels.notes)
    if scores is None:
        raise ParameterError("scores are missing", hint="give one score for each label")
    return group_rows(labels, scores, groups, scale), []


def array_rules(convention: Convention) -> Convention:
    if convention.ties in {"doc-desc", "doc-asc"}:
        return convention.replace(ties="input", name=convention.name)
    if convention.ties == "rank":
        raise ParameterError(
            "ties=rank needs a rank column, and arrays of scores have none",
            hint="choose another tie rule, such as ties=input",
        )
    return convention


def evaluate_rows(
    rows: Rows,
    measures: MeasureNames,
    convention: Convention,
    average: Average | None,
    scale: Scale | None,
    threads: int,
) -> tuple[Program, dict[str, Column]]:
    highest = float(rows.labels.max()) if rows.labels.size else math.nan
    program = Program.compile(measures, convention, scale, average, highest)
    program.check_inputs(False)
    batch = _native.evaluate_arrays(program.plan, rows.labels, rows.scores, rows.offsets, threads)
    columns = batch_columns(program, batch)
    if program.in_python:
        from relkit.ranking import Ranking

        def rankings() -> Iterable[Ranking]:
            for query, grades, values in rows.lists():
                names = [str(row) for row in range(len(grades))]
                yield Ranking.build(
                    dict(zip(names, grades, strict=True)), names, values, convention, query=query
                )

        columns |= python_columns(program, rankings(), 0)
    return program, columns
