"""Rows packed by buckets of queries: mixed rows of many queries, and queries without judgments."""

from __future__ import annotations

import pyarrow as pa
from tests.unit.cluster import BUCKETS

from relyon.spark.buckets import EACH
from relyon.spark.evaluation import LAYOUT
from relyon.spark.packed_rows import PIECE, query_names
from relyon.spark.row_blocks import RunBlock
from relyon.spark.tasks import ROWS, UNJUDGED, EvaluateTask, Names, PackTask


def test_mixed_rows_of_many_queries_are_packed_together() -> None:
    """More queries than 16 bits count, two rows each, far apart: a packed row has many of them."""
    names = [f"q{place}" for place in range(70_000)]
    query = pa.array([*names, *reversed(names)])
    documents = pa.array([f"d{place}" for place in range(len(query))])
    columns = {"document": documents, "score": pa.array(range(len(query)), pa.float64())}
    packed = LAYOUT.pack(3, query, columns, BUCKETS)
    assert packed.num_rows <= len(query) // PIECE + BUCKETS.partitions * EACH
    found = LAYOUT.unpack(pa.Table.from_batches([packed]))
    assert found["query"].to_pylist() == sorted([*names, *names])
    places = found["score"].astype(int).tolist()
    assert [query[place].as_py() for place in places[:99]] == found["query"].to_pylist()[:99]
    assert found["document"].to_pylist() == [f"d{place}" for place in places]
    assert sorted(places) == list(range(len(query)))


def test_of_unjudged_queries_only_names_are_sent() -> None:
    block = RunBlock({"query": "query", "document": "document", "score": "score"})
    task = PackTask(LAYOUT, ROWS, block, BUCKETS, Names(["b"]))
    rows = {"query": list("abcab"), "document": list("12345"), "score": [5.0, 4.0, 3.0, 2.0, 1.0]}
    batches = list(task(iter([pa.RecordBatch.from_pydict(rows)])))
    others, kept = (pa.Table.from_batches([one]) for one in batches)
    assert set(others.column("kind").to_pylist()) == {UNJUDGED}
    assert sorted(query_names(others).to_pylist()) == ["a", "c"]
    assert others.column("document").null_count == others.num_rows
    found = LAYOUT.unpack(kept)
    assert found["query"].to_pylist() == ["b", "b"]
    assert found["document"].to_pylist() == ["2", "5"]
    assert found["score"].tolist() == [4.0, 1.0]


def test_names_of_unjudged_queries_come_in_order_and_once() -> None:
    block = RunBlock({"query": "query", "document": "document", "score": "score"})
    task = PackTask(LAYOUT, ROWS, block, BUCKETS, Names([]))
    names = [f"q{place * 7 % 50:02}" for place in range(200)]
    rows = {"query": names, "document": names, "score": [0.5] * len(names)}
    packed = list(task(iter([pa.RecordBatch.from_pydict(rows)] * 2)))
    evaluate = EvaluateTask(LAYOUT, lambda kinds: None, ())  # type: ignore[arg-type, return-value]
    found = evaluate._unpacked(pa.Table.from_batches([*packed, *packed]))
    assert found[UNJUDGED]["query"].to_pylist() == sorted(set(names))
