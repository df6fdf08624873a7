"""Do measures, or judgments, order systems alike, and how well do they tell them apart?"""

from relkit.analysis.agreement.correlation import Correlation, Correlations, rank_correlation
from relkit.analysis.agreement.discrimination import (
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
