"""The public names and where each lives; they are imported when first used."""

from .comparison import compare as compare, compare_scores as compare_scores
from .evaluation import evaluate as evaluate
from .results import SparkResults as SparkResults
from .scores import evaluate_scores as evaluate_scores
