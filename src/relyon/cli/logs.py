"""`relyon logs`: converts, describes, checks and repairs search logs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from relyon.cli.engine import Engine, engine_options
from relyon.cli.group import CommandGroup
from relyon.cli.messages import Progress, messages
from relyon.cli.options import format_option, language_option, no_color_option, output_option
from relyon.cli.output import emit, written
from relyon.cli.sessions import read_log, source_options
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

Values get their types and columns their names; rows stay as they are. UBI
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

Looks for positions that start at 0, truncated lists and missing positions,
mixed timestamp formats, gaps in time, clicks without an impression, duplicates,
bots, and queries that differ only in case, width or spacing. --fix repairs what
needs no decision, in a copy; cleaned.parquet.changes.json lists what it
changed.
"""


@click.group(
    "logs",
    help=HELP,
    short_help="Read, describe, check and repair search logs.",
    cls=CommandGroup,
)
def command() -> None:
    """Runs `relyon logs`."""


@command.command("read", help=READ, short_help="Convert a log to the canonical form.")
@source_options
@click.option(
    "-o",
    "--output",
    metavar="FILE",
    required=True,
    help="Output file: .parquet, .csv or .jsonl; the last two also .gz or .zst.",
)
@no_color_option
def read(
    log: tuple[str, ...], columns: tuple[str, ...], input_format: str | None, output: str
) -> None:
    """Runs `relyon logs read`."""
    from relyon.io.session_writers import check_target, write_sessions

    check_target(output)
    write_sessions(read_log(log, columns, input_format, [output]), output)


@command.command("inspect", help=INSPECT, short_help="Describe a log in a few numbers.")
@source_options
@format_option("table", "json", "markdown", help="Output format.")
@output_option
@engine_options
@no_color_option
def inspect(
    log: tuple[str, ...],
    columns: tuple[str, ...],
    input_format: str | None,
    form: str,
    output: str | None,
    engine: Engine,
) -> None:
    """Runs `relyon logs inspect`."""
    from relyon.online.logs import summarise

    overview = summarise(read_log(log, columns, input_format, [output], engine=engine))
    emit(written(overview, form, language=messages.language), output)


@command.command("doctor", help=DOCTOR, short_help="Check a log for problems, and repair it.")
@source_options
@click.option(
    "--check",
    "only",
    metavar="NAME",
    multiple=True,
    help="Run this check only, such as gaps or query-variants; repeat it for several.",
)
@click.option(
    "-k",
    "--depth",
    type=click.IntRange(min=1),
    default=20,
    show_default=True,
    help="The depth of your measures; shorter lists are a warning.",
)
@click.option("--fix", is_flag=True, help="Write a cleaned copy to --output.")
@click.option(
    "-o",
    "--output",
    metavar="FILE",
    help="The cleaned copy, with --fix: .parquet, .csv or .jsonl; the last two also .gz or .zst.",
)
@click.option(
    "--record",
    metavar="FILE",
    help="Where --fix records its changes, as JSON.  [default: OUTPUT.changes.json]",
)
@click.option("--strict", is_flag=True, help="Exit with code 1 if there is a warning.")
@language_option("Language of the texts.")
@format_option("table", "json", "markdown", help="Output format.")
@engine_options
@no_color_option
def doctor(
    log: tuple[str, ...],
    columns: tuple[str, ...],
    input_format: str | None,
    only: tuple[str, ...],
    depth: int,
    fix: bool,
    output: str | None,
    record: str | None,
    strict: bool,
    language: Any,
    form: str,
    engine: Engine,
) -> None:
    """Runs `relyon logs doctor`."""
    import json

    from relyon.io.session_writers import check_target
    from relyon.online.logs import examine

    if fix != (output is not None):
        raise ParameterError(
            message("cli.fix-needs-file") if fix else message("cli.output-is-for-fix"),
            hint=message("cli.write-fix-o-cleaned"),
        )
    if record is not None and not fix:
        raise ParameterError(
            message("cli.record-is-for-fix"), hint=message("cli.write-fix-o-cleaned")
        )
    if engine:
        engine.refuse(fix=fix)
    if output is not None:
        check_target(output)
        record = record or f"{output}.changes.json"
    sessions = read_log(log, columns, input_format, [output, record], engine=engine)
    with Progress("cli.checking") as progress:
        checkup = examine(sessions, depth=depth, only=only or None, progress=progress)
    if form == "json":
        text = json.dumps(checkup.to_dict(language), ensure_ascii=False, indent=2)
    else:
        text = checkup.to_text(language) if form == "table" else checkup.to_markdown(language)
    emit(text)
    if output is not None and record is not None:
        _write(checkup.repair(), output, record)
    if strict and checkup.warnings:
        kinds = ", ".join(one.kind for one in checkup.warnings)
        raise StrictError(message("cli.log-has-warnings", kinds=kinds))


def _write(repair: Repair, output: str, record: str) -> None:
    from relyon.io.session_writers import write_sessions

    write_sessions(repair.sessions, output)
    emit(repair.to_json(), record)
    kinds = ", ".join(change.kind for change in repair.changes) or "nothing"
    messages.note(
        message(
            "cli.repaired-copy-is-changes",
            kinds=kinds,
            output=output,
            record=record,
        )
    )
    if repair.remaining:
        messages.note(message("cli.left-for-you", remaining=list(repair.remaining)))
