"""`relyon judge stale` and `fingerprints`: judgments that no longer describe the collection."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from relyon.cli.encoding import TextEncoding, encoding_options
from relyon.cli.groups import Rules
from relyon.cli.inputs import check_stdin, run_names
from relyon.cli.messages import messages
from relyon.cli.option_values import chosen_columns, chosen_scale
from relyon.cli.options import (
    digits_option,
    format_option,
    names_option,
    no_color_option,
    output_option,
    scale_option,
    threads_option,
)
from relyon.cli.output import Output, emit, protect_inputs, write
from relyon.cli.request import Declared, argument, fixed, group, option, request, takes
from relyon.cli.shares import SHARE_ABOVE_0
from relyon.core.errors import ParameterError
from relyon.core.texts import message

if TYPE_CHECKING:
    from relyon.analysis.stale import StaleJudgments
    from relyon.io.content_prints import KnownPrints

__all__ = ["fingerprints", "stale"]

STALE = """Find judgments whose documents changed or are gone.

\b
Examples:
  relyon judge stale judging.db --project June --documents catalogue.csv
  relyon judge stale judged.csv --fingerprints june.csv \\
      --documents catalogue.csv
  relyon judge stale judged.qrels old.run new.run --within 0.01 \\
      --documents-then june.parquet --documents catalogue.parquet

JUDGMENTS are a project of a judging database, whose items keep the texts that
judges saw, a file with titles or snippets, or any other judgments together with
--fingerprints or --documents-then. Title and snippet are compared, unless
--field names others: white space does not count, case does. A judgment without
such evidence is unknown, never fresh.

With runs: the share of each number that rests on stale grades, the range that
new grades could give it, whether they could change the order of two runs, and
which pairs to judge again first. Documents that are gone have no grade in a
range: nobody can judge them again.
"""

FINGERPRINTS = """Keep fingerprints of what judged documents say.

\b
Examples:
  relyon judge fingerprints judged.qrels --documents catalogue.csv -o june.csv
  relyon judge fingerprints judging.db --project June -o june.csv

