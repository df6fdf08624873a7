"""Partitions of Spark frames: streamed one after the other, joined to blocks of rows."""

from __future__ import annotations

import pickle
from collections.abc import Callable, Iterable, Iterator
from typing import TYPE_CHECKING, TypeVar

from relyon.core.errors import RelyonError
from relyon.data.columns.spark_settings import tuned

if TYPE_CHECKING:
    import pyarrow as pa
    from pyspark.sql import DataFrame

__all__ = ["BLOCK", "BLOCK_BYTES", "blocks", "is_spark_frame", "streamed"]

T = TypeVar("T")

#: Rows of one block, and their bytes. The more, the more rows of a query are packed together if
#: queries are mixed: a quarter of it costs 1.5 times the CPU there, twice of it 0.9 times.
BLOCK = 262_144
BLOCK_BYTES = 64 * 2**20


def is_spark_frame(thing: object) -> bool:
    """Whether an object is a data frame of Spark."""
    return type(thing).__module__.startswith("pyspark.sql.") and hasattr(thing, "mapInArrow")


def streamed(
    frame: DataFrame, task: Callable[[Iterator[pa.RecordBatch]], Iterator[T]]
) -> Iterator[T]:
    """Runs a task on every partition and yields the results, one partition after the other.

    Args:
        frame: The rows.
        task: Called with the batches of a partition; yields objects that can be pickled.

    Raises:
        RelyonError: The first error that a task raised.
    """
    from pyspark import StorageLevel

    kept = frame.mapInArrow(_Contents(task), "content binary").persist(StorageLevel.DISK_ONLY)
    try:
        with tuned(frame.sparkSession):
            kept.count()  # runs all partitions at once; then they come here one by one
        for row in kept.toLocalIterator():
            found = pickle.loads(bytes(row[0]))
            if isinstance(found, RelyonError):
                raise found
            yield found
    finally:
        kept.unpersist()


class _Contents:
    """The results of a task as rows of bytes; an error is a row, too."""

    def __init__(self, task: Callable[[Iterator[pa.RecordBatch]], Iterator[object]]) -> None:
        self.task = task

    def __call__(self, batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        import pyarrow as pa

        try:
            for found in self.task(batches):
                yield pa.RecordBatch.from_pydict({"content": [pickle.dumps(found)]})
        except RelyonError as error:
            for _ in batches:  # Spark wants its rows to be read
                pass
            yield pa.RecordBatch.from_pydict({"content": [pickle.dumps(error)]})


def blocks(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.Table]:
    """Joins batches to tables of about `BLOCK` rows, fewer if they weigh much."""
    import pyarrow as pa

    held: list[pa.RecordBatch] = []
    rows = size = 0
    for batch in batches:
        if batch.num_rows:
            held.append(batch)
            rows += batch.num_rows
            size += batch.nbytes
        if rows >= BLOCK or size >= BLOCK_BYTES:
            yield pa.Table.from_batches(held)
            held, rows, size = [], 0, 0
    if held:
        yield pa.Table.from_batches(held)
