"""`relyon logs`: converts, describes, checks and repairs search logs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

import click

from relyon.cli.group import CommandGroup
from relyon.cli.messages import Progress, messages
from relyon.cli.options import format_option, language_option, no_color_option, output_option
from relyon.cli.output import Output, emit, protect_inputs, refuse_existing, write
from relyon.cli.request import fixed, flag, group, option, request, takes
from relyon.cli.sessions import LogSource
from relyon.cli.spark_engine import Engine
from relyon.core.errors import ParameterError, StrictError
from relyon.core.texts import message

if TYPE_CHECKING:
    from relyon.online.logs import Repair

__all__ = ["command"]

HELP = """Read, describe, check and repair search logs.

\b
Examples:
  relyon logs inspect log.csv
  relyon logs doctor log.csv
  relyon logs read log.csv -o log.parquet

A log has one row per impression: session, query, position and doc, and
optionally timestamp, clicked, dwell_seconds, add_to_cart, purchase, bucket and
user. A session is one search. Logs are Parquet, CSV, TSV or JSON Lines, also
compressed, or OpenSearch UBI queries and events; common column names are
recognised.
"""

READ = """Convert a log to the canonical form.

\b
Examples:
  relyon logs read log.csv -o log.parquet
  relyon logs read log.csv --columns session=session+user -o log.jsonl.gz

Values get their types and columns their names; rows and columns that are not of
a log stay as they are. UBI
events are joined into impressions. Positions that start at 0 are kept: `relyon
logs doctor --fix` repairs them.
"""

INSPECT = """Describe a log in a few numbers.

\b
Example:
  relyon logs inspect log.csv
  relyon logs inspect log.parquet --month 2026-03

Prints rows, sessions, distinct queries, the range of times and positions, rates
of clicks, carts and purchases, and queries by frequency: head, middle and tail
each have about a third of the sessions.
"""

DOCTOR = """Check a log for problems, show their effect on the numbers, and repair it.

\b
Examples:
  relyon logs doctor log.csv
  relyon logs doctor log.csv --lang zh
  relyon logs doctor log.csv --fix -o cleaned.parquet
  relyon logs doctor log.csv --fix --drop-bots -o people.parquet

