"""Search logs on the command line: their arguments, and reading them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Literal

from relyon.cli.encoding import TextEncoding, encoding_options
from relyon.cli.inputs import check_stdin
from relyon.cli.messages import messages
from relyon.cli.option_values import chosen_columns, format_named_by
from relyon.cli.output import protect_inputs
from relyon.cli.request import Declared, argument, group, option, request
from relyon.core.errors import ParameterError
from relyon.core.texts import message

if TYPE_CHECKING:
    from relyon.cli.spark_engine import Engine
    from relyon.data.sessions import Kind, Sessions

__all__ = ["AddedLog", "LogSource", "Period", "added_log_options", "open_log"]


@request
class Period:
    """The sessions of a log that a command reads, by time."""

    since: str | None = option(
        "--since",
        metavar="DATE|TIME",
        help="Only sessions that start at this time or later, such as 2026-03, 2026-03-05"
        " or 2026-03-05T08:30+08:00.",
    )
    until: str | None = option(
        "--until",
        metavar="DATE|TIME",
        help="Only sessions that start before this time, exclusive.",
    )
    month: str | None = option(
        "--month", metavar="YYYY-MM", help="Only sessions that start in this month."
    )
    timezone: str | None = option(
        "--timezone",
        metavar="ZONE",
        help="Time zone of months, days and times that name none, in the log too, such as"
        " Asia/Shanghai or +08:00.  [default: UTC]",
    )

    def of(self, sessions: Sessions) -> Sessions:
        """Returns the sessions in the period; all if none is given."""
        return sessions.between(self.since, self.until, month=self.month, timezone=self.timezone)


def _columns_option(name: str, what: str) -> Declared:
    return option(
        name,
        name.strip("-").replace("-", "_"),
        metavar="NAME=COLUMN,…",
        multiple=True,
        help=f"Columns of {what}, such as session=sid,doc=asin; session=visit+search joins two"
        " columns.",
    )


def _format_option(name: str, what: str) -> Declared:
    return option(
        name,
        name.strip("-").replace("-", "_"),
        metavar="FORMAT",
        help=f"Format of {what}: parquet, csv, tsv, jsonl or ubi.",
    )


@request
class LogSource:
    """A log, and how to read it."""

    log: tuple[str, ...] = argument(metavar="LOG…", nargs=-1, required=True)
    columns: tuple[str, ...] = _columns_option("--columns", "the log")
    encoding: TextEncoding = encoding_options()
    form: str | None = _format_option("--input-format", "the log")
    period: Period = group(Period)

    def sessions(
        self,
        *outputs: str | None,
        kind: Kind = "sessions",
        engine: Engine | None = None,
        others: Literal["drop", "keep"] = "drop",
    ) -> Sessions:
        """Reads the log, and prints notes about it.

        Args:
            *outputs: Files that are written, none of which may be a file of the log.
            kind: What the rows are.
            engine: Who reads it.
            others: Whether columns that are not of a log are kept.
        """
        for output in outputs:
            protect_inputs(output, self.log)
        return _read(self, "--", kind, engine, others)


@request
class AddedLog:
    """A log that a command reads in addition to its other inputs."""

    log: tuple[str, ...]
    columns: tuple[str, ...] = _columns_option("--log-columns", "--log")
    form: str | None = _format_option("--log-format", "--log")
    period: Period = group(Period)

    def sessions(self) -> Sessions | None:
        """Reads the log, and prints notes about it; returns `None` without a log.

        Raises:
            ParameterError: If an option for reading it is given without it.
        """
        if self.log:
            return _read(self, "--log-")
        options = {"log-columns": self.columns, "log-format": self.form, **vars(self.period)}
        name = next((name for name, value in options.items() if value), None)
        if name is not None:
            raise ParameterError(
                message("cli.needs-log", option=f"--{name}"), hint=message("cli.add-log")
            )
        return None


def added_log_options(help: str) -> Declared:
    """Declares ``--log``, with its help, and the options for reading it."""
    log = option("--log", metavar="LOG", multiple=True, help=help)
    return group(AddedLog, "log", "columns", "form", "period", log=log)


def _read(
    source: LogSource | AddedLog,
    option: Literal["--", "--log-"],
    kind: Kind = "sessions",
    engine: Engine | None = None,
    others: Literal["drop", "keep"] = "drop",
) -> Sessions:
    """Reads the log of a command; the options for reading it begin with `option`."""
    from relyon.data.sessions import COLUMNS

    check_stdin(source.log)
    roles = chosen_columns(source.columns, COLUMNS, "session=sid,doc=asin")
    form_option = "--input-format " if option == "--" else f"{option}format "
    with format_named_by(form_option, f"{option}columns"):
        opened = open_log(source.log, roles, source.form, kind=kind, engine=engine, others=others)
        sessions = source.period.of(opened)
    messages.notes(sessions.notes)
    return sessions


def open_log(
    log: Sequence[str],
    columns: Mapping[str, str] | None,
    form: str | None,
    *,
    kind: Kind = "sessions",
    engine: Engine | None = None,
    others: Literal["drop", "keep"] = "drop",
) -> Sessions:
    """Returns the sessions of a log.

    Args:
        log: The files.
        columns: Column names by role.
        form: The format; `None` if it is recognised.
        kind: What the rows are.
        engine: Who reads it.
        others: Whether columns that are not of a log are kept; a cluster leaves them out.
    """
    if engine:
        from relyon.spark.cluster_files import read_log as read_in_cluster

        return read_in_cluster(engine.session, list(log), format=form, columns=columns)
    from relyon.io.session_readers import read_sessions

    return read_sessions(
        list(log),
        format=form,  # type: ignore[arg-type]
        columns=columns,
        kind=kind,
        others=others,
    )
