"""Comparing models on one test set, row by row, with access to its lists."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from os import PathLike
from typing import TYPE_CHECKING, Unpack

from relyon.analysis.comparison.comparison import Comparison
from relyon.analysis.comparison.inputs import compare_results
from relyon.analysis.comparison.query_facts import Column, Columns
from relyon.analysis.comparison.runs import Progress
from relyon.analysis.comparison.settings import Options
from relyon.core.errors import ParameterError
from relyon.core.texts import message
from relyon.data.convention import Convention
from relyon.data.labelled import LabelledRows
from relyon.data.scored_lists import scored_judgments, scored_run
from relyon.evaluation import DEFAULT_SCORE_MEASURES, Average, MeasureNames, evaluate_scores
from relyon.io import matched_rows, read_scored, scored_table

if TYPE_CHECKING:
    from relyon.data.scale import Scale

__all__ = ["compare_scores", "matched_scores"]


def compare_scores(
    rows: object,
    measures: MeasureNames = DEFAULT_SCORE_MEASURES,
    *,
    scores: Iterable[str] | Mapping[str, str] | None = None,
    columns: Mapping[str, str] | None = None,
    convention: Convention | str | Mapping[str, object] | None = None,
    average: Average | None = None,
    scale: Scale | str | None = None,
    queries: object = None,
    cluster: Column | None = None,
    by: Columns | None = None,
    progress: Progress | None = None,
    **options: Unpack[Options],
) -> Comparison:
    """Compares models by their scores of one test set, query by query.

    The numbers are those of `relyon.evaluate_scores`. Unlike `relyon.compare_results`, the
    comparison keeps labels and scores, so `relyon.write_report` and `relyon.diagnose` can look into
    its queries.

    Args:
        rows: One table of all models: a data frame or a file with a column of scores per model. Or
            a table per model, by its name, the baseline's first: the result of
            `relyon.read_scored`, or a data frame or file that it can read. All must have the same
            rows: they are matched by query and document if there is a document column, else by
            position.
        measures: One or more names such as `auc`, `pnr`, `ndcg@10`.
        scores: The columns of scores of one table, the baseline's first; or each column by the
            model's name.
        columns: Column names of one table by role (query, label, document, weight); other roles are
            found by the usual names, except weights.
        convention: See `relyon.evaluate_scores`.
        average: See `relyon.evaluate`.
        scale: See `relyon.evaluate`.
        queries: A table of queries, as for `relyon.compare`; without it, `rows` if that is one
            table.
        cluster: As for `relyon.compare`.
        by: As for `relyon.compare`.
        progress: Called with the work done, the total, and the next step.
        **options: `test`, `interval`, `correction`, `alpha`, `confidence`, `resamples`, `seed`,
            `threads`, `margins`, as for `relyon.compare`.

    Raises:
        InputError: If the data cannot be used, or the rows are not the same.
        ParameterError: If there are fewer than two models, or their columns are not named.

    Examples:
        >>> import polars as pl
        >>> import relyon
        >>> frame = pl.DataFrame({
        ...     "query": ["a", "a", "b", "b"],
        ...     "label": [1, 0, 1, 0],
        ...     "old": [0.1, 0.9, 0.8, 0.2],
        ...     "new": [0.9, 0.1, 0.8, 0.2],
        ... })
        >>> relyon.compare_scores(frame, "gauc", scores=["old", "new"]).contrasts[0].difference
        0.5
        >>> scored = {name: relyon.read_scored(frame, score=name) for name in ("old", "new")}
        >>> relyon.compare_scores(scored, "gauc").contrasts[0].difference
        0.5
    """
    from relyon.data.scale import load_scale

    levels = load_scale(scale)
    given = rows_by_model(rows, scores, columns, levels)
    if queries is None and not isinstance(rows, Mapping):
        queries = rows
    models = matched_scores(given, levels)
    results = []
    for place, (name, one) in enumerate(models.items()):
        if progress is not None:
            progress(place, len(models), name)
        results.append(
            evaluate_scores(
                one,
                measures=measures,
                convention=convention,
                average=average,
                scale=levels,
                name=name,
                threads=options.get("threads", 0),
            )
        )
    if len(models) < 2:
        return compare_results(results, queries=queries, cluster=cluster, by=by, **options)
    return compare_results(
        results,
        judgments=scored_judgments(next(iter(models.values())), levels),
        runs=[scored_run(one, name) for name, one in models.items()],
        queries=queries,
        cluster=cluster,
        by=by,
        progress=progress,
        **options,
    )


def rows_by_model(
    rows: object,
    scores: Iterable[str] | Mapping[str, str] | None,
    columns: Mapping[str, str] | None,
    scale: Scale | None,
) -> Mapping[str, object]:
    """Returns the scored rows of each model, by its name.

    Args:
        rows: As for `compare_scores`.
        scores: As for `compare_scores`.
        columns: As for `compare_scores`.
        scale: The grade scale.

    Raises:
        ParameterError: If columns are not named for a table, or are named for anything else.
        InputError: If the data cannot be used.
    """
    if isinstance(rows, Mapping):
        if scores is not None or columns is not None:
            raise ParameterError(
                message("analysis.tables-have-columns"), hint=message("analysis.read-each-table")
            )
        return rows
    from relyon.data.columns import is_table

    if not isinstance(rows, str | PathLike) and not is_table(rows):
        raise ParameterError(
            message("analysis.not-scored-rows", name=type(rows).__name__),
            hint=message("analysis.name-score-columns"),
        )
    if scores is None or isinstance(scores, str):
        raise ParameterError(
            message("analysis.score-columns-not-named"),
            hint=message("analysis.name-score-columns"),
        )
    named = scores if isinstance(scores, Mapping) else _by_name(scores)
    return {
        model: scored_table(rows, {**(columns or {}), "score": column}, scale)
        for model, column in named.items()
    }


def _by_name(scores: Iterable[str]) -> dict[str, str]:
    """Returns columns of scores by their names.

    Raises:
        ParameterError: If they are not names.
    """
    listed = list(scores)
    if not all(isinstance(name, str) for name in listed):
        raise ParameterError(
            message("analysis.scores-are-not-names"), hint=message("analysis.name-score-columns")
        )
    return {name: name for name in listed}


def matched_scores(
    scores: Mapping[str, object], scale: Scale | None = None
) -> dict[str, LabelledRows]:
    """Returns the scored rows of several models, in the order of the first one's.

    Raises:
        InputError: If the data cannot be used, or the rows are not the same.
    """
    found: dict[str, LabelledRows] = {}
    for name, given in scores.items():
        rows = given if isinstance(given, LabelledRows) else read_scored(given, scale=scale)
        found[name] = matched_rows(next(iter(found.values())), rows) if found else rows
    return found
