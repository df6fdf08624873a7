"""A kind of report: its page as text and as a file."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from os import PathLike
from typing import Generic, Literal, ParamSpec, TypedDict, cast, get_args

from relyon import _native
from relyon.core.document.endings import form_named_by
from relyon.core.errors import ParameterError
from relyon.core.language import Language
from relyon.core.parameters import check_choice
from relyon.core.texts import message
from relyon.io.atomic_files import open_replaced
from relyon.report.charts import check_address_space
from relyon.report.drawing_ahead import start_drawing
from relyon.report.html import render_html
from relyon.report.markdown import render_markdown
from relyon.report.page import Page

__all__ = ["Format", "Report", "TitleOptions", "format_of"]

P = ParamSpec("P")

Format = Literal["html", "markdown"]
RENDERERS = {"html": render_html, "markdown": render_markdown}


class TitleOptions(TypedDict, total=False):
    """Keyword options of every page."""

    language: Language
    title: str | None


@dataclass(frozen=True)
class Report(Generic[P]):
    """A kind of report: how to build its page; rendering and writing are the same for all.

    Attributes:
        build: Builds the page from a result.
    """

    build: Callable[P, Page]

    def render(self, form: Format, /, *found: P.args, **options: P.kwargs) -> str:
        """Returns the report as text.

        Args:
            form: `html` or `markdown`.
            *found: The arguments of `build`.
            **options: The keyword arguments of `build`.

        Raises:
            ParameterError: If the format is unknown.
            RelyonError: If the process may not take the address space that charts need.
        """
        check_choice("format", form, list(RENDERERS))
        if form == "html":
            check_address_space()
            start_drawing()
        page = self.build(*found, **options)
        text = RENDERERS[form](page, version=_native.__version__, date=_today())
        # Ids that are not UTF-8 contain surrogates, which no file accepts.
        return text.encode("utf-8", "backslashreplace").decode("utf-8")

    def write(self, path: str | PathLike[str], /, *found: P.args, **options: P.kwargs) -> None:
        """Writes the report atomically, as HTML or Markdown by the file's ending.

        Args:
            path: Where to.
            *found: The arguments of `build`.
            **options: The keyword arguments of `build`.

        Raises:
            ParameterError: If the ending is neither `.html` nor `.md`.
        """
        text = self.render(format_of(path), *found, **options)
        with open_replaced(os.fspath(path)) as file:
            file.write((text + "\n").encode())


def _today() -> str:
    """Returns today's date, or that of SOURCE_DATE_EPOCH for reproducible files."""
    given = os.environ.get("SOURCE_DATE_EPOCH", "")
    if given.isdecimal():
        return datetime.fromtimestamp(int(given), UTC).date().isoformat()
    return datetime.now().astimezone().date().isoformat()


def format_of(path: str | PathLike[str]) -> Format:
    """Returns the format implied by a file's ending.

    Raises:
        ParameterError: If it implies none.
    """
    form = form_named_by(path, get_args(Format))
    if form is None:
        raise ParameterError(
            message("report.report-is-html", path=os.fspath(path)),
            hint=message("report.name-report-html"),
        )
    return cast(Format, form)
