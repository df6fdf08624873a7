"""Paired significance tests, intervals, corrections and power: numbers in, numbers out."""

from relyon.analysis.statistics.anytime import Looks, always_valid
from relyon.analysis.statistics.bernstein import bernstein_half, bernstein_interval
from relyon.analysis.statistics.betting import betting_evidence, betting_interval, first_refuted
from relyon.analysis.statistics.clusters.mean import (
    FEW_CLUSTERS,
    ClusteredMean,
    correlation_within,
    degrees_of_sizes,
)
from relyon.analysis.statistics.clusters.ratios import (
    ClusterSizes,
    RatioEstimate,
    difference_of,
    jackknife_mean,
    jackknife_ratio,
    ratio_of_sums,
)
from relyon.analysis.statistics.clusters.tests import cluster_interval, cluster_test
from relyon.analysis.statistics.correction import CORRECTIONS, adjust
from relyon.analysis.statistics.differences import effect_size, mean, standard_deviation
from relyon.analysis.statistics.distributions import (
    independence_p,
    normal_quantile,
    student,
    student_quantile,
)
from relyon.analysis.statistics.groups import GroupMeans, group_means
from relyon.analysis.statistics.intervals import INTERVALS, interval
from relyon.analysis.statistics.kelly import kelly_interval, kelly_p, kelly_units
from relyon.analysis.statistics.mismatch import Mismatch, ratio_mismatch, sequential_mismatch
from relyon.analysis.statistics.mixture import (
    PER_UNIT,
    mixture_half,
    mixture_p,
    smallest_found,
    units_for,
)
from relyon.analysis.statistics.paired import PairedTest, Resampling, TestResult, paired_test, tests
from relyon.analysis.statistics.pooled import PooledScores, pooled_interval, swapped_p
from relyon.analysis.statistics.power import (
    ENOUGH_QUERIES,
    is_significant,
    least_p,
    planned_power,
    queries_needed,
    smallest_detectable,
    spread_certainty,
)
from relyon.analysis.statistics.powered import PredictionPowered, prediction_powered
from relyon.analysis.statistics.quantiles import quantile_interval
from relyon.analysis.statistics.ratios import ratio_interval, resampled_ratios
from relyon.analysis.statistics.resampling import (
    bootstrap_results,
    permutation_p_values,
    ratio_p,
)
from relyon.analysis.statistics.tukey import Anova, PairOutcome, tukey_hsd, two_way_anova

__all__ = [
    "CORRECTIONS",
    "ENOUGH_QUERIES",
    "FEW_CLUSTERS",
    "INTERVALS",
    "PER_UNIT",
    "Anova",
    "ClusterSizes",
    "ClusteredMean",
    "GroupMeans",
    "Looks",
    "Mismatch",
    "PairOutcome",
    "PairedTest",
    "PooledScores",
    "PredictionPowered",
    "RatioEstimate",
    "Resampling",
    "TestResult",
    "adjust",
    "always_valid",
    "bernstein_half",
    "bernstein_interval",
    "betting_evidence",
    "betting_interval",
    "bootstrap_results",
    "cluster_interval",
    "cluster_test",
    "correlation_within",
    "degrees_of_sizes",
    "difference_of",
    "effect_size",
    "first_refuted",
    "group_means",
    "independence_p",
    "interval",
    "is_significant",
    "jackknife_mean",
    "jackknife_ratio",
    "kelly_interval",
    "kelly_p",
    "kelly_units",
    "least_p",
    "mean",
    "mixture_half",
    "mixture_p",
    "normal_quantile",
    "paired_test",
    "permutation_p_values",
    "planned_power",
    "pooled_interval",
    "prediction_powered",
    "quantile_interval",
    "queries_needed",
    "ratio_interval",
    "ratio_mismatch",
    "ratio_of_sums",
    "ratio_p",
    "resampled_ratios",
    "sequential_mismatch",
    "smallest_detectable",
    "smallest_found",
    "spread_certainty",
    "standard_deviation",
    "student",
    "student_quantile",
    "swapped_p",
    "tests",
    "tukey_hsd",
    "two_way_anova",
    "units_for",
]
