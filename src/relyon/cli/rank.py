"""`relyon rank`: documents per query in the order of a trained ranker."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import click

from relyon.cli.inputs import check_stdin
from relyon.cli.messages import messages
from relyon.cli.option_values import format_named_by
from relyon.cli.options import (
    digits_option,
    no_color_option,
    plugin_option,
    target_format_option,
)
from relyon.cli.output import emit, form_of, protect_inputs, refuse_existing, written
from relyon.cli.row_options import read_rows, row_options
from relyon.core.errors import ParameterError
from relyon.core.notes import Note
from relyon.core.texts import message

__all__ = ["command"]

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


@click.command("rank", help=HELP, short_help="Rank documents with a trained ranker.")
@click.argument("model")
@click.argument("data")
@click.option(
    "-o",
    "--output",
    default="-",
    metavar="FILE",
    help="Output file; its ending names format and compression.  [default: stdout, as trec]",
)
@target_format_option(
    "form",
    help="The run's format; with --why table, json, markdown or csv.  [default: by the ending of"
    " FILE in -o]",
)
@click.option("--force", is_flag=True, help="Replace the output if it exists.")
@click.option("--name", metavar="NAME", help="Name of the run.  [default: MODEL's name]")
@click.option(
    "--why",
    metavar="DOCUMENT",
    nargs=2,
    help="Two documents: explain why the ranker ranks one above the other.",
)
@click.option(
    "--query-id",
    "on",
    metavar="ID",
    help="With --why: the id of the query.",
)
@click.option(
    "--limit",
    type=click.IntRange(min=1),
    default=10,
    show_default=True,
    help="With --why: number of features to list; json and csv list all.",
)
@row_options
@digits_option
@plugin_option
@no_color_option
def command(
    model: str,
    data: str,
    output: str,
    force: bool,
    why: tuple[str, str] | None,
    on: str | None,
    form: str | None,
    digits: int,
    limit: int,
    **options: Any,
) -> None:
    """Runs `relyon rank`."""
    from relyon.ltr import explain_order, load
    from relyon.ltr.training.trainer import numbered_documents

    check_stdin([model, data])
    protect_inputs(output, [model, data])
    refuse_existing(output, force)
    if bool(why) != (on is not None):
        raise ParameterError(
            message("cli.why-and-query-id-go"), hint=message("cli.why-d1-d2-query-id")
        )
    if why and form not in (None, *FORMS):
        raise ParameterError(
            message("cli.why-cannot-be-written", form=form),
            hint=message("core.choose-one-of-names", names=[f"`{one}`" for one in FORMS]),
        )
    ranker = load(model)
    rows = read_rows(data, options, groups=options["groups"], labelled=False, ranker=ranker)
    messages.notes(rows.notes)
    if rows.documents is None:
        rows = replace(rows, documents=numbered_documents(rows))
        messages.notes([Note("documents-numbered")])
    name = options["name"] or Path(model).stem
    if why and on is not None:
        found = explain_order(ranker, rows, on, *why, name=name)
        told: dict[str, Any] = {"digits": digits, "language": messages.language, "limit": limit}
        emit(written(found, form or form_of(output, FORMS), **told), output)
        return
    from relyon import io

    run = ranker.rank(rows, name=name)
    with format_named_by("--format"):
        io.write_run(run, output, format=form, overwrite=force)
    if output != "-":
        told_of = message(
            "cli.documents-of-queries-ranked",
            path=output,
            documents=len(run),
            queries=len(run.queries),
            name=name,
        )
        messages.say(messages.translate(told_of))
