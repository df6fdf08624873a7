"""Rows of text: CSV and TSV with fields of any length, one JSON object a line."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from relkit.core.errors import ParseError

if TYPE_CHECKING:
    from _csv import Reader

__all__ = ["csv_reader", "json_object"]

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
        raise ParseError(f"is not UTF-8 text ({error.reason})", path=path, line=number) from None
    except (ValueError, RecursionError) as error:
        reason = getattr(error, "msg", "nested too deeply")
        raise ParseError(f"is not JSON: {reason}", path=path, line=number) from None
    if not isinstance(row, dict):
        raise ParseError(f"expected an object, got a {type(row).__name__}", path=path, line=number)
    return row
