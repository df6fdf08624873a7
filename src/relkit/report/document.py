"""A report as a file."""

from __future__ import annotations

import os
from datetime import UTC, datetime
from os import PathLike
from typing import TYPE_CHECKING, Literal, Unpack, cast, get_args

from relkit.core.document.endings import form_named_by
from relkit.core.errors import ParameterError
from relkit.core.parameters import check_choice
from relkit.core.texts import message
from relkit.io.replace import open_replaced
from relkit.report.contents import PageOptions, build_page
from relkit.report.html import render_html
from relkit.report.markdown import render_markdown
from relkit.report.page import Page

if TYPE_CHECKING:
    from relkit.analysis.comparison import Comparison

__all__ = ["Format", "format_of", "render_page", "render_report", "write_page", "write_report"]

Format = Literal["html", "markdown"]


def render_report(
    comparison: Comparison,
    *,
    format: Format = "html",
    **options: Unpack[PageOptions],
) -> str:
    """Returns a report as text; see `relkit.write_report`."""
    return render_page(build_page(comparison, **options), format)


def render_page(page: Page, format: Format) -> str:
    """Returns a page as text.

    Raises:
        ParameterError: If there is no such format.
    """
    from relkit import _native

    render = {"html": render_html, "markdown": render_markdown}
    check_choice("format", format, list(render))
    text = render[format](page, version=_native.__version__, date=_today())
    # Ids that are not UTF-8 hold surrogates, which no file takes.
    return text.encode("utf-8", "backslashreplace").decode("utf-8")


def _today() -> str:
    """Returns the day, or that of SOURCE_DATE_EPOCH for files that must be the same every day."""
    given = os.environ.get("SOURCE_DATE_EPOCH", "")
    if given.isdecimal():
        return datetime.fromtimestamp(int(given), UTC).date().isoformat()
    return datetime.now().astimezone().date().isoformat()


def write_page(text: str, path: str | PathLike[str]) -> None:
    """Writes what `render_page` returned: the file is there when all of it is."""
    with open_replaced(os.fspath(path)) as file:
        file.write((text + "\n").encode())


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


def write_report(
    comparison: Comparison,
    path: str | PathLike[str],
    **options: Unpack[PageOptions],
) -> None:
    """Writes a report on a comparison: one file, HTML or Markdown by its ending.

    The HTML opens without a network: style, script and charts are inside.

    Args:
        comparison: What to report, from `relkit.compare`.
        path: Where to write; `.html` or `.md`.
        **options: `language`: `en` or `zh`. `title`, the heading of the page; by default it names
            the runs. `measure`, by which queries are looked at; by default the comparison's first.
            `queries` (10) that are derived: so many that lost most, and that gained most.
            `funnel`, what `relkit.funnel` found for the stages of the search; the losses of each
            run are computed anyway. `findings`, what `relkit.diagnose` found; by default it is
            asked. `progress`, called with the sections made, all of them, and which comes next.
            `query_texts`, what was asked, by the queries' ids: stands beside them.

    Raises:
        ParameterError: If the ending or the language is none of those.
        UnknownNameError: If the measure was not compared.
        DependencyError: If a package of the extra `report` is not installed.

    Examples:
        >>> import relkit
        >>> judgments = {f"q{n}": {"good": 1, "bad": 0} for n in range(20)}
        >>> old = {q: {"good": 1.0, "bad": 2.0} for q in judgments}
        >>> new = {q: {"good": 2.0, "bad": 1.0} for q in judgments} | {"q0": old["q0"]}
        >>> comparison = relkit.compare(judgments, old, new, "rr", names=["old", "new"])
        >>> import pathlib, tempfile
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     path = pathlib.Path(folder, "report.md")
        ...     relkit.write_report(comparison, path)
        ...     path.read_text("utf-8").splitlines()[0]
        '# new against old'
    """
    text = render_report(comparison, format=format_of(path), **options)
    write_page(text, path)
