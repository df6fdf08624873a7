"""`relyon judge`: creates, fills, inspects and exports a database of grades."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

import click

from relyon.cli.group import CommandGroup
from relyon.cli.judge_accounts import account as change_account, accounts, events
from relyon.cli.judge_audit import audit
from relyon.cli.judge_backup import backup, restore
from relyon.cli.judge_calibrate import accept, calibrate
from relyon.cli.judge_export import export
from relyon.cli.judge_import import import_
from relyon.cli.judge_llm import llm
from relyon.cli.judge_next import estimate, next_
from relyon.cli.judge_project import project as project_command
from relyon.cli.judge_serve import serve
from relyon.cli.judge_stale import fingerprints, stale
from relyon.cli.messages import messages
from relyon.cli.options import (
    format_option,
    no_color_option,
    output_option,
    project_option,
    scale_option,
)
from relyon.cli.output import Answer, Output, emit
from relyon.cli.request import argument, fixed, flag, group, option, request, takes
from relyon.cli.shares import SHARE_BELOW_1
from relyon.core.errors import ParameterError
from relyon.core.texts import catalogue, message

if TYPE_CHECKING:
    from relyon.core.language import Language
    from relyon.judging.records import Project

__all__ = ["command"]

HELP = """Manage judging projects: create, import, serve, export.

\b
Examples:
  relyon judge init judging.db --project June --overlap 2
  relyon judge import judging.db pool.csv --project June
  relyon judge serve judging.db
  relyon judge status judging.db --project June
  relyon judge export judging.db --project June --format trec

DATABASE is an SQLite file, or the URL of a PostgreSQL database such as
postgresql://user@host/name. Needs `pip install 'relyon[judge]'`.
"""

INIT = """Create a database, a project and accounts, or upgrade an older database.

\b
Examples:
  relyon judge init judging.db --project June --overlap 2 --gold-share 0.1
  relyon judge init judging.db --project SBS --kind side_by_side
  relyon judge init judging.db --account ann --role lead
  relyon judge init judging.db --account ann --reset-password

Each call adds what is requested and keeps what exists. The password of a new
account is generated, printed once and stored as an argon2 hash.
"""

STATUS = """Show a project's progress and the agreement of its judges.

\b
Examples:
  relyon judge status judging.db
  relyon judge status judging.db --project June --format json
