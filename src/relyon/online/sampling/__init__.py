"""Samples of sessions to grade: tiers, and draws with known probabilities."""

from relyon.online.sampling.allocation import ALLOCATIONS, Allocation, allocate
from relyon.online.sampling.design import DEFAULT_DEPTH, draw_sample
from relyon.online.sampling.estimators import Estimate, Estimator, estimate
from relyon.online.sampling.frames import count_queries
from relyon.online.sampling.origin import Origin
from relyon.online.sampling.pool import Pool, build_pool, parse_age
from relyon.online.sampling.sample import Design, Sample, Stratum, read_sample
from relyon.online.sampling.tiers import METHODS, Method, Tiers, build_tiers, tiers_of

__all__ = [
    "ALLOCATIONS",
    "DEFAULT_DEPTH",
    "METHODS",
    "Allocation",
    "Design",
    "Estimate",
    "Estimator",
    "Method",
    "Origin",
    "Pool",
    "Sample",
    "Stratum",
    "Tiers",
    "allocate",
    "build_pool",
    "build_tiers",
    "count_queries",
    "draw_sample",
    "estimate",
    "parse_age",
    "read_sample",
    "tiers_of",
]
