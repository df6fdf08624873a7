"""Rows of a bucket of queries as one row of bytes, to be sent between executors.

Spark sorts, hashes and sends rows one by one. Up to `PIECE` rows of a bucket become one row here,
so that its part of the work is small, and the columns keep every bit. Each stretch of rows of one
query has the name of its query once.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypedDict, cast

if TYPE_CHECKING:
    import numpy as np
    import pyarrow as pa
    from numpy.typing import NDArray

    from relyon.spark.buckets import Buckets

__all__ = ["PIECE", "Layout", "Unpacked", "query_names", "whole_queries"]

#: The columns of stretches of rows of one query: names, bytes of each, and rows of each.
STRETCHES = ("query", "query_sizes", "query_rows")

#: Rows in one packed row, and bytes of their text. Spark hands over 10,000 rows at a time of any
#: size: these are at most 640,000 of ours, and hardly more than 160 MB.
PIECE = 64
PIECE_BYTES = 16_384


class Unpacked(TypedDict, total=False):
    """Rows by role: `query` with each text once, other texts, and numbers."""

    query: pa.DictionaryArray
    document: pa.Array
    subtopic: pa.Array
    score: NDArray[np.float64]
    rank: NDArray[np.float64]
    label: NDArray[np.float64]
    weight: NDArray[np.float64]


@dataclass(frozen=True)
class Layout:
    """The columns of packed rows: the bucket, the kind of its rows, and their bytes by role.

    Attributes:
        texts: Roles of text, such as `document`.
        numbers: Roles of numbers, such as `score`.
    """

    texts: tuple[str, ...]
    numbers: tuple[str, ...]

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns of bytes."""
        sizes = (f"{role}_sizes" for role in self.texts)
        return (*STRETCHES, *self.texts, *sizes, *self.numbers)

    @property
    def schema(self) -> str:
        """The columns as Spark declares them."""
        return ", ".join(["bucket int", "kind int", *(f"{one} binary" for one in self.columns)])

    def pack(
        self, kind: int, query: pa.Array, columns: Mapping[str, pa.Array], buckets: Buckets
    ) -> pa.RecordBatch:
        """Packs rows; they may come in any order of queries.

        Args:
            kind: The kind of the rows, such as judgments; packed rows are sorted by it.
            query: The query of each row.
            columns: Text or numbers by role; a role may be absent.
            buckets: The buckets of queries.
        """
        import numpy as np
        import pyarrow as pa

        codes = query.dictionary_encode()
        names = codes.dictionary.cast(pa.string())
        bucket = buckets.of(names)
        indices = codes.indices.to_numpy(zero_copy_only=False)
        changes = _changes(indices)
        groups = changes
        if len(changes) > len(names):
            # The rows of queries are mixed: those of a query, and of a bucket, are put together.
            place = np.empty(len(names), np.uint32)
            place[np.argsort(bucket, kind="stable")] = np.arange(len(names), dtype=np.uint32)
            order = _sorted(place[indices])
            indices = indices[order]
            columns = {role: column.take(pa.array(order)) for role, column in columns.items()}
            changes = _changes(indices)
            groups = changes[_changes(bucket[indices[changes]])]
        texts = {role: columns[role].cast(pa.string()) for role in self.texts if role in columns}
        ends = {role: _offsets(text) for role, text in texts.items()}
        longest = sum(int(np.diff(one).max(initial=0)) for one in (*ends.values(), _offsets(names)))
        rows = max(1, min(PIECE, PIECE_BYTES // max(longest, 1)))
        offsets = _pieces(groups, len(indices), rows)
        stretches = np.union1d(changes, offsets[:-1])
        bounds = np.searchsorted(stretches, offsets)
        named = names.take(pa.array(indices[stretches]))
        packed: dict[str, pa.Array] = {
            "bucket": pa.array(bucket[indices[offsets[:-1]]]),
            "kind": pa.array(np.full(len(offsets) - 1, kind, np.int32)),
        }
        packed |= {role: pa.nulls(len(offsets) - 1, pa.binary()) for role in self.columns}
        packed |= _packed_text("query", named, _offsets(named), bounds)
        lengths = np.diff(stretches, append=len(indices)).astype(np.int32)
        packed["query_rows"] = _binary(pa.py_buffer(lengths), bounds * 4)
        for role, text in texts.items():
            packed |= _packed_text(role, text, ends[role], offsets)
        for role in self.numbers:
            if role in columns:
                column = columns[role].to_numpy(zero_copy_only=False)
                values = np.ascontiguousarray(column, np.float64)
                packed[role] = _binary(pa.py_buffer(values), offsets * 8)
        return pa.RecordBatch.from_pydict(packed)

    def unpack(self, table: pa.Table) -> Unpacked:
        """Returns the rows, ordered by query, with the columns that they have."""
        import numpy as np
        import pyarrow as pa
        import pyarrow.compute as pc

        table = table.combine_chunks()
        held = {
            role: _content(_one(table.column(role)))
            for role in self.columns
            if table.column(role).null_count < max(table.num_rows, 1)
        }
        rows = np.frombuffer(held["query_rows"], np.int32).astype(np.int64)
        codes = _text(held["query"], held["query_sizes"]).dictionary_encode()
        order = pc.sort_indices(codes.dictionary).to_numpy()
        place = np.empty(len(order), np.uint32)
        place[order] = np.arange(len(order), dtype=np.uint32)
        places = place[codes.indices.to_numpy()]
        if (places[1:] < places[:-1]).any():
            stretches = _sorted(places)
            ends = np.concatenate([[0], np.cumsum(rows)])
            for role in self.numbers:
                if role in held:
                    held[role] = _taken(held[role], ends * 8, stretches)
            for role in self.texts:
                if role in held:
                    sizes = held[f"{role}_sizes"]
                    bytes_ends = _ends(np.frombuffer(sizes, np.int32))[ends]
                    held[role] = _taken(held[role], bytes_ends, stretches)
                    held[f"{role}_sizes"] = _taken(sizes, ends * 4, stretches)
            places, rows = places[stretches], rows[stretches]
        found: dict[str, pa.Array | NDArray[np.float64]] = {}
        repeated = pa.array(np.repeat(places.astype(np.int32), rows))
        names = codes.dictionary.take(pa.array(order))
        found["query"] = pa.DictionaryArray.from_arrays(repeated, names)
        found |= {
            role: np.frombuffer(held[role], np.float64) for role in self.numbers if role in held
        }
        for role in self.texts:
            if role in held:
                found[role] = _text(held[role], held[f"{role}_sizes"])
        return cast("Unpacked", found)


def query_names(table: pa.Table) -> pa.Array:
    """Returns the name of each stretch of packed rows."""
    held = (_content(_one(table.column(role))) for role in STRETCHES[:2])
    return _text(*held)


def whole_queries(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.Table]:
    """Yields tables in which every bucket of queries is whole, from batches sorted by bucket."""
    import pyarrow as pa
    import pyarrow.compute as pc

    held: list[pa.Table] = []
    last = None
    for batch in batches:
        if not batch.num_rows:
            continue
        table = pa.Table.from_batches([batch])
        bucket = batch.column("bucket")
        start = pc.index(bucket, bucket[-1]).as_py()
        if start > 0 or bucket[0].as_py() != last:
            ready = pa.concat_tables([*held, table.slice(0, start)])
            if ready.num_rows:
                yield ready
            held = []
        held.append(table.slice(start))
        last = bucket[-1].as_py()
    if held:
        yield pa.concat_tables(held)


def _changes(values: NDArray[np.generic]) -> NDArray[np.int64]:
    """Returns the places of values that differ from the one before; the first does."""
    import numpy as np

    changes = np.flatnonzero(values[1:] != values[:-1]) + 1
    return np.concatenate([np.zeros(min(len(values), 1), np.int64), changes])


def _sorted(values: NDArray[np.uint32]) -> NDArray[np.int64]:
    """Returns the order of values; equal ones keep theirs. NumPy sorts by radix up to 16 bits."""
    import numpy as np

    order = np.argsort(values.astype(np.uint16), kind="stable")
    if values.max(initial=0) >= 2**16:
        high = (values >> np.uint32(16)).astype(np.uint16)
        order = order[np.argsort(high[order], kind="stable")]
    return order


def _ends(sizes: NDArray[np.int32]) -> NDArray[np.int64]:
    """Returns the beginning of each value and the end, from the bytes of each."""
    import numpy as np

    ends = np.zeros(len(sizes) + 1, np.int64)
    np.cumsum(sizes, out=ends[1:])
    return ends


def _taken(content: pa.Buffer, ends: NDArray[np.int64], order: NDArray[np.int64]) -> pa.Buffer:
    """Returns stretches of bytes in another order."""
    import pyarrow as pa

    buffers = [None, pa.py_buffer(ends), content]
    stretches = pa.Array.from_buffers(pa.large_binary(), len(ends) - 1, buffers)
    return _content(stretches.take(pa.array(order)))


def _text(content: pa.Buffer, sizes: pa.Buffer) -> pa.Array:
    import numpy as np
    import pyarrow as pa

    ends = _ends(np.frombuffer(sizes, np.int32))
    return pa.Array.from_buffers(
        pa.large_string(), len(ends) - 1, [None, pa.py_buffer(ends), content]
    )


def _packed_text(
    role: str, text: pa.Array, ends: NDArray[np.int64], offsets: NDArray[np.int64]
) -> dict[str, pa.Array]:
    """Returns the columns of a text, cut at some of its values."""
    import numpy as np
    import pyarrow as pa

    sizes = np.ascontiguousarray(np.diff(ends), np.int32)
    content = text.buffers()[2] or pa.py_buffer(b"")
    return {
        role: _binary(content, ends[offsets]),
        f"{role}_sizes": _binary(pa.py_buffer(sizes), offsets * 4),
    }


def _pieces(starts: NDArray[np.int64], end: int, rows: int) -> NDArray[np.int64]:
    """Splits groups of rows into pieces of at most `rows` rows; returns their bounds."""
    import numpy as np

    counts = -(-np.diff(starts, append=end) // rows)
    before = np.repeat(np.cumsum(counts) - counts, counts)
    begins = np.repeat(starts, counts) + (np.arange(counts.sum()) - before) * rows
    return np.append(begins, end)


def _binary(content: pa.Buffer, offsets: NDArray[np.int64]) -> pa.Array:
    """Returns an array of bytes over a buffer, without a copy."""
    import numpy as np
    import pyarrow as pa

    places = pa.py_buffer(np.ascontiguousarray(offsets, np.int32))
    return pa.Array.from_buffers(pa.binary(), len(offsets) - 1, [None, places, content])


def _offsets(array: pa.Array) -> NDArray[np.int64]:
    """Returns the beginning of each value of an array of text or bytes, and the end."""
    import numpy as np
    import pyarrow as pa

    kind: type[np.int64 | np.int32] = np.int64 if pa.types.is_large_binary(array.type) else np.int32
    held = array.buffers()[1]
    if held is None or not len(array):
        return np.zeros(1, np.int64)
    places = np.frombuffer(held, kind)[array.offset : array.offset + len(array) + 1]
    return places.astype(np.int64)


def _content(array: pa.Array) -> pa.Buffer:
    """Returns the bytes of all values of an array, one after the other."""
    import pyarrow as pa

    places = _offsets(array)
    held = array.buffers()[2]
    if held is None:
        return pa.py_buffer(b"")
    return held.slice(int(places[0]), int(places[-1] - places[0]))


def _one(column: pa.ChunkedArray) -> pa.Array:
    return column.combine_chunks()
