"""Search logs on the command line: their arguments, and reading them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import wraps
from typing import TYPE_CHECKING, Any, Literal

import click

from relyon.cli.inputs import check_stdin
from relyon.cli.messages import messages
from relyon.cli.option_values import chosen_columns, format_named_by
from relyon.cli.output import protect_inputs
from relyon.core.errors import ParameterError
from relyon.core.texts import message

if TYPE_CHECKING:
    from relyon.cli.engine import Engine
    from relyon.data.sessions import Sessions

__all__ = [
    "AddedLog",
    "added_log_options",
    "open_log",
    "period_options",
    "read_log",
    "source_options",
]

_PERIOD = "relyon.period"


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
    command = _reading_options("", "the log")(command)
    return click.argument("log", metavar="LOG…", nargs=-1, required=True)(command)


def _reading_options(prefix: str, what: str) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Returns the options for the columns and the format of a log, and for its period.

    Args:
        prefix: What the names of the first two begin with.
        what: What the log is called in their help.
    """

    def decorate(command: Callable[..., Any]) -> Callable[..., Any]:
        command = click.option(
            f"--{prefix or 'input-'}format",
            metavar="FORMAT",
            help=f"Format of {what}: parquet, csv, tsv, jsonl or ubi.",
        )(period_options(command))
        return click.option(
            f"--{prefix}columns",
            metavar="NAME=COLUMN,…",
            multiple=True,
            help=f"Columns of {what}, such as session=sid,doc=asin; session=visit+search joins two"
            " columns.",
        )(command)

    return decorate


@dataclass(frozen=True)
class AddedLog:
    """A log that a command reads besides its other inputs.

    Attributes:
        paths: The files of ``--log``; none if there is no log.
        columns: The texts of ``--log-columns``.
        form: The format of ``--log-format``; `None` if it is recognised.
    """

    paths: Sequence[str]
    columns: Sequence[str]
    form: str | None

    def sessions(self) -> Sessions | None:
        """Reads the log, and prints notes about it; `None` if there is none.

        Raises:
            ParameterError: If an option for reading it is given without it.
        """
        if self.paths:
            return read_log(self.paths, self.columns, self.form, option="--log-")
        given = click.get_current_context().meta.get(_PERIOD, {})
        options = {"log-columns": self.columns, "log-format": self.form, **given}
        name = next((name for name, value in options.items() if value), None)
        if name is not None:
            raise ParameterError(
                message("cli.needs-log", option=f"--{name}"), hint=message("cli.add-log")
            )
        return None


def added_log_options(help: str) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Adds ``--log`` and the options for reading it; the command gets an `AddedLog` as `log`.

    Args:
        help: What the log is for.
    """

    def decorate(command: Callable[..., Any]) -> Callable[..., Any]:
        @wraps(command)
        def packed(**values: Any) -> Any:
            names = ("log", "log_columns", "log_format")
            return command(log=AddedLog(*(values.pop(name) for name in names)), **values)

        reading = _reading_options("log-", "--log")(packed)
        return click.option("--log", metavar="LOG", multiple=True, help=help)(reading)

    return decorate


def read_log(
    log: Sequence[str],
    columns: Sequence[str],
    form: str | None,
    outputs: Sequence[str | None] = (),
    kind: Literal["sessions", "decisions"] = "sessions",
    option: Literal["--", "--log-"] = "--",
    engine: Engine | None = None,
) -> Sessions:
    """Reads the log of a command, and prints notes about it.

    Args:
        log: The files.
        columns: The texts of the option for columns.
        form: The format; `None` if it is recognised.
        outputs: Files that are written, none of which may be a file of the log.
        kind: What the rows are.
        option: How the options for reading it begin: hints name them.
        engine: Who reads it.
    """
    from relyon.data.sessions import COLUMNS

    check_stdin(log)
    for output in outputs:
        protect_inputs(output, log)
    roles = chosen_columns(columns, COLUMNS, "session=sid,doc=asin")
    form_option = "--input-format " if option == "--" else f"{option}format "
    with format_named_by(form_option, f"{option}columns"):
        sessions = open_log(log, roles, form, kind=kind, engine=engine)
    messages.notes(sessions.notes)
    return sessions


def open_log(
    log: Sequence[str],
    columns: Mapping[str, str] | None,
    form: str | None,
    *,
    kind: Literal["sessions", "decisions"] = "sessions",
    engine: Engine | None = None,
) -> Sessions:
    """Returns the sessions of a log within the period given on the command line.

    Args:
        log: The files.
        columns: Column names by role.
        form: The format; `None` if it is recognised.
        kind: What the rows are.
        engine: Who reads it.
    """
    if engine:
        from relyon.spark.cluster_files import read_log as read_in_cluster

        found = read_in_cluster(engine.session, list(log), format=form, columns=columns)
    else:
        from relyon.io.session_readers import read_sessions

        found = read_sessions(list(log), format=form, columns=columns, kind=kind)  # type: ignore[arg-type]
    return within_period(found)
