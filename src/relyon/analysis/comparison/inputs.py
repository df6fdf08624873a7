"""Comparing runs, evaluations, or values of another program."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from os import PathLike
from typing import TYPE_CHECKING, Unpack

from relyon.analysis.comparison.comparison import Comparison
from relyon.analysis.comparison.pairing import Sample
from relyon.analysis.comparison.query_facts import (
    Column,
    Columns,
    CompareOptions,
    QueryFacts,
    QueryOptions,
    split_options,
)
from relyon.analysis.comparison.runs import Progress, check_titles, evaluate_lists, run_titles
from relyon.analysis.comparison.settings import Options, Settings
from relyon.core.errors import InputError, ParameterError
from relyon.core.notes import Note, shared_notes
from relyon.core.texts import message
from relyon.data.convention import Convention
from relyon.data.judgments import Judgments
from relyon.evaluation import DEFAULT_MEASURES, Average, Evaluator, MeasureNames
from relyon.evaluation.mistakes import refuse_columns_as_runs
from relyon.evaluation.results import Results

if TYPE_CHECKING:
    from relyon.data.scale import Scale

__all__ = ["compare", "compare_results", "compare_runs", "compare_values"]


def compare(
    judgments: object,
    baseline: object,
    candidates: object,
    measures: MeasureNames = DEFAULT_MEASURES,
    *,
    convention: Convention | str | Mapping[str, object] | None = None,
    average: Average | None = None,
    scale: Scale | str | None = None,
    names: Sequence[str] | None = None,
    queries: object = None,
    cluster: Column | None = None,
    by: Columns | None = None,
    progress: Progress | None = None,
    **options: Unpack[Options],
) -> Comparison:
    """Compares candidates with a baseline, query by query.

    Args:
        judgments: See `relyon.evaluate`.
        baseline: The baseline run; see `relyon.evaluate`.
        candidates: Another run, or a sequence of runs.
        measures: One or more names such as `ndcg@10`, or `Measure` objects.
        convention: See `relyon.evaluate`.
        average: See `relyon.evaluate`.
        scale: See `relyon.evaluate`.
        names: The names of the runs, the baseline first; by default their files' names.
        queries: A table of queries with the columns that `cluster` and `by` name: a frame, or a
            CSV, TSV, JSON Lines or Parquet file with a column of query ids.
        cluster: The column of clusters of queries that are alike, such as paraphrases of one
            intent; or a mapping {query: cluster}.
        by: One or more columns to break the differences down by, such as a tier or language; or a
            mapping {column: {query: value}}.
        progress: Called with the work done, the total, and the next step.
        **options: The settings of the tests. `test`, the one that decides: `t`, `wilcoxon`, `sign`,
            `permutation`, `bootstrap`, or `tukey` (randomised Tukey HSD, for more than two runs);
            p-values of the other paired tests are computed on demand. `interval`, the kind of
            confidence intervals: `t`, or by bootstrap `percentile`, `bca`. `correction` for runs x
            measures comparisons: `holm`, `bh` (Benjamini-Hochberg), `none`. `alpha` (0.05): the
            significance level of corrected p-values. `confidence` (0.95) of the intervals.
            `resamples` (10,000) of the resampling tests; their p is at least 1 / (resamples + 1).
            `seed`: equal seeds give identical results for any number of threads and order of rows.
            `threads`: 0 uses all cores. `margins`: by measure, the smallest difference that
            matters.

    Raises:
        InputError: If the data cannot be used.
        UnknownNameError: If a measure, preset or scale has no such name.
        ParameterError: If a parameter has an invalid value, or two runs have the same name.

    Examples:
        >>> import relyon
        >>> judgments = {f"q{n}": {"good": 1, "bad": 0} for n in range(20)}
        >>> old = {q: {"good": 1.0, "bad": 2.0} for q in judgments}
        >>> new = {q: {"good": 2.0, "bad": 1.0} for q in judgments} | {"q0": old["q0"]}
        >>> comparison = relyon.compare(judgments, old, new, "rr", names=["old", "new"])
        >>> comparison.contrast("new", "rr").verdict
        'better'
    """
    return compare_runs(
        judgments,
        [baseline, *_listed(candidates)],
        measures,
        convention=convention,
        average=average,
        scale=scale,
        names=names,
        queries=queries,
        cluster=cluster,
        by=by,
        progress=progress,
        **options,
    )


def compare_runs(
    judgments: object,
    runs: Sequence[object],
    measures: MeasureNames = DEFAULT_MEASURES,
    further: Sequence[str] = (),
    *,
    convention: Convention | str | Mapping[str, object] | None = None,
    average: Average | None = None,
    scale: Scale | str | None = None,
    names: Sequence[str] | None = None,
    progress: Progress | None = None,
    **options: Unpack[CompareOptions],
) -> Comparison:
    """Compares runs as `compare` does, and evaluates further measures in the same pass.

    Args:
        judgments: As for `compare`.
        runs: The baseline, then the candidates.
        measures: As for `compare`.
        further: Measures that `Comparison.measured` will be asked for; they are not compared.
        convention: As for `compare`.
        average: As for `compare`.
        scale: As for `compare`.
        names: As for `compare`.
        progress: As for `compare`.
        **options: As for `compare`.
    """
    settings, known = split_options(options)
    refuse_columns_as_runs(judgments, runs)
    titles = run_titles(runs, names)
    _check_runs(titles, settings)
    evaluator = Evaluator(judgments, convention=convention, scale=scale, threads=settings.threads)
    lists = [measures, further] if further else [measures]
    passes = evaluate_lists(evaluator, runs, titles, lists, average=average, progress=progress)
    results = [one[0]() for one in passes]
    facts = _facts(results, known)
    judged = evaluator.scale, evaluator.judgments
    found = _of_results(results, settings, facts, *judged, runs, progress)
    if further:
        found.keep_further({one.run: more[1] for one, more in zip(results, passes, strict=True)})
    return found


def compare_results(
    results: Sequence[Results],
    *,
    judgments: Judgments | None = None,
    runs: Sequence[object] = (),
    queries: object = None,
    cluster: Column | None = None,
    by: Columns | None = None,
    progress: Progress | None = None,
    **options: Unpack[Options],
) -> Comparison:
    """Compares existing evaluations, such as those of `relyon.evaluate_scores`.

    Args:
        results: The baseline's first, then the candidates'; all with the same measures.
        judgments: The judgments, for functions that look into queries, such as
            `relyon.write_report`; with `runs`.
        runs: The run of each result.
        queries: As for `relyon.compare`.
        cluster: As for `relyon.compare`.
        by: As for `relyon.compare`.
        progress: Called with the work done, the total, and the next step.
        **options: `test`, `interval`, `correction`, `alpha`, `confidence`, `resamples`, `seed`,
            `threads`, `margins`, as for `relyon.compare`.

    Raises:
        ParameterError: If there are fewer than two, or they differ in measures or rules, or share a
            name.

    Examples:
        >>> import relyon
        >>> labels, groups = [1, 0] * 20, [2] * 20
        >>> old = relyon.evaluate_scores(labels, [1, 2] * 20, groups, "gauc", name="old")
        >>> new = relyon.evaluate_scores(labels, [2, 1] * 19 + [1, 2], groups, "gauc", name="new")
        >>> relyon.compare_results([old, new]).contrast("new", "gauc").verdict
        'better'
    """
    settings = Settings(**options)
    _check_runs([one.run for one in results], settings)
    for one in results[1:]:
        if list(one.entries) != list(results[0].entries):
            raise ParameterError(
                message(
                    "analysis.has-measures",
                    run=one.run,
                    entries=list(one.entries),
                    run_2=results[0].run,
                    entries_2=list(results[0].entries),
                ),
                hint=message("analysis.evaluate-both-with-same"),
            )
        if one.convention != results[0].convention:
            raise ParameterError(
                message(
                    "analysis.and-follow-different-conventions",
                    run=one.run,
                    run_2=results[0].run,
                ),
                hint=message("analysis.evaluate-both-with-same-convention"),
            )
    scale = None if judgments is None else judgments.scale
    facts = _facts(results, {"queries": queries, "cluster": cluster, "by": by})
    return _of_results(results, settings, facts, scale, judgments, runs, progress)


def compare_values(
    values: Mapping[str, Mapping[str, Mapping[str, float]] | str | PathLike[str]],
    *,
    queries: object = None,
    cluster: Column | None = None,
    by: Columns | None = None,
    **options: Unpack[Options],
) -> Comparison:
    """Compares values that another program computed, query by query.

    Args:
        values: By run, the baseline first: a mapping {measure: {query: value}}, or a file: CSV
            with a column of queries and one per measure, what ``relyon evaluate -q --format csv``
            writes, or what ``trec_eval -q`` prints.
        queries: As for `relyon.compare`.
        cluster: As for `relyon.compare`.
        by: As for `relyon.compare`.
        **options: `test`, `interval`, `correction`, `alpha`, `confidence`, `resamples`, `seed`,
            `threads`, `margins`, as for `relyon.compare`.

    Raises:
        InputError: If a file cannot be read, or two runs have no measure or query in common.
        ParameterError: If there are fewer than two runs.

    Examples:
        >>> import relyon
        >>> old = {"ndcg": {f"q{n}": 0.1 * n for n in range(10)}}
        >>> new = {"ndcg": {f"q{n}": 0.1 * n + 0.05 for n in range(10)}}
        >>> round(relyon.compare_values({"old": old, "new": new}).contrasts[0].difference, 3)
        0.05
    """
    from relyon.io.per_query_values import read_values

    settings = Settings(**options)
    names = list(values)
    _check_runs(names, settings)
    columns = [one if isinstance(one, Mapping) else read_values(one) for one in values.values()]
    measures = [name for name in columns[0] if all(name in other for other in columns[1:])]
    if not measures:
        raise InputError(
            message(
                "analysis.and-have-no-measure",
                names=names[0],
                names_2=names[1],
                columns=" and ".join(", ".join(map(str, one)) for one in columns[:2]),
            )
        )
    samples = {
        name: [Sample({str(query): float(v) for query, v in one[name].items()}) for one in columns]
        for name in measures
    }
    _check_queries(names, samples)
    left_out = sorted({name for one in columns for name in one} - set(measures))
    notes = []
    if left_out:
        notes.append(Note("unshared-measures", len(left_out), values={"measures": left_out}))
    ids = {query for one in samples.values() for sample in one for query in sample.values}
    facts = QueryFacts.read(ids, queries=queries, cluster=cluster, by=by)
    return Comparison(names, samples, settings, facts=facts, notes=(*notes, *facts.notes))


def _facts(results: Sequence[Results], known: QueryOptions) -> QueryFacts:
    if known.get("cluster") is None and not known.get("by"):
        return QueryFacts()
    return QueryFacts.read({query for one in results for query in one.queries}, **known)


def _of_results(
    results: Sequence[Results],
    settings: Settings,
    facts: QueryFacts,
    scale: Scale | None = None,
    judgments: Judgments | None = None,
    sources: Sequence[object] = (),
    progress: Progress | None = None,
) -> Comparison:
    names = [one.run for one in results]
    samples = {name: [Sample.of(one, name) for one in results] for name in results[0].entries}
    _check_queries(names, samples)
    notes = [*shared_notes((one.run, one.notes) for one in results), *facts.notes]
    pooled = [
        name
        for name, entry in results[0].entries.items()
        if entry.average == "micro" and samples[name][0].average == "macro"
    ]
    if pooled:
        notes.append(Note("pooled-measures", len(pooled), values={"measures": pooled}))
    return Comparison(
        names,
        samples,
        settings,
        facts=facts,
        results=results,
        convention=results[0].convention,
        scale=scale,
        judgments=judgments,
        sources=sources,
        notes=notes,
        progress=progress,
    )


def _listed(candidates: object) -> list[object]:
    if isinstance(candidates, list | tuple):
        return list(candidates)
    return [candidates]


def _check_runs(names: Sequence[str], settings: Settings) -> None:
    check_titles(names)
    if settings.test == "tukey" and len(names) < 3:
        raise ParameterError(
            message("analysis.test-tukey-compares-all"),
            hint=message("analysis.for-two-runs-choose"),
        )


def _check_queries(names: Sequence[str], samples: Mapping[str, Sequence[Sample]]) -> None:
    for columns in samples.values():
        for name, column in zip(names[1:], columns[1:], strict=True):
            if not columns[0].values.keys() & column.values.keys():
                ours, theirs = (", ".join(list(one.values)[:3]) for one in (columns[0], column))
                raise InputError(
                    message(
                        "analysis.and-have-no-query",
                        names=names[0],
                        name=name,
                        ours=ours,
                        theirs=theirs,
                    ),
                    hint=message("analysis.check-that-both-use"),
                )
