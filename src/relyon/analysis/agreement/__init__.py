"""Agreement of measures or judgments on the order of systems, and their discriminative power."""

from relyon.analysis.agreement.correlation import Correlation, Correlations, rank_correlation
from relyon.analysis.agreement.discrimination import (
    Discrimination,
    DiscriminativePower,
    discriminative_power,
)

__all__ = [
    "Correlation",
    "Correlations",
    "Discrimination",
    "DiscriminativePower",
    "discriminative_power",
    "rank_correlation",
]
