"""Few human grades and a model's for all: intervals of measures and of differences."""

from relyon.analysis.prediction_powered.facts import PoweredMean
from relyon.analysis.prediction_powered.measurement import (
    FewerGrades,
    fewer_grades_of,
    prediction_powered,
)
from relyon.analysis.prediction_powered.model_grades import in_grades_of_people
from relyon.analysis.prediction_powered.rules import Labelled, LabelledRules
from relyon.analysis.prediction_powered.values import is_mean

__all__ = [
    "FewerGrades",
    "Labelled",
    "LabelledRules",
    "PoweredMean",
    "fewer_grades_of",
    "in_grades_of_people",
    "is_mean",
    "prediction_powered",
]
