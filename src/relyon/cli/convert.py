"""`relyon convert`: judgments, runs and feature rows from one format to another."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from typing import TYPE_CHECKING, Literal

import click

from relyon import io
from relyon.cli.encoding import TextEncoding, encoding_options
from relyon.cli.inputs import task_columns
from relyon.cli.messages import messages
from relyon.cli.option_values import chosen_columns, chosen_scale, format_named_by
from relyon.cli.options import columns_option, no_color_option, scale_option
from relyon.cli.output import protect_inputs, refuse_existing
from relyon.cli.request import argument, flag, option, request, takes
from relyon.core.errors import InputError, ParameterError
from relyon.core.texts import message
from relyon.data.columns import EVIDENCE_NAMES, ITEM_NAMES, NAMES, plain_name
from relyon.data.features import Precision
from relyon.data.judgments import Judgments
from relyon.data.labelled import LabelledRows
from relyon.data.run import Run
from relyon.io import Source
from relyon.io.format import first_lines, formats
from relyon.io.irds import is_dataset, refuse_file_options
from relyon.io.traces import read_traces, write_traces

if TYPE_CHECKING:
    from relyon.data.scale import Scale

__all__ = ["command"]

Converted = Literal["judgments", "run", "features"]
#: The contents of a file of each kind.
COUNTED = {
    "judgments": "cli.shown-count-of-queries",
    "run": "cli.shown-count-retrieved",
    "features": "cli.shown-count",
}

#: What --columns may name.
KNOWN = ("query", "document", "grade", "score", "rank", "label", "weight", "position")

HELP = """Convert judgments, a run or features to another format.

\b
Examples:
  relyon convert bm25.run bm25.parquet
  relyon convert judgments.qrels judgments.csv.gz
  relyon convert judgments.csv grades.qrels --scale search
  relyon convert features.csv features.letor

Formats are recognised by file name ending and content. Judgments and runs:
{formats-judgments-runs}; json is ranx's. Judgments only: {formats-judgments}; a
judging database, such as judging.db#June, is only read. Files ending in .gz,
.zst, .bz2 or .xz are compressed. - is stdin or stdout.

Traces of agents: traces, opentelemetry. --format traces writes one call per line; to
other formats, traces with one call per task are converted as runs.

