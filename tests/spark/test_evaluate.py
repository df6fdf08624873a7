"""Runs evaluated in a cluster: the bits of one machine, whatever the rows, their order and their
partitions. `tests/unit/test_spark_tasks.py` tries more rules, without Spark."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from tests.property.test_measures import JUDGED
from tests.spark.same import assert_same, collection, shuffled, spark_frame
from tests.values import whole_list

import relyon
from relyon.data.columns.spark_settings import SETTINGS, setting, tuned
from relyon.spark import evaluate
from relyon.spark.buckets import bucket_keys

FEW = ["ndcg@10", "ap", "pnr", "auc", "err"]


@dataclass(frozen=True)
class FirstGrade(relyon.Measure):
    """Grade of the first document: a measure of a user, without a kernel."""

    name = "first_grade"

    def steps(self, ranking: relyon.Ranking) -> Iterator[relyon.Step]:
        for entry in ranking.top(1):
            grade = entry.grade or 0.0
            yield relyon.Step(1, entry.document, entry.grade, grade, 1.0, grade, grade)


@pytest.fixture
def first_grade(own_measures: None) -> str:
    """The name of a measure that is registered here, for a while, and not on the executors."""
    return relyon.register(FirstGrade).name


def test_every_measure(first_grade: str, spark: Any) -> None:
    measures = [whole_list(name) for name in JUDGED if name != "kappa"]
    measures += [first_grade, "ap(rel=0)", "ndcg(gain=exp)@3"]
    judgments, run = collection(subtopics=True)
    found = evaluate(
        spark_frame(spark, shuffled(judgments), 3), spark_frame(spark, shuffled(run), 4), measures
    )
    assert_same(found, relyon.evaluate(judgments, run, measures))


@pytest.mark.parametrize(
    ("partitions", "names_sent"),
    [(1, True), (2, False), (7, False), pytest.param(64, True, marks=pytest.mark.slow)],
)
def test_partitions(
    partitions: int, names_sent: bool, spark: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    if not names_sent:
        monkeypatch.setattr("relyon.spark.evaluation.BROADCAST", 0)
    judgments, run = collection(12, 9)
    # One query has half of all rows, and many partitions have none.
    query = run["query"][0]
    documents = [f"x{number:04d}" for number in range(run.height)]
    scores = [number * 7919 % 101 / 101 for number in range(run.height)]
    run = pl.concat([run, pl.DataFrame({"query": query, "document": documents, "score": scores})])
    judged = pl.DataFrame({"query": query, "document": documents[::3], "grade": 1.0})
    judgments = pl.concat([judgments, judged]).sort("query")
    run = run.sort("query", maintain_order=True)
    found = evaluate(
        spark_frame(spark, shuffled(judgments), partitions),
        spark_frame(spark, shuffled(run), partitions),
        FEW,
        partitions=partitions,
    )
    assert_same(found, relyon.evaluate(judgments, run, FEW))


def test_rules(spark: Any) -> None:
    judgments, run = collection(20, 9, grades=(-1, 0, 1, 2, 3, 0.5))
    rank = pl.col("score").rank("ordinal", descending=True).over("query").cast(pl.Int32)
    ranked = run.with_columns(rank=rank)
    there = spark_frame(spark, judgments).cache()
    for rules, rows in (
        ({"ties": "rank"}, ranked),
        ({}, ranked.drop("score")),
        ({"ties": "expected", "undefined": "one", "missing": "skip"}, run),
        ({"ties": "worst", "negative": "unjudged", "decimals": 3}, run),
        ("trec_eval", run),
    ):
        measures = ["ndcg", "ap", "rr", "gauc"]
        found = evaluate(there, spark_frame(spark, shuffled(rows)), measures, convention=rules)
        assert_same(found, relyon.evaluate(judgments, rows, measures, convention=rules))
    there.unpersist()


def test_judgments_of_this_machine(spark: Any, tmp_path: Path) -> None:
    judgments, run = collection(20, 9, grades=(0, 1, 2, 3))
    there = spark_frame(spark, run)
    evidence = judgments.with_columns(
        weight=pl.lit(20.0), low=pl.col("grade") - 0.5, high=pl.col("grade") + 0.5
    )
    evidence.write_csv(tmp_path / "judgments.csv")
    nested = {
        query: dict(zip(rows["document"], rows["grade"], strict=True))
        for (query,), rows in judgments.group_by(["query"], maintain_order=True)
    }
    for given in (nested, tmp_path / "judgments.csv", evidence):
        assert_same(evaluate(given, there, FEW), relyon.evaluate(given, run, FEW))
    found = evaluate(spark_frame(spark, evidence), there, FEW)
    assert_same(found, relyon.evaluate(evidence, run, FEW))


def test_numbers_as_ids_and_names_as_grades(spark: Any) -> None:
    judgments, run = collection(9, 9, grades=("高", "中", "低", "无", None))
    number = pl.col("query").str.slice(1, 4).cast(pl.Int64)
    numbered = run.with_columns(query=number)
    text = judgments.with_columns(query=number.cast(pl.String))
    found = evaluate(
        spark_frame(spark, text, kinds={"grade": "string"}),
        spark_frame(spark, numbered, kinds={"query": "bigint"}),
        FEW,
        scale="search",
        name="a name",
    )
    here = relyon.evaluate(text, numbered, FEW, scale="search", name="a name")
    assert_same(found, here)


def test_results_are_of_one_machine_and_the_frame_of_spark(spark: Any) -> None:
    import pickle

    judgments, run = collection(12, 9)
    found = evaluate(spark_frame(spark, judgments), spark_frame(spark, run), FEW)
    stored = spark.sparkContext._jsc.getPersistentRDDs().size()
    assert stored >= 1
    assert found.frame.where("`ndcg@10` > 0.5").count() == sum(
        value > 0.5 for value in relyon.evaluate(judgments, run, FEW).column("ndcg@10")
    )
    again = pickle.loads(pickle.dumps(found))
    assert again.entries == found.entries
    found.unpersist()
    assert spark.sparkContext._jsc.getPersistentRDDs().size() == stored - 1
    assert found.frame.count() > 0  # computed anew


def test_settings_are_put_back(spark: Any) -> None:
    judgments, run = collection(4, 5)
    before = {name: setting(spark, name) for name in SETTINGS}
    spark.conf.set("spark.sql.execution.arrow.maxBytesPerBatch", "1000000")
    with tuned(spark):
        evaluate(judgments, spark_frame(spark, run))
        assert {name: setting(spark, name) for name in SETTINGS} == SETTINGS
    assert setting(spark, "spark.sql.execution.arrow.maxBytesPerBatch") == "1000000"
    spark.conf.unset("spark.sql.execution.arrow.maxBytesPerBatch")
    assert {name: setting(spark, name) for name in SETTINGS} == before


def test_buckets_are_dealt_evenly_to_tasks(spark: Any) -> None:
    """Keys of buckets are chosen by Spark's hash; with another one some tasks would idle."""
    keys = bucket_keys(7).tolist()
    frame = spark.createDataFrame([(key,) for key in keys], "bucket int")
    sizes = frame.repartition(7, "bucket").rdd.mapPartitions(lambda rows: [sum(1 for _ in rows)])
    assert sizes.collect() == [len(keys) // 7] * 7
