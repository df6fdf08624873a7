"""Comparing values of another program, query by query."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from os import PathLike
from typing import Unpack

from relyon.analysis.comparison.comparison import Comparison
from relyon.analysis.comparison.inputs import check_queries, check_runs
from relyon.analysis.comparison.pairing import Sample
from relyon.analysis.comparison.query_facts import Column, Columns, QueryFacts
from relyon.analysis.comparison.repeats.systems import (
    System,
    by_system,
    given_systems,
    mean_samples,
    systems_of_runs,
)
from relyon.analysis.comparison.settings import Options, Settings
from relyon.core.errors import InputError
from relyon.core.notes import Note
from relyon.core.texts import message

__all__ = ["PerQuery", "compare_values"]

#: Values by measure and query, or their file.
PerQuery = Mapping[str, Mapping[str, float]] | str | PathLike[str]


def compare_values(
    values: Mapping[str, PerQuery] | None = None,
    *,
    systems: Mapping[str, Sequence[PerQuery]] | None = None,
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
        systems: In place of values: those of each system's runs by its name, the baseline's first;
            see `relyon.compare`.
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
    groups: list[System] = []
    if systems is not None:
        grouped = given_systems(systems, values)
        groups = systems_of_runs(grouped)
        names = [run for one in groups for run in one.runs]
        given = [one for runs in grouped.values() for one in runs]
    else:
        names, given = list(values or {}), list((values or {}).values())
    check_runs([one.name for one in groups] or names, settings)
    columns = [one if isinstance(one, Mapping) else read_values(one) for one in given]
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
    check_queries(names, samples)
    left_out = sorted({name for one in columns for name in one} - set(measures))
    notes = []
    if left_out:
        notes.append(Note("unshared-measures", len(left_out), values={"measures": left_out}))
    ids = {query for one in samples.values() for sample in one for query in sample.values}
    facts = QueryFacts.read(ids, queries=queries, cluster=cluster, by=by)
    notes += facts.notes
    if all(one.alone for one in groups):
        return Comparison(names, samples, settings, facts=facts, notes=notes)
    samples, found = mean_samples(groups, by_system(groups, samples))
    names = [one.name for one in groups]
    return Comparison(names, samples, settings, facts=facts, systems=groups, notes=(*notes, *found))
