"""Untrusted tables: reading them takes a bounded amount of memory.

A few bytes of a table can expand to many: a short row of a wide table, a repeated row of Parquet, a
JSON object with a new member. So the memory of a table is estimated before or while it is read.
"""

from __future__ import annotations

import io
from collections.abc import Iterator
from itertools import islice
from typing import TYPE_CHECKING

from relyon.core.errors import InputError, ParseError
from relyon.core.texts import message
from relyon.io.parquet_size import measure_parquet
from relyon.io.streams import too_large
from relyon.io.text_rows import json_object

if TYPE_CHECKING:
    import polars as pl

__all__ = ["check_csv", "read_bounded_jsonl", "read_bounded_parquet"]

#: Overhead of a cell in bytes, besides its text.
CELL = 16
#: Most columns of a table, and most bytes of a line of JSON.
MOST_COLUMNS, LONGEST_LINE = 10_000, 2**20
#: Lines of JSON that are parsed at a time.
BATCH = 5_000


def check_csv(data: bytes, separator: str, limit: int, path: str) -> None:
    """Refuses CSV that would take more than a limit.

    Args:
        data: The file.
        separator: The cell separator.
        limit: The limit in bytes.
        path: The file, for messages.

    Raises:
        InputError: If it exceeds the limit.
    """
    lines = io.BytesIO(data)
    columns = lines.readline().count(separator.encode()) + 1
    if columns > MOST_COLUMNS:
        raise InputError(message("io.has-more-than-columns", most_columns=MOST_COLUMNS), path=path)
    rows = data.count(b"\n") + 1
    # A row that is too short is padded.
    cells = max(rows * columns, data.count(separator.encode()))
    if len(data) + cells * CELL > limit:
        raise too_large(limit, path)


def read_bounded_jsonl(data: bytes, limit: int, path: str) -> pl.DataFrame:
    """Reads JSON Lines as text, with the columns of the first object.

    Args:
        data: The file.
        limit: Bytes that the frame may take.
        path: The file, for messages.

    Raises:
        InputError: If a line is not an object, contains nested values, or the limit is exceeded.
    """
    import polars as pl

    objects = _objects(data, path)
    first = next(objects, None)
    if first is None:
        raise InputError(message("io.is-empty"), path=path)
    names = list(first[1])
    if len(names) > MOST_COLUMNS:
        raise InputError(
            message("io.has-more-than-members", most_columns=MOST_COLUMNS),
            path=path,
        )
    frames: list[pl.DataFrame] = []
    size, batch = 0, [first, *islice(objects, BATCH)]
    while batch:
        size += CELL * len(names) * len(batch)
        if size + len(data) > limit:
            raise too_large(limit, path)
        values = {
            name: [_text(row.get(name), name, path, line) for line, row in batch] for name in names
        }
        frames.append(pl.DataFrame(values, schema=dict.fromkeys(names, pl.String)))
        batch = list(islice(objects, BATCH))
    return pl.concat(frames)


def _objects(data: bytes, path: str) -> Iterator[tuple[int, dict[str, object]]]:
    for number, line in enumerate(io.BytesIO(data), 1):
        if len(line) > LONGEST_LINE:
            raise ParseError(message("io.line-is-longer"), path=path, line=number)
        if text := line.removeprefix(b"\xef\xbb\xbf").strip():
            yield number, json_object(text, path, number, numbers=str)


def _text(value: object, name: str, path: str, line: int) -> str | None:
    if value is None or isinstance(value, str):
        return value
    if isinstance(value, dict | list):
        raise ParseError(message("io.is-not-single-value", name=name[:60]), path=path, line=line)
    return str(value).lower() if isinstance(value, bool) else str(value)


def read_bounded_parquet(data: bytes, limit: int, path: str) -> pl.DataFrame:
    """Reads Parquet within a memory limit.

    Args:
        data: The file.
        limit: Bytes that the frame may take, with every text stored separately.
        path: The file, for messages.

    Raises:
        InputError: If it takes more, is damaged, or contains nested values.
    """
    import polars as pl

    if measure_parquet(data, path) > limit:
        raise too_large(limit, path)
    frame = pl.read_parquet(io.BytesIO(data))
    size = 0
    for column in frame.get_columns():
        if column.dtype.is_nested():
            raise InputError(
                message("io.column-contains-nested-values", column_name=column.name),
                path=path,
            )
        if column.dtype == pl.String:
            size += int(column.str.len_bytes().cast(pl.Int64).sum())
        elif column.dtype == pl.Binary:
            size += int(column.bin.size().cast(pl.Int64).sum())
        elif column.dtype in (pl.Categorical, pl.Enum):
            longest = column.unique().cast(pl.String).str.len_bytes().max()
            size += len(column) * (longest if isinstance(longest, int) else 0)
    if size > limit:
        raise too_large(limit, path)
    return frame
