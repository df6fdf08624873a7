"""The lines of search logs in text: their dialect, their objects, and where a row begins."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice
from typing import Literal, Required, TypedDict

from relyon.core.errors import InputError, ParseError
from relyon.core.texts import message
from relyon.io.byte_source import Source
from relyon.io.text_rows import csv_reader, json_keys, json_object, separator_of

__all__ = [
    "Dialect",
    "dialect_of",
    "first_line",
    "header_of",
    "keys_of",
    "line_at",
    "name_the_line",
]

_BOM = b"\xef\xbb\xbf"


def first_line(data: bytes) -> bytes:
    return next((line for line in data.removeprefix(_BOM).splitlines() if line.strip()), b"")


class Dialect(TypedDict, total=False):
    """Options of `csv_reader`."""

    delimiter: Required[str]
    quoting: Literal[0, 1, 2, 3]


def dialect_of(source: Source, kind: str) -> Dialect:
    """Returns the options of `csv.reader`: TSV has no quotes, unless its header has."""
    import csv

    if kind == "csv" and source.workbook:
        return {"delimiter": ","}
    if kind == "csv":
        line = first_line(source.head).decode("utf-8", "replace")
        return {"delimiter": separator_of(line)}
    if b'"' in first_line(source.head):
        return {"delimiter": "\t"}
    return {"delimiter": "\t", "quoting": csv.QUOTE_NONE}


def keys_of(path: str, shown: str, rows: int = 1000) -> list[str]:
    """Returns the keys of the first objects; those that the first one repeats, repeated."""
    keys: dict[str, None] = {}
    for _, row in islice(_objects(path, shown), rows):
        keys.update(dict.fromkeys(row))
    if not keys:
        raise InputError(message("core.contains-no-objects"), path=shown)
    with open(path, "rb") as file:
        first = json_keys(next(line for line in file if line.strip()).removeprefix(_BOM))
    return [*first, *(key for key in keys if key not in first)]


def header_of(path: str, dialect: Dialect) -> list[str]:
    """Returns the headings of a table as they are written, repeated ones, too."""
    with open(path, encoding="utf-8-sig", errors="replace", newline="") as text:
        return next(filter(None, csv_reader(text, **dialect)), [])


def _objects(path: str, shown: str) -> Iterator[tuple[int, dict[str, object]]]:
    """Yields line numbers and objects.

    Raises:
        ParseError: At the first line that is not a JSON object.
    """
    with open(path, "rb") as file:
        for number, line in enumerate(file, 1):
            text = line.removeprefix(_BOM) if number == 1 else line
            if not text.strip():
                continue
            yield number, json_object(text, shown, number)


def line_at(source: Source, path: str, kind: str, row: int) -> int:
    """Returns the line on which a row, counted from 0, begins."""
    if kind == "jsonl":
        with open(path, "rb") as file:
            lines = (number for number, line in enumerate(file, 1) if line.strip())
            return next(number for place, number in enumerate(lines) if place == row)

    with open(path, encoding="utf-8-sig", errors="replace", newline="") as text:
        reader = csv_reader(text, **dialect_of(source, kind))
        end, place = 0, -1
        for fields in reader:
            start, end = end + 1, reader.line_num
            if fields:
                if place == row:
                    return start
                place += 1
        return end


def name_the_line(source: Source, path: str, kind: str) -> None:
    """Reads row by row until one cannot be read.

    Raises:
        ParseError: At its line. Returns if every row can be read.
    """
    if kind == "jsonl":
        for _ in _objects(path, source.path):
            pass
        return

    with open(path, encoding="utf-8-sig", errors="replace", newline="") as text:
        reader = csv_reader(text, **dialect_of(source, kind))
        width = 0
        for fields in reader:
            width = width or len(fields)
            if fields and len(fields) > width:
                raise ParseError(
                    message(
                        "io.expected-width-columns",
                        width=width,
                        count=len(fields),
                    ),
                    path=source.path,
                    line=reader.line_num,
                )
