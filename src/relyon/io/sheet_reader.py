"""Reading items to judge, with their grades, from files and judgments."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from relyon.core.errors import InputError
from relyon.core.texts import message
from relyon.io.format import formats
from relyon.io.readers import opened

if TYPE_CHECKING:
    from relyon.data.scale import Scale
    from relyon.data.sheets import Sheet

__all__ = ["read_sheet"]


def read_sheet(
    source: object,
    *,
    format: str | None = None,
    columns: Mapping[str, str] | None = None,
    scale: Scale | str | None = None,
    encoding: str | None = None,
) -> Sheet:
    """Reads items to judge, with their known grades, from a file or judgments.

    Args:
        source: A path ("-" for standard input), an open binary file, or `Judgments`, whose grades
            are final. `relyon.io.Source` can limit its size. A judging database is named as for
            `read_judgments`.
        format: The file's format; None recognises it.
        columns: Column names by role, for tables: query, document, grade, judge, rank, query_text,
            title, snippet, url, image.
        scale: The grade scale, or its name: grades may then be names of levels, such as 高 or high.
        encoding: The encoding of a text file, such as "gbk"; None for UTF-8, or the one that
            `text_encoding` declares or that is certain.

    Raises:
        InputError: If the data cannot be used; the message names the file and the line.
        ParameterError: If the file may be of several formats.
        UnknownNameError: If there is no format, scale or encoding of that name.

    Examples:
        >>> from io import BytesIO
        >>> sheet = read_sheet(BytesIO(b"query,document,title,grade\\nshoes,d1,Red,2\\n"))
        >>> sheet.rows[0].item.title, sheet.rows[0].final
        ('Red', 2.0)
    """
    from relyon.data.judgments import Judgments
    from relyon.data.scale import load_scale
    from relyon.io.graded_items import sheet_of

    if isinstance(source, Judgments):
        return sheet_of(source)
    found = opened(source, "sheet", format=format, columns=columns, encoding=encoding)
    if found is None:
        raise InputError(
            message("io.cannot-read-items", name=type(source).__name__),
            hint=message("io.give-a-path"),
        )
    return formats.get(found.format).read_sheet(found, columns=columns, scale=load_scale(scale))
