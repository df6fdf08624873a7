"""Labelled scores, and comparisons, in a cluster: the bits of one machine."""

from __future__ import annotations

import struct
from typing import Any

import polars as pl
import pytest
from tests.spark.same import assert_same, collection, shuffled, spark_frame
from tests.unit.test_spark_tasks import SCORES, labelled

import relyon
from relyon.spark import compare, compare_scores, evaluate_scores


@pytest.mark.parametrize("average", [None, "micro"])
def test_labelled_scores(average: Any, spark: Any) -> None:
    rows = labelled()
    found = evaluate_scores(spark_frame(spark, shuffled(rows), 5), SCORES, average=average)
    here = relyon.evaluate_scores(relyon.read_scored(rows), measures=SCORES, average=average)
    assert_same(found, here)


def test_weights(spark: Any) -> None:
    rows = labelled(9, 40)
    measures = ["auc", "gauc", "pnr", "concordance", "average_precision"]
    weight = {"weight": "weight"}
    found = evaluate_scores(
        spark_frame(spark, shuffled(rows)), measures, columns=weight, partitions=7
    )
    here = relyon.evaluate_scores(relyon.read_scored(rows, weight="weight"), measures=measures)
    assert_same(found, here)


def test_without_queries(spark: Any) -> None:
    rows = labelled(5, 40).drop("query", "document", "weight")
    measures = ["auc", "pnr", "ndcg@10"]
    found = evaluate_scores(spark_frame(spark, shuffled(rows)), measures)
    assert_same(found, relyon.evaluate_scores(relyon.read_scored(rows), measures=measures))


def bits(thing: Any) -> Any:
    """Returns nested values with numbers as bytes."""
    if isinstance(thing, float):
        return struct.pack("<d", thing)
    if isinstance(thing, dict):
        return {key: bits(value) for key, value in thing.items()}
    return [bits(value) for value in thing] if isinstance(thing, list | tuple) else thing


def other(run: pl.DataFrame) -> pl.DataFrame:
    """Returns another ranking of the same documents."""
    again = pl.col("score") * 0.5 + pl.int_range(pl.len()).mod(7) / 10
    return run.with_columns(score=again)


@pytest.mark.parametrize("test", ["t", "permutation", "bootstrap", "tukey"])
def test_comparisons(test: str, spark: Any) -> None:
    judgments, run = collection(24, 9)
    runs = [run, other(run), other(other(run))]
    measures = ["ndcg@10", "auc", "pnr", "rr"] if test != "tukey" else ["ndcg@10", "rr"]
    options: Any = {"test": test, "resamples": 200, "seed": 3, "names": ["a", "b", "c"]}
    here = relyon.compare(judgments, runs[0], runs[1:], measures, **options)
    there = [spark_frame(spark, shuffled(one, seed), 3) for seed, one in enumerate(runs)]
    found = compare(
        spark_frame(spark, shuffled(judgments)), there[0], there[1:], measures, **options
    )
    expected = here.to_dict()
    del expected["inputs"]  # results of a cluster carry no fingerprints
    assert bits(found.to_dict()) == bits(expected)


def test_comparisons_of_scores(spark: Any) -> None:
    rows = labelled(20, 30).drop("weight")
    models = {"old": rows, "new": other(rows)}
    options: Any = {"test": "bootstrap", "resamples": 200, "seed": 3}
    measures = ["auc", "pnr", "ndcg@10", "gauc"]
    here = relyon.compare_scores(
        {name: relyon.read_scored(one) for name, one in models.items()},
        measures=measures,
        **options,
    )
    there = {name: spark_frame(spark, shuffled(one), 3) for name, one in models.items()}
    found = compare_scores(there, measures, partitions=5, **options)
    assert bits(found.to_dict()) == bits(here.to_dict())


def test_models_of_other_rows_are_not_compared(spark: Any) -> None:
    rows = labelled(20, 30).drop("weight")
    changed = rows.with_columns(
        label=pl.when(pl.int_range(pl.len()) == 44).then(9).otherwise("label")
    )
    query = rows["query"][44]
    there = {"old": spark_frame(spark, rows, 2), "new": spark_frame(spark, changed, 3)}
    with pytest.raises(relyon.InputError, match=f"query `{query}` has other rows or labels"):
        compare_scores(there, ["gauc"])
