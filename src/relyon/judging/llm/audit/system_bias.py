"""The bias of the difference between two systems, if a model grades in place of people."""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from relyon.analysis.statistics.powered import prediction_powered
from relyon.core.document.json import json_values
from relyon.core.errors import InputError, ParameterError
from relyon.core.texts import message
from relyon.data.aggregation import aggregate
from relyon.data.judgments import Judgments
from relyon.judging.llm.audit.shifts import Estimate, measure_mean

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from relyon.data.scale import Scale
    from relyon.judging.llm.models import Configuration
    from relyon.judging.store import Store

__all__ = [
    "Circle",
    "Difference",
    "SystemBias",
    "SystemsAudit",
    "audit_systems",
    "measure_system_bias",
]

Difference = Literal["better", "worse", "open"]
Grades = Mapping[str, Mapping[str, float]]


@dataclass(frozen=True)
class SystemBias:
    """Candidate minus baseline, by people's grades, by a model's, and corrected.

    Attributes:
        baseline: The baseline's name.
        candidate: The candidate's name.
        measure: The measure.
        labelled: Queries that people graded as completely as the model.
        total: Queries that the model graded, those included.
        people: The mean difference by people's grades of the labelled queries.
        machine: By the model's grades of all queries.
        bias: By the model's minus by people's grades, on the labelled queries.
        corrected: The prediction-powered difference: all of the model's queries, with its bias
            estimated and subtracted.
        weight: How much of the model it uses, from 0 to 1.
        worth: How many queries graded by people would give as narrow an interval.
    """

    baseline: str
    candidate: str
    measure: str
    labelled: int
    total: int
    people: Estimate
    machine: Estimate
    bias: Estimate
    corrected: Estimate
    weight: float
    worth: float

    @property
    def says(self) -> dict[str, Difference]:
        """The verdict by each: `better` or `worse` if the interval excludes 0, else `open`."""
        return {name: says(getattr(self, name)) for name in ("people", "machine", "corrected")}

    @property
    def biased(self) -> bool:
        """Whether the interval of the bias excludes 0."""
        return says(self.bias) != "open"

    @property
    def misleading(self) -> bool:
        """Whether the model alone decides for one system and the corrected difference does not."""
        found = self.says
        return found["machine"] != "open" and found["machine"] != found["corrected"]

    @property
    def opposite(self) -> bool:
        """Whether the model's difference and the corrected one have opposite signs."""
        return self.machine.value * self.corrected.value < 0

    def to_dict(self) -> dict[str, object]:
        """Returns JSON-ready values."""
        return {
            "baseline": self.baseline,
            "candidate": self.candidate,
            "measure": self.measure,
            "labelled": self.labelled,
            "total": self.total,
            **{
                name: getattr(self, name).to_dict()
                for name in ("people", "machine", "bias", "corrected")
            },
            **json_values({"weight": self.weight, "worth": self.worth}),
            "says": self.says,
            "biased": self.biased,
            "misleading": self.misleading,
            "opposite": self.opposite,
        }


@dataclass(frozen=True)
class Circle:
    """Whether a judge favours systems that use a model of its own family.

    Attributes:
        own: The systems of its family.
        other: The other systems.
        favour: The mean over labelled queries of (model − people) of its own family's systems,
            minus that of the others, in units of the measure.
    """

    own: tuple[str, ...]
    other: tuple[str, ...]
    favour: Estimate

    def to_dict(self) -> dict[str, object]:
        """Returns JSON-ready values."""
        return {"own": self.own, "other": self.other, "favour": self.favour.to_dict()}


@dataclass(frozen=True)
class SystemsAudit:
    """What a model's grades do to the differences of systems.

    Attributes:
        pairs: Each candidate against the first system.
        circle: Whether systems of the judge's own family are favoured; None if none was named.
        partly: Queries that people graded, but not as completely as the model: only the model's
            grades of them are used.
    """

    pairs: tuple[SystemBias, ...]
    circle: Circle | None
    partly: int

    def to_dict(self) -> dict[str, object]:
        """Returns JSON-ready values."""
        return {
            "pairs": [one.to_dict() for one in self.pairs],
            "circle": None if self.circle is None else self.circle.to_dict(),
            "partly": self.partly,
        }


