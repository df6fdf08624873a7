"""Tasks that fail and executors that die change nothing; bad rows are refused, not retried."""

from __future__ import annotations

import os
import signal
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, cast

import polars as pl
import pytest
from tests.spark.same import assert_same, collection, shuffled, spark_frame

import relyon
from relyon.spark import compare, evaluate, evaluate_scores

MEASURES = ["ndcg@10", "ap", "auc"]
RUN = "query string, document string, score double"


def attempt() -> Any:
    """Returns Spark's context of the task that runs here."""
    from pyspark import TaskContext

    return TaskContext.get()


def fails_twice(batches: Iterator[Any]) -> Iterator[Any]:
    """Fails after it has given its rows, but not at the third attempt."""
    yield from batches
    if attempt().attemptNumber() < 2:
        raise OSError("the disk is full")


class KillsItsExecutor:
    """Kills the executor in which it runs, once.

    Args:
        mark: A file that says that it has.
    """

    def __init__(self, mark: Path) -> None:
        self.mark = mark

    def __call__(self, batches: Iterator[Any]) -> Iterator[Any]:
        yield from batches
        try:
            os.close(os.open(self.mark, os.O_CREAT | os.O_EXCL))
        except FileExistsError:
            return
        # This is a worker, its parent a daemon, and the daemon's parent the executor.
        status = Path(f"/proc/{os.getppid()}/status").read_text("utf-8")
        executor = next(line for line in status.splitlines() if line.startswith("PPid:"))
        os.kill(int(executor.split()[1]), signal.SIGKILL)


