"""GAUC of groups whose classes are compared score by score, in every instruction set."""

from __future__ import annotations

import json
import os
import subprocess
import sys

import numpy as np
import pytest
from numpy.typing import NDArray

# Sizes around the vectors of 8 and 16, the 64 scores that are still compared one with each other
# one, and the blocks of 1024.
SIZES = [1, 2, 7, 8, 9, 15, 16, 17, 33, 63, 64, 65, 130, 700, 1023, 1024, 1025, 2100, 5000]
SHAPES = ["normal", "float32", "ties", "decimals", "huge", "near", "zeros"]
SHARES = [0.0, 0.01, 0.05, 0.5, 0.95, 1.0]
PROGRAM = """
import json, sys
import numpy as np
from relyon import _native
from tests.unit.test_native_classes import SHAPES, SHARES, SIZES, rows
plan = _native.Plan([("gauc", {})], _native.Rules(ties="input"))
offsets = np.cumsum([0, *SIZES])
found = []
for shape in SHAPES:
    for share in SHARES:
        labels, scores = rows(shape, share)
        batch = _native.evaluate_arrays(plan, labels, scores, offsets, 2)
        found.append([value.hex() for value in batch.arrays(0)[0].tolist()])
print(json.dumps(found))
"""


def rows(shape: str, share: float) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    random = np.random.default_rng(SHAPES.index(shape))
    size = sum(SIZES)
    labels = (random.random(size) < share).astype(np.float64)
    normal = random.normal(size=size) + labels / 2
    signs = np.where(random.random(size) < 0.5, -0.0, 0.0)
    scores = {
        "normal": normal,
        "float32": normal.astype(np.float32).astype(np.float64),
        "ties": np.round(normal, 1),
        "decimals": np.round(normal, 4),
        "huge": normal * 1e300,  # no float is as large
        "near": 1 + normal * 1e-10,  # one float for all
        "zeros": signs + np.round(normal) * 1e-310,
    }[shape]
    return labels, scores


def slow_auc(labels: NDArray[np.float64], scores: NDArray[np.float64]) -> float:
    positive, negative = scores[labels >= 1], scores[labels < 1]
    if not len(positive) or not len(negative):
        return float("nan")
    above = int((positive[:, None] > negative).sum())
    equal = int((positive[:, None] == negative).sum())
    return (2 * above + equal) / 2 / (len(positive) * len(negative))


@pytest.mark.parametrize("simd", ["avx512", "avx2", "scalar"])
def test_gauc_of_groups_is_that_of_all_pairs(simd: str) -> None:
    said = subprocess.run(
        [sys.executable, "-c", PROGRAM],
        env=os.environ | {"RELYON_SIMD": simd},
        capture_output=True,
        text=True,
        check=True,
    ).stdout
    ends = np.cumsum(SIZES)
    wanted = []
    for shape in SHAPES:
        for share in SHARES:
            labels, scores = rows(shape, share)
            parts = zip(np.split(labels, ends[:-1]), np.split(scores, ends[:-1]), strict=True)
            wanted.append([slow_auc(*part).hex() for part in parts])
    assert json.loads(said) == wanted
