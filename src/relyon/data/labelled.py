"""Labelled rows: one label and score each, grouped by query."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, NamedTuple, NoReturn

from relyon.core.errors import InputError
from relyon.core.notes import Note
from relyon.core.texts import Language, message
from relyon.data.columns import (
    SAMPLE,
    Record,
    feature_name,
    group_notes,
    language_of,
    query_candidates,
    rows_of,
    scaled,
    to_ids,
    to_numbers,
    to_text,
)
from relyon.data.features import STORAGE, Features, Storage, feature_columns, feature_matrix
from relyon.data.labelled_checks import absent, refuse_rows, repeated_rows
from relyon.data.source import Sourced

if TYPE_CHECKING:
    import numpy as np
    import polars as pl
    from numpy.typing import NDArray

    from relyon import _native
    from relyon.data.scale import Scale

__all__ = [
    "ALL_ROWS",
    "LabelFacts",
    "LabelledRows",
    "StreamedRows",
    "from_columns",
    "labelled_columns",
    "offsets_of",
    "runs_of",
    "scattered_of",
]

#: The query of all rows, if there is no query column.
ALL_ROWS = "all"


class LabelFacts(NamedTuple):
    """Facts about labels.

    Attributes:
        highest: The highest one; NaN without labels.
        fractions: How many lie between 0 and 1.
        negatives: How many are below 0.
        lowest: The lowest one; NaN without labels.
    """

    highest: float
    fractions: int
    negatives: int
    lowest: float


@dataclass(frozen=True)
class LabelledRows(Sourced):
    """Labels with scores or features, grouped by query.

    Attributes:
        labels: One grade per row.
        scores: One score per row, or `None` without scores.
        groups: Offsets: query i has the rows `groups[i]` to `groups[i + 1]`.
        queries: The name of each query.
        documents: The document of each row, or `None` if the rows have no ids.
        source: The file the rows came from, or "memory".
        notes: Notes about the data.
        weights: The weight of each row; `None` for 1 each.
        features: The features of each row, or `None`.
        positions: The position at which each row was shown, from 1; or `None`.
        scattered: Number of queries whose rows were not contiguous in the source.
        names_in: The language of labels written as names of the scale; `None` for numbers.
        numbered: Whether queries are numbered by place, since nothing names them.
        together: A number from 0 for each row: queries with rows of the same number stay on one
            side of every split; or `None`.
    """

    labels: NDArray[np.float64]
    scores: NDArray[np.float64] | None
    groups: NDArray[np.int64]
    queries: Sequence[str]
    documents: list[str] | None = None
    source: str = "memory"
    notes: tuple[Note, ...] = field(default=())
    weights: NDArray[np.float64] | None = None
    features: Features | None = None
    positions: NDArray[np.int64] | None = None
    scattered: int = 0
    names_in: Language | None = None
    numbered: bool = False
    together: NDArray[np.int64] | None = None

    def __len__(self) -> int:
        """The number of rows."""
        return len(self.labels)

    def __repr__(self) -> str:
        size = f"queries={len(self.queries)}, rows={len(self)}"
        return f"LabelledRows({size}, source={self.source!r})"

    def known_scores(self) -> NDArray[np.float64]:
        """Returns the scores.

        Raises:
            InputError: If the rows have none.
        """
        if self.scores is None:
            raise InputError(
                message("data.rows-have-no-scores"),
                path=self.path,
                hint=message("data.give-scores-of-ranker"),
            )
        return self.scores

    def known_features(self) -> Features:
        """Returns the features.

        Raises:
            InputError: If the rows have none.
        """
        if self.features is None:
            raise InputError(
                message("data.rows-have-no-features"),
                path=self.path,
                hint=message("data.relyon-read-features-reads-feature"),
            )
        return self.features

    @property
    def qid(self) -> NDArray[np.int64]:
        """The index of each row's query in `queries`."""
        import numpy as np

        return np.repeat(np.arange(len(self.queries)), np.diff(self.groups))

    def varied(self, values: NDArray[np.float64]) -> int:
        """Returns how many queries have two rows whose values differ.

        Args:
            values: One per row, such as `labels` or `weights`.

        Examples:
            >>> import polars as pl
            >>> import relyon
            >>> frame = pl.DataFrame({"q": [7, 7, 8, 8], "label": [1, 0, 2, 2], "age": range(4)})
            >>> rows = relyon.read_features(frame, query="q")
            >>> rows.varied(rows.labels)
            1
        """
        import numpy as np

        starts = self.groups[:-1][np.diff(self.groups) > 0]
        if not len(starts):
            return 0
        lowest = np.minimum.reduceat(values, starts)
        return int(np.count_nonzero(np.maximum.reduceat(values, starts) > lowest))

    def keep(self, rows: NDArray[np.int64], sizes: NDArray[np.int64]) -> LabelledRows:
        """Returns the same queries with only these rows.

        Args:
            rows: The rows to keep, query by query.
            sizes: The number of these rows per query.
        """
        return replace(self.in_order(rows), groups=offsets_of(sizes))

    def in_order(self, rows: NDArray[np.int64]) -> LabelledRows:
        """Returns the same queries with each row replaced by another.

        Args:
            rows: For each row, the row that replaces it; queries keep their sizes.
        """
        return replace(
            self,
            labels=self.labels[rows],
            scores=None if self.scores is None else self.scores[rows],
            documents=None if self.documents is None else [self.documents[row] for row in rows],
            weights=None if self.weights is None else self.weights[rows],
            features=None if self.features is None else self.features.take(rows),
            positions=None if self.positions is None else self.positions[rows],
            together=None if self.together is None else self.together[rows],
        )

    def select(self, queries: Iterable[int]) -> LabelledRows:
        """Returns some queries with their rows.

        Args:
            queries: Indices in `queries`, in the wanted order.

        Examples:
            >>> import polars as pl
            >>> import relyon
            >>> frame = pl.DataFrame({"q": [7, 7, 8], "label": [1, 0, 2], "bm25": [3.5, 2, 1]})
            >>> part = relyon.read_features(frame, query="q").select([1])
            >>> part.queries, part.labels.tolist(), part.features.values.tolist()
            (['8'], [2.0], [[1.0]])
        """
        import numpy as np

        places = np.fromiter(queries, dtype=np.int64)
        sizes = np.diff(self.groups)[places]
        offsets = offsets_of(sizes)
        first = np.repeat(self.groups[places] - offsets[:-1], sizes)
        part = self.in_order(first + np.arange(offsets[-1]))
        return replace(part, groups=offsets, queries=[self.queries[place] for place in places])

    def lists(self) -> Iterator[tuple[str, list[float], list[float]]]:
        """Yields each query's name, grades and scores."""
        values = self.known_scores()
        for place, query in enumerate(self.queries):
            start, end = self.groups[place], self.groups[place + 1]
            labels, scores = self.labels[start:end], values[start:end]
            yield query, [float(label) for label in labels], [float(score) for score in scores]


