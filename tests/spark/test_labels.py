"""The same labels from Spark as from the other engines."""

from __future__ import annotations

from typing import Any

import pytest
from tests.unit.test_labels_engines import WAYS, clicks

from relyon.labels import make_labels


@pytest.mark.parametrize("way", WAYS, ids=lambda way: way["model"])
def test_spark_gives_the_same_labels(way: dict[str, Any], spark: Any) -> None:
    frame = clicks()
    rows = spark.createDataFrame(frame.rows(), schema=frame.columns).repartition(3)
    expected, found = make_labels(frame, **way), make_labels(rows, **way)
    assert found.labels.equals(expected.labels)
    assert found.to_dict() == expected.to_dict()