def says(found: Estimate) -> Difference:
    """Returns which side of 0 an interval is on."""
    if found.low > 0:
        return "better"
    return "worse" if found.high < 0 else "open"


def measure_system_bias(
    people: Grades,
    machine: Grades,
    runs: Mapping[str, object],
    scale: Scale,
    *,
    measure: str = "ndcg@10",
    own: Collection[str] = (),
    confidence: float = 0.95,
) -> SystemsAudit:
    """Compares differences of systems by people's and by a model's grades.

    A query is labelled if people graded every document that the model graded. On labelled queries
    both gradings are of the same documents: people's grades of others are not used, and what
    neither graded counts as unjudged on both sides. Of all queries, the labelled ones must be a
    random part: if people grade frequent queries first, the bias of rare ones is unknown.

    With Δ the value of a candidate minus that of the baseline in one query, the bias is the mean of
    Δ by the model's minus Δ by people's grades; its interval is that of `relyon.measure_intervals`.
    A query without a value counts as in an average of the measure. The corrected difference is that
    of `relyon.prediction_powered`.

    Args:
        people: People's grades by query and document.
        machine: The model's.
        runs: The run of each system, as for `relyon.evaluate`; the first is the baseline.
        scale: The grade scale.
        measure: The measure; an average over queries.
        own: The systems that use a model of the judge's own family.
        confidence: Confidence level of the intervals.

    Raises:
        ParameterError: If there are fewer than two runs, a system of `own` is not one of them, or
            the measure is not a mean over queries.
        InputError: If no query is labelled, or none of them has a value.

    Examples:
        >>> from relyon.data.scale import SEARCH
        >>> people = {f"q{n}": {"a": n % 4, "b": 3 - n % 4} for n in range(40)}
        >>> model = {f"q{n}": {"a": n % 4, "b": min(4 - n % 4, 3)} for n in range(40)}
        >>> runs = {
        ...     "old": {query: {"a": 2.0, "b": 1.0} for query in people},
        ...     "new": {query: {"b": 2.0, "a": 1.0} for query in people},
        ... }
        >>> found = measure_system_bias(people, model, runs, SEARCH).pairs[0]
        >>> round(found.people.value, 3), round(found.machine.value, 3), found.biased
        (0.0, 0.092, True)

    References:
        Balog, Metzler and Qin (2025), SIGIR, arXiv:2503.19092: judges favour rankers like
        themselves. Angelopoulos, Duchi and Zrnic (2023), PPI++, arXiv:2311.01453.
    """
    import numpy as np

    from relyon.measures.parser import measure as parse_measure

    if len(runs) < 2:
        raise ParameterError(message("judging.ranking-systems-needs-two"))
    for name in own:
        if name not in runs:
            raise ParameterError(
                message("judging.family-of-unknown-run", name=name, runs=list(runs))
            )
    read = parse_measure(measure)
    labelled = sorted(
        query for query, given in machine.items() if given.keys() <= people.get(query, {}).keys()
    )
    partly = sum(query in people and query not in set(labelled) for query in machine)
    if not labelled:
        raise InputError(
            message("judging.no-labelled-query", partly=partly),
            hint=message("judging.relyon-judge-llm-items"),
        )
    same = {
        query: {document: people[query][document] for document in machine[query]}
        for query in labelled
    }
    order = sorted(machine)
    by_people = _values(same, runs, scale, measure, labelled)
    by_machine = _values(machine, runs, scale, measure, order)
    place = {query: n for n, query in enumerate(order)}
    chosen = np.array([place[query] for query in labelled])
    low, high = read.bounds
    width = high - low
    first, *others = runs
    pairs = []
    for name in others:
        human = by_people[name] - by_people[first]
        every = by_machine[name] - by_machine[first]
        model = every[chosen]
        known, all_known = np.isfinite(human) & np.isfinite(model), np.isfinite(every)
        if not known.any():
            raise InputError(
                message("judging.no-labelled-value", measure=measure, queries=len(labelled)),
                hint=message("judging.relyon-judge-llm-items"),
            )
        bias = measure_mean(
            (model - human)[known],
            [query for query, kept in zip(labelled, known, strict=True) if kept],
            (-2 * width, 2 * width),
            confidence,
        )
        powered = prediction_powered(
            human[known], model[known], every[all_known], confidence=confidence,
            bounds=(-width, width),
        )  # fmt: skip
        machine_mean = measure_mean(
            every[all_known],
            [query for query, kept in zip(order, all_known, strict=True) if kept],
            (-width, width),
            confidence,
        )
        pairs.append(
            SystemBias(
                first,
                name,
                measure,
                int(known.sum()),
                int(all_known.sum()),
                Estimate(powered.classical_estimate, *powered.classical),
                machine_mean,
                bias,
                Estimate(powered.estimate, powered.low, powered.high),
                powered.weight,
                powered.worth,
            )
        )
    circle = None
    if own and len(set(own)) < len(runs):
        mine, rest = [one for one in runs if one in own], [one for one in runs if one not in own]
        favour = {one: by_machine[one][chosen] - by_people[one] for one in runs}
        apart = np.mean([favour[one] for one in mine], axis=0) - np.mean(
            [favour[one] for one in rest], axis=0
        )
        known = np.isfinite(apart)
        names = [query for query, kept in zip(labelled, known, strict=True) if kept]
        circle = Circle(
            tuple(mine),
            tuple(rest),
            measure_mean(apart[known], names, (-2 * width, 2 * width), confidence),
        )
    return SystemsAudit(tuple(pairs), circle, partly)


