"""Rows of spreadsheets: the row that a line of text was, where cells have lines of their own."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable
from itertools import accumulate, chain

__all__ = ["note_rows", "row_at"]

_starts: dict[str, list[int]] = {}


def note_rows(path: str, before: int, rows: Iterable[str]) -> None:
    """Remembers on which line each row of a table begins, if any has several lines.

    Args:
        path: The file, as messages name it.
        before: The number of empty lines before the first row.
        rows: The text of each row, without its line end; none if each is one line.
    """
    lines = list(chain([1] * before, (1 + row.count("\n") for row in rows)))
    if sum(lines) == len(lines):
        _starts.pop(path, None)
    else:
        _starts[path] = [1, *(1 + end for end in accumulate(lines))]


def row_at(path: str, line: int) -> int:
    """Returns the row of a spreadsheet in which a line is; of other files the line.

    Examples:
        >>> note_rows("log.xlsx", 0, ["query,title", 'tv,"two\\nlines"', "phone,one"])
        >>> row_at("log.xlsx", 4), row_at("log.csv", 4)
        (3, 4)
    """
    starts = _starts.get(path)
    return line if starts is None else bisect_right(starts, line)
