"""Comparing runs, or models' scores, in a cluster."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Unpack

from relyon.analysis.comparison import Comparison, compare_results
from relyon.analysis.comparison.decision import JUDGED
from relyon.analysis.comparison.runs import Progress, check_titles, run_titles
from relyon.analysis.comparison.settings import Options
from relyon.core.parameters import check_type
from relyon.data.convention import Convention
from relyon.evaluation.defaults import DEFAULT_MEASURES, DEFAULT_SCORE_MEASURES
from relyon.evaluation.program import Average, MeasureNames
from relyon.measures import measures as parse_measures
from relyon.spark.evaluation import PreparedRuns
from relyon.spark.faults import plain_errors
from relyon.spark.same_rows import check_same_rows
from relyon.spark.scores import PreparedScores

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

    from relyon.data.scale import Scale

__all__ = ["compare", "compare_scores"]


@plain_errors()
def compare(
    judgments: object,
    baseline: DataFrame,
    candidates: DataFrame | Sequence[DataFrame],
    measures: MeasureNames = DEFAULT_MEASURES,
    *,
    convention: Convention | str | Mapping[str, object] | None = None,
    average: Average | None = None,
    scale: Scale | str | None = None,
    names: Sequence[str] | None = None,
    progress: Progress | None = None,
    partitions: int | None = None,
    **options: Unpack[Options],
) -> Comparison:
    """Compares candidates with a baseline in a cluster, with the digits of `relyon.compare`.

    The runs are evaluated in the cluster. The values of the queries are collected and compared
    here: for each run and measure about 24 bytes per query; for a pooled AUC, 8 bytes per row.

    Args:
        judgments: See `relyon.spark.evaluate`.
        baseline: The baseline run; see `relyon.spark.evaluate`.
        candidates: Another run, or a sequence of runs.
        measures: See `relyon.evaluate`.
        convention: See `relyon.spark.evaluate`.
        average: See `relyon.evaluate`.
        scale: See `relyon.evaluate`.
        names: The names of the runs, the baseline first.
        progress: Called with the work done, the total, and the next step.
        partitions: See `relyon.spark.evaluate`.
        **options: The settings of the tests; see `relyon.compare`.

    Raises:
        InputError: If the data cannot be used; the message names the query and its files.
        ParameterError: If a parameter has an invalid value, or two runs have the same name.
    """
    runs = [baseline, *(candidates if isinstance(candidates, Sequence) else [candidates])]
    titles = run_titles(runs, names)
    asked = [str(one) for one in parse_measures(measures)]
    prepared = PreparedRuns.of(
        judgments,
        # The decision needs the judged share, as on one machine; it is not compared.
        list(dict.fromkeys([*asked, JUDGED])),
        run=baseline,
        convention=convention,
        average=average,
        scale=scale,
        partitions=partitions,
    )
    lists = [prepared.program_of(one) for one in (asked, [JUDGED])]
    try:
        results, shares = [], {}
        for place, (title, run) in enumerate(zip(titles, runs, strict=True)):
            if progress is not None:
                progress(place, len(runs), title)
            (found, judged), _ = prepared.collect(
                run, name=title, partitions=partitions, programs=lists
            )
            results.append(found)
            shares[title] = judged[JUDGED]
    finally:
        prepared.release()
    comparison = compare_results(results, progress=progress, **options)
    comparison.judged_shares.update(shares)
    return comparison


@plain_errors()
def compare_scores(
    scores: Mapping[str, DataFrame],
    measures: MeasureNames = DEFAULT_SCORE_MEASURES,
    *,
    columns: Mapping[str, str] | None = None,
    convention: Convention | str | Mapping[str, object] | None = None,
    average: Average | None = None,
    scale: Scale | str | None = None,
    progress: Progress | None = None,
    partitions: int | None = None,
    **options: Unpack[Options],
) -> Comparison:
    """Compares models by their scores of one test set, as `relyon.compare_scores` does.

    Queries are paired by their names. Each must have the same documents and labels for every model;
    without a column of documents, the same labels.

    Args:
        scores: By the name of each model, the baseline's first: a frame of Spark with the columns
            query, label and score.
        measures: One or more names such as `auc`, `pnr`, `ndcg@10`.
        columns: See `relyon.spark.evaluate_scores`.
        convention: See `relyon.spark.evaluate_scores`.
        average: See `relyon.evaluate`.
        scale: See `relyon.evaluate`.
        progress: Called with the work done, the total, and the next step.
        partitions: See `relyon.spark.evaluate`.
        **options: The settings of the tests; see `relyon.compare`.

    Raises:
        InputError: If the data cannot be used, or the rows are not the same; the message names the
            query.
        ParameterError: If a parameter has an invalid value, or there are fewer than two models.
    """
    check_type("scores", scores, Mapping, "a mapping from names to scored rows")
    check_titles(list(scores))
    prepared = PreparedScores.of(
        measures, columns=columns, convention=convention, average=average, scale=scale
    )
    results, parts = [], {}
    for place, (title, rows) in enumerate(scores.items()):
        if progress is not None:
            progress(place, len(scores), title)
        (found,), parts[title] = prepared.collect(rows, name=title, partitions=partitions)
        results.append(found)
    check_same_rows(parts)
    comparison = compare_results(results, progress=progress, **options)
    comparison.judged_shares.update(dict.fromkeys(scores, 1.0))  # each row has a label
    return comparison