class Counts:
    """Writes down each attempt of a task.

    Args:
        folder: Where.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def __call__(self, batches: Iterator[Any]) -> Iterator[Any]:
        context = attempt()
        (self.folder / f"attempt-{context.attemptNumber()}-{context.taskAttemptId()}").touch()
        yield from batches


def test_tasks_that_fail(spark: Any) -> None:
    judgments, run = collection()
    there = spark_frame(spark, shuffled(run), 4).mapInArrow(fails_twice, RUN)
    judged = spark_frame(spark, shuffled(judgments), 2)
    assert_same(evaluate(judged, there, MEASURES), relyon.evaluate(judgments, run, MEASURES))


@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="finds its executor in /proc")
def test_an_executor_that_dies(spark: Any, tmp_path: Path) -> None:
    judgments, run = collection()
    there = spark_frame(spark, shuffled(run), 4)
    there = there.repartition(4).mapInArrow(KillsItsExecutor(tmp_path / "killed"), RUN)
    judged = spark_frame(spark, shuffled(judgments), 2)
    found = evaluate(judged, there, MEASURES, partitions=5)
    assert (tmp_path / "killed").exists()
    assert_same(found, relyon.evaluate(judgments, run, MEASURES))


def spoilt(frame: pl.DataFrame, **values: Any) -> pl.DataFrame:
    """Spoils one row, the 51st."""
    here = pl.int_range(pl.len()) == 50
    return frame.with_columns(
        pl.when(here).then(pl.lit(value)).otherwise(name).alias(name)
        for name, value in values.items()
    )


Change = Callable[[pl.DataFrame], pl.DataFrame]
#: What is bad in the judgments or the run, and how Spark declares it where that differs.
BAD: dict[str, tuple[Change | None, Change | None, dict[str, str]]] = {
    "retrieved twice": (None, lambda run: pl.concat([run, run.slice(50, 1)]), {}),
    "judged twice": (
        lambda judged: pl.concat([judged, judged.slice(50, 1).with_columns(grade=9.0)]),
        None,
        {},
    ),
    "nan": (None, lambda run: spoilt(run, score=float("nan")), {}),
    "inf": (lambda judged: spoilt(judged, grade=float("inf")), None, {}),
    "no query": (None, lambda run: spoilt(run, query=None), {}),
    "empty document": (lambda judged: spoilt(judged, document=""), None, {}),
    "unknown grade": (
        lambda judged: spoilt(judged.with_columns(pl.col("grade").cast(pl.String)), grade="good"),
        None,
        {"grade": "string"},
    ),
    "wrong type": (
        None,
        lambda run: run.with_columns(document=pl.lit(1.5)),
        {"document": "double"},
    ),
    "list": (None, lambda run: run.with_columns(score=pl.lit([0.5])), {"score": "array<double>"}),
    "column": (None, lambda run: run.rename({"document": "thing"}), {"thing": "string"}),
    "no common query": (None, lambda run: run.with_columns(query="x-" + pl.col("query")), {}),
    "no judgments": (lambda judged: judged.head(0), None, {}),
    "nothing": (lambda judged: judged.head(0), lambda run: run.head(0), {}),
}


def without_rows(text: str) -> str:
    """Returns a message of one machine as a cluster has it: rows have no numbers."""
    for part in text.split(" (first in row ")[1:]:
        text = text.replace(f" (first in row {part.partition(')')[0]})", "")
    return text.removeprefix("memory: ").partition(": ")[2] if text.startswith("row ") else text


@pytest.mark.parametrize("name", BAD)
def test_bad_input(name: str, spark: Any, tmp_path: Path) -> None:
    spoil_judgments, spoil_run, kinds = BAD[name]
    judgments, run = collection(20, 9)
    judgments = judgments if spoil_judgments is None else spoil_judgments(judgments)
    run = run if spoil_run is None else spoil_run(run)
    with pytest.raises(relyon.InputError) as here:
        relyon.evaluate(judgments, run, MEASURES)
    there = spark_frame(spark, shuffled(run), 3, {} if spoil_run is None else kinds)
    there = there.mapInArrow(Counts(tmp_path), there.schema)
    judged = spark_frame(spark, shuffled(judgments), 2, {} if spoil_judgments is None else kinds)
    with pytest.raises(relyon.InputError) as raised:
        evaluate(judged, there, MEASURES)
    assert type(raised.value) is relyon.InputError
    assert raised.value.__cause__ is None
    if name == "retrieved twice":  # which one machine says in other words
        assert raised.value.message == "document `d008é` of query `q0007 查询` is retrieved twice"
    else:
        assert raised.value.message.endswith(without_rows(here.value.message))
        assert raised.value.hint == here.value.hint
    assert not [one for one in os.listdir(tmp_path) if not one.startswith("attempt-0-")]


def test_files_are_named(spark: Any, tmp_path: Path) -> None:
    judgments, run = collection(20, 9)
    bad = spoilt(run, score=float("nan"))
    query = bad["query"][50]
    folder = tmp_path / "run"
    folder.mkdir()
    for name, chosen in (("one", pl.col("query") < query), ("two", pl.col("query") >= query)):
        bad.filter(chosen).write_parquet(folder / f"{name}.parquet")
    with pytest.raises(relyon.InputError) as raised:
        evaluate(spark_frame(spark, judgments), spark.read.parquet(str(folder)), MEASURES)
    text = str(raised.value)
    assert text.startswith("file:///")
    assert f"run/two.parquet: query `{query}`, document `" in text
    assert "one.parquet" not in text


def test_nothing_is_left_behind(spark: Any) -> None:
    judgments, run = collection(9, 9)
    context = spark.sparkContext._jsc
    before = context.getPersistentRDDs().size()
    judged, there = spark_frame(spark, judgments), spark_frame(spark, run)
    for measures in (["rbo"], ["ap(rel=9)"]):
        with pytest.raises((relyon.ParameterError, relyon.InputError)):
            evaluate(judged, there, measures, convention={"undefined": "error"})
    compare(judged, there, there, ["ap"], names=["a", "b"])
    assert context.getPersistentRDDs().size() == before


def test_what_is_refused_at_once(spark: Any) -> None:
    judgments, run = collection(9, 9)
    there, wrong = spark_frame(spark, run), cast("Any", run)
    for call, text in (
        (
            lambda: evaluate(judgments, wrong, ["ap"]),
            "run: a DataFrame is not a data frame of Spark",
        ),
        (lambda: evaluate(judgments, there, ["rbo"]), "`rbo` compares two runs"),
        (lambda: evaluate(judgments, there, ["ap"], convention={"ties": "input"}), "ties=input"),
        (lambda: evaluate(judgments, there, ["ap"], partitions=0), "partitions"),
        (lambda: evaluate_scores(there, ["auc"]), "there is no column for the label"),
    ):
        with pytest.raises((relyon.ParameterError, relyon.InputError), match=text):
            call()


def test_labels_that_are_no_numbers(spark: Any) -> None:
    rows = pl.DataFrame({"query": ["a", "a"], "label": ["高", "1"], "score": [0.5, 0.25]})
    there = spark_frame(spark, rows, kinds={"label": "string"})
    for measures in (["auc"], ["err"]):
        with pytest.raises(relyon.InputError, match="the label `高` is not a number"):
            evaluate_scores(there, measures)
    empty = spark_frame(spark, rows.head(0), kinds={"label": "string"})
    with pytest.raises(relyon.InputError, match="there are no rows"):
        evaluate_scores(empty, ["auc"])
