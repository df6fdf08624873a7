"""The values of queries by people's grades and by a model's, and which queries are labelled."""

from __future__ import annotations

import math
import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from relyon.analysis.prediction_powered.rules import Labelled
from relyon.core.notes import RelyonWarning
from relyon.measures.parser import measure as parse_measure

if TYPE_CHECKING:
    from relyon.data.run import Run
    from relyon.evaluation import Evaluator
    from relyon.evaluation.results import Results
    from relyon.measures import Measure

__all__ = ["QueryValues", "is_mean", "query_values"]


@dataclass(frozen=True)
class QueryValues:
    """One measure of every run, by people's grades and by the model's.

    Attributes:
        measure: The measure's name.
        bounds: Its lowest and highest possible value.
        human: By run, the value of each labelled query.
        model: By run, the value of each query with the model's grades, the labelled ones included.
        incomplete: Queries with human grades that are not labelled: the first k documents of a run
            do not all have one.
        unpaired: Queries that are labelled, but not completely graded by the model.
        ungraded: Queries with the model's grades whose first k documents do not all have one.
        undefined: Queries that are left out since the measure has no value for them.
    """

    measure: str
    bounds: tuple[float, float]
    human: Mapping[str, Mapping[str, float]]
    model: Mapping[str, Mapping[str, float]]
    incomplete: tuple[str, ...]
    unpaired: tuple[str, ...]
    ungraded: tuple[str, ...]
    undefined: tuple[str, ...]


def is_mean(one: Measure) -> bool:
    """Whether a measure is a mean over queries of values of one list."""
    averaged = one.combine == "mean" and one.averages[0] == "macro"
    return averaged and one.describes == "quality" and one.needs == "judgments"


def query_values(
    people: Evaluator,
    model: Evaluator,
    runs: Mapping[str, Run],
    measures: Sequence[Measure],
    labelled: Labelled,
) -> list[QueryValues]:
    """Returns the values of each measure.

    Args:
        people: People's judgments and the rules.
        model: The model's judgments, with the same rules and scale.
        runs: The runs by name.
        measures: The measures.
        labelled: Which queries count as labelled.
    """
    highest = people.judgments.table.highest
    # ERR, for one, uses the highest grade of the judgments: here people's on both sides.
    fixed = [one.resolve(people.convention, people.scale, highest) for one in measures]
    covers = {_cover(one): None for one in measures} if labelled == "complete" else {}
    sides = []
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RelyonWarning)  # the evaluation itself issues them
        for evaluator, asked in ((people, measures), (model, fixed)):
            every = [*asked, *(parse_measure(name) for name in covers)]
            sides.append({name: evaluator.evaluate(run, every) for name, run in runs.items()})
    return [
        _values(one, own, sides, people, labelled) for one, own in zip(measures, fixed, strict=True)
    ]


def _cover(one: Measure) -> str:
    """Returns the measure of how much of what a measure reads is judged."""
    k = getattr(one, "k", None)
    return "judged" if k is None else f"judged@{k}"


def _values(
    asked: Measure,
    fixed: Measure,
    sides: Sequence[Mapping[str, Results]],
    people: Evaluator,
    labelled: Labelled,
) -> QueryValues:
    counted = asked.counted(people.convention)
    columns, complete, graded, undefined = [], [], [], set()
    for results, name in zip(sides, (asked, fixed), strict=True):
        values = {run: one.values_by_query(name) for run, one in results.items()}
        shared = set.intersection(*(set(one) for one in values.values()))
        whole = shared
        if labelled == "complete":
            whole = shared & _whole(results, _cover(asked))
        for run, one in values.items():
            values[run] = {
                query: counted if math.isnan(value) else value
                for query, value in one.items()
                if query in whole
            }
        unknown = {q for one in values.values() for q, value in one.items() if math.isnan(value)}
        undefined |= unknown
        columns.append(values)
        complete.append(whole)
        graded.append(shared)
    every = complete[1] - undefined
    used = (complete[0] & complete[1]) - undefined
    return QueryValues(
        str(asked),
        asked.bounds,
        {run: {q: v for q, v in one.items() if q in used} for run, one in columns[0].items()},
        {run: {q: v for q, v in one.items() if q in every} for run, one in columns[1].items()},
        tuple(sorted(graded[0] - complete[0])),
        tuple(sorted(complete[0] - complete[1])),
        tuple(sorted(graded[1] - complete[1])),
        tuple(sorted(undefined)),
    )


def _whole(results: Mapping[str, Results], cover: str) -> set[str]:
    """Returns queries with a grade for every document that is read, in all runs, if only few."""
    columns = [one.values_by_query(cover) for one in results.values()]
    return set.intersection(
        *(
            {query for query, share in one.items() if share == 1 or math.isnan(share)}
            for one in columns
        )
    )
