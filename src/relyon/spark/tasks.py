"""The tasks of an executor: packing rows by buckets of queries, then evaluating whole queries.

Nothing here imports Spark: the tasks map batches of Arrow. An error is a row, too, so that it is
neither retried nor hidden in a traceback of Java.
"""

from __future__ import annotations

import pickle
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal, TypedDict

from relyon.core.errors import RelyonError
from relyon.data.columns.spark_partitions import blocks
from relyon.spark.packed_rows import Layout, Unpacked, query_names, whole_queries
from relyon.spark.pooled import PooledScores

if TYPE_CHECKING:
    import numpy as np
    import pyarrow as pa
    from numpy.typing import NDArray

    from relyon import _native
    from relyon.evaluation.measure_columns import Column
    from relyon.evaluation.results import Pool
    from relyon.spark.buckets import Buckets

__all__ = [
    "ERROR",
    "JUDGMENTS",
    "ROWS",
    "UNGRADED",
    "UNJUDGED",
    "Arrays",
    "EvaluateTask",
    "Evaluated",
    "Names",
    "PackTask",
    "PackedError",
    "Rows",
    "State",
    "UngroupedTask",
    "Values",
]

#: The kinds of packed rows; a bucket has them in this order. Ungraded rows are only counted, and
#: unjudged queries are only names.
ERROR, JUDGMENTS, UNGRADED, ROWS, UNJUDGED = range(5)

#: Queries without a value that are named, and one more.
SOME = 4

#: `queries` returns a row per query, with a column per measure; `arrays` returns all that a
#: comparison needs, in one row for many queries.
Values = Literal["queries", "arrays"]

#: Rows of a block: the query of each, and columns by role.
Rows = tuple["pa.Array", Mapping[str, "pa.Array"]]


class PackedError(Exception):
    """An error of some rows.

    Attributes:
        query: Their query, which may be empty; `None` for an error of the whole column.
        error: The error.
        kind: `JUDGMENTS` or `ROWS`.
        document: Their document, or an empty string.
    """

    def __init__(
        self, query: str | None, error: RelyonError, kind: int = ROWS, document: str = ""
    ) -> None:
        super().__init__(query, error, kind, document)
        self.query = query
        self.error = error
        self.kind = kind
        self.document = document

    def __reduce__(self) -> tuple[type[PackedError], tuple[str | None, RelyonError, int, str]]:
        return PackedError, (self.query, self.error, self.kind, self.document)

    @property
    def order(self) -> tuple[str, str, str]:
        """The key by which errors are ordered."""
        return self.query or "", self.document, str(self.error)


class Names:
    """Names that are sent to every executor.

    Attributes:
        held: All of them.
    """

    def __init__(self, names: Iterable[str]) -> None:
        self.held = frozenset(names)

    def __getstate__(self) -> bytes:
        import pyarrow as pa

        table = pa.table({"name": pa.array(self.held, pa.large_string())})
        sink = pa.BufferOutputStream()
        with pa.ipc.new_stream(sink, table.schema) as stream:
            stream.write_table(table)
        return bytes(sink.getvalue())

    def __setstate__(self, state: bytes) -> None:
        import pyarrow as pa

        table = pa.ipc.open_stream(state).read_all()
        self.held = frozenset(table.column("name").to_pylist())


