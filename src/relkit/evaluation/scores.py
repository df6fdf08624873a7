"""Labelled scores in arrays: an offline test set."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Literal

from relkit import _native
from relkit.core.errors import ParameterError
from relkit.core.notes import Note
from relkit.core.parameters import check_whole
from relkit.data.convention import Convention, load_convention
from relkit.data.scale import load_scale
from relkit.evaluation.assembly import assemble
from relkit.evaluation.columns import Column, batch_columns, python_columns
from relkit.evaluation.defaults import DEFAULT_SCORE_MEASURES
from relkit.evaluation.notes import measure_notes, negative_notes, threshold_notes
from relkit.evaluation.program import Average, MeasureNames, Program
from relkit.evaluation.results import Results
from relkit.measures.names import measures as parse_measures

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

    from relkit.data.ranking import Ranking
    from relkit.data.scale import Scale
    from relkit.io.arrays import Rows
    from relkit.io.scored import Scored

__all__ = [
    "array_rules",
    "evaluate_rows",
    "evaluate_scores",
    "grouped_rows",
    "without_formula",
]


def evaluate_scores(
    labels: ArrayLike | Scored,
    scores: ArrayLike | None = None,
    groups: ArrayLike | None = None,
    measures: MeasureNames = DEFAULT_SCORE_MEASURES,
    *,
    weights: ArrayLike | None = None,
    convention: Convention | str | Mapping[str, Any] | None = None,
    average: Average | None = None,
    scale: Scale | str | None = None,
    name: str = "scores",
    strict: bool = False,
    threads: int = 0,
) -> Results:
    """Evaluates labelled scores: an offline test set.

    Documents have no ids here, and the order of rows often follows the labels. So a tie rule that
    needs ids (`doc-desc`, `doc-asc`) becomes `expected`, the mean over all orders of tied rows;
    measures without a formula for that mean count the worst order. The order of the rows decides
    only where the convention says ``ties="input"``.

    Args:
        labels: Grades, shape (rows,), or (queries, documents) with one query a row; or what
            `read_scored` returns, which holds scores and groups too.
        scores: Model scores of the same shape.
        groups: Rows a query (sizes that add up to the number of rows), or one query id a row.
            `None`: one query, or one a row of a 2-D array.
        measures: One or more names such as `auc`, `pnr`, `ndcg@10`.
        weights: What each row weighs, 0 or more, as scikit-learn's `sample_weight`: for PNR,
            concordance, AUC, GAUC and average precision, in which a pair weighs the product of its
            rows. For 2-D labels also one weight a query, that of all its rows. `None`: 1 each.
        convention: As for `evaluate`.
        average: As for `evaluate`.
        scale: As for `evaluate`; with names in `labels` it is needed.
        name: What to call the scores.
        strict: As for `evaluate`.
        threads: As for `evaluate`.

    Raises:
        InputError: If shapes differ, a score is NaN or infinite, or a weight is below 0.
        ParameterError: If there are weights, and a measure whose rows cannot weigh differently.

    Examples:
        >>> import relkit
        >>> results = relkit.evaluate_scores([1, 0, 1, 0], [0.9, 0.8, 0.7, 0.1], [2, 2], ["auc"])
        >>> results["auc"]
        0.75
        >>> labels, scores, weights = [1, 0, 1, 0], [0.9, 0.8, 0.7, 0.1], [1, 1, 3, 1]
        >>> relkit.evaluate_scores(labels, scores, measures=["auc"], weights=weights)["auc"]
        0.625
    """
    chosen = load_scale(scale)
    given = load_convention(convention)
    rules = array_rules(given)
    rows, notes = grouped_rows(labels, scores, groups, chosen, weights)
    threads = check_whole("threads", threads, least=0)
    program, columns = evaluate_rows(
        rows, measures, rules, average, chosen, threads, otherwise=without_formula(given)
    )
    if program.default_thresholds:
        notes += threshold_notes(program, *_grades(rows.labels))
    notes += negative_notes(program, rows.negatives) + measure_notes(program, columns)
    return assemble(name, program, rows.queries, columns, notes, strict)


def _grades(labels: NDArray[Any]) -> tuple[float, int]:
    """Returns the highest label, and how many lie between 0 and 1."""
    highest = float(labels.max()) if labels.size else math.nan
    if labels.dtype.kind != "f":
        return highest, 0
    import numpy as np

    flat = labels.reshape(-1)
    blocks = (flat[start : start + 65_536] for start in range(0, flat.size, 65_536))
    above = (np.count_nonzero(block > 0) - np.count_nonzero(block >= 1) for block in blocks)
    return highest, int(sum(above))


def grouped_rows(
    labels: ArrayLike | Scored,
    scores: ArrayLike | None,
    groups: ArrayLike | None,
    scale: Scale | None,
    weights: ArrayLike | None = None,
) -> tuple[Rows, list[Note]]:
    """Returns labels and scores grouped by query, and what was noticed when they were read."""
    from relkit.io.arrays import Rows, group_rows
    from relkit.io.scored import Scored

    if isinstance(labels, Scored):
        if scores is not None or groups is not None or weights is not None:
            raise ParameterError(
                "what read_scored returns holds its own scores, groups and weights",
                hint="read_scored(…, weight=COLUMN) reads weights" if weights is not None else "",
            )
        held = Rows(labels.labels, labels.scores, labels.groups, labels.queries, labels.weights)
        return held, list(labels.notes)
    if scores is None:
        raise ParameterError("scores are missing", hint="give one score for each label")
    return group_rows(labels, scores, groups, scale, weights), []


def array_rules(convention: Convention) -> Convention:
    """Returns the rules for rows without document ids.

    Raises:
        ParameterError: If they need a rank column.
    """
    if convention.ties in {"doc-desc", "doc-asc"}:
        return convention.replace(ties="expected", name=convention.name)
    if convention.ties == "rank":
        raise ParameterError(
            "ties=rank needs a rank column, and arrays of scores have none",
            hint="choose another tie rule, such as ties=input",
        )
    return convention


def without_formula(convention: Convention) -> Literal["error", "worst"]:
    """Returns what measures do that have no mean over orders: `error` where it was asked for."""
    return "error" if convention.ties == "expected" else "worst"


def evaluate_rows(
    rows: Rows,
    measures: MeasureNames,
    convention: Convention,
    average: Average | None,
    scale: Scale | None,
    threads: int,
    *,
    otherwise: Literal["error", "worst"] = "error",
) -> tuple[Program, dict[str, Column]]:
    asked = parse_measures(measures)
    open_ended = any(getattr(one, "max", 0.0) is None for one in asked)
    highest = float(rows.labels.max()) if open_ended and rows.labels.size else math.nan
    program = Program.compile(asked, convention, scale, average, highest, otherwise=otherwise)
    program.check_inputs(False)
    if rows.weights is not None:
        _check_weights(program)
    batch = _native.evaluate_arrays(
        program.plan, rows.labels, rows.scores, rows.offsets, threads, rows.weights
    )
    columns = batch_columns(program, batch)
    if rows.weights is not None:
        # A comparison draws rows that weigh the same.
        columns = {name: replace(column, pool=None) for name, column in columns.items()}
    if program.in_python:
        from relkit.data.ranking import Ranking

        def rankings() -> Iterable[Ranking]:
            for query, grades, values in rows.lists():
                names = [str(row) for row in range(len(grades))]
                yield Ranking.build(
                    dict(zip(names, grades, strict=True)), names, values, convention, query=query
                )

        columns |= python_columns(program, rankings(), 0)
    return program, columns


def _check_weights(program: Program) -> None:
    """Refuses weights where a measure's rows cannot weigh differently."""
    others = [str(one) for one in program.asked if not one.weighted]
    if others:
        raise ParameterError(
            f"rows cannot weigh differently in {', '.join(others)}",
            hint="weights are for pnr, concordance, auc, gauc and average_precision",
        )