Looks for positions that start at 0, truncated lists and missing positions,
mixed timestamp formats, gaps in time, clicks without an impression, duplicates,
bots, and queries that differ only in case, width or spacing. --fix repairs what
needs no decision, in a copy with all columns; cleaned.parquet.changes.json lists
what it changed. With --drop-bots the copy is without bots.
"""


@click.group(
    "logs",
    help=HELP,
    short_help="Read, describe, check and repair search logs.",
    cls=CommandGroup,
)
def command() -> None:
    """Runs `relyon logs`."""


@request
class Read:
    """The request of `relyon logs read`."""

    source: LogSource = group(LogSource)
    force: bool = flag("--force", help="Replace the file if it exists.")
    output: str = option(
        "-o",
        "--output",
        metavar="FILE",
        required=True,
        help="Output file: .parquet, .csv or .jsonl; the last two also .gz or .zst.",
    )


@command.command("read", help=READ, short_help="Convert a log to the canonical form.")
@takes(Read)
@no_color_option
def read(request: Read) -> None:
    """Runs `relyon logs read`."""
    from relyon.io.session_writers import check_target, write_sessions

    check_target(request.output)
    protect_inputs(request.output, request.source.log)
    refuse_existing(request.output, request.force)
    sessions = request.source.sessions(request.output, others="keep")
    write_sessions(sessions, request.output)


@request
class Inspect:
    """The request of `relyon logs inspect`."""

    source: LogSource = group(LogSource)
    output: Output = group(
        Output,
        forms=fixed(("table", "json", "markdown")),
        asked=format_option("table", "json", "markdown", default=None, help="Output format."),
        path=output_option(),
    )
    engine: Engine = group(Engine)


@command.command("inspect", help=INSPECT, short_help="Describe a log in a few numbers.")
@takes(Inspect)
@no_color_option
def inspect(request: Inspect) -> None:
    """Runs `relyon logs inspect`."""
    from relyon.online.logs import summarise

    overview = summarise(request.source.sessions(request.output.path, engine=request.engine))
    emit(overview, request.output)


@request
class Doctor:
    """The request of `relyon logs doctor`."""

    source: LogSource = group(LogSource)
    only: tuple[str, ...] = option(
        "--check",
        metavar="NAME",
        multiple=True,
        help="Run this check only, such as gaps or query-variants; repeat it for several.",
    )
    depth: int = option(
        "-k",
        "--depth",
        type=click.IntRange(min=1),
        default=20,
        show_default=True,
        help="The depth of your measures; shorter lists are a warning.",
    )
    fix: bool = flag("--fix", help="Write a cleaned copy to --output.")
    output: str | None = option(
        "-o",
        "--output",
        metavar="FILE",
        help="The cleaned copy, with --fix: .parquet, .csv or .jsonl; the last two also .gz or"
        " .zst.",
    )
    drop_bots: bool = flag(
        "--drop-bots",
        help="With --fix: leave out the users, or sessions, that the check bots finds.",
    )
    force: bool = flag("--force", help="Replace the files if they exist.")
    record: str | None = option(
        "--record",
        metavar="FILE",
        help="Where --fix records its changes, as JSON.  [default: OUTPUT.changes.json]",
    )
    strict: bool = flag("--strict", help="Exit with code 1 if there is a warning.")
    summary: Output = group(
        Output,
        language=language_option("Language of the texts."),
        forms=fixed(("table", "json", "markdown")),
        asked=format_option("table", "json", "markdown", help="Output format."),
    )
    engine: Engine = group(Engine)


@command.command("doctor", help=DOCTOR, short_help="Check a log for problems, and repair it.")
@takes(Doctor)
@no_color_option
def doctor(request: Doctor) -> None:
    """Runs `relyon logs doctor`."""
    from relyon.io.session_writers import check_target
    from relyon.online.logs import examine

    if request.fix != (request.output is not None):
        raise ParameterError(
            message("cli.fix-needs-file") if request.fix else message("cli.output-is-for-fix"),
            hint=message("cli.write-fix-o-cleaned"),
        )
    if (request.record is not None or request.drop_bots) and not request.fix:
        name = "--record" if request.record is not None else "--drop-bots"
        raise ParameterError(
            message("cli.option-is-for-fix", option=name), hint=message("cli.write-fix-o-cleaned")
        )
    if request.engine:
        request.engine.refuse(fix=request.fix)
    record = None
    if request.output is not None:
        check_target(request.output)
        record = request.record or f"{request.output}.changes.json"
        for path in (request.output, record):
            protect_inputs(path, request.source.log)
            refuse_existing(path, request.force)
    others: Literal["drop", "keep"] = "keep" if request.fix else "drop"
    sessions = request.source.sessions(request.output, record, engine=request.engine, others=others)
    with Progress("cli.checking") as progress:
        checkup = examine(
            sessions, depth=request.depth, only=request.only or None, progress=progress
        )
    emit(checkup, request.summary, own={"json": {"language": request.summary.language}})
    if request.output is not None and record is not None:
        also = ["bots"] if request.drop_bots else []
        _write(checkup.repair(also=also), request.output, record)
    if request.strict and checkup.warnings:
        kinds = ", ".join(one.kind for one in checkup.warnings)
        raise StrictError(message("cli.log-has-warnings", kinds=kinds))


def _write(repair: Repair, output: str, record: str) -> None:
    from relyon.io.session_writers import write_sessions

    write_sessions(repair.sessions, output)
    write(repair.to_json(), record)
    kinds = [change.kind for change in repair.changes]
    paths = {"output": output, "record": record}
    if kinds:
        messages.note(message("cli.repaired-copy-is-changes", kinds=kinds, **paths))
    else:
        messages.note(message("cli.nothing-to-repair", **paths))
    if repair.remaining:
        messages.note(message("cli.left-for-you", remaining=list(repair.remaining)))
