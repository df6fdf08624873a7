"""`relyon split`: splits labelled rows by query into train, valid and test sets, or folds."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from relyon.cli.judged import JudgedOptions
from relyon.cli.messages import messages
from relyon.cli.options import (
    format_option,
    no_color_option,
    own_columns_option,
    seed_option,
)
from relyon.cli.output import Output, emit
from relyon.cli.request import argument, fixed, flag, group, option, request, takes
from relyon.cli.row_options import (
    RowOptions,
    duplicates_option,
    read_rows,
    row_columns,
)
from relyon.cli.shares import SHARE
from relyon.core.errors import InputError, ParameterError
from relyon.core.texts import message

if TYPE_CHECKING:
    from relyon.ltr.preparation.query_split import Duplicates

__all__ = ["command"]

HELP = """Split feature rows by query into train, valid and test sets, or folds.

\b
Examples:
  relyon split rows.letor -o parts
  relyon split rows.letor --test-share 0.3 --valid-share 0 --seed 7 -o small
  relyon split rows.letor --folds 5 -o folds

DATA is SVMlight/LETOR text, CSV, TSV, JSON Lines or Parquet. The split is
stratified by the number of relevant documents per query (label above 0).
Queries that share a row, that is the same features, and queries that are nearly
copies stay together, so no row is used both to train and to report; notes count
them. --group keeps together what you name.

Files are named train, valid and test, with DATA's file ending; lines are copied
byte for byte. With --folds they are in fold-1, fold-2 and so on: fold i tests
on slice i, validates on slice i + 1 and trains on the others. The split depends
on the seed and the query ids, not on the order of rows.
"""


@request
class Request:
    """The request of `relyon split`."""

    data: str = argument(metavar="DATA")
    test: float | None = option(
        "--test-share", type=SHARE, help="Share of queries for testing.  [default: 0.2]"
    )
    valid: float | None = option(
        "--valid-share", type=SHARE, help="Share of queries for validation.  [default: 0.1]"
    )
    folds: int | None = option(
        "--folds", type=click.IntRange(3, 100), help="Number of folds, instead of the two shares."
    )
    seed: int = seed_option("The same seed gives the same parts.")
    duplicates: Duplicates = duplicates_option()
    output: str = option(
        "-o", "--output", metavar="DIR", required=True, help="Output folder; created if missing."
    )
    force: bool = flag("--force", help="Replace existing files.")
    judgments: str | None = option(
        "--judgments",
        metavar="FILE",
        help="Stratify by the grades of these judgments, by query and document; rows without one"
        " count as 0, and every row is kept.",
    )
    judgments_columns: tuple[str, ...] = own_columns_option("judgments", "the judgments")
    rows: RowOptions = group(RowOptions)
    summary: Output = group(
        Output,
        forms=fixed(("table", "json", "markdown", "csv")),
        asked=format_option(
            "table", "json", "markdown", "csv", help="Output format of the summary."
        ),
    )


@click.command(
    "split",
    help=HELP,
    short_help="Split feature rows by query into train, valid and test sets, or folds.",
)
@takes(Request)
@no_color_option
def command(request: Request) -> None:
    """Runs `relyon split`."""
    from relyon.io.byte_source import Source
    from relyon.io.format import formats
    from relyon.io.recognition import open_source
    from relyon.ltr.preparation.files import check_folder, write_split
    from relyon.ltr.preparation.query_split import split

    if request.data == "-":
        raise ParameterError(
            message("cli.rows-to-split"),
            hint=message("cli.save-them-to-file"),
        )
    check_folder(request.output)
    groups = request.rows.groups
    judged = JudgedOptions(
        judgments=request.judgments,
        unjudged="zero",
        judgments_columns=request.judgments_columns,
    )
    columns = row_columns(request.rows)
    source = open_source(
        request.data, format=request.rows.input_format, kind="features", named=bool(columns)
    )
    if "features" not in formats.get(source.format).kinds:
        raise _without_features(request.data)
    rows = read_rows(request.data, request.rows, judged=judged, groups=groups)
    if rows.features is None or not rows.features.names:
        raise _without_features(request.data)
    found = split(
        rows,
        test=request.test,
        valid=request.valid,
        folds=request.folds,
        seed=request.seed,
        duplicates=request.duplicates,
    )
    write_split(
        found,
        source,
        request.output,
        columns=columns,
        groups=None if groups is None else Source(groups),
        replace=request.force,
    )
    messages.notes(found.notes)
    emit(found, request.summary)


def _without_features(path: str) -> InputError:
    """Returns the error about a file of judgments, or of anything else without features."""
    return InputError(
        message("cli.split-needs-features"),
        path=path,
        hint=message("cli.split-with-judgments", path=path),
    )
