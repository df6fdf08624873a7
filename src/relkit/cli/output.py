"""Where a command's data goes: stdout, or a file that is replaced as a whole."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import IO

from relkit.core.errors import ParameterError

__all__ = ["emit", "form_of", "open_output", "protect_inputs", "terminal_columns"]

ENDINGS = {
    ".json": "json",
    ".jsonl": "jsonl",
    ".csv": "csv",
    ".md": "markdown",
    ".tex": "latex",
}


def form_of(output: str | None, offered: Iterable[str]) -> str:
    """Returns the form that the ending of a file's name asks for: a table where it asks for none.

    Examples:
        >>> form_of("results.json", ["table", "json"]), form_of(None, ["table", "json"])
        ('json', 'table')
    """
    found = ENDINGS.get(os.path.splitext(output or "")[1].lower(), "table")
    return found if found in offered else "table"


def emit(text: str, path: str | None = None) -> None:
    """Writes a text and a line end to stdout, or to a file in one step."""
    if path is None or path == "-":
        _to_stdout(text + "\n")
        return
    with open_output(path) as file:
        file.write((text + "\n").encode())


@contextmanager
def open_output(path: str) -> Iterator[IO[bytes]]:
    """Opens a file to be written in one step: it is there when all of it is, or not at all."""
    target = os.path.realpath(path)
    if os.path.exists(target) and not os.path.isfile(target):
        # A device or a pipe cannot be replaced; a folder fails here, with its name.
        with open(target, "wb") as file:
            yield file
        return
    temporary = f"{target}.{os.getpid()}.tmp"
    try:
        with open(temporary, "xb") as file:
            yield file
        if os.path.exists(target):
            os.chmod(temporary, os.stat(target).st_mode & 0o7777)
        os.replace(temporary, target)
    except BaseException as error:
        if os.path.exists(temporary):
            os.unlink(temporary)
        if isinstance(error, OSError):
            error.filename = path
        raise


def _to_stdout(text: str) -> None:
    """Writes all of a text: stdout without a buffer (PYTHONUNBUFFERED) may take a part only."""
    sys.stdout.flush()
    buffer = getattr(sys.stdout, "buffer", None)
    if buffer is None:
        sys.stdout.write(text)
        return
    left = memoryview(text.encode(sys.stdout.encoding, sys.stdout.errors or "strict"))
    while left:
        left = left[buffer.write(left) :]
    buffer.flush()


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
                f"the output `{output}` is one of the inputs", hint="name another file"
            )


def terminal_columns() -> int | None:
    """Returns the width of the terminal, or `None` where stdout is none."""
    try:
        return os.get_terminal_size(sys.stdout.fileno()).columns if sys.stdout.isatty() else None
    except (OSError, ValueError):
        return None
