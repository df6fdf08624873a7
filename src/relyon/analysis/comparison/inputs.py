"""Comparing runs or evaluations."""

from __future__ import annotations

import warnings
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Unpack, get_args

from relyon.analysis.comparison.comparison import Comparison
from relyon.analysis.comparison.decision import JUDGED
from relyon.analysis.comparison.pairing import Sample
from relyon.analysis.comparison.query_facts import (
    Column,
    Columns,
    CompareOptions,
    QueryFacts,
    QueryOptions,
    split_options,
)
from relyon.analysis.comparison.repeats.systems import (
    System,
    by_system,
    first_places,
    given_systems,
    mean_samples,
    named_results,
    systems_of_runs,
    with_results,
)
from relyon.analysis.comparison.runs import Progress, check_titles, evaluate_lists, run_titles
from relyon.analysis.comparison.sample_queries import only_queries
from relyon.analysis.comparison.settings import Options, Settings
from relyon.core.errors import InputError, ParameterError
from relyon.core.notes import Note, RelyonWarning, shared_notes
from relyon.core.parameters import check_choice
from relyon.core.texts import message
from relyon.data.convention import Convention
from relyon.data.judgments import Judgments
from relyon.evaluation import DEFAULT_MEASURES, Average, Evaluator, MeasureNames
from relyon.evaluation.mistakes import refuse_columns_as_runs
from relyon.evaluation.results import Results
from relyon.evaluation.same_inputs import (
    DifferentInputs,
    check_conventions,
    check_definitions,
    queries_judged_alike,
)

if TYPE_CHECKING:
    from relyon.data.scale import Scale

__all__ = ["check_queries", "check_runs", "compare", "compare_results", "compare_runs"]


