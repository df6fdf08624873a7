"""`relkit report`: a comparison as one page for colleagues."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from relkit.cli.group import Renamed
from relkit.cli.inputs import Given
from relkit.cli.messages import Progress, messages
from relkit.cli.options import (
    comparison_options,
    input_options,
    language_option,
    measure_option,
    names_option,
    no_color_option,
    plugin_option,
    threads_option,
)
from relkit.cli.output import emit, protect_inputs
from relkit.cli.values import split_measures
from relkit.core.errors import ParameterError
from relkit.core.texts import message

if TYPE_CHECKING:
    from relkit.analysis.comparison import Comparison
    from relkit.core.language import Language
    from relkit.report import Format

__all__ = ["command"]

HELP = """Write a report on a comparison as one HTML or Markdown file.

\b
Examples:
  relkit report judgments.qrels bm25.run tfidf.run -o report.html
  relkit report judgments.qrels bm25.run tfidf.run -m ndcg@10,recall@100 \\
      --lang zh -o report.html
  relkit report judgments.qrels bm25.run tfidf.run -o report.md
  relkit report --scored test.csv --score old --score new -o report.html

The HTML opens without a network, prints, and follows the reader's choice of
light or dark: style, script and charts are inside the one file. It needs
pip install 'relkit[report]'; Markdown does not.
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
    help="What to write.  [default: by the ending of FILE]",
)
@language_option("Language of the page and of messages.")
@click.option("--title", metavar="TEXT", help="The heading.  [default: the names of the runs]")
@names_option
@click.option(
    "--focus",
    metavar="MEASURE",
    help="The measure by which queries are analysed.  [default: the first]",
)
@click.option(
    "--limit",
    "queries",
    type=click.IntRange(min=0),
    default=10,
    show_default=True,
    help="Number of queries explained rank by rank: of the largest losses, and of the largest"
    " gains.",
)
@click.option(
    "--queries",
    "query_texts",
    cls=Renamed,
    formerly="--query-texts",
    metavar="FILE",
    help="A table of the queries' ids and texts (CSV, TSV, JSON Lines, Parquet), to show what"
    " was asked beside the ids.",
)
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
    query_texts: str | None,
    settings: dict[str, Any],
    given: Given,
    threads: int,
) -> None:
    """Runs `relkit report`."""
    from relkit.report import format_of, render_report

    if form is None and output == "-":
        raise ParameterError("a report on stdout needs its format", hint="add --format markdown")
    chosen_format = form or format_of(output)
    protect_inputs(output, [*given.paths(files), query_texts])
    settings["threads"] = threads
    with Progress("comparing") as progress:
        comparison = given.compare(
            files, split_measures(measures), settings, names=names, progress=progress
        )
    texts = {} if query_texts is None else _texts(query_texts, comparison)
    with Progress("writing") as progress:
        text = render_report(
            comparison,
            format=chosen_format,
            language=language,
            title=title,
            measure=focus,
            queries=queries,
            progress=progress,
            query_texts=texts,
        )
    emit(text, output)
    messages.notes(comparison.notes)


def _texts(path: str, comparison: Comparison) -> dict[str, str]:
    """Reads what was asked, and says where that is not known of all queries."""
    from relkit.online.sampling.query_texts import read_query_texts

    queries = {one for result in comparison.results for one in result.queries}
    texts = read_query_texts(path, queries)
    missing = sorted(queries - texts.keys())
    if missing:
        messages.warning(
            message(
                "{path}: nothing about {count:,} of {count_2:,} queries ({missing}{ending})",
                path=path,
                count=len(missing),
                count_2=len(queries),
                missing=list(missing[:3]),
                ending=", …" if len(missing) > 3 else "",
            )
        )
    return texts