class StreamedRows(NamedTuple):
    """The results of labelled rows that were streamed and not kept.

    Attributes:
        batch: The measures; its queries have their names.
        facts: Facts about the labels.
        notes: Notes about the data.
    """

    batch: _native.Batch
    facts: LabelFacts
    notes: tuple[Note, ...]


def labelled_columns(
    columns: Mapping[str, pl.Series], path: str = "", scale: Scale | None = None
) -> dict[str, pl.Series]:
    """Converts the columns of labels, scores, weights, positions and queries that exist.

    Labels, scores, weights and positions become numbers, or null if they are not.
    """
    found = {}
    if "label" in columns:
        label = columns["label"]
        found["label"] = to_numbers(label, "label", path) if scale is None else scaled(label, scale)
    roles = [role for role in ("score", "weight", "position") if role in columns]
    found |= {role: to_numbers(columns[role], role, path) for role in roles}
    if "query" in columns:
        found["query"] = to_ids(columns["query"], "query", path)
    return found


def from_columns(
    columns: Mapping[str, pl.Series],
    *,
    path: str = "",
    scale: Scale | None = None,
    records: Callable[[], Iterable[Record]] | None = None,
    storage: Storage = STORAGE,
    candidates: Sequence[str] = (),
) -> LabelledRows:
    """Groups rows by query, keeping the order of queries and of their rows.

    Without a query column all rows count as one query; without a label column all labels are 0.

    Args:
        columns: Series by role, of equal length.
        path: The file, for messages.
        scale: Names that labels may have.
        records: Reads the rows again, with their line numbers, to locate an error.
        storage: How features are kept.
        candidates: Columns without a role that could be that of queries.

    Raises:
        InputError: At the first row whose label, score or feature cannot be used.
    """
    import numpy as np

    numbers = labelled_columns(columns, path, scale)
    numbers.pop("query", None)
    query = to_text(columns["query"], "query", path) if "query" in columns else None
    for role, values in numbers.items():
        wrong = values.null_count() or not bool(values.is_finite().all())
        wrong = wrong or (role == "weight" and bool((values < 0).any()))
        if wrong or (role == "position" and bool((values != values.round()).any())):
            _fail(columns, path, scale, records)
    if query is not None and (query.null_count() or bool((query == "").any())):
        _fail(columns, path, scale, records)
    known = feature_columns(columns, path)
    for role, values in known.items():
        without = sum(map(absent, columns[role])) if values.null_count() else 0
        if values.null_count() > without or bool(values.is_infinite().any()):
            _fail(columns, path, scale, records)
    document = to_text(columns["document"], "document", path) if "document" in columns else None
    together = _numbered(columns["group"], path) if "group" in columns else None
    repeated = repeated_rows(query, document) if "score" in columns else ()
    height = len(next(iter(columns.values()))) if columns else 0
    order, scattered = None, 0
    if query is None:
        names, sizes = [ALL_ROWS], [height]
    else:
        runs = query.rle().struct.unnest()
        places = runs.get_column("value").to_list()
        names, sizes, order = runs_of(places, runs.get_column("len").to_numpy())
        scattered = scattered_of(places)
    arrays = {role: values.to_numpy() for role, values in numbers.items()}
    if order is not None:
        arrays = {role: values[order] for role, values in arrays.items()}
        document = document.gather(order) if document is not None else None
        together = None if together is None else together[order]
    return LabelledRows(
        arrays["label"] if "label" in arrays else np.zeros(height),
        arrays.get("score"),
        offsets_of(sizes),
        names,
        document.to_list() if document is not None else None,
        path or "memory",
        (*_groups(columns, candidates), *repeated),
        arrays.get("weight"),
        feature_matrix(columns, known, order, storage) if known else None,
        arrays["position"].astype(np.int64) if "position" in arrays else None,
        scattered,
        language_of(columns.get("label"), scale),
        together=together,
    )


