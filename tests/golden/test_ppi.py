"""Prediction-powered intervals against those of ppi-python, by the authors of PPI++.

Both estimate λ from the data: ppi-python divides by the variance of the model's values over all
queries, relyon by that over the labelled ones; ppi-python's interval is normal and takes λ as
known. With many labelled queries they agree.
"""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from relyon.analysis.statistics import prediction_powered

CASES = json.loads((Path(__file__).parent / "data" / "ppi.json").read_text(encoding="utf-8"))


@pytest.mark.parametrize("case", CASES, ids=[f"{one[1]} of {one[2]}" for one in CASES])
def test_as_ppi_python(case: list[float]) -> None:
    seed, labelled, total, error, estimate, low, high = case
    random = np.random.default_rng(int(seed))
    human = random.beta(2, 2, int(total))
    model = human + random.normal(0.1, error, int(total))
    count = int(labelled)
    found = prediction_powered(human[:count], model[:count], model)
    half = (high - low) / 2
    assert abs(found.estimate - estimate) < 0.1 * half
    # Student's t and the jackknife are wider; with another λ by a hair narrower.
    assert 0.97 < (found.high - found.low) / (high - low) < 1 + 6 / count + 0.02
