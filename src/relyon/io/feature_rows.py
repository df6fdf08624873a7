"""Rows with features as tables and as LETOR text, a few thousand rows at a time."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from typing import TYPE_CHECKING

from relyon.core.errors import InputError
from relyon.core.texts import message
from relyon.data.columns import choose, feature_role
from relyon.io.letor_header import LetorHeader

if TYPE_CHECKING:
    import polars as pl

    from relyon.data.labelled import LabelledRows

__all__ = ["feature_frames", "letor_parts"]

#: Values converted to text at a time.
VALUES = 2**20


def feature_frames(rows: LabelledRows, values: int = VALUES) -> Iterator[pl.DataFrame]:
    """Yields tables: query, document, label, weight and position if present, and features.

    Args:
        rows: Rows with features.
        values: Most values per table, if it has more than one row.

    Raises:
        InputError: If a feature's name would be read as something else.
    """
    import polars as pl

    names = rows.known_features().names
    roles = {"query": "query"}
    roles |= {"document": "document"} if rows.documents is not None else {}
    roles |= {"label": "label"}
    roles |= {"weight": "weight"} if rows.weights is not None else {}
    roles |= {"position": "position"} if rows.positions is not None else {}
    _check_names([*roles, *names], roles, rows.path)
    whole = bool(((rows.labels == rows.labels.round()) & (abs(rows.labels) < 2**53)).all())
    for part in _parts(rows, values):
        columns = {
            "query": pl.Series(part.queries, dtype=pl.String).gather(part.qid),
            "label": pl.Series(part.labels).cast(pl.Int64 if whole else pl.Float64),
        }
        if part.documents is not None:
            columns["document"] = pl.Series(part.documents, dtype=pl.String)
        if part.weights is not None:
            columns["weight"] = pl.Series(part.weights)
        if part.positions is not None:
            columns["position"] = pl.Series(part.positions)
        matrix = part.known_features().dense()
        features = {name: pl.Series(matrix[:, place]) for place, name in enumerate(names)}
        frame = pl.DataFrame({role: columns[role] for role in roles} | features)
        yield frame.with_columns(pl.col(list(features)).fill_nan(None)) if features else frame


def letor_parts(rows: LabelledRows, values: int = VALUES) -> Iterator[str]:
    """Yields LETOR text: comments with what the lines cannot contain, then one line per row.

    Zeros of a sparse matrix are left out.

    Args:
        rows: Rows with features.
        values: Values converted to text at a time.

    Raises:
        InputError: If a value is missing, which would be read as 0, or only some documents have
            ids.
    """
    fields = tuple(
        name
        for name, held in (("weight", rows.weights), ("position", rows.positions))
        if held is not None
    )
    documents = rows.documents or []
    if not all(documents):
        raise InputError(message("io.only-some-rows"), path=rows.path)
    names = rows.known_features().names
    header = LetorHeader.of(names, [*rows.queries, *documents], fields)
    yield header.lines()
    first = True
    for part in _parts(rows, values):
        queries = [header.encode(query) for query in part.queries]
        lines = zip(_numbers(part.labels), part.qid.tolist(), _features(part, first), strict=True)
        texts = [f"{label} qid:{queries[at]}{features}" for label, at, features in lines]
        about = [""] * len(texts)
        if part.documents is not None:
            about = [f" docid = {header.encode(document)}" for document in part.documents]
        for name, held in (("weight", part.weights), ("position", part.positions)):
            if held is not None:
                pairs = zip(about, _numbers(held), strict=True)
                about = [f"{text} {name} = {value}" for text, value in pairs]
        yield "".join(
            f"{text} #{more}\n" if more else f"{text}\n"
            for text, more in zip(texts, about, strict=True)
        )
        first = False


def _parts(rows: LabelledRows, values: int) -> Iterator[LabelledRows]:
    """Yields the rows of a few queries at a time."""
    width = max(1, len(rows.known_features().names))
    start = 0
    for end in range(1, len(rows.queries) + 1):
        last = end == len(rows.queries)
        if last or (rows.groups[end + 1] - rows.groups[start]) * width > values:
            yield rows.select(range(start, end))
            start = end


def _features(rows: LabelledRows, first: bool) -> Iterator[str]:
    """Yields each row's features as text; the first row of a file always has the last one."""
    import numpy as np

    found = rows.known_features()
    width = len(found.names)
    sparse = found.sparse
    held = found.values.data if sparse else found.values
    if np.isnan(held).any():
        places = found.values.indices if sparse else np.nonzero(np.isnan(held))[1]
        place = int(places[np.isnan(held)][0] if sparse else places[0])
        raise InputError(
            message("io.feature-lacks-values", name=found.names[place]),
            path=rows.path,
            hint=message("io.letor-text-cannot-represent"),
        )
    if not sparse:
        texts = [_numbers(held[:, place]) for place in range(width)]
        for row in zip(*texts, strict=True):
            yield "".join(f" {number}:{text}" for number, text in enumerate(row, 1))
        return
    values, numbers = _numbers(held), (found.values.indices + 1).tolist()
    starts = found.values.indptr.tolist()
    for place, (start, end) in enumerate(pairwise(starts)):
        pairs = sorted(zip(numbers[start:end], values[start:end], strict=True))
        if first and not place and width and (not pairs or pairs[-1][0] < width):
            pairs.append((width, "0"))
        yield "".join(f" {number}:{text}" for number, text in pairs)


def _numbers(values: object) -> list[str]:
    """Returns numbers as the shortest text that reads back as the same numbers."""
    import polars as pl

    texts = pl.Series(values).cast(pl.String)  # type: ignore[arg-type]
    return texts.str.strip_suffix(".0").to_list()


def _check_names(columns: list[str], roles: dict[str, str], path: str) -> None:
    """Refuses feature names that would be read as something else."""
    named = {role: column for role, column in roles.items() if role == "position"}
    features = [name for name in columns if name not in roles]
    if len(features) + len(roles) < len(columns):
        taken = next(name for name in roles if columns.count(name) > 1)
        raise _refused(taken, taken, path)
    found = choose(columns, "features", columns=named, path=path)
    wanted = roles | {feature_role(name): name for name in features}
    for role, column in found.items():
        if wanted.get(role) != column:
            raise _refused(column, role, path)


def _refused(name: str, role: str, path: str) -> InputError:
    text = message("io.feature-would-be-read", name=name, role=role)
    return InputError(text, path=path, hint=message("io.rename-first"))
