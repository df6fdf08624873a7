"""Search logs on the command line: the arguments that name one, and reading it."""

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

__all__ = ["read_log", "source_options"]


def source_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Adds the log and how it is read."""
    for decorate in (
        click.option("--input-format", metavar="FORMAT", help="parquet, csv, tsv, jsonl or ubi."),
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
    """Reads the log that a command names, and says what is worth knowing about it."""
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
    messages.notes(sessions.notes)
    return sessions
