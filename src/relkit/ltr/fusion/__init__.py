"""Several runs fused into one: methods, normalisations, training, and the search for parameters."""

from relkit.ltr.fusion.base import Kernel, Method, Place, methods, register
from relkit.ltr.fusion.fusing import fuse, fused_query, fused_table
from relkit.ltr.fusion.inputs import Ties, run_weights
from relkit.ltr.fusion.normalization import (
    NORMALIZATIONS,
    Normalization,
    normalization_of,
    normalized,
)
from relkit.ltr.fusion.ranks import ISR, RBC, RRF, LogISR, LogNISR
from relkit.ltr.fusion.scores import (
    WMNZ,
    CombANZ,
    CombGMNZ,
    CombMAX,
    CombMED,
    CombMIN,
    CombMNZ,
    CombSUM,
    Mixed,
    WeightedSum,
)
from relkit.ltr.fusion.trained import BayesFuse, MAPFuse, PosFuse, ProbFuse, SegFuse, SlideFuse
from relkit.ltr.fusion.training import train_fusion
from relkit.ltr.fusion.tuning import FusionSearch, Trial, optimize_fusion
from relkit.ltr.fusion.voting import BordaFuse, Condorcet, WeightedBordaFuse, WeightedCondorcet

__all__ = [
    "ISR",
    "NORMALIZATIONS",
    "RBC",
    "RRF",
    "WMNZ",
    "BayesFuse",
    "BordaFuse",
    "CombANZ",
    "CombGMNZ",
    "CombMAX",
    "CombMED",
    "CombMIN",
    "CombMNZ",
    "CombSUM",
    "Condorcet",
    "FusionSearch",
    "Kernel",
    "LogISR",
    "LogNISR",
    "MAPFuse",
    "Method",
    "Mixed",
    "Normalization",
    "Place",
    "PosFuse",
    "ProbFuse",
    "SegFuse",
    "SlideFuse",
    "Ties",
    "Trial",
    "WeightedBordaFuse",
    "WeightedCondorcet",
    "WeightedSum",
    "fuse",
    "fused_query",
    "fused_table",
    "methods",
    "normalization_of",
    "normalized",
    "optimize_fusion",
    "register",
    "run_weights",
    "train_fusion",
]
