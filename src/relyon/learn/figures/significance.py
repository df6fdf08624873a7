"""Figures about chance: how many queries, how many measures, and what one query can do."""

from __future__ import annotations

from functools import cache
from math import sqrt
from statistics import NormalDist

import numpy as np
from numpy.typing import NDArray

from relyon.analysis import statistics
from relyon.analysis.comparison import compare_values
from relyon.learn.figures import Figure, figure

__all__ = ["alarms", "needed", "outlier", "pairs", "power"]

#: How much the differences of queries vary, how large the true difference is, and the level.
SPREAD = 0.2
TRUE = 0.03
LEVEL = 0.05
#: How many comparisons are simulated.
REPEATS = 1000
#: How many tables of measures are simulated.
TABLES = 500
#: How many measures at most, and how alike the differences of two of them are.
MOST = 20
ALIKE = 0.5

OLD = (0.70, 0.30, 0.20, 0.60, 0.40, 0.40, 0.00, 0.70, 0.10, 0.30)
NEW = (0.75, 0.45, 0.20, 0.80, 0.35, 0.60, 0.10, 0.70, 0.30, 0.25)


@figure("pairs")
def pairs(setting: float) -> Figure:
    """Ten queries under two rankers: what is known of the difference, with and without pairs."""
    old, new = np.array(OLD), np.array(NEW)
    contrast = compare_values({"old": _values(old), "new": _values(new)}).contrasts[0]
    low, high = contrast.interval
    # Without pairs the variances of both means add up, as if other queries had been asked.
    count = len(old)
    apart = sqrt(sum(statistics.standard_deviation(one) ** 2 / count for one in (old, new)))
    half = statistics.student_quantile(2 * count - 2, 0.975) * apart
    return Figure(
        {
            "difference": contrast.difference,
            "low": low,
            "high": high,
            "p": contrast.p,
            "unpaired_low": contrast.difference - half,
            "unpaired_high": contrast.difference + half,
        }
    )


@figure("power")
def power(setting: float) -> Figure:
    """So many queries: what mean differences chance makes, and how often a true one is found."""
    queries = int(setting)
    draws = np.random.default_rng(queries).normal(TRUE, SPREAD, (REPEATS, queries))
    # A difference that is significant the wrong way round has not been found.
    better = draws[draws.mean(axis=1) > 0]
    found = sum(statistics.paired_test("t", draw).p < LEVEL for draw in better) / REPEATS
    error = SPREAD / sqrt(queries)
    limit = NormalDist().inv_cdf(1 - LEVEL / 2) * error
    places = np.linspace(-0.15, 0.15, 121)
    return Figure(
        {
            "detectable": statistics.smallest_detectable(queries, SPREAD),
            "found": found,
        },
        {
            "nothing": _bell(places, 0.0, error),
            "true": _bell(places, TRUE, error),
            "limit": [(limit, 0.0), (limit, 1.0)],
        },
    )


@figure("needed")
def needed(setting: float) -> Figure:
    """The number of queries that detects a mean difference as large as the setting."""
    return Figure({"queries": statistics.queries_needed(setting, SPREAD)})


@figure("alarms")
def alarms(setting: float) -> Figure:
    """So many measures of two rankers that are equally good: how often one of them is alarmed."""
    measures = int(setting)
    p_values = _p_values()
    counts = range(1, MOST + 1)
    plain, corrected = zip(*(_alarmed(p_values, count) for count in counts), strict=True)
    return Figure(
        {
            "independent": 1 - (1 - LEVEL) ** measures,
            "alike": plain[measures - 1],
            "holm": corrected[measures - 1],
        },
        {
            "apart": [(count, 1 - (1 - LEVEL) ** count) for count in counts],
            "related": list(zip(map(float, counts), plain, strict=True)),
            "corrected": list(zip(map(float, counts), corrected, strict=True)),
            "here": [(measures, 0.0), (measures, 1 - (1 - LEVEL) ** measures)],
        },
    )


@figure("outlier")
def outlier(setting: float) -> Figure:
    """Twenty queries, the last one with this difference: mean, interval and p-values."""
    others = np.round(0.01 + 0.02 * np.sin(np.arange(19) * 2.4), 3)
    differences = np.append(others, setting)
    old = np.zeros(len(differences))
    compared = compare_values({"old": _values(old), "new": _values(differences)})
    contrast = compared.contrasts[0]
    signed = compare_values(
        {"old": _values(old), "new": _values(differences)}, test="wilcoxon"
    ).contrasts[0]
    low, high = contrast.interval
    return Figure(
        {
            "difference": contrast.difference,
            "median": float(np.median(differences)),
            "low": low,
            "high": high,
            "p": contrast.p,
            "wilcoxon": signed.p,
        },
        {
            "query": [
                (float(place), float(one)) for place, one in enumerate(np.sort(differences), 1)
            ],
            "mean": [(1.0, contrast.difference), (20.0, contrast.difference)],
        },
    )


def _values(values: NDArray[np.float64]) -> dict[str, dict[str, float]]:
    return {"ndcg": {f"q{place:03}": float(value) for place, value in enumerate(values)}}


def _bell(places: NDArray[np.float64], mean: float, error: float) -> list[tuple[float, float]]:
    """Points of a normal curve whose top is at 1."""
    heights = np.exp(-(((places - mean) / error) ** 2) / 2)
    return [(round(float(x), 4), round(float(y), 4)) for x, y in zip(places, heights, strict=True)]


@cache
def _p_values() -> NDArray[np.float64]:
    """P-values of simulated comparisons of equals: one row each, one column per measure."""
    chance = np.random.default_rng(11)
    count = 50
    shared = chance.normal(size=(TABLES, 1, count)) * sqrt(ALIKE)
    own = chance.normal(size=(TABLES, MOST, count)) * sqrt(1 - ALIKE)
    return np.array([[statistics.paired_test("t", row).p for row in rows] for rows in shared + own])


def _alarmed(p_values: NDArray[np.float64], measures: int) -> tuple[float, float]:
    """The share of experiments with p below the level, before and after Holm's correction."""
    first = p_values[:, :measures]
    corrected = [min(statistics.adjust(row.tolist(), "holm")) for row in first]
    return float(np.mean(first.min(axis=1) < LEVEL)), float(np.mean(np.array(corrected) < LEVEL))
