"""Rows of text: CSV and TSV with fields of any length, one JSON object per line."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Literal

from relyon.core.cells import APOSTROPHE, show_texts
from relyon.core.errors import ParseError
from relyon.core.texts import message
from relyon.io.encoding import carriage_returns, not_utf8

if TYPE_CHECKING:
    from _csv import Reader

    import polars as pl

__all__ = [
    "check_width",
    "csv_reader",
    "csv_rows",
    "json_keys",
    "json_object",
    "json_objects",
    "read_cells",
    "separator_of",
]

LONGEST = 1 << 30


def separator_of(line: str, marks: str = ",;\t|") -> str:
    """Returns the separator that occurs most often in the first line of a table.

    Args:
        line: The line.
        marks: What can separate fields.

    Examples:
        >>> separator_of("query;document;grade"), separator_of("query")
        (';', ',')
    """
    return max(marks, key=line.count)


def csv_reader(
    lines: Iterable[str],
    *,
    delimiter: str = ",",
    quoting: Literal[0, 1, 2, 3] = 0,
    strict: bool = False,
) -> Reader:
    """Returns Python's CSV reader without a limit on field size: a field may contain a document.

    Python has one limit per process, so that reading would otherwise depend on earlier reads.
    """
    import csv

    csv.field_size_limit(LONGEST)
    return csv.reader(lines, delimiter=delimiter, quoting=quoting, strict=strict)


def csv_rows(
    lines: Iterable[str], path: str, separator: str = ","
) -> Iterator[tuple[int, list[str]]]:
    """Yields every row with the number of its first line; blank lines are skipped.

    Raises:
        ParseError: If quotes are malformed.

    Examples:
        >>> list(csv_rows(["a,b\\n", "\\n", '"1\\n', '2",3\\n'], "t.csv"))
        [(1, ['a', 'b']), (3, ['1\\n2', '3'])]
    """
    import csv

    reader = csv_reader(lines, delimiter=separator, strict=True)
    start = 1
    try:
        for fields in reader:
            if fields:
                yield start, fields
            start = reader.line_num + 1
    except csv.Error as error:
        if "new-line character" in str(error):
            raise carriage_returns(path, start) from None
        problem = (
            message("io.quoted-field-does")
            if "unexpected end" in str(error)
            else message("io.quoted-field-is-not-well", error=error)
        )
        raise ParseError(
            problem, path=path, line=start, hint=message("io.double-quotes-inside-field")
        ) from None


def check_width(fields: Sequence[str], width: int, path: str, line: int) -> None:
    """Refuses a row whose number of fields differs from the headings.

    Raises:
        ParseError: If it differs.
    """
    if len(fields) != width:
        raise ParseError(
            message("io.expected-count-columns", count=width, count_2=len(fields)),
            path=path,
            line=line,
        )


def json_object(
    line: bytes, path: str, number: int, *, numbers: Callable[[str], object] | None = None
) -> dict[str, object]:
    """Returns the object in a line of JSON Lines.

    Args:
        line: The line.
        path: The file, for messages.
        number: The line's number, for messages.
        numbers: Converts the text of a number; `None` parses it.

    Raises:
        ParseError: If the line is not an object.
    """
    import json

    try:
        row = json.loads(line, parse_int=numbers, parse_float=numbers)
    except UnicodeDecodeError as error:
        raise not_utf8(line, path, number, error.reason) from None
    except (ValueError, RecursionError) as error:
        if b"\r" in line.strip():
            raise carriage_returns(path, number) from None
        reason = getattr(error, "msg", None) or message("io.nested-too-deeply")
        raise ParseError(
            message("io.is-not-json-reason", reason=reason), path=path, line=number
        ) from None
    if not isinstance(row, dict):
        raise ParseError(
            message("io.expected-object", name=type(row).__name__),
            path=path,
            line=number,
        )
    return row


def json_objects(
    lines: Iterable[bytes], path: str, *, numbers: Callable[[str], object] | None = None
) -> Iterator[tuple[int, dict[str, object]]]:
    """Yields the object of every line of JSON Lines with the line's number; blank ones are skipped.

    Args:
        lines: The lines.
        path: The file, for messages.
        numbers: See `json_object`.

    Raises:
        ParseError: If a line is not an object.

    Examples:
        >>> list(json_objects([b'{"task": 1}\\n', b"\\n", b"{}"], "t.jsonl"))
        [(1, {'task': 1}), (3, {})]
    """
    for number, line in enumerate(lines, 1):
        text = line.removesuffix(b"\n")
        if text.strip():
            yield number, json_object(text, path, number, numbers=numbers)


def json_keys(line: bytes) -> list[str]:
    """Returns the keys of an object that was read before, repeated ones as often as they are.

    Examples:
        >>> json_keys(b'{"query": "q", "score": 1, "score": 2}')
        ['query', 'score', 'score']
    """
    import json

    return [key for key, _ in json.loads(line, object_pairs_hook=list, parse_int=str)]


def read_cells(data: bytes, *, separator: str = ",", path: str = "") -> pl.DataFrame:
    """Returns CSV as a frame of texts, as before writing.

    Raises:
        InputError: If several columns have the same usual name.
        polars.exceptions.PolarsError: If it is not a table.

    Examples:
        >>> read_cells(b"query,rank\\n'=1+1,1\\n").rows()
        [('=1+1', '1')]
    """
    import io

    import polars as pl

    from relyon.data.columns.repeated import refuse_repeated
    from relyon.data.columns.roles import KNOWN, plain_name

    frame = pl.read_csv(data, separator=separator, infer_schema=False)
    lines = io.TextIOWrapper(io.BytesIO(data), "utf-8-sig", "replace", newline="")
    # Polars leaves doubled quotes in headings.
    names = [APOSTROPHE.show(name) for name in next(csv_reader(lines, delimiter=separator), [])]
    refuse_repeated(names, path, lambda name: plain_name(name) in KNOWN)
    if len(names) == frame.width == len({*names}):
        frame.columns = names
    return show_texts(frame)
