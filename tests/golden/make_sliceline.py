"""Writes `data/sliceline.json`: the top slices that SliceLine finds in small tables of errors.

    pip install sliceline==0.3.0
    python tests/golden/make_sliceline.py

SliceLine is https://github.com/DataDome/sliceline (BSD 3-clause; it is run and not copied).
"""

from __future__ import annotations

import json
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np

CASES = ({"seed": 1, "alpha": 0.95}, {"seed": 2, "alpha": 0.99}, {"seed": 3, "alpha": 0.97})
TOP, LEAST, DEPTH, ROWS = 12, 15, 3, 240


def table(seed: int) -> tuple[Any, Any]:
    """Columns of 2 to 4 values, and errors of at least 0."""
    chance = np.random.default_rng(seed)
    columns = np.stack([chance.integers(0, 2 + place % 3, ROWS) for place in range(6)], axis=1)
    errors = chance.exponential(0.2, ROWS)
    errors[(columns[:, 1] == 0) & (columns[:, 2] == 1)] += 0.4
    errors[columns[:, 5] == 3] += 0.2
    return columns, errors.round(4)


def main() -> None:
    """Runs SliceLine on each case."""
    finder = import_module("sliceline.slicefinder").Slicefinder
    cases = []
    for case in CASES:
        columns, errors = table(int(case["seed"]))
        model = finder(alpha=case["alpha"], k=TOP, max_l=DEPTH, min_sup=LEAST, verbose=False)
        model.fit(columns, errors)
        found = [
            {
                "slice": {str(place): int(v) for place, v in enumerate(one) if v is not None},
                "score": float(facts["slice_score"]),
                "size": int(facts["slice_size"]),
                "sum": float(facts["sum_slice_error"]),
            }
            for one, facts in zip(model.top_slices_, model.top_slices_statistics_, strict=True)
        ]
        cases.append(
            {**case, "least": LEAST, "depth": DEPTH}
            | {"columns": columns.tolist(), "errors": errors.tolist(), "top": found}
        )
    path = Path(__file__).parent / "data" / "sliceline.json"
    path.write_text(json.dumps({"version": "0.3.0", "cases": cases}) + "\n", "utf-8")


if __name__ == "__main__":
    main()
