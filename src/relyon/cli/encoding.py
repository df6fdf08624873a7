"""`--encoding`: the encoding of the text files that a command reads."""

from __future__ import annotations

import os
from contextlib import AbstractContextManager, ExitStack
from functools import cached_property
from typing import TYPE_CHECKING, Self

from relyon.cli.request import Declared, group, option, request
from relyon.core.errors import InputError, ParameterError
from relyon.core.texts import message

if TYPE_CHECKING:
    from types import TracebackType

__all__ = ["TextEncoding", "encoding_options"]


@request
class TextEncoding(AbstractContextManager["TextEncoding"]):
    """The encodings of the files of a command, declared while it runs."""

    texts: tuple[str, ...] = option(
        "--encoding",
        "texts",
        metavar="[FILE=]NAME",
        multiple=True,
        help="Encoding of text files, such as gbk, big5 or utf-16; FILE=gbk for one of several, or"
        " a folder.  [default: UTF-8, or the one that is certain]",
    )

    @cached_property
    def _stack(self) -> ExitStack:
        return ExitStack()

    def __enter__(self) -> Self:
        if self.texts:
            from relyon.io.declared_encoding import text_encoding

            self._stack.enter_context(text_encoding(*self._named()))
        return self

    def _named(self) -> tuple[str | None, dict[str, str]]:
        """Returns the encoding of all files, and those of some.

        Raises:
            InputError: If there is no such file.
            ParameterError: If there are two encodings of all files.
        """
        every: str | None = None
        files = {}
        for text in self.texts:
            file, equals, name = text.rpartition("=")
            if equals:
                if file != "-" and not os.path.exists(file):
                    raise InputError(message("core.there-is-no"), path=file)
                files[file] = name
            elif every is not None:
                raise ParameterError(
                    message("cli.two-encodings", first=every, second=name),
                    hint=message("cli.name-encoding-per-file"),
                )
            else:
                every = name
        return every, files

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._stack.__exit__(kind, error, trace)


def encoding_options() -> Declared:
    """Declares ``--encoding``."""
    return group(TextEncoding)
