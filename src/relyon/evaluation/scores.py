"""Evaluating labelled scores: an offline test set."""

from __future__ import annotations

from collections.abc import Mapping
from os import PathLike
from typing import TYPE_CHECKING, Literal

from relyon.core.errors import ParameterError
from relyon.core.parameters import check_whole
from relyon.core.rules import tie_rule
from relyon.core.texts import message
from relyon.data.convention import Convention, load_convention
from relyon.data.labelled import LabelledRows
from relyon.data.run import run_name
from relyon.evaluation.assembly import assemble
from relyon.evaluation.defaults import DEFAULT_SCORE_MEASURES
from relyon.evaluation.labelled_batches import Settings, evaluate_file, evaluate_rows
from relyon.evaluation.mistakes import refuse_several_scores
from relyon.evaluation.notes import label_notes
from relyon.evaluation.program import Average, MeasureNames
from relyon.evaluation.results import Results
from relyon.io import scored_table
from relyon.measures.parser import measures as parse_measures

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

    from relyon.data.scale import Scale

__all__ = [
    "array_rules",
    "evaluate_scores",
    "grouped_rows",
    "without_formula",
]


def evaluate_scores(
    labels: ArrayLike | LabelledRows | str | PathLike[str],
    scores: ArrayLike | str | None = None,
    groups: ArrayLike | None = None,
    measures: MeasureNames = DEFAULT_SCORE_MEASURES,
    *,
    columns: Mapping[str, str] | None = None,
    weights: ArrayLike | None = None,
    convention: Convention | str | Mapping[str, object] | None = None,
    average: Average | None = None,
    scale: Scale | str | None = None,
    name: str | None = None,
    strict: bool = False,
    threads: int = 0,
) -> Results:
    """Evaluates labelled scores: an offline test set.

    Documents have no ids here, and rows are often sorted by label. So a tie rule that needs ids
    (`doc-desc`, `doc-asc`) becomes `expected`, the mean over all orders of tied rows; measures
    without a formula for that mean use the worst order. The order of the rows counts only with
    ``ties="input"``.

    Series of pandas whose indexes differ are paired by the index if it has the same unique labels
    in each, and a warning says so; arrays and lists are paired by position.

    Args:
        labels: Grades, shape (rows,), or (queries, documents) with one query per row; or the result
            of `read_scored`, which includes scores and groups; or the result of `read_features`,
            which includes groups; or a data frame of labels and scores; or a file of them, which is
            streamed if possible.
        scores: Model scores of the same shape; of a data frame or a file, the column's name.
        groups: Rows per query (sizes that add up to the number of rows), or one query id per row.
            `None`: a single query, or one per row of a 2-D array.
        measures: One or more names such as `auc`, `pnr`, `ndcg@10`.
        columns: Column names of a data frame or a file by role (query, label, score, weight); other
            roles are found by the usual names, except weights.
        weights: The weight of each row, 0 or more, as scikit-learn's `sample_weight`: for PNR,
            concordance, AUC, GAUC and average precision; the weight of a pair is the product
            of its rows' weights. For 2-D labels also one weight per query, for all its rows.
            `None`: 1 each.
        convention: See `evaluate`.
        average: See `evaluate`.
        scale: See `evaluate`; required if `labels` contains names.
        name: The name of the scores; by default "scores", or the file's name.
        strict: See `evaluate`.
        threads: See `evaluate`.

    Raises:
        InputError: If shapes differ, the indexes of Series do not fit, a value is missing, a score
            is NaN or infinite, or a weight is below 0.
        ParameterError: If there are weights, but a measure does not support them.

    Examples:
        >>> import relyon
        >>> results = relyon.evaluate_scores([1, 0, 1, 0], [0.9, 0.8, 0.7, 0.1], [2, 2], ["auc"])
        >>> results["auc"]
        0.75
        >>> labels, scores, weights = [1, 0, 1, 0], [0.9, 0.8, 0.7, 0.1], [1, 1, 3, 1]
        >>> relyon.evaluate_scores(labels, scores, measures=["auc"], weights=weights)["auc"]
        0.625
        >>> import polars as pl
        >>> frame = pl.DataFrame({"label": labels, "old": scores, "qid": [7, 7, 8, 8]})
        >>> relyon.evaluate_scores(frame, "old", measures=["gauc"])["gauc"]
        1.0
    """
    from relyon.data.scale import load_scale

    chosen = load_scale(scale)
    given = load_convention(convention)
    rules = array_rules(given)
    threads = check_whole("threads", threads, least=0)
    asked = parse_measures(measures)
    settings = Settings(rules, average, chosen, threads, without_formula(given))
    if isinstance(labels, str | PathLike) or _is_table(labels, scores):
        named = scores is None or isinstance(scores, str)
        if not named or groups is not None or weights is not None:
            raise ParameterError(
                message("evaluation.table-has-its-own"), hint=message("evaluation.name-columns")
            )
        if isinstance(scores, str):
            columns = {**(columns or {}), "score": scores}
        if isinstance(labels, str | PathLike):
            found = evaluate_file(labels, columns, asked, settings)
            name = name or run_name(labels)
        else:
            found = evaluate_rows(scored_table(labels, columns, chosen), asked, settings)
            name = name or (columns or {}).get("score")
    else:
        refuse_several_scores(labels, scores)
        if columns is not None:
            raise ParameterError(message("evaluation.columns-is-for-tables"))
        rows = grouped_rows(labels, scores, groups, chosen, weights)
        found = evaluate_rows(rows, asked, settings)
    program = found.program
    notes = [*found.notes, *label_notes(program, found.facts, found.columns)]
    return assemble(name or "scores", program, found.queries, found.columns, notes, strict)


def _is_table(labels: object, scores: object) -> bool:
    """Returns whether the labels come with their scores, as columns of a data frame."""
    if isinstance(labels, LabelledRows) or not (scores is None or isinstance(scores, str)):
        return False
    from relyon.data.columns import is_table

    return is_table(labels)


def grouped_rows(
    labels: ArrayLike | LabelledRows,
    scores: ArrayLike | None,
    groups: ArrayLike | None,
    scale: Scale | None,
    weights: ArrayLike | None = None,
) -> LabelledRows:
    """Returns labels and scores grouped by query."""
    from relyon.data.arrays import group_rows, scored_rows

    if isinstance(labels, LabelledRows):
        if labels.scores is None and scores is not None and groups is None and weights is None:
            return scored_rows(labels, scores)
        if scores is not None or groups is not None or weights is not None:
            raise ParameterError(
                message("evaluation.result-of-read-scored"),
                hint=message("evaluation.read-scored-weight-column-reads")
                if weights is not None
                else "",
            )
        return labels
    if scores is None:
        raise ParameterError(
            message("evaluation.scores-are-missing"), hint=message("core.give-one-score")
        )
    return group_rows(labels, scores, groups, scale, weights)


def array_rules(convention: Convention) -> Convention:
    """Returns the rules for rows without document ids.

    Raises:
        ParameterError: If they need a rank column.
    """
    rule = tie_rule(convention.ties)
    if rule.of_ids:
        return convention.replace(ties="expected", name=convention.name)
    if rule.key == "rank":
        raise ParameterError(
            message("evaluation.ties-rank-needs-rank"),
            hint=message("evaluation.choose-another-tie-rule"),
        )
    return convention


def without_formula(convention: Convention) -> Literal["error", "worst"]:
    """Returns the tie rule of measures without a mean over orders: `error` if it was requested."""
    return "error" if convention.ties == "expected" else "worst"
