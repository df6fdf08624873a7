"""What few human grades and a model's for all show: each mean, and all of them."""

from __future__ import annotations

from dataclasses import dataclass, field

from relyon.analysis.prediction_powered.rules import LabelledRules
from relyon.analysis.statistics import PredictionPowered
from relyon.core.document.json import json_number
from relyon.core.notes import Note

__all__ = ["PoweredFacts", "PoweredMean"]


@dataclass(frozen=True)
class PoweredMean:
    """One measure of a run, or of a run minus the baseline.

    Attributes:
        run: The run.
        baseline: The run that is subtracted; empty for the run's own mean.
        measure: The measure.
        powered: The mean with its intervals: both kinds of grades, and people's alone.
        model_interval: The interval of the mean by the model's grades alone, over all queries, as
            of `relyon evaluate --intervals`: it does not cover the model's errors.
        incomplete: Queries with human grades that are not counted as labelled.
        unpaired: Labelled queries that the model did not grade completely: left out.
        ungraded: Queries that the model did not grade completely: left out.
        undefined: Queries left out since the measure has no value for them.
    """

    run: str
    baseline: str
    measure: str
    powered: PredictionPowered
    model_interval: tuple[float, float]
    incomplete: int
    unpaired: int
    ungraded: int
    undefined: int

    def to_dict(self) -> dict[str, object]:
        """Returns JSON-ready values: NaN becomes null."""
        one = self.powered
        return {
            "run": self.run,
            "baseline": self.baseline or None,
            "measure": self.measure,
            "value": json_number(one.estimate),
            "low": json_number(one.low),
            "high": json_number(one.high),
            "standard_error": json_number(one.standard_error),
            "weight": one.weight,
            "human_value": json_number(one.classical_estimate),
            "human_low": json_number(one.classical[0]),
            "human_high": json_number(one.classical[1]),
            "model_value": json_number(one.model_mean),
            "model_low": json_number(self.model_interval[0]),
            "model_high": json_number(self.model_interval[1]),
            "labelled": one.labelled,
            "queries": one.total,
            "worth": json_number(one.worth),
            "alone": one.alone or None,
            "incomplete": self.incomplete,
            "unpaired": self.unpaired,
            "ungraded": self.ungraded,
            "undefined": self.undefined,
        }


@dataclass(frozen=True)
class PoweredFacts:
    """Measures and differences, from few human grades and a model's for all: see `FewerGrades`."""

    means: tuple[PoweredMean, ...]
    rules: LabelledRules
    pairs: int
    notes: tuple[Note, ...] = ()
    model_queries: frozenset[str] = field(default=frozenset(), repr=False)
