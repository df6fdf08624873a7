"""`relyon depth`: measures at every cutoff, to choose K."""

from __future__ import annotations

from collections.abc import Sequence

import click

from relyon.cli.inputs import Given, check_files, input_options, run_names
from relyon.cli.messages import Progress, messages
from relyon.cli.option_values import split_measures
from relyon.cli.options import (
    alpha_option,
    digits_option,
    format_option,
    measure_option,
    names_option,
    no_color_option,
    output_option,
    plugin_option,
    threads_option,
)
from relyon.cli.output import Charted, Output, emit, protect_inputs
from relyon.cli.request import argument, fixed, group, option, request, takes
from relyon.cli.sessions import AddedLog, added_log_options
from relyon.core.errors import ParameterError
from relyon.core.texts import message

__all__ = ["command"]

MEASURES = ("ndcg", "recall")
FORMATS = ("table", "markdown", "json", "csv", "html", "svg", "png")

HELP = """Measure runs at every cutoff, to choose K.

\b
Examples:
  relyon depth judgments.qrels bm25.run
  relyon depth judgments.qrels bm25.run new.run --log clicks.csv
  relyon depth judgments.qrels bm25.run new.run --at 5,10,20 -m ndcg -m p
  relyon depth judgments.qrels bm25.run new.run -o depth.html

For each K: the mean of each measure, and the share of the first K results that
is judged. With several runs: the p-value of the paired t test against the first
one, also corrected for all tests shown, and the difference that this many
queries detect (power 0.8). With --log: how many sessions have their last click
by K. The sentences below the tables say what follows for the choice of K.
"""


@request
class Request:
    """The request of `relyon depth`."""

    files: tuple[str, ...] = argument(metavar="JUDGMENTS RUN…", nargs=-1)
    at: tuple[str, ...] = option(
        "--at",
        metavar="K,…",
        multiple=True,
        help="The cutoffs, such as 5,10,20.  [default: 1, 2, 3, 5, 10, 20, 50, … 1000, as deep as"
        " the lists]",
    )
    measures: tuple[str, ...] = measure_option(
        what="A measure without a cutoff, such as p or 'recall(rel=2)'", default=MEASURES
    )
    names: tuple[str, ...] = names_option()
    log: AddedLog = added_log_options("A search log with clicks, to show where users stop.")
    alpha: float = alpha_option()
    output: Output = group(
        Output,
        forms=fixed(FORMATS),
        asked=format_option(
            *FORMATS, default=None, help="Output format; html, svg and png have charts."
        ),
        digits=digits_option(),
        path=output_option(),
    )
    given: Given = input_options("query", "label", "document")
    threads: int = threads_option()


@click.command("depth", help=HELP, short_help="Measure runs at every cutoff, to choose K.")
@takes(Request)
@plugin_option
@no_color_option
def command(request: Request) -> None:
    """Runs `relyon depth`."""
    from relyon import report
    from relyon.analysis.depth import depth
    from relyon.online.logs import last_clicks

    cutoffs = _cutoffs(request.at)
    if not request.given.scored:
        check_files(request.files, "depth")
        run_names(request.files[1:], request.names)
    protect_inputs(request.output.path, [*request.given.paths(request.files), *request.log.log])
    sessions = request.log.sessions()
    lists = request.given.lists(request.files, request.names)
    with Progress("cli.evaluating") as progress, request.given.naming(request.files):
        found = depth(
            lists.judgments,
            *lists.runs,
            at=cutoffs,
            measures=split_measures(request.measures) or MEASURES,
            names=lists.names,
            clicks=None if sessions is None else last_clicks(sessions),
            alpha=request.alpha,
            convention=lists.convention,
            scale=request.given.scale,
            threads=request.threads,
            progress=progress,
        )
    language = messages.language
    charted = Charted(
        found,
        page=lambda: report.render_depth_report(found, language=language),
        picture=lambda: report.depth_picture(found, language),
    )
    emit(charted, request.output)
    messages.notes(found.notes)


def _cutoffs(texts: Sequence[str]) -> list[int] | None:
    """Returns the numbers of ``--at``; None without any.

    Raises:
        ParameterError: If one is not a whole number of 1 or more.
    """
    if not texts:
        return None
    parts = [part.strip() for text in texts for part in text.split(",") if part.strip()]
    for part in parts or [""]:
        if not (part.isascii() and part.isdecimal() and 0 < int(part) < 2**31):
            raise ParameterError(
                message("cli.at-is-not-list", text=",".join(texts)),
                hint=message("cli.write-whole-numbers"),
            )
    return [int(part) for part in parts]
