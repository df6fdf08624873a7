"""Workbooks named where a file is: `log.xlsx`, or `log.xlsx#June` for one of its sheets."""

from __future__ import annotations

import os

__all__ = ["SUFFIXES", "ZIP", "file_and_sheet", "is_workbook"]

SUFFIXES = (".xlsx", ".xlsm")
#: The first bytes of a zip archive, and the folder in that of a workbook.
ZIP, FOLDER = b"PK\x03\x04", b"xl/"


def is_workbook(head: bytes) -> bool:
    """Whether a file with this beginning is an Excel workbook."""
    return head.startswith(ZIP) and FOLDER in head


def file_and_sheet(path: str) -> tuple[str, str]:
    """Returns the file that a path names, and the sheet of a workbook after `#`, if any.

    A file whose own name contains `#` takes precedence.

    Examples:
        >>> file_and_sheet("judgments.csv"), file_and_sheet("log.xlsx#June")
        (('judgments.csv', ''), ('log.xlsx', 'June'))
    """
    if "#" not in path or os.path.exists(path):
        return path, ""
    for suffix in SUFFIXES:
        place = path.lower().find(f"{suffix}#")
        if place > 0:
            end = place + len(suffix)
            return path[:end], path[end + 1 :]
    return path, ""
