"""A pytest plugin that puts `relyon.compat.ranx` in the place of ranx."""

from __future__ import annotations

import sys
from collections.abc import Callable
from types import ModuleType
from typing import Any

import numpy as np
import pytest

from relyon.compat import ranx
from relyon.compat.ranx import files, fusion, normalization

#: Functions inside ranx that nobody outside calls, by module.
INTERNAL = {
    "ranx.fusion.condorcet": ["get_candidates", "get_results"],
    "ranx.fusion.bayesfuse": ["_estimate_log_odds"],
    "ranx.metrics": ["get_hit_lists"],
}


def _internal(name: str) -> Callable[..., Any]:
    def skip(*arguments: Any, **options: Any) -> Any:
        pytest.skip(f"`{name}` is a function inside ranx")

    return skip


def _metric(name: str) -> Callable[..., Any]:
    def function(qrels: Any, run: Any, k: Any = 0, rel_lvl: int = 1) -> Any:
        mark = f".{str(k).split('.')[1]}" if name == "rbp" else f"@{k}" * bool(k)
        level = f"-l{rel_lvl}" * (rel_lvl != 1)
        return np.atleast_1d(ranx.evaluate(qrels, run, name + mark + level, return_mean=False))

    return function


METRICS = {
    "hits": "hits",
    "hit_rate": "hit_rate",
    "precision": "precision",
    "recall": "recall",
    "f1": "f1",
    "r_precision": "r-precision",
    "reciprocal_rank": "mrr",
    "average_precision": "map",
    "dcg": "dcg",
    "dcg_burges": "dcg_burges",
    "ndcg": "ndcg",
    "ndcg_burges": "ndcg_burges",
    "bpref": "bpref",
    "rank_biased_precision": "rbp",
}


def _module(name: str, **names: Any) -> None:
    module = ModuleType(name)
    internal = {key: _internal(key) for key in INTERNAL.get(name, [])}
    module.__dict__.update(names | internal)
    sys.modules[name] = module


def pytest_configure(config: pytest.Config) -> None:
    """Puts the modules in their places before any test is imported."""
    functions = {theirs: _metric(ours) for theirs, ours in METRICS.items()}
    sys.modules["ranx"] = ranx
    sys.modules["ranx.fusion"] = fusion
    sys.modules["ranx.normalization"] = normalization
    _module("ranx.fusion.condorcet")
    _module("ranx.fusion.bayesfuse", bayesfuse_train=fusion.bayesfuse_train)
    _module("ranx.data_structures")
    for name in ("run", "qrels"):
        _module(f"ranx.data_structures.{name}", get_file_kind=files.get_file_kind)
    _module("ranx.metrics", **functions)
    ranx.metrics = sys.modules["ranx.metrics"]
    for name, function in functions.items():
        _module(f"ranx.metrics.{name}", **{name: function})
