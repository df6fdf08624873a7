"""`relyon rank`: documents per query in the order of a trained ranker."""

from __future__ import annotations

import warnings
from dataclasses import replace
from pathlib import Path

import click

from relyon.cli.inputs import check_stdin
from relyon.cli.messages import messages
from relyon.cli.option_values import format_named_by
from relyon.cli.options import digits_option, no_color_option, plugin_option
from relyon.cli.output import Output, emit, protect_inputs, refuse_existing
from relyon.cli.request import argument, flag, group, option, request, takes
from relyon.cli.row_options import RowOptions, read_rows
from relyon.core.errors import ParameterError
from relyon.core.notes import Note, RelyonWarning
from relyon.core.texts import message
from relyon.data.run import TRAINED

__all__ = ["command"]

#: From this share of training rows on, the run's name says so.
MOST = 0.5

FORMS = ("table", "json", "markdown", "csv")

HELP = """Rank documents with a trained ranker, or explain why one outranks another.

\b
Examples:
  relyon rank ranker.model heldout.csv -o ranked.run
  relyon rank ranker.model heldout.csv --why d1 d2 --query-id q01
  relyon rank ranker.model heldout.csv --why d1 d2 \\
      --query-id q01 --format json

MODEL is a file written by `relyon train`; DATA has the features it was trained
on. The result is a run like any other, for evaluate, compare and report.

With --why, explains two documents of the query --query-id: each feature's
contribution to the first score minus its contribution to the second (SHAP
values). The parts add up to the difference of the scores.
"""


@request
class Request:
    """The request of `relyon rank`."""

    model: str = argument()
    data: str = argument()
    output: str = option(
        "-o",
        "--output",
        default="-",
        metavar="FILE",
        help="Output file; its ending names format and compression.  [default: stdout, as trec]",
    )
    form: str | None = option(
        "--format",
        metavar="FORMAT",
        help="The run's format; with --why table, json, markdown or csv.  [default: by the ending"
        " of FILE in -o]",
    )
    force: bool = flag("--force", help="Replace the output if it exists.")
    name: str | None = option(
        "--name",
        metavar="NAME",
        help="Name of the run.  [default: MODEL's name, with -on-training-rows appended if MODEL"
        " was trained on these rows]",
    )
    why: tuple[str, str] | None = option(
        "--why",
        metavar="DOCUMENT",
        nargs=2,
        help="Two documents: explain why the ranker ranks one above the other.",
    )
    on: str | None = option("--query-id", metavar="ID", help="With --why: the id of the query.")
    limit: int = option(
        "--limit",
        type=click.IntRange(min=1),
        default=10,
        show_default=True,
        help="With --why: number of features to list; json and csv list all.",
    )
    rows: RowOptions = group(RowOptions)
    digits: int = digits_option()


@click.command("rank", help=HELP, short_help="Rank documents with a trained ranker.")
@takes(Request)
@plugin_option
@no_color_option
def command(request: Request) -> None:
    """Runs `relyon rank`."""
    from relyon.ltr import explain_order, load
    from relyon.ltr.training.trainer import numbered_documents

    check_stdin([request.model, request.data])
    protect_inputs(request.output, [request.model, request.data])
    refuse_existing(request.output, request.force)
    if bool(request.why) != (request.on is not None):
        raise ParameterError(
            message("cli.why-and-query-id-go"), hint=message("cli.why-d1-d2-query-id")
        )
    if request.why and request.form not in (None, *FORMS):
        raise ParameterError(
            message("cli.why-cannot-be-written", form=request.form),
            hint=message("core.choose-one-of-names", names=[f"`{one}`" for one in FORMS]),
        )
    ranker = load(request.model)
    rows = read_rows(
        request.data, request.rows, groups=request.rows.groups, labelled=False, ranker=ranker
    )
    messages.notes(rows.notes)
    if rows.documents is None:
        rows = replace(rows, documents=numbered_documents(rows))
        messages.notes([Note("documents-numbered")])
    name = request.name or Path(request.model).stem
    told = ranker.recognised(rows)
    if told is not None:
        messages.notes([told])
        if float(str(told.values["share"])) >= MOST:
            name = request.name or f"{name}{TRAINED}"
    if request.why and request.on is not None:
        found = explain_order(ranker, rows, request.on, *request.why, name=name)
        shown = Output(asked=request.form, forms=FORMS, path=request.output, digits=request.digits)
        emit(found, shown, limit=request.limit)
        return
    from relyon import io

    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RelyonWarning)
        run = ranker.rank(rows, name=name)
    with format_named_by("--format"):
        io.write_run(run, request.output, format=request.form, overwrite=request.force)
    if request.output != "-":
        told_of = message(
            "cli.documents-of-queries-ranked",
            path=request.output,
            documents=len(run),
            queries=len(run.queries),
            name=name,
        )
        messages.say(messages.translate(told_of))
