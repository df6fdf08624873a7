"""Which form of a text or table the ending of a file's name asks for."""

from __future__ import annotations

import os
from collections.abc import Iterable

__all__ = ["form_named_by"]

ENDINGS = {
    ".csv": "csv",
    ".htm": "html",
    ".html": "html",
    ".json": "json",
    ".jsonl": "jsonl",
    ".markdown": "markdown",
    ".md": "markdown",
    ".svg": "svg",
    ".tex": "latex",
}


def form_named_by(path: str | os.PathLike[str], offered: Iterable[str]) -> str | None:
    """Returns the form that a name's ending asks for, or None where it asks for none of them.

    Examples:
        >>> form_named_by("month.md", ["html", "markdown"])
        'markdown'
        >>> form_named_by("month.csv", ["html", "markdown"])
    """
    found = ENDINGS.get(os.path.splitext(os.fspath(path))[1].lower())
    return next((form for form in offered if form == found), None)
