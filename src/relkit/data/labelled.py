"""Labelled rows: a label and a score each, the rows of one query together."""

from __future__ import annotations

import math
from collections.abc import Callable, Container, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple, NoReturn

from relkit.core.errors import InputError
from relkit.core.notes import Note
from relkit.core.texts import message as say
from relkit.data.columns import (
    NAMED_GRADES,
    Record,
    feature_name,
    missing,
    number,
    parse_grade,
    refuse,
    rows_of,
    scaled,
    to_ids,
    to_numbers,
    to_text,
)

if TYPE_CHECKING:
    import numpy as np
    import polars as pl
    from numpy.typing import NDArray

    from relkit import _native
    from relkit.data.features import Features
    from relkit.data.scale import Scale

__all__ = [
    "LabelFacts",
    "LabelledRows",
    "StreamedRows",
    "from_columns",
    "group_notes",
    "labelled_columns",
    "offsets_of",
]

#: The query of all rows, where there is no column of queries.
ALL_ROWS = "all"


class LabelFacts(NamedTuple):
    """What is worth knowing of labels.

    Attributes:
        highest: The highest one; NaN where there is none.
        fractions: How many lie between 0 and 1.
        negatives: How many are below 0.
    """

    highest: float
    fractions: int
    negatives: int


@dataclass(frozen=True)
class LabelledRows:
    """Labels with scores or features, the rows of one query together.

    Attributes:
        labels: One grade per row.
        scores: One score per row, or `None` where no ranker has given any.
        groups: Offsets: query i holds the rows `groups[i]` to `groups[i + 1]`.
        queries: The name of each query.
        documents: The document of each row, or `None` where the rows have no ids.
        source: The file the rows came from, or "memory".
        notes: What is worth knowing about the data.
        weights: What each row weighs; `None` for 1 each.
        features: What a ranker knows of each row, or `None`.
    """

    labels: NDArray[Any]
    scores: NDArray[Any] | None
    groups: NDArray[np.int64]
    queries: list[str]
    documents: list[str] | None = None
    source: str = "memory"
    notes: tuple[Note, ...] = field(default=())
    weights: NDArray[Any] | None = None
    features: Features | None = None

    def __len__(self) -> int:
        """The number of rows."""
        return len(self.labels)

    def __repr__(self) -> str:
        return (
            f"LabelledRows(queries={len(self.queries)}, rows={len(self)}, source={self.source!r})"
        )

    @property
    def facts(self) -> LabelFacts:
        """What is worth knowing of the labels."""
        labels = self.labels
        highest = float(labels.max()) if labels.size else math.nan
        if labels.dtype.kind in "bu" or not labels.size:
            return LabelFacts(highest, 0, 0)
        negatives = int((labels < 0).sum()) if labels.min() < 0 else 0
        if labels.dtype.kind != "f":
            return LabelFacts(highest, 0, negatives)
        import numpy as np

        blocks = (labels[start : start + 65_536] for start in range(0, labels.size, 65_536))
        above = (np.count_nonzero(block > 0) - np.count_nonzero(block >= 1) for block in blocks)
        return LabelFacts(highest, int(sum(above)), negatives)

    def known_scores(self) -> NDArray[Any]:
        """Returns the scores.

        Raises:
            InputError: If there are none.
        """
        if self.scores is None:
            raise InputError(
                "the rows have no scores",
                path="" if self.source == "memory" else self.source,
                hint="give the scores of a ranker: evaluate_scores(rows, scores)",
            )
        return self.scores

    def lists(self) -> Iterator[tuple[str, list[float], list[float]]]:
        """Yields each query's name, grades and scores."""
        values = self.known_scores()
        for place, query in enumerate(self.queries):
            start, end = self.groups[place], self.groups[place + 1]
            labels, scores = self.labels[start:end], values[start:end]
            yield query, [float(label) for label in labels], [float(score) for score in scores]


class StreamedRows(NamedTuple):
    """What came of labelled rows that were not kept.

    Attributes:
        batch: The measures; its queries have their names.
        facts: What is worth knowing of the labels.
        notes: What is worth knowing about the data.
    """

    batch: _native.Batch
    facts: LabelFacts
    notes: tuple[Note, ...]


def labelled_columns(
    columns: Mapping[str, pl.Series], path: str = "", scale: Scale | None = None
) -> dict[str, pl.Series]:
    """Converts a label column, and those of scores, weights and queries that there are.

    Labels, scores and weights become numbers, and null where they are none.
    """
    label = columns["label"]
    found = {"label": to_numbers(label, "label", path) if scale is None else scaled(label, scale)}
    for role in ("score", "weight"):
        if role in columns:
            found[role] = to_numbers(columns[role], role, path)
    if "query" in columns:
        found["query"] = to_ids(columns["query"], "query", path)
    return found


