"""Output forms by file extension."""

from __future__ import annotations

import os
from collections.abc import Iterable

__all__ = ["endings_of", "form_named_by", "named_form"]

ENDINGS = {
    ".csv": "csv",
    ".html": "html",
    ".htm": "html",
    ".json": "json",
    ".jsonl": "jsonl",
    ".md": "markdown",
    ".markdown": "markdown",
    ".png": "png",
    ".svg": "svg",
    ".tex": "latex",
    ".xlsx": "xlsx",
}
#: Endings of forms that no command writes: text under such a name could not be opened.
OTHERS = (".bmp", ".bz2", ".docx", ".gif", ".gz", ".jpeg", ".jpg", ".parquet", ".pdf", ".tsv",
          ".webp", ".xls", ".xml", ".xz", ".zip", ".zst")  # fmt: skip


def form_named_by(path: str | os.PathLike[str], offered: Iterable[str]) -> str | None:
    """Returns the form for a file extension, or None for an unknown one.

    Examples:
        >>> form_named_by("month.md", ["html", "markdown"])
        'markdown'
        >>> form_named_by("month.csv", ["html", "markdown"])
    """
    found = named_form(path)
    return next((form for form in offered if form == found), None)


def named_form(path: str | os.PathLike[str]) -> str | None:
    """Returns the form that a file's ending names, whether a command writes it or not.

    Examples:
        >>> named_form("month.md"), named_form("month.pdf"), named_form("month.eval")
        ('markdown', 'pdf', None)
    """
    ending = os.path.splitext(os.fspath(path))[1].lower()
    return ENDINGS.get(ending, ending.removeprefix(".") if ending in OTHERS else None)


def endings_of(offered: Iterable[str]) -> list[str]:
    """Returns the file extension of each form that has one.

    Examples:
        >>> endings_of(["table", "markdown", "csv"])
        ['.md', '.csv']
    """
    endings = {form: ending for ending, form in reversed(ENDINGS.items())}
    return [endings[form] for form in offered if form in endings]