def _values(
    grades: Grades, runs: Mapping[str, object], scale: Scale, measure: str, queries: Sequence[str]
) -> dict[str, NDArray[np.float64]]:
    """Returns each run's value of each query; NaN where a mean would leave the query out."""
    import numpy as np

    from relyon.evaluation import evaluate
    from relyon.measures.parser import measure as parse_measure

    read = parse_measure(measure)
    judgments = Judgments.from_dict(grades, scale=scale)
    found = {}
    for name, run in runs.items():
        results = evaluate(judgments, run, [measure], name=name)
        if read.combine != "mean" or any(
            one.average != "macro" for one in results.entries.values()
        ):
            raise ParameterError(message("judging.bias-needs-mean", measure=measure))
        column = results.values_by_query(measure)
        instead = read.counted(results.convention)
        values = np.array([column.get(query, math.nan) for query in queries])
        found[name] = np.where(np.isnan(values), instead, values)
    return found


def audit_systems(
    store: Store,
    configuration: Configuration,
    runs: Mapping[str, object],
    *,
    measure: str = "ndcg@10",
    own: Collection[str] = (),
    confidence: float = 0.95,
) -> SystemsAudit:
    """Compares differences of systems by the grades of people and of a model in a database.

    Args:
        store: The database.
        configuration: The model and its settings.
        runs: The run of each system; the first is the baseline.
        measure: The measure.
        own: The systems that use a model of the judge's own family.
        confidence: Confidence level of the intervals.

    Raises:
        ParameterError: As `measure_system_bias`.
        InputError: If no query was graded by both.
    """
    people: dict[str, dict[str, float]] = {}
    machine: dict[str, dict[str, float]] = {}
    samples = store.replies.samples(configuration)
    for one in store.decisions.people_grades(configuration.project_id):
        people.setdefault(one.item.query, {})[one.item.document] = one.value
    for item in store.items.all(configuration.project_id):
        if item.id in samples:
            grade = aggregate(samples[item.id]).value
            machine.setdefault(item.query, {})[item.document] = grade
    scale = store.projects.get(configuration.project_id).scale
    return measure_system_bias(
        people, machine, runs, scale, measure=measure, own=own, confidence=confidence
    )
