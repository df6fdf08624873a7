"""`relyon export`: a trained ranker as a file for other programs."""

from __future__ import annotations

from typing import Any

import click

from relyon.cli.inputs import check_stdin
from relyon.cli.messages import messages
from relyon.cli.options import no_color_option, plugin_option
from relyon.cli.output import protect_inputs, refuse_existing
from relyon.cli.row_options import read_rows, row_options
from relyon.core.errors import ParameterError
from relyon.core.texts import message

__all__ = ["command"]

HELP = """Export a trained ranker for scoring in other programs.

\b
Examples:
  relyon export ranker.model -o ranker.txt
  relyon export ranker.model -o ranker.onnx
  relyon export ranker.model -o ranker.treelite --data heldout.csv

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
--data also compares them on your own rows, and reports in how many queries the
order of documents changes.
"""


@click.command(
    "export", help=HELP, short_help="Export a trained ranker for scoring in other programs."
)
@click.argument("model")
@click.option("-o", "--output", metavar="FILE", required=True, help="The file to write.")
@click.option(
    "--format",
    "form",
    type=click.Choice(["onnx", "treelite", "engine"]),
    help="Output format.  [default: by the ending of FILE]",
)
@click.option("--data", metavar="DATA", help="Rows on which to compare the order of documents.")
@click.option("--force", is_flag=True, help="Replace the output if it exists.")
@row_options
@plugin_option
@no_color_option
def command(
    model: str, output: str, form: Any, data: str | None, force: bool, **options: Any
) -> None:
    """Runs `relyon export`."""
    from relyon.ltr import load

    check_stdin([name for name in (model, data) if name])
    if output == "-":
        raise ParameterError(message("cli.ranker-cannot-be-written"), hint=message("cli.name-file"))
    protect_inputs(output, [model, data])
    refuse_existing(output, force)
    ranker = load(model)
    rows = None
    if data is not None:
        rows = read_rows(data, options, groups=options["groups"], labelled=False, ranker=ranker)
        messages.notes(rows.notes)
    found = ranker.export(output, form, rows=rows)
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
            data=data,
            changed=found.changed,
            queries=found.queries,
            apart=found.rows_difference,
        )
        messages.plain(compared)
