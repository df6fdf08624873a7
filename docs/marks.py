"""Pages of which a part is written by a script: it stands between two marks."""

from __future__ import annotations

import sys
from pathlib import Path

__all__ = ["replaced", "write_or_check"]


def replaced(page: Path, start: str, end: str, text: str, body: str | None = None) -> str:
    """Returns a page with another text between its marks.

    Args:
        page: The page.
        start: The mark before the text.
        end: The mark after it.
        text: What stands between them, with its line ends.
        body: The page's text, if it is not the file's.

    Raises:
        SystemExit: If the page has no such marks.
    """
    whole = page.read_text("utf-8") if body is None else body
    head, begun, rest = whole.partition(start)
    _, ended, tail = rest.partition(end)
    if not (begun and ended):
        raise SystemExit(f"{page} has no marks {start.strip()} and {end.strip()}")
    return f"{head}{start}{text}{end}{tail}"


def write_or_check(page: Path, wanted: str) -> None:
    """Writes a page, or with --check says whether it is as it would be written.

    Raises:
        SystemExit: If it is not.
    """
    if "--check" not in sys.argv[1:]:
        page.write_text(wanted, "utf-8", newline="\n")
    elif not page.exists() or page.read_text("utf-8") != wanted:
        raise SystemExit(f"{page.name} is stale: run python {sys.argv[0]}")
