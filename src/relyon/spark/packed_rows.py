"""Rows of one query as one row of bytes, to be sent between executors.

Spark sorts, hashes and sends rows one by one. Up to `PIECE` rows of a query become one row here, so
that its part of the work is small, and the columns keep every bit.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypedDict, cast

if TYPE_CHECKING:
    import numpy as np
    import pyarrow as pa
    from numpy.typing import NDArray

__all__ = ["PIECE", "Layout", "Unpacked", "whole_queries"]

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
    """The columns of packed rows: the query, the kind of its rows, and their bytes by role.

    Attributes:
        texts: Roles of text, such as `document`.
        numbers: Roles of numbers, such as `score`; the first has a number in every row.
    """

    texts: tuple[str, ...]
    numbers: tuple[str, ...]

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns of bytes."""
        sizes = (f"{role}_sizes" for role in self.texts)
        return (*self.texts, *sizes, *self.numbers)

    @property
    def schema(self) -> str:
        """The columns as Spark declares them."""
        return ", ".join(["query string", "kind int", *(f"{one} binary" for one in self.columns)])

    def pack(self, kind: int, query: pa.Array, columns: Mapping[str, pa.Array]) -> pa.RecordBatch:
        """Packs rows; they may come in any order of queries.

        Args:
            kind: The kind of the rows, such as judgments; packed rows are sorted by it.
            query: The query of each row.
            columns: Text or numbers by role; a role may be absent.
        """
        import numpy as np
        import pyarrow as pa

        codes = query.dictionary_encode()
        indices = codes.indices.to_numpy(zero_copy_only=False)
        changes = np.flatnonzero(indices[1:] != indices[:-1]) + 1
        if len(changes) >= len(codes.dictionary):
            order = np.argsort(indices, kind="stable")
            indices = indices[order]
            columns = {role: column.take(pa.array(order)) for role, column in columns.items()}
            changes = np.flatnonzero(indices[1:] != indices[:-1]) + 1
        texts = {role: columns[role].cast(pa.string()) for role in self.texts if role in columns}
        ends = {role: _offsets(text) for role, text in texts.items()}
        longest = sum(int(np.diff(one).max(initial=0)) for one in ends.values())
        rows = max(1, min(PIECE, PIECE_BYTES // max(longest, 1)))
        offsets = _pieces(np.concatenate([[0], changes]), len(indices), rows)
        packed: dict[str, pa.Array] = {
            "query": codes.dictionary.take(pa.array(indices[offsets[:-1]])).cast(pa.string()),
            "kind": pa.array(np.full(len(offsets) - 1, kind, np.int32)),
        }
        packed |= {role: pa.nulls(len(offsets) - 1, pa.binary()) for role in self.columns}
        for role, column in columns.items():
            if role in self.numbers:
                values = np.ascontiguousarray(column.to_numpy(zero_copy_only=False), np.float64)
                packed[role] = _binary(pa.py_buffer(values), offsets * 8)
                continue
            sizes = np.ascontiguousarray(np.diff(ends[role]), np.int32)
            packed[f"{role}_sizes"] = _binary(pa.py_buffer(sizes), offsets * 4)
            content = texts[role].buffers()[2] or pa.py_buffer(b"")
            packed[role] = _binary(content, ends[role][offsets])
        return pa.RecordBatch.from_pydict(packed)

    def unpack(self, table: pa.Table) -> Unpacked:
        """Returns the rows, with the columns that they have."""
        import numpy as np
        import pyarrow as pa

        table = table.combine_chunks()
        held = {
            role: table.column(role).combine_chunks()
            for role in self.columns
            if table.column(role).null_count < max(table.num_rows, 1)
        }
        found: dict[str, pa.Array | NDArray[np.float64]] = {}
        rows = np.diff(_offsets(held[self.numbers[0]])) // 8
        codes = _one(table.column("query")).dictionary_encode()
        places = np.repeat(codes.indices.to_numpy(), rows)
        found["query"] = pa.DictionaryArray.from_arrays(pa.array(places), codes.dictionary)
        for role in self.numbers:
            if role in held:
                found[role] = np.frombuffer(_content(held[role]), np.float64)
        for role in self.texts:
            if role in held:
                sizes = np.frombuffer(_content(held[f"{role}_sizes"]), np.int32)
                ends = np.zeros(len(sizes) + 1, np.int64)
                np.cumsum(sizes, out=ends[1:])
                buffers = [None, pa.py_buffer(ends), _content(held[role])]
                found[role] = pa.Array.from_buffers(pa.large_string(), len(sizes), buffers)
        return cast("Unpacked", found)


def whole_queries(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.Table]:
    """Yields tables in which every query is whole, from batches sorted by query."""
    import pyarrow as pa
    import pyarrow.compute as pc

    held: list[pa.Table] = []
    last = None
    for batch in batches:
        if not batch.num_rows:
            continue
        table = pa.Table.from_batches([batch])
        query = batch.column("query")
        start = pc.index(query, query[-1]).as_py()
        if start > 0 or query[0].as_py() != last:
            ready = pa.concat_tables([*held, table.slice(0, start)])
            if ready.num_rows:
                yield ready
            held = []
        held.append(table.slice(start))
        last = query[-1].as_py()
    if held:
        yield pa.concat_tables(held)


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
