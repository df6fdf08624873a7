"""What is known of queries beside their values: clusters, and columns to break them down by."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, TypedDict, cast

from relyon.analysis.comparison.settings import Options, Settings
from relyon.core.errors import ParameterError
from relyon.core.notes import Note
from relyon.core.texts import message

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

__all__ = ["Column", "Columns", "CompareOptions", "QueryFacts", "QueryOptions", "split_options"]

#: A column of the table of queries, or its values by query.
Column = str | Mapping[str, str]
#: Columns of the table of queries, or by name their values by query.
Columns = str | Sequence[str] | Mapping[str, Mapping[str, str]]


class QueryOptions(TypedDict, total=False):
    """Where clusters and columns of queries come from, as keyword arguments."""

    queries: object
    cluster: Column | None
    by: Columns | None


class CompareOptions(Options, QueryOptions, total=False):
    """The settings of the tests, and what is known of the queries."""


def split_options(options: CompareOptions) -> tuple[Settings, QueryOptions]:
    """Returns the settings of the tests, and where clusters and columns come from.

    Raises:
        ParameterError: If a setting has an invalid value.
    """
    names = QueryOptions.__annotations__
    known: dict[str, object] = {name: one for name, one in options.items() if name in names}
    rest: dict[str, object] = {name: one for name, one in options.items() if name not in names}
    return Settings(**cast("Options", rest)), cast("QueryOptions", known)


@dataclass(frozen=True)
class QueryFacts:
    """Clusters and columns of queries.

    Attributes:
        cluster: The name of the clusters' column; empty without clusters.
        clusters: The cluster of each query; a query without one is a cluster of its own.
        columns: By column to break down by, the value of each query.
        notes: About queries without a cluster or a value.
    """

    cluster: str = ""
    clusters: Mapping[str, str] = field(default_factory=dict)
    columns: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    notes: tuple[Note, ...] = ()

    @classmethod
    def read(
        cls,
        ids: Iterable[str],
        *,
        queries: object = None,
        cluster: Column | None = None,
        by: Columns | None = None,
    ) -> QueryFacts:
        """Reads them.

        Args:
            ids: The queries of the comparison.
            queries: The table of queries: a frame or a file with a column of query ids.
            cluster: The column of clusters, or the cluster of each query.
            by: Columns to break the comparison down by, or by name the value of each query.

        Raises:
            InputError: If the table cannot be used.
            ParameterError: If columns are named without a table.

        Examples:
            >>> found = QueryFacts.read(["a", "b"], cluster={"a": "x", "b": "x"})
            >>> found.clusters
            {'a': 'x', 'b': 'x'}
        """
        if cluster is None and not by:
            return cls()
        known = sorted(set(ids))
        named = _named(by)
        asked = [name for name, values in named.items() if values is None]
        title = cluster if isinstance(cluster, str) else ""
        if title:
            asked.append(title)
        found = _read(queries, asked, known) if asked else {}
        columns = {
            name: found[name] if values is None else _texts(values, known)
            for name, values in named.items()
        }
        clusters: Mapping[str, str] = {}
        if cluster is not None:
            clusters = found[title] if title else _texts(cluster, known)
            title = title or "cluster"
        every = {**columns, title: clusters} if title else columns
        return cls(title, clusters, columns, tuple(_missing(every, known)))

    def cluster_of(self, query: str) -> str:
        """Returns the cluster of a query; without one it is a cluster of its own."""
        return self.clusters.get(query, f"\0{query}")

    def groups(self, queries: Sequence[str]) -> tuple[NDArray[np.int64], tuple[str, ...]] | None:
        """Returns the number of each query's cluster, and the clusters' names; None without any.

        Args:
            queries: Their ids. A query without a cluster gives its own the id as name.
        """
        if not self.cluster:
            return None
        import numpy as np

        keys = [self.cluster_of(query) for query in queries]
        names = sorted(set(keys))
        places = {name: place for place, name in enumerate(names)}
        found = np.array([places[key] for key in keys], dtype=np.int64)
        return found, tuple(name.removeprefix("\0") for name in names)


def _named(by: Columns | None) -> dict[str, Mapping[str, str] | None]:
    if isinstance(by, Mapping):
        return dict(by)
    return dict.fromkeys([by] if isinstance(by, str) else by or ())


def _texts(values: object, ids: Sequence[str]) -> dict[str, str]:
    """Returns the values of queries as text."""
    if not isinstance(values, Mapping):
        raise ParameterError(
            message("analysis.column-is-name-or-mapping", name=type(values).__name__)
        )
    known = {str(query): value for query, value in values.items()}
    found = {query: str(known[query]) for query in ids if known.get(query) is not None}
    return {query: value for query, value in found.items() if value}


def _read(queries: object, names: Sequence[str], ids: Sequence[str]) -> dict[str, dict[str, str]]:
    from relyon.io.query_columns import query_columns

    if queries is None:
        raise ParameterError(
            message("analysis.columns-need-queries", names=list(names)),
            hint=message("analysis.give-table-of-queries"),
        )
    return query_columns(queries, names, ids)


def _missing(columns: Mapping[str, Mapping[str, str]], ids: Sequence[str]) -> list[Note]:
    """Notes the queries without a value."""
    notes = []
    for name, values in columns.items():
        left = [query for query in ids if query not in values]
        if left:
            shared = {"column": name, "queries": len(ids)}
            notes.append(Note("queries-without-value", len(left), "info", tuple(left[:3]), shared))
    return notes
