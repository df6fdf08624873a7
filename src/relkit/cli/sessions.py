"""Search logs on the command line: their arguments, and reading them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, Literal

import click

from relkit.cli.inputs import check_stdin
from relkit.cli.messages import messages
from relkit.cli.output import protect_inputs
from relkit.cli.values import chosen_columns, format_named_by

if TYPE_CHECKING:
    from relkit.data.sessions import Sessions

__all__ = ["period_options", "read_log", "source_options", "within_period"]

_PERIOD = "relkit.period"


def _remember(context: click.Context, parameter: click.Parameter, value: str | None) -> None:
    context.meta.setdefault(_PERIOD, {})[parameter.name] = value


def period_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Adds the options that select sessions by time, for `within_period`."""
    for name, metavar, help in (
        ("month", "YYYY-MM", "Only sessions that start in this month, in UTC."),
        ("until", "DATE|TIME", "Only sessions that start before this time, exclusive."),
        (
            "since",
            "DATE|TIME",
            "Only sessions that start at this time or later, such as 2026-03, 2026-03-05"
            " or 2026-03-05T08:30+08:00; UTC unless a zone is given.",
        ),
    ):
        command = click.option(
            f"--{name}", metavar=metavar, expose_value=False, callback=_remember, help=help
        )(command)
    return command


def within_period(sessions: Sessions) -> Sessions:
    """Returns the sessions in the period given on the command line; all if none is given."""
    given = click.get_current_context().meta.get(_PERIOD, {})
    return sessions.between(given.get("since"), given.get("until"), month=given.get("month"))


def source_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Adds the log and the options for reading it."""
    for decorate in (
        period_options,
        click.option(
            "--input-format",
            metavar="FORMAT",
            help="Format of the log: parquet, csv, tsv, jsonl or ubi.",
        ),
        click.option(
            "--columns",
            metavar="NAME=COLUMN,…",
            multiple=True,
            help="Columns of the log, such as session=sid,doc=asin; session=visit+search joins two"
            " columns.",
        ),
        click.argument("log", metavar="LOG…", nargs=-1, required=True),
    ):
        command = decorate(command)
    return command


def read_log(
    log: Sequence[str],
    columns: Sequence[str],
    form: str | None,
    outputs: Sequence[str | None] = (),
    kind: Literal["sessions", "decisions"] = "sessions",
) -> Sessions:
    """Reads the log of a command, and prints notes about it."""
    from relkit.data.sessions import COLUMNS
    from relkit.io.sessions import read_sessions

    check_stdin(log)
    for output in outputs:
        protect_inputs(output, log)
    roles = chosen_columns(columns, COLUMNS, "session=sid,doc=asin")
    with format_named_by("--input-format "):
        sessions = read_sessions(
            list(log),
            format=form,  # type: ignore[arg-type]
            columns=roles,
            kind=kind,
        )
    sessions = within_period(sessions)
    messages.notes(sessions.notes)
    return sessions
