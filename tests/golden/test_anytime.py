"""Always-valid p-values are those of confseq's diversified Kelly bettor.

confseq 0.0.11 (Waudby-Smith and Ramdas), `diversified_betting_mart` with the stakes of `dKelly_cs`
(D=20), `convex_comb=True`, `theta=0.5`, `trunc_scale=1`: its last value.
"""

from __future__ import annotations

import math

import numpy as np
import pytest

from relyon.analysis.statistics import kelly_p

VALUES = {
    "shares": [0.2, 0.9, 0.4, 0.4, 0.65, 0.1, 0.3, 0.8, 0.55, 0.35, 0.7, 0.25],
    "binary": [1, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0],
    "changes": [0.5 + round(0.3 * math.sin(i * i) + 0.1, 3) / 2 for i in range(40)],
}

CAPITAL = {
    ("shares", 0.2): 317.1093421432072,
    ("shares", 0.35): 1.8871989446286446,
    ("shares", 0.5): 0.6986379341730325,
    ("shares", 0.6): 2.0222226341422767,
    ("binary", 0.2): 0.29609214527568145,
    ("binary", 0.35): 0.9017392760280416,
    ("binary", 0.5): 10.796230222470678,
    ("binary", 0.6): 154.48745111232705,
    ("changes", 0.2): 637479978987030.2,
    ("changes", 0.35): 319134.2268146219,
    ("changes", 0.5): 1.894171422647343,
    ("changes", 0.6): 16.173076105476675,
}


@pytest.mark.parametrize(("name", "mean"), CAPITAL)
def test_p_is_one_over_the_capital(name: str, mean: float) -> None:
    found = kelly_p(np.array(VALUES[name], dtype=np.float64), mean, 0, 1)
    assert found == pytest.approx(min(1.0, 1 / CAPITAL[name, mean]), rel=1e-12)
