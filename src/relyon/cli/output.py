"""Where a command writes its data: stdout, or a file that is replaced atomically."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Collection, Iterable, Mapping
from functools import cached_property
from typing import TYPE_CHECKING

from relyon.cli.messages import messages
from relyon.cli.request import request
from relyon.core.document.endings import endings_of, form_named_by, named_form
from relyon.core.document.terminal import printable
from relyon.core.errors import InputError, ParameterError
from relyon.core.texts import message

if TYPE_CHECKING:
    from relyon.core.language import Language
    from relyon.io.picture import Picture

__all__ = [
    "Answer",
    "Charted",
    "Output",
    "emit",
    "form_of",
    "is_folder",
    "protect_inputs",
    "refuse_existing",
    "render",
    "terminal_columns",
    "write",
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


@request
class Output:
    """The form and file of a command's result.

    A command declares the fields for which it has an option.

    Attributes:
        forms: The forms that it offers; the ending of the path decides without `--format`.
        asked: The form of `--format`.
        digits: Decimals in tables; None if the result chooses them.
        path: The file; None is stdout.
        language: The language of Markdown and tables.
        wide: Whether rows of tables are as long as they are unless they go to a terminal.
    """

    forms: tuple[str, ...] = ()
    asked: str | None = None
    digits: int | None = None
    path: str | None = None
    language: Language | None = None
    wide: bool = False

    def __post_init__(self) -> None:
        # An ending that is not offered is an error before the work begins.
        _ = self.form

    @cached_property
    def form(self) -> str:
        """The form of the result."""
        return self.asked or form_of(self.path, self.forms)

    @property
    def settings(self) -> dict[str, object]:
        """The options of every form for people."""
        language: Language = self.language or messages.language
        return {"language": language} | ({} if self.digits is None else {"digits": self.digits})

    @property
    def columns(self) -> int | None:
        """The maximum width of a table."""
        if self.wide:
            return terminal_columns() if self.path is None else None
        return terminal_columns() or 80


Own = Mapping[str, Mapping[str, object]]

#: Forms for programs, which are the same in every language.
PLAIN = {"json", "jsonl", "csv", "trec"}


def emit(result: object, output: Output, *, own: Own | None = None, **shown: object) -> None:
    """Writes a result in the requested form.

    Args:
        result: The result; for each form it has a method, such as `to_json`.
        output: The form and the file.
        own: Further options of single forms, by the form.
        **shown: Further options of the forms for people.
    """
    write(render(result, output, own=own, **shown), output.path)


def render(
    result: object, output: Output, *, own: Own | None = None, **shown: object
) -> str | bytes:
    """Returns a result in the requested form; the arguments are those of `emit`."""
    form = output.form
    options: dict[str, object] = {} if form in PLAIN else {**output.settings, **shown}
    options.update((own or {}).get(form, {}))
    if form == "table":
        form, options["columns"] = "text", output.columns
    made: str | bytes = getattr(result, f"to_{form}")(**options)
    return made


class Answer:
    """A result that a command puts together itself.

    Args:
        values: Returns the values for programs.
        text: Returns the text for people in a language.
        markdown: The same as Markdown.
    """

    def __init__(
        self,
        values: Callable[[], object],
        text: Callable[[Language], str],
        markdown: Callable[[Language], str] | None = None,
    ) -> None:
        self._values = values
        self._text = text
        self._markdown = markdown

    def to_json(self) -> str:
        """Returns the values as JSON."""
        from relyon.core.document.json import json_text

        return json_text(self._values())

    def to_text(self, *, language: Language, columns: int | None) -> str:
        """Returns the text, which is not wrapped to the terminal's width."""
        return self._text(language)

    def to_markdown(self, *, language: Language) -> str:
        """Returns the text as Markdown."""
        return (self._markdown or self._text)(language)


class Charted:
    """A result that also has charts.

    Args:
        result: The result.
        page: Returns it as HTML.
        picture: Returns its charts; None if the command offers no pictures.
    """

    def __init__(
        self, result: object, page: Callable[[], str], picture: Callable[[], Picture] | None = None
    ) -> None:
        self._result = result
        self._page = page
        self._picture = picture

    def __getattr__(self, name: str) -> object:
        return getattr(self._result, name)

    def to_html(self, **options: object) -> str:
        """Returns the page."""
        return self._page()

    def to_svg(self, **options: object) -> str:
        """Returns the charts as an SVG file."""
        return self._drawn().svg

    def to_png(self, **options: object) -> bytes:
        """Returns the charts as a PNG file."""
        return self._drawn().to_png()

    def _drawn(self) -> Picture:
        """Returns the charts.

        Raises:
            TypeError: If there is no picture.
        """
        if self._picture is None:
            raise TypeError("no picture is offered")
        return self._picture()


def write(data: str | bytes, path: str | None = None) -> None:
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
        if name and _is_file(name, output):
            raise ParameterError(
                message("cli.output-is-one-of-inputs", output=output),
                hint=message("core.name-another-file"),
            )


def _is_file(name: str, output: str) -> bool:
    """Returns whether an input is in the file of the output."""
    if "#" in name or "://" in name:
        from relyon.io.databases import file_of

        name = file_of(name)
    return os.path.isfile(name) and os.path.samefile(name, output)


def terminal_columns() -> int | None:
    """Returns the width of the terminal, or `None` if stdout is not one."""
    try:
        return os.get_terminal_size(sys.stdout.fileno()).columns if sys.stdout.isatty() else None
    except (OSError, ValueError):
        return None
