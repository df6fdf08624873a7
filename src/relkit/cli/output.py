"""Where a command writes its data: stdout, or a file that is replaced atomically."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from relkit.core.document.endings import form_named_by
from relkit.core.document.terminal import printable
from relkit.core.errors import InputError, ParameterError
from relkit.core.texts import message

if TYPE_CHECKING:
    from relkit.core.document.result import Exportable

__all__ = [
    "emit",
    "form_of",
    "is_folder",
    "protect_inputs",
    "refuse_existing",
    "terminal_columns",
    "written",
]


def form_of(output: str | None, offered: Iterable[str]) -> str:
    """Returns the format implied by a file name's ending; a table if it implies none.

    Examples:
        >>> form_of("results.json", ["table", "json"]), form_of(None, ["table", "json"])
        ('json', 'table')
    """
    return form_named_by(output or "", offered) or "table"


def written(found: Exportable, form: str, **told: Any) -> str:
    """Returns a result in the requested form.

    Args:
        found: The result.
        form: `json`, `csv`, `markdown`, or anything else for the table.
        **told: Settings of Markdown and the table, such as `digits` and `language`.
    """
    if form == "json":
        return found.to_json()
    if form == "csv":
        return found.to_csv()
    if form == "markdown":
        return found.to_markdown(**told)
    return found.to_text(columns=terminal_columns() or 80, **told)


def emit(text: str, path: str | None = None) -> None:
    """Writes a text and a line end to stdout, or to a file in one step."""
    if path is None or path == "-":
        _to_stdout(text + "\n")
        return
    from relkit.io.replace import open_replaced

    with open_replaced(path) as file:
        file.write((text + "\n").encode())


def _to_stdout(text: str) -> None:
    """Writes all of a text: unbuffered stdout may accept only a part at a time."""
    sys.stdout.flush()
    if sys.stdout.isatty():  # data must not control the terminal either
        text = printable(text, "\n\t")
    buffer = getattr(sys.stdout, "buffer", None)
    if buffer is None:
        sys.stdout.write(text)
        return
    left = memoryview(text.encode(sys.stdout.encoding, sys.stdout.errors or "strict"))
    while left:
        left = left[buffer.write(left) :]
    buffer.flush()


def is_folder(path: str) -> bool:
    """Whether a path is a folder, or is to become one: it ends with a slash."""
    return path.endswith(("/", os.sep)) or os.path.isdir(path)


def refuse_existing(path: str, force: bool) -> None:
    """Refuses to replace an existing file.

    Raises:
        InputError: If it exists and must not be replaced; `-` is stdout.
    """
    if path != "-" and os.path.lexists(path) and not force:
        raise InputError("already exists", path=path, hint="--force replaces it")


def protect_inputs(output: str | None, inputs: Iterable[str | None]) -> None:
    """Refuses to write over a file that is read.

    Raises:
        ParameterError: If the output is one of the inputs.
    """
    if output is None or not os.path.isfile(output):
        return
    for name in inputs:
        if name and os.path.isfile(name) and os.path.samefile(name, output):
            raise ParameterError(
                message("the output `{output}` is one of the inputs", output=output),
                hint="name another file",
            )


def terminal_columns() -> int | None:
    """Returns the width of the terminal, or `None` if stdout is not one."""
    try:
        return os.get_terminal_size(sys.stdout.fileno()).columns if sys.stdout.isatty() else None
    except (OSError, ValueError):
        return None
