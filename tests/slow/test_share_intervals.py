"""Intervals of shares over clusters cover the truth about as often as they say."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import binom

from relyon.analysis.statistics import ratio_of_sums

REPEATS, CLUSTERS, SIZE = 4000, 30, 20
#: How alike the trials of one cluster are: their correlation.
ALIKE = 0.1

pytestmark = pytest.mark.slow


@pytest.mark.parametrize(("share", "expected"), [(0.5, 0.95), (0.1, 0.95), (0.02, 0.92)])
def test_coverage(share: float, expected: float) -> None:
    generator = np.random.default_rng(8)
    trials = np.maximum(1, generator.poisson(SIZE, (REPEATS, CLUSTERS)))
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
    # What the docstring says, rounded to a hundredth, and what chance adds.
    least, most = (binom(REPEATS, expected + side * 0.005).ppf([0.001, 0.999]) for side in (-1, 1))
    assert least[0] <= covered <= most[1]
    # Close to 0, the interval without Wilson's correction covers much less.
    assert covered > plain - 20
    assert share > 0.05 or covered > plain + 0.05 * REPEATS
