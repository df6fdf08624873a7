"""Run: the ranked lists that one system returned."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from os import PathLike, fspath
from typing import TYPE_CHECKING, TypeVar

from relyon import _native
from relyon.core.errors import InputError
from relyon.core.notes import Note
from relyon.core.texts import message as say
from relyon.data.source import Noted, path_of

if TYPE_CHECKING:
    import polars as pl

__all__ = ["TRAINED", "Run", "file_names", "run_name"]

#: The end of the tag of a run in which a ranker ranked its own training rows.
TRAINED = "-on-training-rows"

K = TypeVar("K")
D = TypeVar("D")


class Run(Noted):
    """Scored documents by query: typed, immutable, and read once.

    `relyon.read_run` reads them from files; the constructors here take data in memory.

    Attributes:
        table: The native table.
        name: The name of this run in results.
        source: The file it came from, or "memory".
        notes: Notes about the data.

    Examples:
        >>> run = Run.from_dict({"q1": {"d1": 0.3, "d2": 1.5}}, name="bm25")
        >>> run
        Run('bm25', queries=1, rows=2, source='memory')
        >>> run.documents("q1")
        [('d1', 0.3), ('d2', 1.5)]
        >>> list(run)
        ['q1']
    """

    __slots__ = ("_name", "_table")

    def __init__(
        self,
        table: _native.RunTable,
        *,
        name: str | None = None,
        source: str = "memory",
        notes: tuple[Note, ...] = (),
    ) -> None:
        self._table = table
        self._name = name or table.tag or "run"
        self._source = source
        self._notes = notes

    @classmethod
    def from_dict(
        cls,
        run: Mapping[K, Mapping[D, object]],
        *,
        name: str | None = None,
        source: str = "memory",
    ) -> Run:
        """Takes {query: {document: score}}.

        Args:
            run: Ids are text or whole numbers (these count as their decimal text); scores are
                numbers of any kind.
            name: The name of this run in results.
            source: The name of the data in messages.

        Raises:
            InputError: If an id or a score cannot be used.

        Examples:
            >>> Run.from_dict({301: {7: 2}}).to_dict()
            {'301': {'7': 2.0}}
        """
        path = path_of(source)
        try:
            table = _native.RunTable.from_dict(run)
        except (InputError, TypeError) as error:
            from relyon.data.columns import number

            for query, scores in run.items():
                if not isinstance(scores, Mapping):
                    raise InputError(
                        say(
                            "data.query-maps-to-name",
                            query=query,
                            name=type(scores).__name__,
                        ),
                        path=path,
                        hint=say("data.form-is-query-document"),
                    ) from None
                for document, score in scores.items():
                    if isinstance(score, str) or number(score) is None:
                        raise InputError(
                            say(
                                "data.query-document-score",
                                query=query,
                                document=document,
                                score=score,
                            ),
                            path=path,
                        ) from None
            if isinstance(error, InputError) and not path:
                raise
            message = error.message if isinstance(error, InputError) else str(error)
            raise InputError(message, path=path) from None
        return cls(table, name=name, source=source)

    @classmethod
    def from_frame(
        cls,
        frame: object,
        columns: Mapping[str, str] | None = None,
        *,
        name: str | None = None,
        source: str = "memory",
    ) -> Run:
        """Takes any data frame with a query, a document and a score column, and perhaps a rank.

        Args:
            frame: Polars, pandas, PyArrow, DuckDB, or anything that exports the Arrow PyCapsule
                interface. It is not changed.
            columns: Column names by role, such as `{"score": "bm25"}`. Other roles are found by the
                usual names (`qid`, `docno`, `sim` …). Without a score column the ranks order the
                documents.
            name: The name of this run in results.
            source: The name of the data in messages.

        Raises:
            InputError: If a column is missing or a row cannot be used.

        Examples:
            >>> import polars as pl
            >>> frame = pl.DataFrame({"qid": [1, 1], "docno": ["a", "b"], "bm25": [2.5, 0.1]})
            >>> Run.from_frame(frame, columns={"score": "bm25"}).documents("1")
            [('a', 2.5), ('b', 0.1)]
        """
        from relyon.data.columns import polars_columns, run_table

        path = path_of(source)
        series = polars_columns(frame, "run", columns=columns, path=path)
        table, notes = run_table(series, path=path)
        return cls(table, name=name, source=source, notes=notes)

    @classmethod
    def from_arrays(
        cls,
        queries: Iterable[object],
        documents: Iterable[object],
        scores: Iterable[object],
        ranks: Iterable[object] | None = None,
        *,
        name: str | None = None,
        notes: Iterable[Note] = (),
    ) -> Run:
        """Takes sequences or NumPy arrays of equal length, one retrieved document per position.

        Raises:
            InputError: If the lengths differ or a value cannot be used.

        Examples:
            >>> Run.from_arrays(["q1", "q1"], ["a", "b"], [0.5, 0.25]).to_dict()
            {'q1': {'a': 0.5, 'b': 0.25}}
        """
        from relyon.data.columns import run_table, same_length

        columns = {"query": queries, "document": documents, "score": scores}
        if ranks is not None:
            columns["rank"] = ranks
        table, found = run_table(same_length(columns))
        return cls(table, name=name, notes=(*found, *notes))

    @property
    def table(self) -> _native.RunTable:
        """The native table."""
        return self._table

    @property
    def name(self) -> str:
        """The name of this run in results."""
        return self._name

    @property
    def tag(self) -> str:
        """The sixth column of a TREC run's first line, or an empty string."""
        return self._table.tag

    @property
    def queries(self) -> list[str]:
        """The queries, in the order in which they first appear."""
        return self._table.queries()

    def documents(self, query: str | int) -> list[tuple[str, float]]:
        """The documents of one query with their scores, in input order; KeyError if it has none."""
        documents, scores, _ = self._table.documents(str(query))
        return list(zip(documents, scores, strict=True))

    def keys(self) -> list[str]:
        """The queries, as in a dict of dicts; `len` counts rows."""
        return self.queries

    def __iter__(self) -> Iterator[str]:
        """Iterates over the queries."""
        return iter(self.queries)

    def __len__(self) -> int:
        """The number of retrieved documents over all queries."""
        return self._table.rows

    def __contains__(self, query: object) -> bool:
        return isinstance(query, str | int) and str(query) in self._table

    def __getitem__(self, query: str | int) -> dict[str, float]:
        """The scores of one query by document; KeyError if it has none."""
        return dict(self.documents(query))

    def to_dict(self) -> dict[str, dict[str, float]]:
        """All scores as {query: {document: score}}."""
        return {query: self[query] for query in self._table.queries()}

    def to_frame(self) -> pl.DataFrame:
        """All rows as a Polars frame: query, document, score, and rank if the run has ranks."""
        import polars as pl

        query, document, score, rank = self._table.columns()
        data = {"query": query, "document": document, "score": score}
        schema: dict[str, type[pl.DataType]] = {
            "query": pl.String,
            "document": pl.String,
            "score": pl.Float64,
        }
        if rank is not None:
            data["rank"] = rank
            schema["rank"] = pl.Int64
        return pl.DataFrame(data, schema=schema)

    def __repr__(self) -> str:
        return (
            f"Run({self._name!r}, queries={len(self._table)}, rows={self._table.rows}, "
            f"source={self._source!r})"
        )


def run_name(run: object) -> str:
    """Returns the name of a run: its own, its file's, or `run`.

    Examples:
        >>> run_name("runs/bm25.run"), run_name("-"), run_name({"q1": {"d1": 0.5}})
        ('bm25.run', 'stdin', 'run')
    """
    if isinstance(run, Run):
        return run.name
    is_file = isinstance(run, str | PathLike) or hasattr(run, "read")
    name = fspath(run) if isinstance(run, str | PathLike) else getattr(run, "name", None)
    if not isinstance(name, str) or not name:
        return "run"
    if not is_file:
        return name
    if name in ("-", "<stdin>"):
        return "stdin"
    return name.replace("\\", "/").rsplit("/", 1)[-1] or name


def file_names(paths: Sequence[str]) -> list[str]:
    """Returns the names of files, or whole paths if two names are equal.

    Examples:
        >>> file_names(["runs/bm25.run", "new.run"]), file_names(["a/x.run", "b/x.run"])
        (['bm25.run', 'new.run'], ['a/x.run', 'b/x.run'])
    """
    short = [run_name(path) for path in paths]
    return short if len(set(short)) == len(short) else list(paths)
