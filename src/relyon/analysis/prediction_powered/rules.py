"""Which queries count as labelled by people, how they were drawn, and the model's scale."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal, get_args

from relyon.analysis.comparison.query_facts import Column
from relyon.analysis.statistics.powered import Population
from relyon.core.parameters import check_choice, check_fraction

__all__ = ["Labelled", "LabelledRules"]

Labelled = Literal["complete", "judged"]


@dataclass(frozen=True)
class LabelledRules:
    """The settings of prediction-powered intervals.

    Attributes:
        labelled: Which queries count as labelled: `complete`, those with a grade for each of the
            first k documents of every run, k being the measure's cutoff (all documents without
            one), or `judged`, those with any grade.
        grades: The human grade of each grade of the model, if their scales differ; empty if the
            scales are the same.
        strata: The column of strata from which labelled queries were drawn, or the stratum of each
            query.
        weights: The column of weights of labelled queries, 1 / (inclusion probability), or the
            weight of each.
        cluster: The column of clusters of queries that are alike, or the cluster of each.
        queries: The table of queries that has the columns.
        population: `superpopulation` or `finite`.
        confidence: The level of the intervals.

    Raises:
        ParameterError: If a setting has an invalid value.
    """

    labelled: Labelled = "complete"
    grades: Mapping[float, float] = field(default_factory=dict)
    strata: Column | None = None
    weights: Column | None = None
    cluster: Column | None = None
    queries: object = None
    population: Population = "superpopulation"
    confidence: float = 0.95

    def __post_init__(self) -> None:
        check_choice("labelled", self.labelled, get_args(Labelled))
        check_choice("population", self.population, get_args(Population))
        check_fraction("confidence", self.confidence)
