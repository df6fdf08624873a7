"""`relyon interleave`: lists mixed from runs, and which run users prefer by their clicks."""

from __future__ import annotations

import click

from relyon.cli.encoding import TextEncoding, encoding_options
from relyon.cli.file_columns import check_columns_for, columns_for
from relyon.cli.group import CommandGroup
from relyon.cli.inputs import check_stdin, run_columns, run_names
from relyon.cli.messages import messages
from relyon.cli.option_values import format_named_by
from relyon.cli.options import (
    columns_option,
    confidence_option,
    digits_option,
    format_option,
    no_color_option,
    output_option,
    seed_option,
)
from relyon.cli.output import Output, emit, protect_inputs, refuse_existing
from relyon.cli.request import argument, fixed, flag, group, option, request, takes
from relyon.cli.sessions import LogSource

__all__ = ["command"]

FORMATS = ("table", "markdown", "json", "csv")

HELP = """Interleave runs and measure which one users prefer.

\b
Examples:
  relyon interleave mix bm25.run new.run -o mixed.jsonl
  relyon interleave score mixed.jsonl mixed-clicks.csv

In interleaving every user sees results of all runs in one list, and clicks show
which run they prefer: without grades, and with far fewer sessions than an A/B
test needs.
"""

MIX = """Mix runs into the lists that users will see.

\b
Examples:
  relyon interleave mix bm25.run new.run -o mixed.jsonl
  relyon interleave mix bm25.run new.run --draws 20 --force -o mixed.jsonl
  relyon interleave mix bm25.run tfidf.run new.run -k 5 -o several.parquet

Methods: team-draft (the runs take turns), optimised (the most informative fair
lists), probabilistic (any order, higher ranks more often), and balanced, which
is known to be unfair. Team-draft and probabilistic mix any number of runs. The
first run is the baseline.

The file has one row per result: mixture, query, position, document, owner,
method, and one credit per run. Log the mixture with every session: `score`
reads it from the column bucket.
"""

SCORE = """Score the clicks on mixed lists: which run do users prefer?

\b
Examples:
  relyon interleave score mixed.jsonl mixed-clicks.csv
  relyon interleave score mixed.jsonl mixed-clicks.csv --format json

The log's column bucket contains the mixture that a session was shown; without
it, each query must have a single mixture. You may look at the always-valid test
as often as you like, and stop once it is significant. Name the column of users
(--columns user=COLUMN) if people come back: without it, sessions are taken to
be independent. With it, look at the end of a day.
"""


@click.group(
    "interleave",
    help=HELP,
    short_help="Interleave runs and measure which one users prefer.",
    cls=CommandGroup,
)
def command() -> None:
    """Runs `relyon interleave`."""


@request
class Mix:
    """The request of `relyon interleave mix`."""

    runs: tuple[str, ...] = argument(nargs=-1, required=True, metavar="RUN RUN …")
    method: str = option(
        "--method",
        metavar="METHOD",
        default="team-draft",
        show_default=True,
        help="Interleaving method: team-draft, balanced, probabilistic or optimised.",
    )
    depth: int = option(
        "-k",
        "--depth",
        type=click.IntRange(1, 100),
        default=10,
        show_default=True,
        help="Number of positions in a mixed list.",
    )
    draws: int = option(
        "--draws",
        type=click.IntRange(min=1),
        default=1,
        show_default=True,
        help="Lists per query, ideally one for every session.",
    )
    seed: int = seed_option("The same seed gives the same lists.")
    output: str = option(
        "-o",
        "--output",
        metavar="FILE",
        required=True,
        help="Output file for the lists: .jsonl, .parquet, .csv or .tsv.",
    )
    force: bool = flag("--force", help="Replace the file if it exists.")
    run_format: str | None = option(
        "--run-format", metavar="FORMAT", help="Format of the runs.  [default: recognised]"
    )
    columns: tuple[str, ...] = columns_option(per_file=True)
    encoding: TextEncoding = encoding_options()
    summary: Output = group(
        Output,
        forms=fixed(("table", "json", "markdown")),
        asked=format_option("table", "json", "markdown", help="Output format of the summary."),
    )


@command.command("mix", help=MIX, short_help="Mix runs into the lists that users will see.")
@takes(Mix)
@no_color_option
def mix(request: Mix) -> None:
    """Runs `relyon interleave mix`."""

    from relyon.io.readers import read_run
    from relyon.io.table_files import check_name
    from relyon.online.experiments import mix_runs

    check_stdin(request.runs)
    check_name(request.output)
    protect_inputs(request.output, request.runs)
    refuse_existing(request.output, request.force)
    check_columns_for(request.runs, request.columns)
    with format_named_by("--run-format", per_file=True):
        found = [
            read_run(
                path,
                format=request.run_format,
                columns=run_columns(columns_for(path, request.columns)),
                name=name,
            )
            for path, name in zip(request.runs, run_names(request.runs), strict=True)
        ]
    mixed = mix_runs(
        found, method=request.method, depth=request.depth, draws=request.draws, seed=request.seed
    )
    messages.notes(mixed.notes)
    mixed.write(request.output)
    emit(mixed, request.summary)


@request
class Score:
    """The request of `relyon interleave score`."""

    mixed: str = argument(metavar="MIXED")
    source: LogSource = group(LogSource)
    confidence: float = confidence_option()
    output: Output = group(
        Output,
        forms=fixed(FORMATS),
        asked=format_option(*FORMATS, default=None),
        digits=digits_option(),
        path=output_option(),
    )


@command.command("score", help=SCORE, short_help="Score the clicks: which run do users prefer?")
@takes(Score)
@no_color_option
def score(request: Score) -> None:
    """Runs `relyon interleave score`."""
    from relyon.online.experiments import score_clicks

    protect_inputs(request.output.path, [request.mixed, *request.source.log])
    sessions = request.source.sessions(request.output.path)
    found = score_clicks(request.mixed, sessions, level=request.confidence)
    messages.notes(note for note in found.notes if note not in sessions.notes)
    emit(found, request.output)
