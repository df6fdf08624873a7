"""Files with named columns, and files with a fixed form that need no names."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from relyon.core.errors import RelyonError

if TYPE_CHECKING:
    from relyon.io import Source
    from relyon.io.format import Kind

__all__ = ["is_table", "open_named"]


def open_named(
    path: str, form: str | None, kind: Kind, columns: Mapping[str, str] | None
) -> tuple[Source, Mapping[str, str] | None]:
    """Opens a file; returns column names only if it has columns."""
    from relyon.io import open_source
    from relyon.io.format import formats

    source = open_source(path, format=form, kind=kind, named=bool(columns))
    return source, columns if formats.get(source.format).tabular else None


def is_table(path: str, form: str | None, kind: Kind, others: Sequence[str] = ()) -> bool:
    """Returns whether a file has named columns; a file that cannot be inspected counts as one.

    Args:
        path: The file.
        form: Its format; None recognises it.
        kind: The kind of data to look for.
        others: Other accepted formats.
    """
    from relyon.io import open_source
    from relyon.io.format import formats

    if path == "-" and form is None:
        return True
    try:
        name = form
        if name is None:
            with open_source(path, kind=kind) as source:
                name = source.format
        return name in others or formats.get(name).tabular
    except RelyonError:
        return True
