"""Where a command writes its data: stdout, or a file that is replaced atomically."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Collection, Iterable
from typing import TYPE_CHECKING, Any

from relyon.core.document.endings import endings_of, form_named_by, named_form
from relyon.core.document.terminal import printable
from relyon.core.errors import InputError, ParameterError
from relyon.core.texts import message

if TYPE_CHECKING:
    from relyon.core.document.exportable import Exportable

__all__ = [
    "emit",
    "form_of",
    "is_folder",
    "protect_inputs",
    "refuse_existing",
    "rendered",
    "terminal_columns",
    "written",
]


def form_of(output: str | None, offered: Collection[str]) -> str:
    """Returns the format implied by a file name's ending; a table if it implies none.

    Raises:
        ParameterError: If the ending is that of another format, such as `.xlsx`.

    Examples:
        >>> form_of("results.json", ["table", "json"]), form_of(None, ["table", "json"])
        ('json', 'table')
    """
    form = form_named_by(output or "", offered)
    if form is None and output is not None and named_form(output) is not None:
        raise ParameterError(
            message(
                "cli.cannot-be-written",
                path=output,
                ending=os.path.splitext(output)[1],
            ),
            hint=message(
                "cli.choose-one-of-endings",
                endings=[f"`{one}`" for one in endings_of(offered)],
            ),
        )
    return form or "table"


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


def rendered(
    found: Exportable,
    form: str,
    *,
    page: Callable[[], str],
    picture: Callable[[], str],
    **told: Any,
) -> str | bytes:
    """Returns a result that has charts in the requested form.

    Args:
        found: The result.
        form: `html`, `svg`, `png`, or a form of `written`.
        page: Returns it as HTML.
        picture: Returns its charts as an SVG file.
        **told: Settings of Markdown and the table.
    """
    if form == "html":
        return page()
    if form in {"svg", "png"}:
        from relyon.report import picture_png

        return picture() if form == "svg" else picture_png(picture())
    return written(found, form, **told)


def emit(data: str | bytes, path: str | None = None) -> None:
    """Writes a text and a line end, or a picture, to stdout, or to a file in one step.

    Raises:
        ParameterError: If a picture would go to a terminal.
    """
    if path is None or path == "-":
        _to_stdout(data)
        return
    from relyon.io.atomic_files import open_replaced

    with open_replaced(path) as file:
        file.write((data + "\n").encode() if isinstance(data, str) else data)


def _to_stdout(data: str | bytes) -> None:
    """Writes all of it: unbuffered stdout may accept only a part at a time."""
    sys.stdout.flush()
    shown = sys.stdout.isatty()
    if isinstance(data, str):
        # Data must not control the terminal either.
        text = printable(data, "\n\t") if shown else data
        if not hasattr(sys.stdout, "buffer"):
            sys.stdout.write(text + "\n")
            return
        data = (text + "\n").encode(sys.stdout.encoding, sys.stdout.errors or "strict")
    elif shown:
        raise ParameterError(
            message("cli.picture-cannot-be-shown"), hint=message("cli.add-o-file-png")
        )
    buffer = sys.stdout.buffer
    left = memoryview(data)
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
        raise InputError(
            message("core.already-exists"), path=path, hint=message("core.force-replaces")
        )


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
                message("cli.output-is-one-of-inputs", output=output),
                hint=message("core.name-another-file"),
            )


def terminal_columns() -> int | None:
    """Returns the width of the terminal, or `None` if stdout is not one."""
    try:
        return os.get_terminal_size(sys.stdout.fileno()).columns if sys.stdout.isatty() else None
    except (OSError, ValueError):
        return None
