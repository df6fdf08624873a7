"""Fusion of several runs into one: methods, normalisations, training, and parameter search."""

from relyon.ltr.fusion.fused_run import fuse, fused_query, fused_table
from relyon.ltr.fusion.inputs import Ties, run_weights
from relyon.ltr.fusion.method import Kernel, Method, Place, methods, register
from relyon.ltr.fusion.normalization import (
    NORMALIZATIONS,
    Normalization,
    normalization_of,
    normalized,
)
from relyon.ltr.fusion.parameter_search import FusionSearch, Trial, optimize_fusion
from relyon.ltr.fusion.ranks import ISR, RBC, RRF, LogISR, LogNISR
from relyon.ltr.fusion.scores import (
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
from relyon.ltr.fusion.trained import BayesFuse, MAPFuse, PosFuse, ProbFuse, SegFuse, SlideFuse
from relyon.ltr.fusion.trained_methods import train_fusion
from relyon.ltr.fusion.voting import BordaFuse, Condorcet, WeightedBordaFuse, WeightedCondorcet

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
