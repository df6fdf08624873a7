"""A kind of report: its page as text and as a file."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from os import PathLike
from typing import Generic, Literal, ParamSpec, TypedDict, cast, get_args

from relkit import _native
from relkit.core.document.endings import form_named_by
from relkit.core.errors import ParameterError
from relkit.core.language import Language
from relkit.core.parameters import check_choice
from relkit.core.texts import message
from relkit.io.replace import open_replaced
from relkit.report.html import render_html
from relkit.report.markdown import render_markdown
from relkit.report.page import Page

__all__ = ["Format", "Report", "TitleOptions", "format_of"]

P = ParamSpec("P")

Format = Literal["html", "markdown"]
RENDERERS = {"html": render_html, "markdown": render_markdown}


class TitleOptions(TypedDict, total=False):
    """What every page takes by keyword."""

    language: Language
    title: str | None


@dataclass(frozen=True)
class Report(Generic[P]):
    """A kind of report: what makes its page; rendering and writing are the same for all.

    Attributes:
        build: Makes the page of what was found.
    """

    build: Callable[P, Page]

    def render(self, form: Format, /, *found: P.args, **options: P.kwargs) -> str:
        """Returns the report as text.

        Args:
            form: `html` or `markdown`.
            *found: What `build` takes.
            **options: What `build` takes by keyword.

        Raises:
            ParameterError: If there is no such format.
        """
        check_choice("format", form, list(RENDERERS))
        page = self.build(*found, **options)
        text = RENDERERS[form](page, version=_native.__version__, date=_today())
        # Ids that are not UTF-8 hold surrogates, which no file takes.
        return text.encode("utf-8", "backslashreplace").decode("utf-8")

    def write(self, path: str | PathLike[str], /, *found: P.args, **options: P.kwargs) -> None:
        """Writes the report, HTML or Markdown by the file's ending: it is there when all of it is.

        Args:
            path: Where to.
            *found: What `build` takes.
            **options: What `build` takes by keyword.

        Raises:
            ParameterError: If the ending is none of those.
        """
        text = self.render(format_of(path), *found, **options)
        with open_replaced(os.fspath(path)) as file:
            file.write((text + "\n").encode())


def _today() -> str:
    """Returns the day, or that of SOURCE_DATE_EPOCH for files that must be the same every day."""
    given = os.environ.get("SOURCE_DATE_EPOCH", "")
    if given.isdecimal():
        return datetime.fromtimestamp(int(given), UTC).date().isoformat()
    return datetime.now().astimezone().date().isoformat()


def format_of(path: str | PathLike[str]) -> Format:
    """Returns the format that a file's ending asks for.

    Raises:
        ParameterError: If it asks for none.
    """
    form = form_named_by(path, get_args(Format))
    if form is None:
        raise ParameterError(
            message(
                "a report is HTML or Markdown, and `{path}` ends in neither", path=os.fspath(path)
            ),
            hint="name it report.html or report.md",
        )
    return cast(Format, form)
