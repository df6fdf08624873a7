"""relyon's values as other programs print theirs."""

from __future__ import annotations

import math
from typing import Any

import relyon
from relyon.measures.lookup import registry


def values_by_query(
    judgments: Any, run: Any, names: list[str], convention: Any
) -> dict[str, dict[str, float]]:
    """Returns relyon's values by query, undefined ones as the convention says; `all`: summary."""
    results = relyon.evaluate(judgments, run, names, convention=convention)
    filled = {name: relyon.measure(name).counted(results.convention) for name in names}
    values = {
        query: {
            name: filled[name] if math.isnan(value) else value
            for name, value in zip(names, row, strict=True)
        }
        for query, row in results.rows()
    }
    values["all"] = dict(zip(names, results.values(), strict=True))
    return values


def whole_list(name: str) -> str:
    """Returns how one measure is written whose bare name stands for several."""
    kind = registry.get(name)
    if kind.at != "k":
        return f"{name}@0.5"
    return f"{name}@all" if kind.several else name
