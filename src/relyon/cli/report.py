"""`relyon report`: a comparison as a one-page report for colleagues."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from relyon.cli.comparing import compare_given
from relyon.cli.described import Described, described_options
from relyon.cli.find_slices import FindSlices
from relyon.cli.groups import QueryDesign, Statistics
from relyon.cli.inputs import Given, input_options
from relyon.cli.margins import Margins, with_measures
from relyon.cli.messages import Progress, messages
from relyon.cli.model_judgments import ModelJudgments
from relyon.cli.no_answer import NoAnswer
from relyon.cli.option_values import split_measures
from relyon.cli.options import (
    language_option,
    measure_option,
    names_option,
    no_color_option,
    plugin_option,
    threads_option,
)
from relyon.cli.output import protect_inputs, write
from relyon.cli.request import argument, group, option, request, takes
from relyon.cli.systems import Repeated
from relyon.cli.tapes import Tapes
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

Traces of agents are reported task by task, with the calls of those that lost and
gained most side by side, as in `relyon compare`.

The HTML is one self-contained file: it opens offline, prints, and follows the
reader's light or dark mode. It needs pip install 'relyon[report]'; Markdown
does not.
"""


@request
class Request:
    """The request of `relyon report`."""

    files: tuple[str, ...] = argument(metavar="JUDGMENTS BASELINE CANDIDATE…", nargs=-1)
    measures: tuple[str, ...] = measure_option()
    output: str = option(
        "-o",
        "--output",
        metavar="FILE",
        required=True,
        help="Output file: report.html or report.md; - is stdout.",
    )
    form: Format | None = option(
        "--format",
        type=click.Choice(["html", "markdown"]),
        help="Output format.  [default: by the ending of FILE]",
    )
    language: Language = language_option("Language of the page and of messages.")
    title: str | None = option(
        "--title", metavar="TEXT", help="Title.  [default: the names of the runs]"
    )
    names: tuple[str, ...] = names_option()
    repeated: Repeated = group(Repeated)
    focus: str | None = option(
        "--focus",
        metavar="MEASURE",
        help="The measure for per-query analysis.  [default: the first with a value per query, gauc"
        " rather than auc]",
    )
    queries: int = option(
        "--limit",
        type=click.IntRange(min=0),
        default=10,
        show_default=True,
        help="Number of queries explained rank by rank, among the largest losses and among the"
        " largest gains.",
    )
    described: Described = described_options()
    statistics: Statistics = group(Statistics)
    margins: Margins = group(Margins)
    design: QueryDesign = group(QueryDesign)
    no_answer: NoAnswer = group(NoAnswer)
    model: ModelJudgments = group(ModelJudgments)
    find_slices: FindSlices = group(FindSlices)
    given: Given = input_options("query", "label", "document")
    threads: int = threads_option()


@click.command("report", help=HELP, short_help="Write a report on a comparison as one file.")
@takes(Request)
@plugin_option
@no_color_option
def command(request: Request) -> None:
    """Runs `relyon report`."""
    from relyon.evaluation import DEFAULT_MEASURES, DEFAULT_SCORE_MEASURES
    from relyon.measures import measures as parse_measures
    from relyon.report import format_of, render_report
    from relyon.report.contents import page_measures
    from relyon.report.drawing_ahead import start_drawing

    sampled = request.model.sample_strata or request.model.sample_weight
    request.described.beside(bool(request.design or request.find_slices or sampled))
    if request.form is None and request.output == "-":
        raise ParameterError(
            message("cli.report-on-stdout-needs"), hint=message("cli.add-format-markdown")
        )
    chosen_format = request.form or format_of(request.output)
    if chosen_format == "html":
        start_drawing()
    files, systems = request.repeated.resolve(
        request.files, request.names, "--scored" if request.given.scored else ""
    )
    request.statistics.refuse_with_anytime(
        {
            "--answerable": bool(request.no_answer),
            "--model-judgments": bool(request.model),
            "--find-slices": bool(request.find_slices),
        }
    )
    repeats = [run for one in systems.values() for run in one]
    for section in (request.no_answer, request.model):
        section.refuse(None, scored=request.given.scored, system=systems)
    inputs = [*request.given.paths([*files, *repeats]), *request.described.paths]
    inputs += [*request.no_answer.paths, *request.model.paths]
    protect_inputs(request.output, inputs)
    asked = split_measures(request.measures)
    if request.margins.chosen:
        usual = DEFAULT_SCORE_MEASURES if request.given.scored else DEFAULT_MEASURES
        asked = with_measures(asked or list(usual), [*request.margins.chosen])
    with Progress("cli.comparing") as progress:
        comparison = compare_given(
            request.given,
            files,
            asked,
            request.design.options(
                request.described.query_texts,
                **request.margins.options(**request.statistics.settings(request.threads)),
            ),
            names=systems or request.names,
            progress=progress,
            # The cutoff of the measure that the page will look at; another is measured then.
            further=[
                *page_measures(request.focus or str(parse_measures(asked or DEFAULT_MEASURES)[0])),
                *request.find_slices.further,
            ],
        )
    abstention = request.no_answer.of_comparison(comparison)
    powered = request.model.of_comparison(
        request.given,
        comparison,
        cluster=request.design.cluster,
        queries=request.described.query_texts,
    )
    slices = request.find_slices.of_comparison(
        comparison, request.described.query_texts, request.given
    )
    runs = () if request.given.scored else files[1:]
    tapes = Tapes(dict(zip(comparison.runs, runs, strict=False)), comparison.run)
    latency = tapes.latency(comparison)
    with Progress("cli.writing") as progress:
        text = render_report(
            comparison,
            format=chosen_format,
            language=request.language,
            title=request.title,
            measure=request.focus,
            queries=request.queries,
            progress=progress,
            query_texts=tapes.queries(request.described.queries),
            document_titles=tapes.titles(request.described.documents),
            latency=latency,
            abstention=abstention,
            fewer_grades=powered,
            slices=slices,
        )
    write(text, request.output)
    messages.notes(comparison.notes)
    messages.notes(() if abstention is None else abstention.notes)
    messages.notes(() if powered is None else powered.notes)
    messages.notes(() if slices is None else slices.notes)
    messages.notes((*tapes.notes, *(() if latency is None else latency.notes)))
    request.described.notes()
