"""`relyon fuse`: several runs into one."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, get_args

import click

from relyon import io
from relyon.cli.inputs import check_stdin, run_columns, run_names
from relyon.cli.messages import Progress, messages
from relyon.cli.option_values import chosen_columns, format_named_by, named_values
from relyon.cli.options import (
    columns_option,
    format_options,
    no_color_option,
    target_format_option,
    threads_option,
)
from relyon.cli.output import protect_inputs, refuse_existing
from relyon.core.errors import ParameterError
from relyon.core.rules import SortTies
from relyon.core.texts import message

if TYPE_CHECKING:
    from relyon.data.run import Run

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
  rrf, isr, log_isr, logn_isr, rbc, borda, w_borda, condorcet, w_condorcet
Score-based methods, with scores normalised by --norm:
  sum, wsum, mnz, gmnz, wmnz, anz, min, max, med, mixed
Methods trained on --judgments of other queries:
  posfuse, probfuse, segfuse, slidefuse, mapfuse, bayesfuse
"""


@click.command("fuse", help=HELP, short_help="Fuse several runs into one.")
@click.argument("runs", nargs=-1, required=True, metavar="RUN RUN …")
@click.option("--method", default="rrf", show_default=True, help="Fusion method.")
@click.option(
    "--norm",
    metavar="NAME",
    help="Score normalisation: min-max, min-max-inverted (distances), max, sum, zmuv, rank,"
    " borda or none.  [default: min-max for score-based methods]",
)
@click.option("--weights", metavar="W,W,…", help="Weights: one number per run.")
@click.option(
    "-p",
    "--parameter",
    "parameters",
    metavar="NAME=VALUE",
    multiple=True,
    help="A parameter of the method, such as k=60 for rrf or phi=0.8 for rbc.",
)
@click.option(
    "--judgments",
    metavar="FILE",
    help="Training judgments, for trained methods and --optimize. Evaluate the fused run on"
    " other queries.",
)
@click.option(
    "--optimize",
    metavar="MEASURE",
    help="Grid-search parameters or weights on --judgments, fuse with the best, and print its"
    " cross-validated value.",
)
@click.option(
    "--folds",
    type=click.IntRange(min=0),
    default=5,
    show_default=True,
    help="Number of cross-validation folds for --optimize.",
)
@click.option(
    "-k",
    "--depth",
    "top",
    type=click.IntRange(min=1),
    help="Number of documents to keep per query.",
)
@click.option(
    "--ties",
    type=click.Choice(get_args(SortTies)),
    default="doc-desc",
    show_default=True,
    help="How ties are ordered: by document id, or as in the file.",
)
@click.option("--name", help="Name of the fused run.  [default: the method]")
@click.option(
    "-o",
    "--output",
    default="-",
    metavar="FILE",
    help="Output file; its ending names format and compression.  [default: stdout, as trec]",
)
@target_format_option(
    "target_format",
    help="The output's format.",
)
@click.option("--force", is_flag=True, help="Replace the output if it exists.")
@format_options
@columns_option
@threads_option
@no_color_option
def command(runs: tuple[str, ...], output: str, force: bool, **options: Any) -> None:
    """Runs `relyon fuse`."""
    check_stdin([*runs, *([options["judgments"]] if options["judgments"] else [])])
    protect_inputs(output, [*runs, options["judgments"]])
    refuse_existing(output, force)
    fused = _fused(runs, options)
    messages.notes(fused.notes)
    with format_named_by("--format"):
        io.write_run(fused, output, format=options["target_format"], overwrite=force)
    shown = "stdout" if output == "-" else output
    told = message(
        "cli.documents-of-queries-fused",
        shown=shown,
        documents=len(fused),
        queries=len(fused.queries),
        name=fused.name,
        runs=len(runs),
    )
    messages.say(messages.translate(told))


def _fused(paths: tuple[str, ...], options: dict[str, Any]) -> Run:
    """Reads the runs, optimises or trains if asked to, and fuses."""
    from relyon.ltr.fusion import fuse
    from relyon.ltr.fusion.method import method_of

    parameters = named_values(options["parameters"], "--parameter", "k=60")
    method_of(options["method"], parameters)
    weights = _weights(options["weights"])
    if options["optimize"] and (parameters or weights):
        raise ParameterError(message("cli.optimize-chooses-parameters"))
    if options["optimize"] and not options["judgments"]:
        raise ParameterError(message("cli.optimize-needs-judgments"))
    columns = chosen_columns(options["columns"])
    runs = []
    with format_named_by("--run-format"), Progress("cli.reading") as progress:
        for done, (path, name) in enumerate(zip(paths, run_names(paths), strict=True)):
            progress(done, len(paths), name)
            runs.append(
                io.read_run(
                    path, format=options["run_format"], columns=run_columns(columns), name=name
                )
            )
    for run in runs:
        messages.notes(note.about(run.name) for note in run.notes)
    judgments = None
    if options["judgments"]:
        with format_named_by("--judgments-format"):
            judgments = io.read_judgments(options["judgments"], format=options["judgments_format"])
    method: Any = options["method"]
    if options["optimize"]:
        method, weights = _optimized(judgments, runs, options)
        judgments = None
    return fuse(
        runs,
        method,
        normalize=options["norm"],
        weights=weights,
        judgments=judgments,
        ties=options["ties"],
        top=options["top"],
        name=options["name"],
        threads=options["threads"],
        **parameters,
    )


def _optimized(judgments: Any, runs: list[Run], options: dict[str, Any]) -> tuple[Any, Any]:
    from relyon.ltr.fusion import optimize_fusion

    with Progress("cli.trying-settings") as progress:
        search = optimize_fusion(
            judgments,
            runs,
            options["method"],
            options["optimize"],
            normalize=options["norm"],
            folds=options["folds"],
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
