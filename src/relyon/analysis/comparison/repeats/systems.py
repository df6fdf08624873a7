"""Systems with repeated runs: their names, the means over their runs, and what their runs lack."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from copy import copy
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, TypeVar

from relyon.analysis.comparison.pairing import Sample
from relyon.core.errors import InputError, ParameterError
from relyon.core.notes import Note, warn
from relyon.core.texts import message
from relyon.data.run import run_name

if TYPE_CHECKING:
    from relyon.analysis.comparison.contrast import Contrast
    from relyon.evaluation.results import Results

__all__ = [
    "System",
    "by_system",
    "first_places",
    "given_systems",
    "mean_samples",
    "named_results",
    "system_notes",
    "systems_of_runs",
    "with_results",
]

T = TypeVar("T")


@dataclass(frozen=True)
class System:
    """One system and its repeated runs.

    Attributes:
        name: Its name.
        runs: The names of its runs: the system's own if there is one, else such as `A: a1`.
        results: The evaluation of each run; empty if only values were given.
    """

    name: str
    runs: tuple[str, ...]
    results: tuple[Results, ...] = ()

    @property
    def alone(self) -> bool:
        """Whether it has a single run."""
        return len(self.runs) == 1

    @property
    def first(self) -> Results:
        """The evaluation of the first run, under the system's name."""
        found = copy(self.results[0])
        found.run = self.name
        return found


def given_systems(systems: Mapping[str, Sequence[T]], others: object) -> dict[str, tuple[T, ...]]:
    """Returns the runs of each system.

    Args:
        systems: By name, the baseline's first.
        others: What is given besides; there must be nothing.

    Raises:
        ParameterError: If a system has no runs, or runs are given outside systems, too.
    """
    if others:
        raise ParameterError(
            message("analysis.systems-and-runs"), hint=message("analysis.give-systems-or-runs")
        )
    if not isinstance(systems, Mapping):
        raise ParameterError(
            message("analysis.systems-are-mapping", name=type(systems).__name__),
            hint=message("analysis.write-systems"),
        )
    found = {}
    for name, runs in systems.items():
        if not isinstance(runs, list | tuple):
            raise ParameterError(
                message("analysis.runs-of-system-are-list", system=str(name)),
                hint=message("analysis.write-systems"),
            )
        if not runs:
            raise ParameterError(
                message("analysis.system-has-no-runs", system=str(name)),
                hint=message("analysis.write-systems"),
            )
        found[str(name)] = tuple(runs)
    return found


def systems_of_runs(
    systems: Mapping[str, Sequence[object]], names: Mapping[str, Sequence[str]] | None = None
) -> list[System]:
    """Returns systems with the names of their runs, before any is evaluated.

    Args:
        systems: The runs of each system.
        names: Names of the runs; by default those of their files.

    Raises:
        ParameterError: If names are not those of runs.
    """
    found = []
    for system, runs in systems.items():
        if len(runs) == 1:
            found.append(System(system, (system,)))
            continue
        own = [run_name(run) for run in runs] if names is None else [*names[system]]
        titles = [
            f"{system}: {name} ({place})" if own.count(name) > 1 else f"{system}: {name}"
            for place, name in enumerate(own, 1)
        ]
        found.append(System(system, tuple(titles)))
    return found


def named_results(
    systems: Sequence[System], given: Mapping[str, Sequence[Results]]
) -> list[Results]:
    """Returns the results of all runs, under the names of the runs.

    Args:
        systems: The systems.
        given: Their results by name.
    """
    found = []
    for system in systems:
        for name, one in zip(system.runs, given[system.name], strict=True):
            named = copy(one)
            named.run = name
            found.append(named)
    return found


def first_places(systems: Sequence[System]) -> list[int]:
    """Returns the places of the systems' first runs among all runs."""
    sizes = [len(one.runs) for one in systems]
    return [sum(sizes[:place]) for place in range(len(sizes))]


def by_system(
    systems: Sequence[System], samples: Mapping[str, Sequence[T]]
) -> dict[str, list[Sequence[T]]]:
    """Returns what belongs to all runs, by measure and grouped by system."""
    places = first_places(systems)
    return {
        measure: [
            columns[start : start + len(one.runs)]
            for start, one in zip(places, systems, strict=True)
        ]
        for measure, columns in samples.items()
    }


def with_results(systems: Sequence[System], results: Sequence[Results]) -> list[System]:
    """Returns the systems with the evaluations of their runs."""
    places = first_places(systems)
    return [
        replace(one, results=tuple(results[start : start + len(one.runs)]))
        for start, one in zip(places, systems, strict=True)
    ]


def mean_samples(
    systems: Sequence[System], samples: Mapping[str, Sequence[Sequence[Sample]]]
) -> tuple[dict[str, list[Sample]], list[Note]]:
    """Returns the mean over the runs of each system, by measure, and notes.

    Args:
        systems: The systems.
        samples: By measure, the samples of each system's runs.

    Raises:
        ParameterError: If a measure pools the scores of all queries.
        InputError: If the runs of a system have no query in common.
    """
    means = {
        measure: [
            mean_sample(measure, system, runs)
            for system, runs in zip(systems, columns, strict=True)
        ]
        for measure, columns in samples.items()
    }
    notes = []
    for place, system in enumerate(systems):
        notes += _lacking(system, {name: columns[place] for name, columns in samples.items()})
        notes += _alike(system, [columns[place] for columns in samples.values()])
    warn(notes)
    return means, notes


