"""Intervals of shares over clusters cover the truth about as often as they say."""

from __future__ import annotations

import math

import numpy as np
import pytest
from tests.honest.rows import row

from relyon.analysis.statistics import ratio_of_sums

CLAIM = "share-intervals"
REPEATS, CLUSTERS, SIZE = 4000, 30, 20
#: How alike the trials of one cluster are: their correlation.
ALIKE = 0.1


def coverage(share: float, clusters: int, unequal: float) -> tuple[float, float]:
    """Returns the coverage of Wilson's interval and of the plain one."""
    generator = np.random.default_rng(8)
    shape = (REPEATS, clusters)
    mean = SIZE * (1 + generator.pareto(unequal, shape)) if unequal else np.full(shape, float(SIZE))
    trials = np.maximum(1, generator.poisson(np.minimum(mean, 5000)))
    known = 1 / ALIKE - 1
    own = generator.beta(share * known, (1 - share) * known, trials.shape)
    successes = generator.binomial(trials, own).astype(float)
    covered = plain = 0
    for done, of in zip(successes, trials.astype(float), strict=True):
        found = ratio_of_sums(done, of)
        low, high = found.share_interval(0.95, float(of.sum()))
        covered += low <= share <= high
        low, high = found.interval(0.95)
        plain += low <= share <= high
    return covered / REPEATS, plain / REPEATS


@pytest.mark.parametrize(("share", "expected"), [(0.5, 0.95), (0.1, 0.95), (0.02, 0.92)])
def test_coverage(share: float, expected: float) -> None:
    covered, plain = coverage(share, CLUSTERS, 0)
    # What the docstring says, rounded to a hundredth, and what chance adds.
    slack = 0.005 + 3 * math.sqrt(expected * (1 - expected) / REPEATS)
    case = f"30 clusters of like size, share {share}"
    row(CLAIM, case, covered, REPEATS, promise=f"{expected:.0%}", least=expected - slack, most=1.0)
    # Close to 0, the interval without Wilson's correction covers much less.
    assert covered > plain - 0.005
    assert share > 0.05 or covered > plain + 0.05


@pytest.mark.parametrize("clusters", [10, 30])
def test_where_it_covers_less(clusters: int) -> None:
    covered, _ = coverage(0.1, clusters, 1.1)
    row(
        CLAIM,
        f"{clusters} clusters of very unequal sizes (Pareto 1.1), share 0.1",
        covered,
        REPEATS,
        promise="none",
        most=0.93,
        assumption=False,
        says="of clusters of very unequal size it covers fewer",
    )