def compare(
    judgments: object,
    baseline: object = None,
    candidates: object = None,
    measures: MeasureNames = DEFAULT_MEASURES,
    *,
    systems: Mapping[str, Sequence[object]] | None = None,
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
        systems: In place of runs: the runs of each system by its name, the baseline's first, such
            as `{"A": ["a1.run", "a2.run"], "B": ["b1.run", "b2.run"]}` of two training seeds each.
            A query's value is the mean over the runs, and `Contrast.repeats` shows how much they
            differ.
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
    if systems is not None:
        grouped = given_systems(systems, [one for one in (baseline, candidates) if one is not None])
        runs = [run for one in grouped.values() for run in one]
        groups = systems_of_runs(grouped)
        if names is not None:
            raise ParameterError(
                message("analysis.systems-have-names"), hint=message("analysis.write-systems")
            )
    else:
        if baseline is None or candidates is None:
            raise ParameterError(
                message("core.two-or-more-runs"), hint=message("analysis.give-another-run")
            )
        runs, groups = [baseline, *_listed(candidates)], []
    return compare_runs(
        judgments,
        runs,
        measures,
        convention=convention,
        average=average,
        scale=scale,
        names=groups or names,
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
    names: Sequence[str] | Sequence[System] | None = None,
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
        names: As for `compare`; or the systems that the runs belong to, with the names of their
            runs, in the order of `runs`.
        progress: As for `compare`.
        **options: As for `compare`.
    """
    settings, known = split_options(options)
    refuse_columns_as_runs(judgments, runs)
    given = () if names is None else names
    systems = [one for one in given if isinstance(one, System)]
    if systems:
        titles = [run for one in systems for run in one.runs]
        check_titles(titles)
    else:
        titles = run_titles(runs, None if names is None else [str(one) for one in given])
    check_runs([one.name for one in systems] or titles, settings)
    evaluator = Evaluator(judgments, convention=convention, scale=scale, threads=settings.threads)
    lists = [measures, [JUDGED], *([further] if further else [])]
    passes = evaluate_lists(evaluator, runs, titles, lists, average=average, progress=progress)
    results = [one[0]() for one in passes]
    facts = _facts(results, known)
    firsts = first_places(systems) if systems else range(len(runs))
    found = _of_results(
        results,
        settings,
        facts,
        evaluator.scale,
        evaluator.judgments,
        [runs[place] for place in firsts],
        systems=systems,
        progress=progress,
    )
    places = dict(zip(found.runs, firsts, strict=True))
    found.keep_further({name: passes[place][1] for name, place in places.items()})
    with warnings.catch_warnings():  # the compared measures have issued them
        warnings.simplefilter("ignore", RelyonWarning)
        for name in found.runs:
            found.judged_share(name)  # kept: the decision needs it
    if further:
        found.keep_further({name: passes[place][2] for name, place in places.items()})
    return found


def compare_results(
    results: Sequence[Results] = (),
    *,
    systems: Mapping[str, Sequence[Results]] | None = None,
    judgments: Judgments | None = None,
    runs: Sequence[object] = (),
    queries: object = None,
    cluster: Column | None = None,
    by: Columns | None = None,
    different_inputs: DifferentInputs = "refuse",
    progress: Progress | None = None,
    **options: Unpack[Options],
) -> Comparison:
    """Compares existing evaluations: of `relyon.evaluate_scores`, or of `relyon.read_results`.

    Args:
        results: The baseline's first, then the candidates'; all with the same measures.
        systems: In place of results: those of each system's runs by its name, the baseline's first;
            see `relyon.compare`.
        judgments: The judgments, for functions that look into queries, such as
            `relyon.write_report`; with `runs`.
        runs: The run of each result; with systems, one after the other.
        queries: As for `relyon.compare`.
        cluster: As for `relyon.compare`.
        by: As for `relyon.compare`.
        different_inputs: If the fingerprints of the judgments differ (`Results.inputs`): `refuse`,
            or `common` to compare the queries whose judgments are the same in all results.
        progress: Called with the work done, the total, and the next step.
        **options: `test`, `interval`, `correction`, `alpha`, `confidence`, `resamples`, `seed`,
            `threads`, `margins`, as for `relyon.compare`.

    Raises:
        ParameterError: If there are fewer than two, or they differ in measures or rules, or share a
            name.
        InputError: If they were measured with different judgments or scales.

    Examples:
        >>> import relyon
        >>> labels, groups = [1, 0] * 20, [2] * 20
        >>> old = relyon.evaluate_scores(labels, [1, 2] * 20, groups, "gauc", name="old")
        >>> new = relyon.evaluate_scores(labels, [2, 1] * 19 + [1, 2], groups, "gauc", name="new")
        >>> relyon.compare_results([old, new]).contrast("new", "gauc").verdict
        'better'
    """
    settings = Settings(**options)
    groups: list[System] = []
    if systems is not None:
        grouped = given_systems(systems, results)
        names = {name: [one.run for one in found] for name, found in grouped.items()}
        groups = systems_of_runs(grouped, names)
        results = named_results(groups, grouped)
    check_runs([one.name for one in groups] or [one.run for one in results], settings)
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
    check_conventions(results)
    check_choice("different_inputs", different_inputs, get_args(DifferentInputs))
    alike, found = queries_judged_alike(results, different_inputs)
    check_definitions(results)
    scale = None if judgments is None else judgments.scale
    facts = _facts(results, {"queries": queries, "cluster": cluster, "by": by})
    facts = replace(facts, notes=(*found, *facts.notes))
    judged = scale, judgments
    if groups and runs:
        runs = [runs[place] for place in first_places(groups)]
    return _of_results(results, settings, facts, *judged, runs, progress, alike, systems=groups)


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
    alike: Collection[str] | None = None,
    *,
    systems: Sequence[System] = (),
) -> Comparison:
    names = [one.run for one in results]
    samples = {name: [Sample.of(one, name) for one in results] for name in results[0].entries}
    if alike is not None:
        samples = {
            name: [only_queries(one, alike) for one in each] for name, each in samples.items()
        }
    check_queries(names, samples)
    notes = [*shared_notes((one.run, one.notes) for one in results), *facts.notes]
    pooled = [
        name
        for name, entry in results[0].entries.items()
        if entry.average == "micro" and samples[name][0].average == "macro"
    ]
    if pooled:
        notes.append(Note("pooled-measures", len(pooled), values={"measures": pooled}))
    convention = results[0].convention
    if not all(one.alone for one in systems):
        systems = with_results(systems, results)
        samples, more = mean_samples(systems, by_system(systems, samples))
        notes += more
        names, results = [one.name for one in systems], [one.first for one in systems]
    else:
        systems = ()
    return Comparison(
        names,
        samples,
        settings,
        facts=facts,
        systems=systems,
        results=results,
        convention=convention,
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


def check_runs(names: Sequence[str], settings: Settings) -> None:
    """Refuses names of too few runs for the test, and equal ones.

    Raises:
        ParameterError: If there are fewer than two, or three for Tukey's test, or two are equal.
    """
    check_titles(names)
    if settings.test == "tukey" and len(names) < 3:
        raise ParameterError(
            message("analysis.test-tukey-compares-all"),
            hint=message("analysis.for-two-runs-choose"),
        )


def check_queries(names: Sequence[str], samples: Mapping[str, Sequence[Sample]]) -> None:
    """Refuses runs that have no query in common with the first.

    Raises:
        InputError: If there is one.
    """
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