@dataclass(frozen=True)
class PackTask:
    """Packs the rows of a partition by buckets of queries.

    Attributes:
        layout: The columns of packed rows.
        kind: `JUDGMENTS` or `ROWS`.
        convert: Converts a block of rows; it returns rows by kind.
        buckets: The buckets of queries.
        judged: The judged queries, if they are few: of other queries only the names are kept, so
            that their rows are not sent.
    """

    layout: Layout
    kind: int
    convert: Callable[[pa.Table], Mapping[int, Rows]]
    buckets: Buckets
    judged: Names | None = None

    def __call__(self, batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        for block in blocks(batches):
            try:
                found = self.convert(block)
            except PackedError as error:
                error.kind = self.kind
                yield self._error(error)
            except RelyonError as error:
                yield self._error(PackedError(None, error, self.kind))
            else:
                for kind, rows in found.items():
                    yield from self._packed(kind, rows)

    def _packed(self, kind: int, rows: Rows) -> Iterator[pa.RecordBatch]:
        """Packs rows; of unjudged queries only the names."""
        import numpy as np
        import pyarrow as pa
        import pyarrow.compute as pc

        query, columns = rows
        if self.judged is not None:
            query = query.dictionary_encode()
            names = query.dictionary.to_pylist()
            known = np.array([name in self.judged.held for name in names], bool)
            if not known.all():
                others = query.dictionary.filter(pa.array(~known))
                yield self.layout.pack(UNJUDGED, others, {}, self.buckets)
                kept = pc.take(pa.array(known), query.indices)
                # Encoded anew, without the names of the others.
                query = query.filter(kept).dictionary_decode()
                columns = {role: column.filter(kept) for role, column in columns.items()}
        if len(query):
            yield self.layout.pack(kind, query, columns, self.buckets)

    def _error(self, error: PackedError) -> pa.RecordBatch:
        import pyarrow as pa

        packed: dict[str, pa.Array] = {
            "bucket": pa.array([-1], pa.int32()),
            "kind": pa.array([ERROR], pa.int32()),
        }
        packed |= {role: pa.nulls(1, pa.binary()) for role in self.layout.columns}
        packed[self.layout.columns[0]] = pa.array([pickle.dumps(error)], pa.binary())
        return pa.RecordBatch.from_pydict(packed)


class _PickledState(TypedDict):
    totals: dict[str, bytes]
    weighty: dict[str, int]
    undefined: dict[str, list[str]]
    facts: list[object]
    error: PackedError | None


@dataclass
class State:
    """The summary of a partition, next to the values of its queries.

    Attributes:
        totals: The exact sums of each measure.
        weighty: By measure, queries without a value that contribute to a ratio of sums.
        undefined: By measure, some queries without a value.
        facts: Facts of every evaluated part.
        error: The first error.
    """

    totals: dict[str, _native.Total] = field(default_factory=dict)
    weighty: dict[str, int] = field(default_factory=dict)
    undefined: dict[str, list[str]] = field(default_factory=dict)
    facts: list[object] = field(default_factory=list)
    error: PackedError | None = None

    def __getstate__(self) -> _PickledState:
        return {
            "totals": {name: total.to_bytes() for name, total in self.totals.items()},
            "weighty": self.weighty,
            "undefined": self.undefined,
            "facts": self.facts,
            "error": self.error,
        }

    def __setstate__(self, state: _PickledState) -> None:
        from relyon import _native

        self.__dict__.update(state)
        self.totals = {
            name: _native.Total.from_bytes(content) for name, content in state["totals"].items()
        }

    def merge(self, other: State) -> None:
        """Adds the summary of another partition."""
        from relyon import _native

        for name, total in other.totals.items():
            self.totals.setdefault(name, _native.Total()).merge(total)
            self.weighty[name] = self.weighty.get(name, 0) + other.weighty[name]
            named = {*self.undefined.get(name, ()), *other.undefined[name]}
            self.undefined[name] = sorted(named)[:SOME]
        self.facts += other.facts
        errors = [one for one in (self.error, other.error) if one is not None]
        self.error = min(errors, key=lambda one: one.order, default=None)


@dataclass(frozen=True)
class Evaluated:
    """Whole queries, evaluated.

    Attributes:
        queries: Their names.
        columns: The measures by name.
        facts: Facts about their rows.
        marks: Numbers that identify the rows of a query, see `relyon.spark.same_rows`.
    """

    queries: list[str]
    columns: Mapping[str, Column]
    facts: object
    marks: Mapping[str, NDArray[np.uint64]] = field(default_factory=dict)


@dataclass(frozen=True)
class EvaluateTask:
    """Evaluates the queries of a partition whose packed rows are sorted by bucket and kind.

    Attributes:
        layout: The columns of packed rows.
        evaluate: Evaluates the rows of whole queries, by kind.
        measures: The names of the measures.
        values: The form of the values.
        apart: Measures whose scores are returned, too, to be counted separately.
    """

    layout: Layout
    evaluate: Callable[[Mapping[int, Unpacked]], Evaluated]
    measures: tuple[str, ...]
    values: Values = "queries"
    apart: tuple[str, ...] = ()

    @property
    def schema(self) -> str:
        """The columns of the result as Spark declares them."""
        numbers = (f"m{place} double" for place in range(len(self.measures)))
        return ", ".join(["query string", *numbers, "state binary", "pool binary"])

    def __call__(self, batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        state = State()
        for table in whole_queries(batches):
            try:
                found = self.evaluate(self._unpacked(table))
            except PackedError as error:
                state.merge(State(error=error))
                continue
            except RelyonError as error:
                state.merge(State(error=PackedError(None, error)))
                continue
            state.merge(self._state(found))
            if found.queries:
                yield self._values(found)
            for name in self.apart:
                scores = pooled_scores(self.measures.index(name), found.columns[name])
                yield self._row(scores, "pool")
        yield self._row(state)

    def _unpacked(self, table: pa.Table) -> dict[int, Unpacked]:
        import pyarrow.compute as pc

        kinds: dict[int, Unpacked] = {}
        for kind in sorted(table.column("kind").unique().to_pylist()):
            part = table.filter(pc.equal(table.column("kind"), kind))
            if kind == ERROR:
                errors = part.column(self.layout.columns[0]).to_pylist()
                raise min(map(pickle.loads, errors), key=lambda one: one.order)
            if kind == UNJUDGED:
                kinds[kind] = {"query": query_names(part).unique().sort()}
            else:
                kinds[kind] = self.layout.unpack(part)
        return kinds

    def _state(self, found: Evaluated) -> State:
        import numpy as np

        state = State(facts=[found.facts])
        for name in self.measures:
            column = found.columns[name]
            state.totals[name] = column.total
            if name in self.apart:
                column.total.drop_scores()
            state.weighty[name] = column.weighty() if column.total.undefined else 0
            state.undefined[name] = []
            if column.total.undefined:
                places = np.flatnonzero(np.isnan(np.asarray(column.values(), np.float64)))
                named = sorted(found.queries[place] for place in places.tolist())
                state.undefined[name] = named[:SOME]
        return state

    def _values(self, found: Evaluated) -> pa.RecordBatch:
        import numpy as np
        import pyarrow as pa

        count = len(found.queries)
        if self.values == "arrays":
            return self._row(_arrays(found))
        columns: dict[str, pa.Array] = {"query": pa.array(found.queries, pa.string())}
        for place, name in enumerate(self.measures):
            values = np.asarray(found.columns[name].values(), np.float64)
            columns[f"m{place}"] = pa.array(values, pa.float64(), mask=np.isnan(values))
        columns |= {role: pa.nulls(count, pa.binary()) for role in ("state", "pool")}
        return pa.RecordBatch.from_pydict(columns)

    def _row(self, content: object, role: str = "state") -> pa.RecordBatch:
        import pyarrow as pa

        columns: dict[str, pa.Array] = {"query": pa.nulls(1, pa.string())}
        columns |= {f"m{place}": pa.nulls(1, pa.float64()) for place in range(len(self.measures))}
        columns |= {role: pa.nulls(1, pa.binary()) for role in ("state", "pool")}
        columns[role] = pa.array([pickle.dumps(content)], pa.binary())
        return pa.RecordBatch.from_pydict(columns)


@dataclass(frozen=True)
class UngroupedTask:
    """Packs rows that are all of one query, and evaluates each block on the executor that reads it.

    Only for measures that are counted separately.

    Attributes:
        pack: Packs a block.
        evaluate: Evaluates it.
    """

    pack: PackTask
    evaluate: EvaluateTask

    def __call__(self, batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        for packed in self.pack(batches):
            yield from self.evaluate(iter([packed]))


def pooled_scores(place: int, column: Column) -> PooledScores:
    """Returns the scores of one measure's classes, of many queries."""
    import numpy as np

    positives, negatives = ((), ()) if column.pool is None else column.pool()[:2]
    return PooledScores(place, np.asarray(positives, np.float64), np.asarray(negatives, np.float64))


@dataclass(frozen=True)
class Arrays:
    """The values of queries, and all that a comparison needs, by measure."""

    queries: list[str]
    values: dict[str, NDArray[np.float64]]
    parts: dict[str, tuple[NDArray[np.float64], ...]]
    equal_pairs: dict[str, list[list[float]]]
    pools: dict[str, Pool]
    marks: Mapping[str, NDArray[np.uint64]] = field(default_factory=dict)


def _arrays(found: Evaluated) -> Arrays:
    import numpy as np

    columns = found.columns.items()
    return Arrays(
        found.queries,
        {name: np.asarray(one.values(), np.float64) for name, one in columns},
        {name: tuple(np.array(part) for part in one.parts()) for name, one in columns},
        {name: one.equal_pairs() for name, one in columns if one.equal_pairs},
        {name: one.pool() for name, one in columns if one.pool},
        found.marks,
    )
