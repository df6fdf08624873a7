"""Whether a language model's grades would rank systems differently from people's."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING

from relyon.core.document.json import json_values
from relyon.core.errors import InputError, ParameterError
from relyon.core.texts import message
from relyon.data.aggregation import aggregate
from relyon.data.judgments import Judgments

if TYPE_CHECKING:
    from relyon.judging.llm.models import Configuration
    from relyon.judging.store import Store

__all__ = ["SystemOrder", "SystemValue", "compare_systems"]


@dataclass(frozen=True)
class SystemValue:
    """A system's value by people's and by the model's grades of the same items.

    Attributes:
        system: Its name.
        people: The value by the final grades.
        machine: The value by the model's grades.
    """

    system: str
    people: float
    machine: float


@dataclass(frozen=True)
class SystemOrder:
    """Systems by people's grades and by a model's.

    Attributes:
        measure: The compared measure.
        systems: The systems, best by people's grades first.
        tau: Kendall's tau-b of the two orders: 1 if they are the same.
        swapped: Pairs that the model's grades reverse.
    """

    measure: str
    systems: tuple[SystemValue, ...]
    tau: float
    swapped: tuple[tuple[str, str], ...]

    def to_dict(self) -> dict[str, object]:
        """Returns everything as JSON-ready values."""
        found: dict[str, object] = json_values(asdict(self))
        return found


def compare_systems(
    store: Store,
    configuration: Configuration,
    runs: Mapping[str, object],
    *,
    measure: str = "ndcg@10",
) -> SystemOrder:
    """Evaluates runs by people's grades and by a model's of the same items.

    Args:
        store: The database.
        configuration: The model and its settings.
        runs: The run of each system, as for `relyon.evaluate`.
        measure: The measure that ranks them.

    Raises:
        ParameterError: If there are fewer than two runs.
        InputError: If no item was graded by both, or a run has none of the queries.

    References:
        Upadhyay, Pradeep, Thakur, Campos, Craswell, Soboroff, Dang and Lin (2024), A Large-Scale
        Study of Relevance Assessments with Large Language Models, arXiv:2411.08275.
    """
    from relyon.evaluation import evaluate, evaluate_scores

    if len(runs) < 2:
        raise ParameterError(message("judging.ranking-systems-needs-two"))
    scale = store.projects.get(configuration.project_id).scale
    samples = store.replies.samples(configuration)
    people: dict[str, dict[str, float]] = {}
    machine: dict[str, dict[str, float]] = {}
    for one in store.decisions.people_grades(configuration.project_id):
        if one.item.id in samples:
            people.setdefault(one.item.query, {})[one.item.document] = one.value
            median = aggregate(samples[one.item.id]).value
            machine.setdefault(one.item.query, {})[one.item.document] = median
    if not people:
        raise InputError(message("judging.no-item-was-graded", judge=configuration.judge))
    by_people, by_machine = (
        Judgments.from_dict(grades, scale=scale) for grades in (people, machine)
    )
    values = [
        SystemValue(
            name,
            float(evaluate(by_people, run, [measure], name=name)[measure]),
            float(evaluate(by_machine, run, [measure], name=name)[measure]),
        )
        for name, run in runs.items()
    ]
    values.sort(key=lambda one: -one.people)
    tau = evaluate_scores(
        [one.people for one in values], [one.machine for one in values], [len(values)], ["tau"]
    )
    swapped = tuple(
        (better.system, worse.system)
        for place, better in enumerate(values)
        for worse in values[place + 1 :]
        if better.people > worse.people and better.machine < worse.machine
    )
    return SystemOrder(measure, tuple(values), float(tau["tau"]), swapped)