Run it when judgments are made, and give the file to `relyon judge stale
--fingerprints` later. Each row is a document with the SHA-256 of its title and
snippet, white space aside, and hashes of 64 of its words. Without --documents
the texts in the judgments count, as judges saw them.
"""


def documents_option(*, required: bool) -> Declared:
    """Declares ``--documents``."""
    return option(
        "--documents",
        metavar="FILE",
        required=required,
        help="The collection of today: a CSV, TSV, JSONL or Parquet file with one row per document,"
        " or a folder with a text file each.",
    )


def fields_option() -> Declared:
    """Declares ``--field``."""
    return option(
        "--field",
        "fields",
        metavar="NAME",
        multiple=True,
        help="A field to compare; repeat it for several.  [default: title and snippet]",
    )


def database_option() -> Declared:
    """Declares ``--project``."""
    return option(
        "--project",
        metavar="NAME",
        help="The project of the judging database, in place of #NAME after it.",
    )


def documents_columns() -> Declared:
    """Declares ``--columns``."""
    return option(
        "--columns",
        metavar="NAME=COLUMN,…",
        multiple=True,
        help="Columns of the collection, such as document=sku,title=name,snippet=text.",
    )


@request
class Then:
    """What documents said when they were judged, and which of it is compared."""

    then: str | None = option(
        "--documents-then",
        "then",
        metavar="FILE",
        help="The collection as it was when the judgments were made.",
    )
    fingerprints: str | None = option(
        "--fingerprints", metavar="FILE", help="Fingerprints that were written then."
    )
    fields: tuple[str, ...] = fields_option()
    columns: tuple[str, ...] = documents_columns()
    near: float = option(
        "--near",
        type=SHARE_ABOVE_0,
        default=0.9,
        help="Least share of words in common at which a text is nearly the same, which is not"
        " stale.  [default: 0.9]",
    )
    also: tuple[str, ...] = option(
        "--also",
        metavar="STATE",
        type=click.Choice(["near", "moved", "unknown"]),
        multiple=True,
        help="Count near, moved or unknown judgments as stale, too; repeat it for several.",
    )
    older_than: str | None = option(
        "--older-than",
        metavar="AGE",
        help="Count grades that are older as stale, too, such as 180d, 26w, 6m or 1y.",
    )


@request
class Stale:
    """The request of `relyon judge stale`."""

    judgments: str = argument()
    runs: tuple[str, ...] = argument(metavar="[RUN…]", nargs=-1)
    project: str | None = database_option()
    documents: str = documents_option(required=True)
    evidence: Then = group(Then)
    measure: str = option(
        "-m",
        "--measure",
        metavar="MEASURE",
        default="ndcg@10",
        show_default=True,
        help="The measure of the runs: one whose queries are averaged.",
    )
    within: float | None = option(
        "--within",
        metavar="WIDTH",
        type=click.FloatRange(0, min_open=True),
        help="Say how many pairs to judge again until the range is at most this wide.",
    )
    pool: str | None = option(
        "--pool",
        metavar="FILE",
        help="Write the pairs to judge again for `relyon judge import`, those first that can move"
        " most; with --within only those needed.",
    )
    followed: str | None = option(
        "--write-followed",
        "followed",
        metavar="FILE",
        help="Write the judgments with the new ids of documents that are found under another id.",
    )
    names: tuple[str, ...] = names_option()
    rules: Rules = group(Rules)
    scale: str | None = scale_option()
    encoding: TextEncoding = encoding_options()
    threads: int = threads_option()
    output: Output = group(
        Output,
        forms=fixed(("table", "markdown", "json", "csv")),
        asked=format_option("table", "markdown", "json", "csv", default=None),
        digits=digits_option(),
        path=output_option(),
    )


@click.command("stale", help=STALE, short_help="Find judgments whose documents changed.")
@takes(Stale)
@no_color_option
def stale(request: Stale) -> None:
    """Runs `relyon judge stale`."""
    from relyon.analysis.stale import stale_judgments

    then = request.evidence
    inputs = [request.judgments, *request.runs, request.documents, then.then, then.fingerprints]
    files = [one for one in inputs if one is not None]
    check_stdin(files)
    for path in (request.output.path, request.pool, request.followed):
        protect_inputs(path, files)
    found = stale_judgments(
        _judged(request.judgments, request.project),
        list(request.runs) or None,
        request.measure,
        documents=request.documents,
        then=then.then,
        fingerprints=then.fingerprints,
        fields=then.fields,
        columns=_columns(then.columns),
        near=then.near,
        counted=("changed", "gone", *then.also),  # type: ignore[arg-type]
        older_than=then.older_than,
        within=request.within,
        names=run_names(request.runs, request.names) if request.runs else None,
        convention=request.rules.chosen(),
        scale=chosen_scale(request.scale),
        threads=request.threads,
    )
    emit(found, request.output)
    _write_beside(found, request)
    if request.output.form != "json":
        messages.notes(found.notes)


def _write_beside(found: StaleJudgments, request: Stale) -> None:
    """Writes the pool, and the judgments with new ids."""
    if request.pool is not None:
        from relyon.io.table_files import write_table

        again = found.again.head(found.needed) if found.needed is not None else found.again
        # Judges see all columns of a pool: neither the grade nor why a pair was chosen.
        columns = ["query", "document", "query_text", "tier"]
        kept = [name for name in columns if again[name].null_count() < max(len(again), 1)]
        write_table(again.select(kept), request.pool)
        messages.note(message("cli.stale-pool-written", path=request.pool, count=len(again)))
    if request.followed is not None:
        from relyon.data.judgments import Judgments
        from relyon.io import write_judgments

        judgments = Judgments.from_dict(found.followed())
        write_judgments(judgments, request.followed)
        moved = found.counts["moved"]
        messages.note(message("cli.stale-followed-written", path=request.followed, count=moved))


@request
class Fingerprints:
    """The request of `relyon judge fingerprints`."""

    judgments: str | None = argument(metavar="[JUDGMENTS]", required=False)
    project: str | None = database_option()
    documents: str | None = documents_option(required=False)
    fields: tuple[str, ...] = fields_option()
    columns: tuple[str, ...] = documents_columns()
    scale: str | None = scale_option()
    encoding: TextEncoding = encoding_options()
    output: str | None = output_option()


@click.command(
    "fingerprints", help=FINGERPRINTS, short_help="Keep fingerprints of what judged documents say."
)
@takes(Fingerprints)
@no_color_option
def fingerprints(request: Fingerprints) -> None:
    """Runs `relyon judge fingerprints`."""
    from relyon.core.cells import csv_frame
    from relyon.io.content_prints import prints_frame, write_prints

    if request.judgments is None and request.documents is None:
        raise ParameterError(
            message("cli.nothing-to-fingerprint"), hint=message("cli.name-judgments-or-documents")
        )
    files = [one for one in (request.judgments, request.documents) if one is not None]
    check_stdin(files)
    protect_inputs(request.output, files)
    found = _prints(request)
    if request.output in (None, "-"):
        write(csv_frame(prints_frame(found)).rstrip("\n"))
    else:
        write_prints(found, str(request.output))
    counted = message("cli.fingerprints-written", count=len(found), fields=list(found.fields))
    messages.note(counted)


def _prints(request: Fingerprints) -> KnownPrints:
    """Returns the fingerprints of documents, or of the texts that judges saw."""
    from relyon.analysis.stale.evidence import judged_of_sheet, sheet_of_source, shown_prints
    from relyon.io import read_judgments
    from relyon.io.content_prints import prints_of_rows
    from relyon.io.document_rows import document_rows

    columns, scale = _columns(request.columns), chosen_scale(request.scale)
    source = None if request.judgments is None else _judged(request.judgments, request.project)
    if request.documents is None:
        sheet = sheet_of_source(source, scale)
        return shown_prints(None if sheet is None else judged_of_sheet(sheet), request.fields)
    wanted = None
    if source is not None:
        grades = read_judgments(source, scale=scale).to_dict()
        wanted = {document for own in grades.values() for document in own}
    rows = document_rows(
        request.documents, fields=request.fields, columns=columns, wanted=wanted or ()
    )
    return prints_of_rows(rows, wanted)


def _judged(path: str, project: str | None) -> str:
    """Returns the judgments, with the project of a database."""
    return path if project is None or "#" in path else f"{path}#{project}"


def _columns(given: tuple[str, ...]) -> dict[str, str] | None:
    known = ("document", "title", "snippet")
    return chosen_columns(given, known, "document=sku,title=name")
