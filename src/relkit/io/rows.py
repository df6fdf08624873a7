"""Rows of text: CSV and TSV with fields of any length, one JSON object a line."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from relkit.core.cells import APOSTROPHE, show_texts
from relkit.core.errors import ParseError
from relkit.core.texts import message

if TYPE_CHECKING:
    from _csv import Reader

    import polars as pl

__all__ = ["csv_reader", "json_object", "read_cells"]

LONGEST = 1 << 30


def csv_reader(lines: Iterable[str], **dialect: Any) -> Reader:
    """Returns Python's reader, for which no field is too long: a document may stand in one.

    Python keeps one limit for the whole process, so that without this what can be read would
    depend on what was read before.
    """
    import csv

    csv.field_size_limit(LONGEST)
    return csv.reader(lines, **dialect)


def json_object(line: bytes, path: str, number: int, **options: Any) -> dict[str, Any]:
    """Returns the object that a line of JSON Lines holds.

    Args:
        line: The line.
        path: The file, for messages.
        number: The line's number, for messages.
        **options: Of `json.loads`.

    Raises:
        ParseError: If it holds none.
    """
    import json

    try:
        row = json.loads(line, **options)
    except UnicodeDecodeError as error:
        raise ParseError(
            message("is not UTF-8 text ({reason})", reason=error.reason), path=path, line=number
        ) from None
    except (ValueError, RecursionError) as error:
        reason = getattr(error, "msg", "nested too deeply")
        raise ParseError(
            message("is not JSON: {reason}", reason=reason), path=path, line=number
        ) from None
    if not isinstance(row, dict):
        raise ParseError(
            message("expected an object, got a {name}", name=type(row).__name__),
            path=path,
            line=number,
        )
    return row


def read_cells(data: bytes, *, separator: str = ",") -> pl.DataFrame:
    """Returns CSV as a frame of texts, as they were before they were written.

    Raises:
        polars.exceptions.PolarsError: If it is no table.

    Examples:
        >>> read_cells(b"query,rank\\n'=1+1,1\\n").rows()
        [('=1+1', '1')]
    """
    import io

    import polars as pl

    frame = pl.read_csv(data, separator=separator, infer_schema=False)
    lines = io.TextIOWrapper(io.BytesIO(data), "utf-8-sig", "replace", newline="")
    # Polars leaves doubled quotes in headings.
    names = [APOSTROPHE.show(name) for name in next(csv_reader(lines, delimiter=separator), [])]
    if len(names) == frame.width == len({*names}):
        frame.columns = names
    return show_texts(frame)
