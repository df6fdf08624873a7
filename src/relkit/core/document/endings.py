"""Output forms by file extension."""

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
    """Returns the form for a file extension, or None for an unknown one.

    Examples:
        >>> form_named_by("month.md", ["html", "markdown"])
        'markdown'
        >>> form_named_by("month.csv", ["html", "markdown"])
    """
    found = ENDINGS.get(os.path.splitext(os.fspath(path))[1].lower())
    return next((form for form in offered if form == found), None)
