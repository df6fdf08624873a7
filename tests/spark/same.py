"""The same data on one machine and in a cluster, and what must be equal bit for bit."""

from __future__ import annotations

import math
import random
import struct
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import polars as pl

from relyon import Results
from relyon.spark import SparkResults

#: How Spark declares each column.
KINDS = {
    "query": "string", "document": "string", "subtopic": "string",
    "grade": "double", "label": "double", "score": "double", "rank": "int",
    "weight": "double", "low": "double", "high": "double",
}  # fmt: skip


def spark_frame(
    spark: Any,
    rows: pl.DataFrame,
    partitions: int = 3,
    kinds: Mapping[str, str] | None = None,
) -> Any:
    """Returns rows as a frame of Spark: so many slices, in the given order."""
    kinds = {**KINDS, **(kinds or {})}
    schema = ", ".join(f"`{name}` {kinds[name]}" for name in rows.columns)
    slices = spark.sparkContext.parallelize(rows.rows(), partitions)
    return spark.createDataFrame(slices, schema)


def bits(values: Iterable[float]) -> list[bytes]:
    """Returns numbers as bytes: all NaN are one."""
    return [b"nan" if math.isnan(value) else struct.pack("<d", value) for value in values]


def said(results: Results) -> dict[str, Any]:
    """Returns everything that results say, but the values of queries."""
    return {
        "run": results.run,
        "entries": {name: repr(entry) for name, entry in results.entries.items()},
        "totals": bits(entry.value for entry in results.entries.values()),
        "convention": results.convention,
        "notes": [(note, note.text("en")) for note in results.notes],
    }


def by_query(results: Results) -> dict[str, list[bytes]]:
    """Returns the values of each query in the order of the measures."""
    if not isinstance(results, SparkResults):
        return {query: bits(row) for query, row in results.rows()}
    assert results.frame.columns == ["query", *results]
    rows = results.frame.collect()
    found = {row[0]: [float("nan") if one is None else one for one in row[1:]] for row in rows}
    assert len(found) == len(rows)
    return {query: bits(values) for query, values in found.items()}


def assert_same(found: SparkResults, expected: Results) -> None:
    """Fails if a cluster says anything else than one machine, in a digit or a word."""
    here, there = said(expected), said(found)
    for name, value in here["entries"].items():
        assert there["entries"][name] == value
    assert there == here
    mine, theirs = by_query(expected), by_query(found)
    assert theirs.keys() == mine.keys()
    for query, values in mine.items():
        pairs = zip(expected, values, theirs[query], strict=True)
        assert not [name for name, one, two in pairs if one != two], query
    found.unpersist()


def collection(
    queries: int = 30,
    documents: int = 12,
    *,
    seed: int = 0,
    grades: Sequence[Any] = (0, 0, 0, 1, 1, 2, 3, 0.5),
    subtopics: bool = False,
) -> tuple[pl.DataFrame, pl.DataFrame]:
    """Returns judgments and a run with ties, and with queries and documents that one of them lacks.

    Queries are in the order of their names, so that the first of them are the same everywhere.
    """
    random_ = random.Random(seed)
    judged: list[tuple[Any, ...]] = []
    ranked: list[tuple[Any, ...]] = []
    for number in range(queries):
        query = f"q{number:04d} 查询"
        for place in range(documents):
            document = f"d{place:03d}é"
            score = random_.choice([0.1, 0.25, 1 / 3, 0.5, 0.7, random_.random()])
            if number % 11 != 5 and random_.random() < 0.7:
                for subtopic in "abc" if subtopics and number % 3 else "0":
                    if subtopic in "0a" or random_.random() < 0.5:
                        judged.append((query, subtopic, document, random_.choice(grades)))
            if number % 7 != 3 and random_.random() < 0.8:
                ranked.append((query, document, score))
    names = ["query", "subtopic", "document", "grade"]
    judgments = pl.DataFrame(judged, names, orient="row", infer_schema_length=None)
    if judgments["grade"].dtype.is_numeric():
        judgments = judgments.with_columns(pl.col("grade").cast(pl.Float64))
    if not subtopics:
        judgments = judgments.drop("subtopic")
    run = pl.DataFrame(ranked, ["query", "document", "score"], orient="row")
    return judgments, run


def shuffled(rows: pl.DataFrame, seed: int = 0) -> pl.DataFrame:
    """Returns the rows in another order."""
    return rows.sample(fraction=1.0, shuffle=True, seed=seed)
