"""Comparing models on one test set, row by row, with access to its lists."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Unpack

from relyon.analysis.comparison.comparison import Comparison
from relyon.analysis.comparison.inputs import compare_results
from relyon.analysis.comparison.runs import Progress
from relyon.analysis.comparison.settings import Options
from relyon.core.parameters import check_type
from relyon.data.convention import Convention
from relyon.data.labelled import LabelledRows
from relyon.data.scored_lists import scored_judgments, scored_run
from relyon.evaluation import DEFAULT_SCORE_MEASURES, Average, MeasureNames, evaluate_scores
from relyon.io import matched_rows, read_scored

if TYPE_CHECKING:
    from relyon.data.scale import Scale

__all__ = ["compare_scores", "matched_scores"]


def compare_scores(
    scores: Mapping[str, object],
    measures: MeasureNames = DEFAULT_SCORE_MEASURES,
    *,
    convention: Convention | str | Mapping[str, object] | None = None,
    average: Average | None = None,
    scale: Scale | str | None = None,
    progress: Progress | None = None,
    **options: Unpack[Options],
) -> Comparison:
    """Compares models by their scores of one test set, query by query.

    The numbers are those of `relyon.evaluate_scores`. Unlike `relyon.compare_results`, the
    comparison keeps labels and scores, so `relyon.write_report` and `relyon.diagnose` can look into
    its queries.

    Args:
        scores: By the name of each model, the baseline's first: the result of `relyon.read_scored`,
            or a file or frame that it can read. All must have the same rows: they are matched by
            query and document if there is a document column, else by position.
        measures: One or more names such as `auc`, `pnr`, `ndcg@10`.
        convention: See `relyon.evaluate_scores`.
        average: See `relyon.evaluate`.
        scale: See `relyon.evaluate`.
        progress: Called with the work done, the total, and the next step.
        **options: `test`, `interval`, `correction`, `alpha`, `confidence`, `resamples`, `seed`,
            `threads`, as for `relyon.compare`.

    Raises:
        InputError: If the data cannot be used, or the rows are not the same.
        ParameterError: If there are fewer than two models.

    Examples:
        >>> import polars as pl
        >>> import relyon
        >>> frame = pl.DataFrame({"query": ["a", "a", "b", "b"], "label": [1, 0, 1, 0]})
        >>> scored = {
        ...     "old": frame.with_columns(score=pl.Series([0.1, 0.9, 0.8, 0.2])),
        ...     "new": frame.with_columns(score=pl.Series([0.9, 0.1, 0.8, 0.2])),
        ... }
        >>> relyon.compare_scores(scored, "gauc").contrasts[0].difference
        0.5
    """
    from relyon.data.scale import load_scale

    check_type("scores", scores, Mapping, "a mapping from names to scored rows")
    levels = load_scale(scale)
    rows = matched_scores(scores, levels)
    results = []
    for place, (name, one) in enumerate(rows.items()):
        if progress is not None:
            progress(place, len(rows), name)
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
    if len(rows) < 2:
        return compare_results(results, **options)
    return compare_results(
        results,
        judgments=scored_judgments(next(iter(rows.values())), levels),
        runs=[scored_run(one, name) for name, one in rows.items()],
        progress=progress,
        **options,
    )


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
