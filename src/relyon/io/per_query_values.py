"""Per-query values computed by any program, as input of a comparison."""

from __future__ import annotations

import math
from os import PathLike, fspath
from typing import TYPE_CHECKING

from relyon.core.cells import APOSTROPHE
from relyon.core.errors import InputError, ParseError
from relyon.core.texts import message
from relyon.data.columns.roles import NAMES, plain_name
from relyon.io.byte_source import Source
from relyon.io.text_rows import check_width, csv_rows

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["read_values"]


def read_values(path: str | PathLike[str]) -> dict[str, dict[str, float]]:
    """Reads values by measure and query.

    The file is CSV with a column of queries and one per measure; CSV with the columns query,
    measure and value, as ``relyon evaluate -q --format csv`` writes for one run; or what
    ``trec_eval -q`` prints. An empty value is undefined.

    Raises:
        InputError: If the file cannot be read or has another format.
        ParseError: At the first line whose value is not a number, or that repeats a query.
    """
    name = fspath(path)
    with Source(name) as source:
        text = source.read(-1).decode("utf-8-sig", "surrogateescape")
    lines = text.splitlines()
    if not any(line.strip() for line in lines):
        raise InputError(message("io.there-are-no-values"), path=name)
    values: dict[str, dict[str, float]] = {}
    rows = _csv(text, name) if "," in lines[0] else _trec(lines, name)
    for line, measure, query, content in rows:
        if not content.strip():
            value = math.nan
        else:
            try:
                value = float(content)
            except ValueError:
                raise ParseError(
                    message(
                        "io.value-of-measure",
                        measure=measure,
                        content=content,
                    ),
                    path=name,
                    line=line,
                ) from None
        column = values.setdefault(measure, {})
        if query in column:
            raise ParseError(
                message("io.query-has-two-values", query=query, measure=measure),
                path=name,
                line=line,
                hint=message("io.file-contains-one-run"),
            )
        column[query] = value
    if not values:
        raise InputError(message("io.there-are-no-per-query"), path=name, hint=message(HINT))
    return values


HINT = "io.trec-eval-prints-them"


def _csv(text: str, path: str) -> Iterator[tuple[int, str, str, str]]:
    """Yields line, measure, query and value of a table."""
    from io import StringIO

    rows = csv_rows(StringIO(text, newline=""), path)
    header = [title.strip() for title in next(rows)[1]]
    lower = [title.lower() for title in header]
    plain = [plain_name(title) for title in header]
    key = next((plain.index(name) for name in NAMES["query"] if name in plain), None)
    if key is None:
        raise ParseError(
            message("io.no-column-of-queries", header=list(header)),
            path=path,
            line=1,
            hint=message("io.call-query"),
        )
    long = {"measure", "value"} <= set(lower)
    measures = [
        place for place in range(len(header)) if place != key and lower[place] not in {"", "run"}
    ]
    for line, row in rows:
        if not any(row):
            continue
        check_width(row, len(header), path, line)
        query = APOSTROPHE.show(row[key])
        if long:
            yield line, row[lower.index("measure")], query, row[lower.index("value")]
        else:
            for place in measures:
                yield line, header[place], query, row[place]


def _trec(lines: list[str], path: str) -> Iterator[tuple[int, str, str, str]]:
    """Yields line, measure, query and value of what trec_eval -q prints."""
    for number, line in enumerate(lines, 1):
        fields = line.split()
        if not fields:
            continue
        if len(fields) != 3:
            raise ParseError(
                message("io.expected-3-columns", count=len(fields)),
                path=path,
                line=number,
                hint=message("io.give-csv-with-header"),
            )
        measure, query, value = fields
        if query != "all" and measure != "runid":
            yield number, measure, query, value