def _groups(columns: Mapping[str, pl.Series], candidates: Sequence[str]) -> tuple[Note, ...]:
    """Notes a missing query column, which may be a feature."""
    if "query" in columns:
        return ()
    features = {
        name: column.head(SAMPLE).to_list()
        for role, column in columns.items()
        if (name := feature_name(role)) is not None
    }
    return group_notes(columns, [*candidates, *query_candidates(features)])


def _numbered(values: pl.Series, path: str) -> NDArray[np.int64]:
    """Returns a number from 0 for each value of the group column; a row without one is alone."""
    import numpy as np

    names = to_text(values, "group", path)
    empty = (names.is_null() | (names == "")).fill_null(True).to_numpy()
    found = np.asarray(names.fill_null("").rank("dense").to_numpy(), dtype=np.int64) - 1
    found[empty] = found.max(initial=-1) + 1 + np.arange(int(empty.sum()))
    return found


def scattered_of(names: Sequence[str]) -> int:
    """Returns how many queries are split into several runs of rows."""
    from collections import Counter

    return sum(count > 1 for count in Counter(names).values())


def runs_of(
    names: Sequence[str], sizes: NDArray[np.int64]
) -> tuple[list[str], list[int], NDArray[np.int64] | None]:
    """Groups rows by query, keeping the order of queries and of their rows.

    Args:
        names: The query of each run of rows.
        sizes: The rows of each run.

    Returns:
        Queries, the number of rows of each, and the order that groups them; None if they are
        grouped.
    """
    import numpy as np

    numbers: dict[str, int] = {}
    places = np.fromiter(
        (numbers.setdefault(name, len(numbers)) for name in names), np.int64, len(names)
    )
    if len(numbers) == len(names):
        return list(names), sizes.tolist(), None
    order = np.argsort(np.repeat(places, sizes), kind="stable")
    whole = np.bincount(places, weights=sizes, minlength=len(numbers))
    return list(numbers), whole.astype(np.int64).tolist(), order


def _fail(
    columns: Mapping[str, pl.Series],
    path: str,
    scale: Scale | None,
    records: Callable[[], Iterable[Record]] | None,
) -> NoReturn:
    if records is None:
        refuse_rows(rows_of(columns), path, scale, "row")
    refuse_rows(records(), path, scale, "line")


def offsets_of(sizes: Iterable[int]) -> NDArray[np.int64]:
    """The running sums of group sizes, from 0."""
    import numpy as np

    listed = np.fromiter(sizes, dtype=np.int64)
    return np.concatenate([np.zeros(1, dtype=np.int64), np.cumsum(listed)])
