"""Rows of CSV and TSV, fields of any length."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from _csv import Reader

__all__ = ["csv_reader"]

LONGEST = 1 << 30


def csv_reader(lines: Iterable[str], **dialect: Any) -> Reader:
    """Returns Python's reader, for which no field is too long: a document may stand in one.

    Python keeps one limit for the whole process, so that without this what can be read would
    depend on what was read before.
    """
    import csv

    csv.field_size_limit(LONGEST)
    return csv.reader(lines, **dialect)
