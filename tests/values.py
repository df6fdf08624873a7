"""relkit's values as other programs print theirs."""

from __future__ import annotations

import math
from typing import Any

import relkit

FILLED = {"zero": 0.0, "one": 1.0, "skip": math.nan}


def values_by_query(
    judgments: Any, run: Any, names: list[str], convention: Any
) -> dict[str, dict[str, float]]:
    """Returns relkit's values by query, undefined ones as the convention says; `all`: summary."""
    results = relkit.evaluate(judgments, run, names, convention=convention)
    filled = FILLED[results.convention.undefined]
    values = {
        query: {
            name: filled if math.isnan(value) else value
            for name, value in zip(names, row, strict=True)
        }
        for query, row in results.rows()
    }
    values["all"] = dict(zip(names, results.values(), strict=True))
    return values
