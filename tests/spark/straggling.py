"""Evaluates where a task of each stage hangs until Spark runs a copy of it elsewhere.

`python -m tests.spark.straggling MASTER FOLDER` writes what it found to `FOLDER/found.pickle`,
and a file for each attempt.
"""

from __future__ import annotations

import os
import pickle
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, cast

import pytest
from tests.spark.same import by_query, collection, said, shuffled, spark_frame

import relyon.spark
from relyon.spark.frames import evaluated

MEASURES = ["ndcg@10", "ap", "auc"]
POOLED = ["auc", "gauc", "pnr"]
#: Far more than Spark needs to notice that a task hangs.
PATIENCE = 120.0
SETTINGS = {
    "spark.driver.bindAddress": "127.0.0.1",
    "spark.driver.host": "127.0.0.1",
    "spark.executor.memory": "600m",
    "spark.speculation": "true",
    "spark.speculation.interval": "100ms",
    "spark.speculation.minTaskRuntime": "100ms",
    "spark.speculation.multiplier": "1.1",
    "spark.speculation.quantile": "0.3",
    "spark.sql.adaptive.enabled": "false",  # it would join the few partitions to one
    "spark.sql.shuffle.partitions": "3",
    "spark.ui.enabled": "false",
    "spark.ui.showConsoleProgress": "false",
}


class Straggler:
    """Lets the first task that has given its rows hang, but not a copy of it.

    Args:
        name: What the tasks are called.
        folder: Gets a file for the first of each attempt.
    """

    def __init__(self, name: str, folder: Path) -> None:
        self.name = name
        self.folder = folder

    def __call__(self, batches: Iterator[Any]) -> Iterator[Any]:
        from pyspark import TaskContext

        yield from batches
        number = cast("Any", TaskContext.get()).attemptNumber()
        try:
            (self.folder / f"{self.name}-{number}").touch(exist_ok=False)
        except FileExistsError:
            return
        if number == 0:
            time.sleep(PATIENCE)


def rows() -> Any:
    """Returns labelled rows of the collection."""
    judgments, run = collection()
    return judgments.join(run, ["query", "document"]).rename({"grade": "label"})


def main() -> None:
    """Evaluates a run and labelled rows."""
    from pyspark.sql import SparkSession

    master, folder = sys.argv[1], Path(sys.argv[2])
    settings = {**SETTINGS, "spark.executorEnv.PYTHONPATH": os.environ["PYTHONPATH"]}
    builder = SparkSession.builder.master(master)
    for name, value in settings.items():
        builder = builder.config(name, value)
    spark = builder.getOrCreate()
    spark.sparkContext.setLogLevel("FATAL")

    def late(name: str) -> Callable[..., Any]:
        def wrapped(packed: Any, task: Any, partitions: int | None) -> Any:
            return slow(evaluated(packed, task, partitions), name)

        return wrapped

    def slow(frame: Any, name: str) -> Any:
        return frame.mapInArrow(Straggler(name, folder), frame.schema)

    judgments, run = collection()
    patch = pytest.MonkeyPatch()
    patch.setattr("relyon.spark.evaluation.evaluated", late("evaluate"))
    patch.setattr("relyon.spark.scores.evaluated", late("scores"))
    found = []
    for results in (
        relyon.spark.evaluate(
            slow(spark_frame(spark, shuffled(judgments), 3), "judgments"),
            slow(spark_frame(spark, shuffled(run), 4), "run"),
            MEASURES,
        ),
        relyon.spark.evaluate_scores(slow(spark_frame(spark, shuffled(rows()), 4), "rows"), POOLED),
    ):
        found.append((said(results), by_query(results)))
    (folder / "found.pickle").write_bytes(pickle.dumps(found))
    spark.stop()


if __name__ == "__main__":
    main()
