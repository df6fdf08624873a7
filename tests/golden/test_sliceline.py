"""The search of slices against SliceLine: the same slices, sizes, sums and scores."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from relyon.analysis.slices.search import Space, conjunctions

KEPT = json.loads((Path(__file__).parent / "data" / "sliceline.json").read_text("utf-8"))


@pytest.mark.parametrize("case", KEPT["cases"], ids=lambda one: f"seed {one['seed']}")
def test_the_top_slices_are_those_of_sliceline(case: dict[str, Any]) -> None:
    columns, errors = np.array(case["columns"]), np.array(case["errors"])
    count = len(errors)
    names = [(place, value) for place, one in enumerate(columns.T) for value in np.unique(one)]
    held = np.stack([columns[:, place] == value for place, value in names], axis=1)
    found = []
    for level in conjunctions(Space(errors, held, case["least"]), case["depth"]):
        for chosen, size, total in zip(level.chosen, level.sizes, level.sums, strict=True):
            relative = total / size / errors.mean() - 1
            score = case["alpha"] * relative - (1 - case["alpha"]) * (count / size - 1)
            where = {str(names[one][0]): int(names[one][1]) for one in chosen}
            found.append((score, int(size), total, where))
    found.sort(key=lambda one: -one[0])
    wanted = case["top"]
    assert len(wanted) >= 5
    for (score, size, total, where), one in zip(found, wanted, strict=False):
        assert score == pytest.approx(one["score"], abs=2e-5)
        if [abs(other["score"] - one["score"]) < 1e-4 for other in wanted].count(True) == 1:
            assert (where, size) == (one["slice"], one["size"])
            assert total == pytest.approx(one["sum"], rel=1e-5)
