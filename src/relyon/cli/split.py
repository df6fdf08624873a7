"""`relyon split`: splits labelled rows by query into train, valid and test sets, or folds."""

from __future__ import annotations

from typing import Any, Literal

import click

from relyon.cli.messages import messages
from relyon.cli.options import format_option, no_color_option
from relyon.cli.output import emit, written
from relyon.cli.row_options import duplicates_option, read_rows, row_columns, row_options
from relyon.core.errors import ParameterError
from relyon.core.texts import message

__all__ = ["command"]

HELP = """Split feature rows by query into train, valid and test sets, or folds.

\b
Examples:
  relyon split rows.letor -o parts
  relyon split rows.letor --test-share 0.3 --valid-share 0 --seed 7 -o small
  relyon split rows.letor --folds 5 -o folds

DATA is SVMlight/LETOR text, CSV, TSV, JSON Lines or Parquet. The split is
stratified by the number of relevant documents per query (label above 0).
Queries that share a row, that is the same features, stay together, so no row is
used both to train and to report; a note counts them.

Files are named train, valid and test, with DATA's file ending; lines are copied
byte for byte. With --folds they are in fold-1, fold-2 and so on: fold i tests
on slice i, validates on slice i + 1 and trains on the others. The split depends
on the seed and the query ids, not on the order of rows.
"""


@click.command(
    "split",
    help=HELP,
    short_help="Split feature rows by query into train, valid and test sets, or folds.",
)
@click.argument("data", metavar="DATA")
@click.option(
    "--test-share",
    "test",
    type=float,
    help="Share of queries for testing.  [default: 0.2]",
)
@click.option(
    "--valid-share",
    "valid",
    type=float,
    help="Share of queries for validation.  [default: 0.1]",
)
@click.option(
    "--folds", type=click.IntRange(3, 100), help="Number of folds, instead of the two shares."
)
@click.option(
    "--seed",
    type=click.IntRange(min=0),
    default=0,
    show_default=True,
    help="Random seed. The same seed gives the same parts.",
)
@duplicates_option
@click.option(
    "-o", "--output", metavar="DIR", required=True, help="Output folder; created if missing."
)
@click.option("--force", is_flag=True, help="Replace existing files.")
@row_options
@format_option("table", "json", "markdown", "csv", help="Output format of the summary.")
@no_color_option
def command(
    data: str,
    test: float | None,
    valid: float | None,
    folds: int | None,
    seed: int,
    duplicates: Literal["together", "ignore"],
    output: str,
    force: bool,
    form: str,
    **options: Any,
) -> None:
    """Runs `relyon split`."""
    from relyon.io.byte_source import Source
    from relyon.io.recognition import open_source
    from relyon.ltr.preparation.files import write_split
    from relyon.ltr.preparation.query_split import split

    if data == "-":
        raise ParameterError(
            message("cli.rows-to-split"),
            hint=message("cli.save-them-to-file"),
        )
    groups = options["groups"]
    rows = read_rows(data, options, groups=groups)
    columns = row_columns(options)
    source = open_source(data, format=options["input_format"], kind="features", named=bool(columns))
    found = split(rows, test=test, valid=valid, folds=folds, seed=seed, duplicates=duplicates)
    write_split(
        found,
        source,
        output,
        columns=columns,
        groups=None if groups is None else Source(groups),
        replace=force,
    )
    messages.notes(found.notes)
    emit(written(found, form, language=messages.language))
