"""The same sample from Spark as from the other engines."""

from __future__ import annotations

from typing import Any

import duckdb
import polars as pl
import pytest

from relyon.online.sampling import Design, build_tiers, draw_sample

LOG = pl.DataFrame(
    [
        (
            f"s{number * 7919 % 997}",
            f"查询 {number % 23 % (number % 11 + 1)}",
            position,
            f"d{position}",
        )
        for number in range(300)
        for position in (1, 2, 3)
    ],
    schema=["session", "query", "position", "doc"],
    orient="row",
)


@pytest.mark.parametrize("design", ["stratified", "pptss"])
def test_three_engines_draw_the_same_sample(design: Design, spark: Any) -> None:
    frame = spark.createDataFrame(LOG.rows(), schema=LOG.columns).repartition(3)
    connection = duckdb.connect()
    connection.register("log", LOG.sort("doc", "session").to_arrow())
    relation = connection.sql("select * from log")
    expected = draw_sample(LOG, per_tier=10, design=design, seed=11)
    for log in (frame, relation):
        assert build_tiers(log).frame.equals(build_tiers(LOG).frame)
        found = draw_sample(log, per_tier=10, design=design, seed=11)
        assert found.to_frame().equals(expected.to_frame())
        assert found.to_dict() == expected.to_dict()
