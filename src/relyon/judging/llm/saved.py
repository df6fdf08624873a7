"""How many human grades a language model's grades save, by the intervals of systems' measures."""

from __future__ import annotations

import math
import random
import warnings
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING

from relyon.core.document.json import json_values
from relyon.core.errors import InputError
from relyon.core.notes import RelyonWarning
from relyon.data.aggregation import aggregate
from relyon.data.judgments import Judgments

if TYPE_CHECKING:
    from relyon.analysis.prediction_powered import FewerGrades
    from relyon.data.run import Run
    from relyon.data.scale import Scale
    from relyon.judging.llm.models import Configuration
    from relyon.judging.store import Store

__all__ = ["SavedGrades", "saved_grades", "saved_of"]

#: Random halves of the queries, if people graded as many as the model.
HALVES = 20

Grades = Mapping[str, Mapping[str, float]]


@dataclass(frozen=True)
class SavedGrades:
    """What a model's grades add to people's, for a measure of a system or of a difference.

    Attributes:
        measure: The measure.
        system: The system.
        baseline: The system that is subtracted; empty for the mean of the system itself.
        labelled: Queries whose first k documents people graded, and the model too.
        total: Queries whose first k documents the model graded.
        worth: How many queries people would have to grade for an interval as narrow without the
            model; NaN if there is no interval.
        halved: Whether people graded all these queries, so that the numbers are those of random
            halves of them, on average.
    """

    measure: str
    system: str
    baseline: str
    labelled: int
    total: int
    worth: float
    halved: bool

    def to_dict(self) -> dict[str, object]:
        """Returns everything as JSON-ready values; what is undefined is None."""
        found: dict[str, object] = json_values(asdict(self))
        return found


def saved_grades(
    store: Store,
    configuration: Configuration,
    runs: Mapping[str, object],
    *,
    measures: Sequence[str] = ("ndcg@10",),
) -> tuple[SavedGrades, ...]:
    """Returns what a model's grades in a database add to people's.

    Args:
        store: The database.
        configuration: The model and its settings.
        runs: The run of each system, the baseline first, as for `relyon.evaluate`.
        measures: Measures that are means over queries.

    Raises:
        InputError: If a run cannot be read.
        ParameterError: If a measure is not a mean over queries.
    """
    scale = store.projects.get(configuration.project_id).scale
    people: dict[str, dict[str, float]] = {}
    machine: dict[str, dict[str, float]] = {}
    for one in store.decisions.people_grades(configuration.project_id):
        people.setdefault(one.item.query, {})[one.item.document] = one.value
    items = {one.id: one for one in store.items.all(configuration.project_id)}
    for number, samples in store.replies.samples(configuration).items():
        if samples and number in items:
            item = items[number]
            machine.setdefault(item.query, {})[item.document] = aggregate(samples).value
    return saved_of(people, machine, runs, measures, scale)


def saved_of(
    people: Grades,
    machine: Grades,
    runs: Mapping[str, object],
    measures: Sequence[str],
    scale: Scale | None = None,
) -> tuple[SavedGrades, ...]:
    """Returns what a model's grades add to people's, by measure, system and difference.

    Empty if there is no query whose first k documents both graded. If people graded all queries of
    the model, the numbers are means over 20 random halves of the queries, as if people had graded
    only these.

    Args:
        people: People's grades by query and document.
        machine: The model's grades.
        runs: The run of each system, the baseline first.
        measures: The measures.
        scale: The grade scale.

    Examples:
        >>> machine = {f"q{n}": {"a": n % 4, "b": n % 3} for n in range(90)}
        >>> people = {f"q{n}": {"a": n % 4, "b": (n + n % 9 // 8) % 3} for n in range(30)}
        >>> run = {query: {"a": 2.0, "b": 1.0} for query in machine}
        >>> found = saved_of(people, machine, {"new": run}, ["dcg@2"])[0]
        >>> found.labelled, found.total, found.worth > 30, found.halved
        (30, 90, True, False)
    """
    from relyon.io import read_run

    read = {name: read_run(run) for name, run in runs.items()}
    whole = _fewer(people, machine, read, measures, scale)
    if whole is None:
        return ()
    if all(one.powered.alone != "census" for one in whole.means):
        return tuple(
            SavedGrades(
                one.measure,
                one.run,
                one.baseline,
                one.powered.labelled,
                one.powered.total,
                one.powered.worth,
                False,
            )
            for one in whole.means
        )
    queries = sorted(people.keys() & machine.keys())
    chooser = random.Random(0)
    halves = []
    for _ in range(HALVES):
        half = chooser.sample(queries, len(queries) // 2)
        found = _fewer({query: people[query] for query in half}, machine, read, measures, scale)
        if found is not None:
            halves.append(
                {(one.measure, one.run, one.baseline): one.powered for one in found.means}
            )
    saved = []
    for one in whole.means:
        key = (one.measure, one.run, one.baseline)
        seen = [half[key] for half in halves if key in half]
        worth = [half.worth for half in seen if not math.isnan(half.worth)]
        if seen:
            labelled = round(sum(half.labelled for half in seen) / len(seen))
            mean = math.fsum(worth) / len(worth) if worth else math.nan
            saved.append(SavedGrades(*key, labelled, one.powered.total, mean, True))
    return tuple(saved)


def _fewer(
    people: Grades,
    machine: Grades,
    runs: Mapping[str, Run],
    measures: Sequence[str],
    scale: Scale | None,
) -> FewerGrades | None:
    """Returns the means by both kinds of grades; None if no query is labelled."""
    from relyon.analysis.prediction_powered import LabelledRules, fewer_grades_of
    from relyon.evaluation import Evaluator

    if not people or not machine:
        return None
    same = {grade: grade for one in machine.values() for grade in one.values()}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RelyonWarning)
        try:
            return fewer_grades_of(
                Evaluator(Judgments.from_dict(people, scale=scale)),
                Judgments.from_dict(machine, scale=scale),
                runs,
                measures,
                LabelledRules(grades=same),
            )
        except InputError as error:
            if getattr(error.message, "kind", "") == "analysis.powered-no-labelled":
                return None
            raise
