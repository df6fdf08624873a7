"""`relyon judge project`: renames, closes, reopens or deletes a project."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import click

from relyon.cli.judge_archive import ended_in_order
from relyon.cli.messages import Progress, messages
from relyon.cli.options import no_color_option
from relyon.cli.output import write
from relyon.cli.request import argument, flag, option, request, takes
from relyon.cli.shares import SHARE_BELOW_1
from relyon.core.errors import ParameterError
from relyon.core.texts import message

if TYPE_CHECKING:
    from relyon.judging.records import Project
    from relyon.judging.store import Store

__all__ = ["project"]

HELP = """Rename, close, reopen or delete a project.

\b
Examples:
  relyon judge project judging.db June --rename "June 2026"
  relyon judge project judging.db June --close
  relyon judge project judging.db June --gold-share 0.1
  relyon judge project judging.db June --delete

A closed project can be read and exported; judges do not see it, and nothing in
it changes until it is reopened. Deleting a project removes everything in it and
cannot be undone: write its archive first (`relyon judge export --format
archive`). Without an option, prints its settings and imports.
"""


@request
class Request:
    """The request of `relyon judge project`."""

    database: str = argument()
    name: str = argument(metavar="PROJECT")
    rename: str | None = option("--rename", metavar="NAME", help="Its new name.")
    close: bool = flag("--close", help="Make it read-only and hide it from judges.")
    reopen: bool = flag("--reopen", help="Reopen it.")
    gold_share: float | None = option(
        "--gold-share",
        type=SHARE_BELOW_1,
        help="From now on, the share of gold items among a judge's items.",
    )
    delete: bool = flag("--delete", help="Delete it; asks for its name.")
    yes: bool = flag("--yes", help="Delete it without asking.")

    @property
    def changes(self) -> bool:
        """Whether the project is changed."""
        other = self.rename is not None or self.gold_share is not None
        return self.close or self.reopen or other


@click.command("project", help=HELP, short_help="Rename, close, reopen or delete a project.")
@takes(Request)
@no_color_option
def project(request: Request) -> None:
    """Runs `relyon judge project`."""
    from relyon.judging.events import record_event
    from relyon.judging.removal import remove_project
    from relyon.judging.store import open_store

    if (request.close and request.reopen) or (request.delete and request.changes):
        raise ParameterError(
            message("cli.these-options-exclude-each"), hint=message("cli.use-them-one-at-time")
        )
    with ended_in_order(), open_store(request.database) as store:
        found = store.projects.get(request.name)
        if request.delete:
            if not request.yes:
                _confirm(found.name)
            with Progress("cli.deleting") as report:
                remove_project(store, found, report=report)
            record_event(store, "project_deleted", detail=found.name)
            messages.note(message("cli.deleted-project", found_name=found.name))
            return
        if request.reopen:
            store.projects.reopen(found.id)
            messages.note(message("cli.reopened-project", found_name=found.name))
        if request.gold_share is not None:
            store.projects.set_gold_share(found.id, request.gold_share)
            messages.note(
                message(
                    "cli.from-now-on-of-judges",
                    gold_share=request.gold_share,
                )
            )
        if request.rename is not None:
            messages.note(
                message(
                    "cli.renamed-to-rename-name",
                    rename_name=store.projects.rename(found.id, request.rename).name,
                )
            )
        if request.close:
            store.projects.close(found.id)
            messages.note(message("cli.closed-project", found_name=found.name))
        if request.changes:
            record_event(store, "project_changed", detail=found.name)
        else:
            _describe(store, found)


def _confirm(name: str) -> None:
    if not sys.stdin.isatty():
        raise ParameterError(
            message("cli.deleting-needs-yes-without", name=name),
            hint=message("cli.write-archive-first"),
        )
    if click.prompt("Everything in it will be lost. Type its name to delete it", err=True) != name:
        raise ParameterError(message("cli.that-is-not-name"))


def _describe(store: Store, found: Project) -> None:
    from datetime import UTC, datetime

    from relyon.judging.jobs import list_jobs

    lines = [
        f"{found.name}: {found.state}, scale {found.scale.name}, overlap {found.overlap},"
        f" {found.gold_share:.0%} gold items"
    ]
    for job in list_jobs(store, found.id):
        when = datetime.fromtimestamp(job.created_at, UTC).strftime("%Y-%m-%d %H:%M UTC")
        state = f"{job.done:,} of {job.total:,} rows" if job.unfinished else job.state
        lines.append(
            f"{when}  {job.kind} {job.source}: {state}, {job.items:,} new items,"
            f" {job.grades:,} new grades {job.message}".rstrip()
        )
    write("\n".join(lines))
