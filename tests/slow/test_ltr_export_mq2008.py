"""On MQ2008: exported rankers put every query's documents in the ranker's own order."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import relyon
import relyon.ltr

pytestmark = pytest.mark.slow

TREES: dict[str, Any] = {"trees": 300, "learning_rate": 0.05, "threads": 1}
RANKERS: dict[str, tuple[str, dict[str, Any], tuple[Any, ...]]] = {
    "lightgbm": ("lambdamart", TREES | {"leaves": 15}, ("onnx", "treelite", "engine")),
    "lightgbm, many trees": ("lambdamart", {"trees": 1000, "threads": 1}, ("onnx", "treelite")),
    "regression": ("regression", TREES | {"leaves": 15}, ("onnx", "treelite")),
    "xgboost": (
        "lambdamart",
        TREES | {"leaves": 15, "engine": "xgboost"},
        ("onnx", "treelite", "engine"),
    ),
    "catboost": (
        "lambdamart",
        TREES | {"depth": 6, "engine": "catboost", "options": {"grow_policy": "SymmetricTree"}},
        ("onnx", "engine"),
    ),
    "linear": ("listnet", {"scorer": "linear", "threads": 1}, ("onnx",)),
    "neural": ("listnet", {"scorer": "neural", "threads": 1}, ("onnx", "engine")),
    "attention": ("listnet", {"scorer": "neural", "attention": 1, "epochs": 5}, ("onnx",)),
}


@pytest.mark.parametrize("name", RANKERS)
def test_no_query_changes_its_order(name: str, test_data: Path, tmp_path: Path) -> None:
    train, test = (
        relyon.read_features(str(test_data / "mq2008" / f"S{number}.txt.gz")) for number in (1, 2)
    )
    model, settings, formats = RANKERS[name]
    ranker = relyon.ltr.ranker(model, **settings).fit(train)
    largest = float(abs(ranker.predict(test)).max())
    for format in formats:
        found = ranker.export(tmp_path / format, format, rows=test)
        print(f"{name}: {format}, {found.rows_difference / largest:.1e} of the largest score")
        assert found.queries == 157
        assert found.changed == 0
        assert found.rows_difference <= 3e-6 * largest
