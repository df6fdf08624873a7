"""`relyon fuse`: several runs into one."""

from __future__ import annotations

from typing import TYPE_CHECKING, get_args

import click

from relyon import io
from relyon.cli.encoding import TextEncoding, encoding_options
from relyon.cli.file_columns import check_columns_for, columns_for
from relyon.cli.inputs import check_stdin, judgments_argument, run_columns, run_names
from relyon.cli.messages import Progress, messages
from relyon.cli.option_values import format_named_by, named_values
from relyon.cli.options import (
    columns_option,
    judgments_format_option,
    no_color_option,
    run_format_option,
    threads_option,
)
from relyon.cli.output import protect_inputs, refuse_existing
from relyon.cli.request import argument, flag, option, request, takes
from relyon.core.errors import ParameterError
from relyon.core.notes import shared_notes
from relyon.core.rules import SortTies
from relyon.core.texts import message

if TYPE_CHECKING:
    from collections.abc import Sequence

    from relyon.data.judgments import Judgments
    from relyon.data.run import Run
    from relyon.ltr.fusion import Method

__all__ = ["command"]

HELP = """Fuse several runs into one.

\b
Examples:
  relyon fuse bm25.run tfidf.run -o fused.trec
  relyon fuse bm25.run tfidf.run --method wsum --weights 0.3,0.7 -o x.trec.gz
  relyon fuse bm25.run tfidf.run --method rrf -p k=20 -k 100
  relyon fuse bm25.run tfidf.run --method posfuse --judgments judgments.qrels

\b
Rank-based methods, for scores that are not comparable:
  {fusion-ranks}
Score-based methods, with scores normalised by --norm:
  {fusion-scores}
Methods trained on --judgments of other queries:
  {fusion-trained}
"""


@request
class Request:
    """The request of `relyon fuse`."""

    runs: tuple[str, ...] = argument(nargs=-1, required=True, metavar="RUN RUN …")
    method: str = option("--method", default="rrf", show_default=True, help="Fusion method.")
    norm: str | None = option(
        "--norm",
        metavar="NAME",
        help="Score normalisation: min-max, min-max-inverted (distances), max, sum, zmuv, rank,"
        " borda or none.  [default: min-max for score-based methods]",
    )
    weights: str | None = option("--weights", metavar="W,W,…", help="Weights: one number per run.")
    parameters: tuple[str, ...] = option(
        "-p",
        "--parameter",
        metavar="NAME=VALUE",
        multiple=True,
        help="A parameter of the method, such as k=60 for rrf or phi=0.8 for rbc.",
    )
    judgments: str | None = option(
        "--judgments",
        metavar="FILE",
        help="Training judgments, for trained methods and --optimize. Evaluate the fused run on"
        " other queries.",
    )
    optimize: str | None = option(
        "--optimize",
        metavar="MEASURE",
        help="Grid-search parameters or weights on --judgments, fuse with the best, and print its"
        " cross-validated value.",
    )
    folds: int = option(
        "--folds",
        type=click.IntRange(min=0),
        default=5,
        show_default=True,
        help="Number of cross-validation folds for --optimize.",
    )
    top: int | None = option(
        "-k", "--depth", type=click.IntRange(min=1), help="Number of documents to keep per query."
    )
    ties: SortTies = option(
        "--ties",
        type=click.Choice(get_args(SortTies)),
        default="doc-desc",
        show_default=True,
        help="How ties are ordered: by document id, or as in the file.",
    )
    name: str | None = option("--name", help="Name of the fused run.  [default: the method]")
    output: str = option(
        "-o",
        "--output",
        default="-",
        metavar="FILE",
        help="Output file; its ending names format and compression.  [default: stdout, as trec]",
    )
    target_format: str | None = option("--format", metavar="FORMAT", help="The output's format.")
    force: bool = flag("--force", help="Replace the output if it exists.")
    judgments_format: str | None = judgments_format_option()
    run_format: str | None = run_format_option()
    columns: tuple[str, ...] = columns_option(per_file=True)
    encoding: TextEncoding = encoding_options()
    threads: int = threads_option()


@click.command("fuse", help=HELP, short_help="Fuse several runs into one.")
@takes(Request)
@no_color_option
def command(request: Request) -> None:
    """Runs `relyon fuse`."""
    check_stdin([*request.runs, *([request.judgments] if request.judgments else [])])
    protect_inputs(request.output, [*request.runs, request.judgments])
    refuse_existing(request.output, request.force)
    fused = _fused(request)
    messages.notes(fused.notes)
    with format_named_by("--format"):
        io.write_run(fused, request.output, format=request.target_format, overwrite=request.force)
    shown = "stdout" if request.output == "-" else request.output
    told = message(
        "cli.documents-of-queries-fused",
        shown=shown,
        documents=len(fused),
        queries=len(fused.queries),
        name=fused.name,
        runs=len(request.runs),
    )
    messages.say(messages.translate(told))


def _fused(request: Request) -> Run:
    """Reads the runs, optimises or trains on request, and fuses."""
    from relyon.ltr.fusion import fuse
    from relyon.ltr.fusion.method import method_of

    parameters = named_values(request.parameters, "--parameter", "k=60")
    method_of(request.method, parameters)
    weights: Sequence[float] | None = _weights(request.weights)
    if request.optimize and (parameters or weights):
        raise ParameterError(message("cli.optimize-chooses-parameters"))
    if request.optimize and not request.judgments:
        raise ParameterError(message("cli.optimize-needs-judgments"))
    files = [*request.runs, *filter(None, [request.judgments])]
    check_columns_for(files, request.columns)
    runs = []
    per_file = len(request.runs) > 1
    reading = format_named_by("--run-format", per_file=per_file)
    with reading, Progress("cli.reading") as progress:
        for done, (path, name) in enumerate(
            zip(request.runs, run_names(request.runs), strict=True)
        ):
            progress(done, len(request.runs), name)
            columns = run_columns(columns_for(path, request.columns))
            runs.append(io.read_run(path, format=request.run_format, columns=columns, name=name))
    messages.notes(shared_notes((run.name, run.notes) for run in runs))
    judgments = None
    if request.judgments:
        roles = columns_for(request.judgments, request.columns)
        judgments = judgments_argument(request.judgments, request.judgments_format, roles, None)
    method: str | Method = request.method
    if request.optimize:
        method, weights = _optimized(judgments, runs, request)
        judgments = None
    return fuse(
        runs,
        method,
        normalize=request.norm,
        weights=weights,
        judgments=judgments,
        ties=request.ties,
        top=request.top,
        name=request.name,
        threads=request.threads,
        **parameters,
    )


def _optimized(
    judgments: Judgments | None, runs: list[Run], request: Request
) -> tuple[Method, Sequence[float] | None]:
    from relyon.ltr.fusion import optimize_fusion

    with Progress("cli.trying-settings") as progress:
        search = optimize_fusion(
            judgments,
            runs,
            request.method,
            str(request.optimize),
            normalize=request.norm,
            folds=request.folds,
            progress=progress,
        )
    messages.say(search.to_text(messages.language))
    return search.method, search.weights


def _weights(text: str | None) -> list[float] | None:
    if text is None:
        return None
    try:
        return [float(part) for part in text.split(",")]
    except ValueError:
        raise ParameterError(
            message("cli.weights-are-not-numbers", text=text), hint=message("cli.write-weights-0-3")
        ) from None
