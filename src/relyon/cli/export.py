"""`relyon export`: a trained ranker as a file for other programs."""

from __future__ import annotations

from typing import Literal

import click

from relyon.cli.inputs import check_stdin
from relyon.cli.messages import messages
from relyon.cli.options import no_color_option, plugin_option
from relyon.cli.output import protect_inputs, refuse_existing
from relyon.cli.request import argument, flag, group, option, request, takes
from relyon.cli.row_options import RowOptions, read_rows
from relyon.core.errors import ParameterError
from relyon.core.texts import message

__all__ = ["command"]

HELP = """Export a trained ranker for scoring in other programs.

\b
Examples:
  relyon export ranker.model -o ranker.txt
  relyon export ranker.model -o ranker.onnx
  relyon export ranker.model -o ranker.treelite --valid heldout.csv

MODEL is a file written by `relyon train`. The ending of FILE selects the
format:

\b
  .onnx      onnx: for ONNX Runtime and others, in single precision
  .treelite  treelite: trees of LightGBM and XGBoost
  .txt       engine: LightGBM's own file
  .ubj       engine: XGBoost's own file
  .json      engine: XGBoost's own file as text
  .cbm       engine: CatBoost's own file
  .pt2       engine: PyTorch's exported program of a network

onnx needs pip install 'relyon[onnx]', treelite pip install 'relyon[treelite]'.

The file is read back and compared with the ranker on synthetic rows, at and
near the values where its trees split. It is written only if the scores agree.
--valid also compares them on your own rows, and reports in how many queries the
order of documents changes.
"""


@request
class Request:
    """The request of `relyon export`."""

    model: str = argument()
    output: str = option("-o", "--output", metavar="FILE", required=True, help="The file to write.")
    form: Literal["onnx", "treelite", "engine"] | None = option(
        "--format",
        type=click.Choice(["onnx", "treelite", "engine"]),
        help="Output format.  [default: by the ending of FILE]",
    )
    valid: str | None = option(
        "--valid", metavar="DATA", help="Held-out rows on which to compare the order of documents."
    )
    force: bool = flag("--force", help="Replace the output if it exists.")
    rows: RowOptions = group(RowOptions)


@click.command(
    "export", help=HELP, short_help="Export a trained ranker for scoring in other programs."
)
@takes(Request)
@plugin_option
@no_color_option
def command(request: Request) -> None:
    """Runs `relyon export`."""
    from relyon.ltr import load

    check_stdin([name for name in (request.model, request.valid) if name])
    if request.output == "-":
        raise ParameterError(message("cli.ranker-cannot-be-written"), hint=message("cli.name-file"))
    protect_inputs(request.output, [request.model, request.valid])
    refuse_existing(request.output, request.force)
    ranker = load(request.model)
    rows = None
    if request.valid is not None:
        rows = read_rows(
            request.valid, request.rows, groups=request.rows.groups, labelled=False, ranker=ranker
        )
        messages.notes(rows.notes)
    found = ranker.export(request.output, request.form, rows=rows)
    messages.notes(found.notes)
    told = {"path": found.path, "format": found.format, "tested": found.tested}
    text = (
        message(
            "cli.scores-of-synthetic-rows",
            apart=found.difference,
            **told,
        )
        if found.difference
        else message("cli.scores-of-synthetic-rows-equal", **told)
    )
    messages.plain(text)
    if rows is not None:
        compared = message(
            "cli.order-changes-in-of-queries",
            data=request.valid,
            changed=found.changed,
            queries=found.queries,
            apart=found.rows_difference,
        )
        messages.plain(compared)