"""


@click.group(
    "judge",
    help=HELP,
    short_help="Manage judging projects: create, import, serve, export.",
    cls=CommandGroup,
)
def command() -> None:
    """Runs `relyon judge`."""


@request
class Init:
    """The request of `relyon judge init`."""

    database: str = argument()
    project: str | None = option("--project", metavar="NAME", help="The project to create.")
    kind: Literal["grades", "side_by_side"] = option(
        "--kind",
        type=click.Choice(["grades", "side_by_side"]),
        default="grades",
        show_default=True,
        help="Grade single results, or compare two rankings side by side.",
    )
    scale: str | None = scale_option()
    guideline_en: str | None = option(
        "--guideline-en", metavar="FILE", help="The guideline in English, as Markdown."
    )
    guideline_zh: str | None = option(
        "--guideline-zh", metavar="FILE", help="The guideline in Chinese, as Markdown."
    )
    overlap: int = option(
        "--overlap",
        type=click.IntRange(min=1),
        default=1,
        show_default=True,
        help="How many judges grade each item.",
    )
    gold_share: float = option(
        "--gold-share",
        type=SHARE_BELOW_1,
        default=0.0,
        help="The share of gold items, whose grade is known, among a judge's items.  [default: 0]",
    )
    k: int | None = option(
        "-k", "--depth", type=click.IntRange(min=1), help="How many results per query are judged."
    )
    seed: int | None = option(
        "--seed",
        type=click.IntRange(min=0),
        help="Random seed for the order of items and gold items; keep it from judges.  [default:"
        " random]",
    )
    account: str | None = option("--account", metavar="NAME", help="The account to create.")
    reset_password: bool = flag(
        "--reset-password",
        help="Reset the password of an existing account and sign it out everywhere.",
    )
    role: Literal["judge", "lead", "admin"] = option(
        "--role",
        type=click.Choice(["judge", "lead", "admin"]),
        default="judge",
        show_default=True,
        help="Role of the account: a lead sees all grades and decides, an admin also creates"
        " accounts.",
    )


@command.command("init", help=INIT, short_help="Create a database, a project and accounts.")
@takes(Init)
@no_color_option
def init(request: Init) -> None:
    """Runs `relyon judge init`."""
    from relyon.io.plain_text import read_file
    from relyon.judging.events import record_event
    from relyon.judging.passwords import generate_password
    from relyon.judging.store import open_store

    if request.reset_password and request.account is None:
        raise ParameterError(message("cli.reset-password-needs-account-name"))
    guideline = {
        language: read_file(path)
        for language, path in (("en", request.guideline_en), ("zh", request.guideline_zh))
        if path is not None
    }
    with open_store(request.database, create=True) as store:
        if request.project is not None:
            made = store.projects.create(
                request.project,
                scale=request.scale or "search",
                kind=request.kind,
                overlap=request.overlap,
                gold_share=request.gold_share,
                k=request.k,
                seed=request.seed,
                guideline=guideline,
            )
            record_event(store, "project_made", detail=made.name)
            messages.note(
                message(
                    "cli.created-project",
                    made_name=made.name,
                    made=_rules(made),
                )
            )
        if request.account is not None:
            password = generate_password()
            if request.reset_password:
                user = store.accounts.change(request.account, password=password, chosen_by="other")
                record_event(store, "password_reset", detail=user.name)
                messages.note(
                    message(
                        "cli.this-is-new-password",
                        user_name=user.name,
                        role=user.role,
                    )
                )
            else:
                user = store.accounts.create(
                    request.account, role=request.role, password=password, chosen_by="other"
                )
                record_event(store, "account_made", detail=f"{user.name} ({request.role})")
                messages.note(
                    message(
                        "cli.created-account",
                        user_name=user.name,
                        role=user.role,
                    )
                )
            click.echo(password)
        if request.project is None and request.account is None:
            messages.note(message("cli.is-ready", address=store.database.address))


command.add_command(import_)
command.add_command(export)


def _rules(project: Project) -> str:
    what = (
        message("cli.side-by-side")
        if project.kind == "side_by_side"
        else message("cli.scale-name", name=project.scale.name)
    )
    values = {"what": what, "judges": project.overlap}
    if project.gold_share:
        return message(
            "cli.per-item-gold-items",
            **values,
            share=project.gold_share,
        )
    return message("cli.per-item", **values)


@request
class Status:
    """The request of `relyon judge status`."""

    database: str = argument()
    project: str | None = project_option(required=False)
    output: Output = group(
        Output,
        forms=fixed(("table", "json")),
        asked=format_option("table", "json", default=None),
        path=output_option(),
    )


@command.command("status", help=STATUS, short_help="Show a project's progress.")
@takes(Status)
@no_color_option
def status(request: Status) -> None:
    """Runs `relyon judge status`."""
    from relyon.judging.status import describe_project, render_status
    from relyon.judging.store import open_store

    with open_store(request.database) as store:
        chosen = (
            store.projects.all()
            if request.project is None
            else [store.projects.get(request.project)]
        )
        found = [describe_project(store, one.id) for one in chosen]

    def text(language: Language) -> str:
        shown = "\n\n".join(render_status(one, language) for one in found)
        return shown or catalogue("judging", language)["no_project"]

    emit(Answer(lambda: found, text), request.output)


command.add_command(serve)
for _command in (
    project_command,
    accounts,
    change_account,
    events,
    backup,
    restore,
    llm,
    calibrate,
    audit,
    accept,
    next_,
    estimate,
    stale,
    fingerprints,
):
    command.add_command(_command)