def mean_sample(measure: str, system: System, runs: Sequence[Sample]) -> Sample:
    """Returns the mean over the runs of one system, query by query.

    Of a ratio of sums, numerators and denominators have means of their own, so that its number is
    the ratio of all runs' sums. Queries that a run lacks are left out.

    Args:
        measure: The measure's name.
        system: The system.
        runs: The samples of its runs.

    Raises:
        ParameterError: If the measure pools the scores of all queries.
        InputError: If the runs have no query in common.
    """
    if len({one.ratio is None for one in runs}) > 1:  # all weights of some runs are 1
        runs = [one.weighted() for one in runs]
    first = runs[0]
    if len(runs) == 1:
        return first
    if any(one.scores is not None for one in runs):
        raise ParameterError(
            message("analysis.pooled-measure-has-no-repeats", measure=measure, system=system.name),
            hint=message("analysis.average-auc-by-query"),
        )
    common = [query for query in first.values if all(query in one.values for one in runs[1:])]
    if not common:
        raise InputError(
            message(
                "analysis.runs-of-system-share-no-query", system=system.name, runs=[*system.runs]
            ),
            hint=message("analysis.check-that-both-use"),
        )
    parts = {
        name: {query: _mean([getattr(one, name)[query] for one in runs]) for query in common}
        for name in ("numerators", "denominators")
        if first.ratio is not None
    }
    equal = {
        query: (
            _mean([one.equal.get(query, (0.0, 0.0))[0] for one in runs]),
            _mean([one.equal.get(query, (0.0, 0.0))[1] for one in runs]),
        )
        for query in (common if any(one.equal for one in runs) else ())
    }
    details = {
        name: _mean([one.details[name] for one in runs])
        for name in first.details
        if all(name in one.details for one in runs)
    }
    return replace(
        first,
        values={query: _mean([one.values[query] for one in runs]) for query in common},
        numerators=parts.get("numerators"),
        denominators=parts.get("denominators"),
        equal=equal,
        details=details,
        repeats=tuple(runs),
    )


def _mean(values: Sequence[float]) -> float:
    """Returns a mean that does not depend on the order; equal values are their own mean."""
    first = values[0]
    if all(one == first for one in values):
        return first
    finite = all(map(math.isfinite, values))
    return (math.fsum(values) if finite else sum(values)) / len(values)


def _lacking(system: System, samples: Mapping[str, Sequence[Sample]]) -> list[Note]:
    """Notes the queries that some of a system's runs lack."""
    lost: set[str] = set()
    for runs in samples.values():
        sets = [set(one.values) for one in runs]
        lost |= {query for one in sets for query in one if any(query not in a for a in sets)}
    if not lost:
        return []
    examples = tuple(sorted(lost)[:3])
    return [Note("repeats-lack-queries", len(lost), "warning", examples, run=system.name)]


def _alike(system: System, samples: Sequence[Sequence[Sample]]) -> list[Note]:
    """Notes runs of a system that have the same values as an earlier one on every query."""
    found = []
    for place in range(1, len(system.runs)):
        same = next(
            (
                earlier
                for earlier in range(place)
                if all(_same(runs[earlier].values, runs[place].values) for runs in samples)
            ),
            None,
        )
        if same is not None:
            found.append((system.runs[same], system.runs[place]))
    if not found:
        return []
    values = {"first": found[0][0], "second": found[0][1], "runs": len(system.runs)}
    return [Note("repeats-alike", len(found), "warning", values=values, run=system.name)]


def _same(first: Mapping[str, float], second: Mapping[str, float]) -> bool:
    return first.keys() == second.keys() and all(
        value == second[query] or (math.isnan(value) and math.isnan(second[query]))
        for query, value in first.items()
    )


def system_notes(systems: Sequence[System], contrasts: Sequence[Contrast]) -> list[Note]:
    """Notes what p-values and intervals do not count of the differences between runs.

    Args:
        systems: The systems.
        contrasts: The contrasts.
    """
    if all(one.alone for one in systems):
        return []
    notes = []
    firsts = [one.runs[0] for one in systems if not one.alone and one.results]
    if firsts:
        notes.append(Note("first-run-of-system", len(firsts), values={"runs": firsts}))
    unseen = _unseen_spread(contrasts)
    single = [one.name for one in systems if one.alone and one.name not in unseen]
    if single:
        notes.append(Note("single-run-of-system", len(single), values={"systems": single}))
    for name, differing in unseen.items():
        told = {"measures": [*differing]}
        notes.append(Note("single-run-differs", len(differing), "warning", values=told, run=name))
    found: dict[str, list[str]] = {}
    for one in contrasts:
        shown = one.repeats
        if one.tested and shown is not None and not shown.included and shown.p_run <= 0.05:
            found.setdefault(one.candidate, []).append(one.measure)
    for candidate, measures in found.items():
        values = {"measures": measures}
        notes.append(Note("run-effect", len(measures), "warning", values=values, run=candidate))
    return notes


def _unseen_spread(contrasts: Sequence[Contrast]) -> dict[str, dict[str, None]]:
    """Returns the systems with one run, with the measures on which the other's runs differ.

    What the single run shares over queries is then probably as large, and is not counted.
    """
    found: dict[str, dict[str, None]] = {}
    for one in contrasts:
        shown = one.repeats
        if not one.tested or shown is None or not shown.included or not shown.p_run <= 0.05:
            continue
        for name, floor in ((one.baseline, shown.baseline), (one.candidate, shown.candidate)):
            if floor.runs == 1:
                found.setdefault(name, {})[one.measure] = None
    return found
