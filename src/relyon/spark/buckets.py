"""Buckets of queries, by which their rows are grouped.

A row that Spark sends has many rows of one bucket: if each had rows of one query, as many rows
would be sent as a block has queries, and Spark's work for a row would be most of the cost.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING

from relyon import _native

if TYPE_CHECKING:
    import numpy as np
    import pyarrow as pa
    from numpy.typing import NDArray

__all__ = ["EACH", "Buckets", "bucket_keys"]

#: Buckets of each task. A task has the rows of one bucket in memory: a hundred and fifty thousand
#: if it has ten million, fewer than Spark hands over in a batch.
EACH = 64


@dataclass(frozen=True)
class Buckets:
    """Buckets of queries, as many for each of a number of tasks.

    Attributes:
        partitions: The number of tasks that evaluate.
    """

    partitions: int

    def of(self, names: pa.Array) -> NDArray[np.int32]:
        """Returns the bucket of each query."""
        import pyarrow.compute as pc

        # Rows without a grade may have no query, which has no hash.
        named = pc.if_else(pc.equal(names, ""), " ", names)
        keys = bucket_keys(self.partitions)
        return keys[_native.hash_ids(named) % len(keys)]


@lru_cache(4)
def bucket_keys(partitions: int) -> NDArray[np.int32]:
    """Returns the keys of buckets: whole numbers that Spark deals evenly to its tasks.

    Args:
        partitions: The number of tasks.
    """
    import numpy as np

    wanted = partitions * EACH
    numbers = np.arange(2 * wanted + 64, dtype=np.uint32)
    while True:
        tasks = _spark_hash(numbers).astype(np.int64) % partitions
        order = np.argsort(tasks, kind="stable")
        first = np.searchsorted(tasks[order], np.arange(partitions))
        place = np.empty(len(numbers), np.int64)
        place[order] = np.arange(len(numbers)) - first[tasks[order]]
        kept = numbers[place < EACH]
        if len(kept) == wanted:
            return kept.astype(np.int32)
        numbers = np.arange(2 * len(numbers), dtype=np.uint32)


def _spark_hash(numbers: NDArray[np.uint32]) -> NDArray[np.int32]:
    """Returns the hash by which Spark deals whole numbers: Murmur3, seed 42, of 32 bits each.

    Examples:
        >>> import numpy as np
        >>> _spark_hash(np.array([0, 1], np.uint32)).tolist()
        [933211791, -559580957]
    """
    import numpy as np

    mixed = _turned(numbers * np.uint32(0xCC9E2D51), 15) * np.uint32(0x1B873593)
    mixed = _turned(mixed ^ np.uint32(42), 13) * np.uint32(5) + np.uint32(0xE6546B64)
    mixed ^= np.uint32(4)
    mixed = (mixed ^ mixed >> np.uint32(16)) * np.uint32(0x85EBCA6B)
    mixed = (mixed ^ mixed >> np.uint32(13)) * np.uint32(0xC2B2AE35)
    return (mixed ^ mixed >> np.uint32(16)).view(np.int32)


def _turned(numbers: NDArray[np.uint32], bits: int) -> NDArray[np.uint32]:
    import numpy as np

    return numbers << np.uint32(bits) | numbers >> np.uint32(32 - bits)
