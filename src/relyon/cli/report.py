"""`relyon report`: a comparison as a one-page report for colleagues."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from relyon.cli.described import Described, described_options
from relyon.cli.inputs import Given
from relyon.cli.messages import Progress, messages
from relyon.cli.option_values import split_measures
from relyon.cli.options import (
    comparison_options,
    input_options,
    language_option,
    measure_option,
    names_option,
    no_color_option,
    plugin_option,
    threads_option,
)
from relyon.cli.output import emit, protect_inputs
from relyon.core.errors import ParameterError
from relyon.core.texts import message

if TYPE_CHECKING:
    from relyon.core.language import Language
    from relyon.report import Format

__all__ = ["command"]

HELP = """Write a report on a comparison as one HTML or Markdown file.

\b
Examples:
  relyon report judgments.qrels bm25.run tfidf.run -o report.html
  relyon report judgments.qrels bm25.run tfidf.run -m ndcg@10,recall@100 \\
      --lang zh -o report.html
  relyon report judgments.qrels bm25.run tfidf.run -o report.md
  relyon report --scored test.csv --score old --score new -o report.html

The HTML is one self-contained file: it opens offline, prints, and follows the
reader's light or dark mode. It needs pip install 'relyon[report]'; Markdown
does not.
"""


@click.command("report", help=HELP, short_help="Write a report on a comparison as one file.")
@click.argument("files", metavar="JUDGMENTS BASELINE CANDIDATE…", nargs=-1)
@measure_option()
@click.option(
    "-o",
    "--output",
    metavar="FILE",
    required=True,
    help="Output file: report.html or report.md; - is stdout.",
)
@click.option(
    "--format",
    "form",
    type=click.Choice(["html", "markdown"]),
    help="Output format.  [default: by the ending of FILE]",
)
@language_option("Language of the page and of messages.")
@click.option("--title", metavar="TEXT", help="Title.  [default: the names of the runs]")
@names_option
@click.option(
    "--focus",
    metavar="MEASURE",
    help="The measure for per-query analysis.  [default: the first with a value per query, gauc"
    " rather than auc]",
)
@click.option(
    "--limit",
    "queries",
    type=click.IntRange(min=0),
    default=10,
    show_default=True,
    help="Number of queries explained rank by rank, among the largest losses and among the"
    " largest gains.",
)
@described_options()
@comparison_options
@input_options("query", "label", "document")
@threads_option
@plugin_option
@no_color_option
def command(
    files: tuple[str, ...],
    measures: tuple[str, ...],
    output: str,
    form: Format | None,
    language: Language,
    title: str | None,
    names: tuple[str, ...],
    focus: str | None,
    queries: int,
    described: Described,
    settings: dict[str, Any],
    given: Given,
    threads: int,
) -> None:
    """Runs `relyon report`."""
    from relyon.evaluation import DEFAULT_MEASURES
    from relyon.measures import measures as parse_measures
    from relyon.report import format_of, render_report
    from relyon.report.contents import page_measures

    if form is None and output == "-":
        raise ParameterError(
            message("cli.report-on-stdout-needs"), hint=message("cli.add-format-markdown")
        )
    chosen_format = form or format_of(output)
    protect_inputs(output, [*given.paths(files), *described.paths])
    settings["threads"] = threads
    asked = split_measures(measures)
    with Progress("cli.comparing") as progress:
        comparison = given.compare(
            files,
            asked,
            settings,
            names=names,
            progress=progress,
            # The cutoff of the measure that the page will look at; another is measured then.
            further=page_measures(focus or str(parse_measures(asked or DEFAULT_MEASURES)[0])),
        )
    with Progress("cli.writing") as progress:
        text = render_report(
            comparison,
            format=chosen_format,
            language=language,
            title=title,
            measure=focus,
            queries=queries,
            progress=progress,
            query_texts=described.queries,
            document_titles=described.documents,
        )
    emit(text, output)
    messages.notes(comparison.notes)
    described.notes()
