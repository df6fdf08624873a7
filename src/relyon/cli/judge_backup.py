"""`relyon judge backup` and `restore`: copies a database while it is in use, and restores it."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING

import click

from relyon.cli.messages import Progress, messages
from relyon.cli.options import format_option, no_color_option
from relyon.cli.output import Answer, Output, emit
from relyon.cli.request import argument, fixed, flag, group, request, takes
from relyon.core.texts import message

if TYPE_CHECKING:
    from relyon.judging.backup import Copy

__all__ = ["backup", "restore"]

BACKUP = """Copy a database into one file while judges keep grading.

\b
Examples:
  relyon judge backup judging.db backups/judging.db
  relyon judge backup judging.db backups/judging.db --force

The copy is one consistent state. It gets its name, or with --force replaces an
older copy, only after every page has been checked. Only its owner can read it.
Do not copy the file by other means: the newest grades may be in the -wal file
next to it.
"""

RESTORE = """Restore a database from a backup.

\b
Examples:
  relyon judge restore backups/judging.db judging.db
  relyon judge restore backups/judging.db judging.db --force

Stop the server first. The copy is checked before anything changes; with
--force, an existing database and its files are renamed.
"""


@request
class Backup:
    """The request of `relyon judge backup`."""

    database: str = argument()
    file: str = argument()
    force: bool = flag("--force", help="Replace the file if it exists.")
    output: Output = group(
        Output, forms=fixed(("table", "json")), asked=format_option("table", "json")
    )


@click.command("backup", help=BACKUP, short_help="Back up a database while it is in use.")
@takes(Backup)
@no_color_option
def backup(request: Backup) -> None:
    """Runs `relyon judge backup`."""
    from relyon.judging.backup import back_up

    with Progress("cli.copying") as progress:
        made = back_up(
            request.database,
            request.file,
            existing="replace" if request.force else "refuse",
            progress=progress,
        )
    emit(Answer(lambda: asdict(made), lambda language: _table(made)), request.output)


@request
class Restore:
    """The request of `relyon judge restore`."""

    file: str = argument()
    database: str = argument()
    force: bool = flag("--force", help="Rename an existing database.")
    output: Output = group(
        Output, forms=fixed(("table", "json")), asked=format_option("table", "json")
    )


@click.command("restore", help=RESTORE, short_help="Restore a database from a backup.")
@takes(Restore)
@no_color_option
def restore(request: Restore) -> None:
    """Runs `relyon judge restore`."""
    from relyon.judging.backup import restore as put_back

    with Progress("cli.copying") as progress:
        done = put_back(
            request.file,
            request.database,
            existing="set_aside" if request.force else "refuse",
            progress=progress,
        )
    if done.aside:
        messages.note(message("cli.existing-database-is-now", aside=done.aside))
    emit(Answer(lambda: asdict(done.copy), lambda language: _table(done.copy)), request.output)


def _table(made: Copy) -> str:
    shown = {"bytes": made.bytes, **{name: count for name, count in made.rows.items() if count}}
    shown.pop("alembic_version", None)
    width = max(map(len, shown))
    lines = [f"{made.file}: whole, version {made.version}"]
    return "\n".join(
        [*lines, *(f"  {name:{width}}  {count:>12,}" for name, count in shown.items())]
    )