Feature rows: {formats-features}. Input is read as feature rows if
OUTPUT can store them and each row has features: numbers besides query, document
and label. --kind judgments keeps only the labels. Feature rows are kept in
memory: about 8 bytes per value from LETOR and Parquet, 40 from text tables, and
8 more to write Parquet. LETOR files store feature names, weights and positions
in comments, which relyon reads back; a table's positions are read only with
--columns position=NAME.
"""


@request
class Request:
    """The request of `relyon convert`."""

    source: str = argument(metavar="INPUT")
    target: str = argument(metavar="OUTPUT")
    kind: Converted | None = option(
        "--kind",
        type=click.Choice(["judgments", "run", "features"]),
        help="Kind of the input.  [default: recognised]",
    )
    source_format: str | None = option(
        "--input-format", metavar="FORMAT", help="The input's format."
    )
    target_format: str | None = option("--format", metavar="FORMAT", help="The output's format.")
    columns: tuple[str, ...] = columns_option()
    encoding: TextEncoding = encoding_options()
    scale: str | None = scale_option()
    force: bool = flag("--force", help="Replace OUTPUT if it exists.")


@click.command(
    "convert", help=HELP, short_help="Convert judgments, a run or features to another format."
)
@takes(Request)
@no_color_option
def command(request: Request) -> None:
    """Runs `relyon convert`."""
    roles = chosen_columns(request.columns, KNOWN)
    levels = chosen_scale(request.scale)
    protect_inputs(request.target, [request.source])
    refuse_existing(request.target, request.force)
    with format_named_by("--format"):
        featured = io.contains_features(request.target, request.target_format)
    with format_named_by("--input-format"):
        found = _read(request, roles, levels, featured=featured)
    if found is None:
        return
    kind, data = found
    with format_named_by("--format"):
        if isinstance(data, Judgments):
            io.write_judgments(
                data, request.target, format=request.target_format, overwrite=request.force
            )
        elif isinstance(data, LabelledRows):
            io.write_features(
                data, request.target, format=request.target_format, overwrite=request.force
            )
        else:
            io.write_run(
                data, request.target, format=request.target_format, overwrite=request.force
            )
    messages.notes(data.notes)
    if isinstance(data, Judgments):
        messages.notes(io.unwritten_notes(data, request.target, format=request.target_format))
    shown = "stdout" if request.target == "-" else request.target
    queries = len(data.queries)
    counted = message(COUNTED[kind], shown=shown, count=len(data), queries=queries)
    messages.say(messages.translate(counted))


def _read(
    request: Request, roles: dict[str, str] | None, levels: Scale | None, *, featured: bool
) -> tuple[Converted, Judgments | Run | LabelledRows] | None:
    """Reads the source and its kind; None if it was converted as traces."""
    wanted = request.kind or _wanted(roles, graded=levels is not None)
    source: str | Source = request.source
    form = request.source_format
    if is_dataset(request.source):
        refuse_file_options(request.source, features=wanted == "features")
        kind: Converted = wanted or "judgments"
    else:
        opened = io.open_source(source, format=form, kind=wanted, named=bool(roles))
        if _traces_to_traces(request, opened, roles):
            return None
        rows = _found_features(opened, roles) if featured and wanted is None else None
        kind = wanted or ("features" if rows is not None else _kind(opened, roles))
        if kind == "features":
            return kind, rows or _features(opened, roles, request.scale)
        source, form = opened, None
    if kind == "run":
        return kind, io.read_run(source, format=form, columns=roles)
    return kind, io.read_judgments(source, format=form, columns=roles, scale=levels)


def _traces_to_traces(request: Request, source: Source, roles: dict[str, str] | None) -> bool:
    """Converts traces to JSON Lines of calls, if both sides are traces.

    Other formats have one list per query: traces with one call per task are read as a run.
    """
    target = request.target_format
    if "traces" not in formats.get(source.format).kinds or target is None:
        return False
    if formats.get(target).name != "traces":
        return False
    traces = read_traces(source, columns=task_columns(roles) if roles else None)
    write_traces(traces, request.target, overwrite=request.force)
    messages.notes(traces.notes)
    shown = "stdout" if request.target == "-" else request.target
    counted = message(
        "cli.shown-count-of-calls",
        shown=shown,
        count=traces.table.calls,
        tasks=len(traces.table),
    )
    messages.say(messages.translate(counted))
    return True


def _wanted(roles: dict[str, str] | None, *, graded: bool) -> Converted | None:
    """Returns the kind that the other options imply."""
    if {"label", "position", "weight"} & set(roles or {}):
        return "features"
    if graded or "grade" in (roles or {}):
        return "judgments"
    return "run" if {"score", "rank"} & set(roles or {}) else None


def _features(source: Source, roles: dict[str, str] | None, scale: str | None) -> LabelledRows:
    """Reads feature rows in full precision."""
    exact: Precision | None = "float64" if source.format == "letor" else None
    return io.read_features(source, **(roles or {}), scale=scale, dtype=exact)  # type: ignore[arg-type]


def _found_features(source: Source, roles: dict[str, str] | None) -> LabelledRows | None:
    """Returns rows with numbers besides ids, grades and the weights of grades; None for others."""
    found = formats.get(source.format)
    if source.format == "letor":
        words = b"".join(first_lines(source.head)).partition(b"#")[0].split()[1:]
        some = any(b":" in word for word in words if not word.startswith(b"qid:"))
        return _features(source, roles, None) if some else None
    if not found.tabular or found.is_sheet(source.head) or "grade" in (roles or {}):
        return None
    source.keep()
    try:
        rows = _features(source, roles, None)
    except InputError:
        return None
    known = {*itertools.chain(*NAMES.values(), *EVIDENCE_NAMES.values(), *ITEM_NAMES.values())}
    names = rows.features.names if rows.features is not None else ()
    return rows if any(plain_name(name) not in known for name in names) else None


def _kind(source: Source, roles: dict[str, str] | None) -> Literal["judgments", "run"]:
    """Returns the apparent kind of a file."""
    if source.format == "trec":
        return "judgments" if len(b"".join(first_lines(source.head)).split()) == 4 else "run"
    kinds = formats.get(source.format).kinds
    if "run" not in kinds:
        return "judgments"
    source.keep()
    guess = _kind_of_table(source, roles)
    if guess is None:
        raise ParameterError(
            message("cli.does-contain-judgments", source_path=source.path),
            hint=message("cli.specify-kind-judgments-run"),
        )
    return guess


def _kind_of_table(
    source: Source, roles: dict[str, str] | None
) -> Literal["judgments", "run"] | None:
    """Returns the kind of a table, or `None` if it could be either."""
    failed: list[InputError] = []
    able: list[Literal["judgments", "run"]] = []
    readers: tuple[tuple[Literal["judgments", "run"], Callable[..., Judgments | Run]], ...] = (
        ("run", io.read_run),
        ("judgments", io.read_judgments),
    )
    for kind, read in readers:
        try:
            data = read(source, columns=roles)
        except InputError as error:
            failed.append(error)
        else:
            # A column `score` can contain grades, but by default it is a score.
            if "grades-from-score" not in {note.kind for note in data.notes}:
                able.append(kind)
    if not able:
        raise failed[0]
    return able[0] if len(able) == 1 else None
