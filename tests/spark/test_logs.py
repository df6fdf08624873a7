"""The same findings in a log from Spark as from Polars."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import polars as pl
from tests.unit.clean_logs import clean_log
from tests.unit.test_logs_repairs import sick

from relyon.online.logs import examine, summarise


def test_spark_finds_what_polars_finds(spark: Any, tmp_path: Path) -> None:
    log = sick(clean_log()).with_columns(pl.col("timestamp").dt.replace_time_zone(None))
    log.write_parquet(tmp_path / "log.parquet")
    frame = spark.read.parquet(str(tmp_path / "log.parquet"))
    there, here = examine(frame), examine(log)
    assert there.to_dict() == here.to_dict()
    assert there.repair().to_dict() == here.repair().to_dict()
    assert summarise(frame).to_dict() == summarise(log).to_dict()