def group_notes(roles: Container[str]) -> tuple[Note, ...]:
    """Says that there are no queries, if there is no column of them."""
    if "query" in roles:
        return ()
    return (Note("one-group"),)


def from_columns(
    columns: Mapping[str, pl.Series],
    *,
    path: str = "",
    scale: Scale | None = None,
    records: Callable[[], Iterable[Record]] | None = None,
) -> LabelledRows:
    """Groups rows by their query column, keeping the order of queries and of their rows.

    Without a query column all rows count as one query.

    Raises:
        InputError: At the first row whose label, score or feature cannot be used.
    """
    import polars as pl

    from relkit.data.features import feature_columns, feature_matrix

    numbers = labelled_columns(columns, path, scale)
    numbers.pop("query", None)
    query = to_text(columns["query"], "query", path) if "query" in columns else None
    for role, values in numbers.items():
        wrong = values.null_count() or not bool(values.is_finite().all())
        if wrong or (role == "weight" and bool((values < 0).any())):
            _fail(columns, path, scale, records)
    if query is not None and (query.null_count() or bool((query == "").any())):
        _fail(columns, path, scale, records)
    known = feature_columns(columns, path)
    for role, values in known.items():
        absent = sum(map(_absent, columns[role])) if values.null_count() else 0
        if values.null_count() > absent or bool(values.is_infinite().any()):
            _fail(columns, path, scale, records)
    document = to_text(columns["document"], "document", path) if "document" in columns else None
    frame = pl.DataFrame(numbers)
    rows = None
    if query is None:
        names, sizes = [ALL_ROWS], [frame.height]
    else:
        runs = query.rle().struct.unnest()
        if runs.get_column("value").is_unique().all():
            names, sizes = runs.get_column("value").to_list(), runs.get_column("len").to_list()
        else:
            groups = (
                pl.DataFrame({"query": query})
                .with_row_index("row")
                .group_by("query", maintain_order=True)
                .agg("row")
            )
            names = groups.get_column("query").to_list()
            sizes = groups.get_column("row").list.len().to_list()
            order = groups.get_column("row").explode()
            frame = frame[order]
            document = document.gather(order) if document is not None else None
            rows = order.to_numpy()
    return LabelledRows(
        frame.get_column("label").to_numpy(),
        frame.get_column("score").to_numpy() if "score" in columns else None,
        offsets_of(sizes),
        names,
        document.to_list() if document is not None else None,
        path or "memory",
        group_notes(columns),
        frame.get_column("weight").to_numpy() if "weight" in columns else None,
        feature_matrix(columns, known, rows) if known else None,
    )


def _absent(value: Any) -> bool:
    """Says whether a row lacks a feature."""
    return missing(value) or (number(value) or 0) != (number(value) or 0)


def _fail(
    columns: Mapping[str, pl.Series],
    path: str,
    scale: Scale | None,
    records: Callable[[], Iterable[Record]] | None,
) -> NoReturn:
    """Raises the error of the first row that cannot be used."""
    unit = "line" if records is not None else "row"
    for place, fields in records() if records is not None else rows_of(columns):
        if "query" in fields and missing(fields["query"]):
            refuse("the query is empty", path, place, unit)
        for role in ("label", "score", "weight"):
            if role not in fields:
                continue
            value = fields[role]
            if missing(value):
                refuse(f"the {role} is empty", path, place, unit)
            try:
                named = role == "label" and scale is not None
                found = parse_grade(value, scale) if named else number(value)
            except InputError as error:
                refuse(error.message, path, place, unit, error.hint)
            if found is None:
                hint = NAMED_GRADES if role == "label" else ""
                refuse(f"the {role} `{value}` is not a number", path, place, unit, hint)
            if not math.isfinite(found):
                refuse(f"the {role} is {found}", path, place, unit, "it must be finite")
            if role == "weight" and found < 0:
                refuse(f"the weight is {found:g}", path, place, unit, "a row weighs 0 or more")
        for role, value in fields.items():
            name = feature_name(role)
            if name is None or _absent(value):
                continue
            found = number(value)
            if found is None or math.isinf(found):
                refuse(
                    say("the feature `{name}` is `{value}`", name=name, value=value),
                    path,
                    place,
                    unit,
                    "features are finite numbers: name the columns that are, features=[…]",
                )
    raise InputError("a label or a score cannot be used", path=path)


def offsets_of(sizes: Iterable[int]) -> NDArray[np.int64]:
    """The running sums of group sizes, from 0."""
    import numpy as np

    listed = np.fromiter(sizes, dtype=np.int64)
    return np.concatenate([np.zeros(1, dtype=np.int64), np.cumsum(listed)])
