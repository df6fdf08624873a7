"""`relyon judge accounts`, `account` and `events`: who may sign in, and who did."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Literal

import click

from relyon.cli.messages import messages
from relyon.cli.options import format_option, no_color_option, output_option
from relyon.cli.output import Answer, Output, emit
from relyon.cli.request import argument, fixed, flag, group, option, request, takes
from relyon.core.errors import ParameterError
from relyon.core.texts import catalogue, message

if TYPE_CHECKING:
    from relyon.core.language import Language
    from relyon.judging.access import SignIn, Token
    from relyon.judging.events import Event
    from relyon.judging.records import User

__all__ = ["account", "accounts", "events"]

ACCOUNTS = """List the accounts of a database: roles, sign-ins and tokens.

\b
Examples:
  relyon judge accounts judging.db
  relyon judge accounts judging.db --format json

A token is shown by its name, scope, expiry and last use; the token itself is
not stored.
"""

ACCOUNT = """Change one account.

\b
Examples:
  relyon judge account judging.db ann --role lead
  relyon judge account judging.db ann --reset-password
  relyon judge account judging.db ann --state closed
  relyon judge account judging.db ann --end-sign-ins --end-tokens

A new password is generated and printed once; it ends all sign-ins and tokens,
and must be changed at the first sign-in. Closing an account also ends them, and
reopening it does not restore them. `relyon judge init` creates accounts.
"""

EVENTS = """Show sign-ins, failed sign-ins and changes.

\b
Examples:
  relyon judge events judging.db
  relyon judge events judging.db --kind sign_in_failed --limit 20
  relyon judge events judging.db --account ann --format json

Newest first. The app keeps events for a year.
"""


def _time(seconds: float | None) -> str:
    if seconds is None:
        return "-"
    return f"{datetime.fromtimestamp(seconds, UTC):%Y-%m-%d %H:%M}"


@request
class Accounts:
    """The request of `relyon judge accounts`."""

    database: str = argument()
    output: Output = group(
        Output,
        forms=fixed(("table", "json")),
        asked=format_option("table", "json", default=None),
        path=output_option(),
    )


@click.command("accounts", help=ACCOUNTS, short_help="List the accounts and their tokens.")
@takes(Accounts)
@no_color_option
def accounts(request: Accounts) -> None:
    """Runs `relyon judge accounts`."""
    from relyon.judging.access import list_sign_ins, list_tokens
    from relyon.judging.store import open_store

    with open_store(request.database) as store:
        found = [(user, list_sign_ins(store, user)) for user in store.accounts.all()]
        tokens = list_tokens(store)
    emit(
        Answer(
            lambda: _account_rows(found, tokens),
            lambda language: _account_tables(found, tokens, language),
        ),
        request.output,
    )


def _account_rows(
    found: Sequence[tuple[User, Sequence[SignIn]]], tokens: Sequence[Token]
) -> list[dict[str, object]]:
    return [
        {
            "name": user.name,
            "role": user.role,
            "state": _state(user),
            "sign_ins": [
                {"agent": one.agent, "address": one.address, "seen_at": one.seen_at}
                for one in sign_ins
            ],
            "tokens": [
                {
                    "name": one.name,
                    "scope": one.scope,
                    "created_at": one.created_at,
                    "expires_at": one.expires_at,
                    "used_at": one.used_at,
                }
                for one in tokens
                if one.owner == user.name
            ],
        }
        for user, sign_ins in found
    ]


def _account_tables(
    found: Sequence[tuple[User, Sequence[SignIn]]], tokens: Sequence[Token], language: Language
) -> str:
    from relyon.core.document.terminal import align

    texts = catalogue("judging", language)
    table = [
        [user.name, user.role, texts.name("state", _state(user)), str(len(sign_ins))]
        for user, sign_ins in found
    ]
    lines = align(texts.names("column", ("account", "role", "state", "sign_ins")), table, 3)
    if tokens:
        table = [
            [
                one.owner,
                one.name,
                one.scope,
                texts["never"] if one.expires_at is None else _time(one.expires_at),
                _time(one.used_at),
            ]
            for one in tokens
        ]
        names = ("account", "token", "scope", "ends", "used")
        lines += ["", *align(texts.names("column", names), table, 5)]
    return "\n".join(lines) if found else texts["no_account"]


def _state(user: User) -> str:
    if user.machine:
        return "language model"
    if not user.active:
        return "closed"
    return "has to choose a password" if user.must_change else "open"


@request
class Account:
    """The request of `relyon judge account`."""

    database: str = argument()
    name: str = argument()
    role: Literal["judge", "lead", "admin"] | None = option(
        "--role",
        type=click.Choice(["judge", "lead", "admin"]),
        help="A lead sees all grades and decides, an admin also creates accounts.",
    )
    reset_password: bool = flag("--reset-password", help="Generate a new password and print it.")
    state: Literal["open", "closed"] | None = option(
        "--state", type=click.Choice(["open", "closed"]), help="A closed account cannot sign in."
    )
    end_sign_ins: bool = flag("--end-sign-ins", help="Sign it out everywhere.")
    end_tokens: bool = flag("--end-tokens", help="Delete its tokens.")


@click.command("account", help=ACCOUNT, short_help="Change one account.")
@takes(Account)
@no_color_option
def account(request: Account) -> None:
    """Runs `relyon judge account`."""
    from relyon.judging.access import delete_token, end_all_sign_ins, list_tokens
    from relyon.judging.events import record_event
    from relyon.judging.passwords import generate_password
    from relyon.judging.store import open_store

    if not (
        request.role
        or request.reset_password
        or request.state
        or request.end_sign_ins
        or request.end_tokens
    ):
        raise ParameterError(
            message("cli.nothing-to-change"), hint=message("cli.add-for-example-role")
        )
    with open_store(request.database) as store:
        user = store.accounts.get(request.name)
        if request.role is not None and request.role != user.role:
            store.accounts.change(user.name, role=request.role)
            record_event(store, "role_changed", detail=f"{user.name}: {user.role} → {request.role}")
            messages.note(
                message(
                    "cli.user-name-role-changed",
                    user_name=user.name,
                    role=user.role,
                    role_2=request.role,
                )
            )
        if request.state is not None:
            store.accounts.change(user.name, active=request.state == "open")
            record_event(
                store,
                "account_opened" if request.state == "open" else "account_closed",
                detail=user.name,
            )
            messages.note(
                message("cli.user-name-is-state", user_name=user.name, state=request.state)
            )
        if request.end_sign_ins:
            count = end_all_sign_ins(store, user)
            record_event(store, "sign_ins_ended", detail=f"{user.name}: {count}")
            messages.note(message("cli.ended-sign-ins", count=count, user_name=user.name))
        if request.end_tokens:
            ended = [delete_token(store, user, one.id) for one in list_tokens(store, user)]
            for one in ended:
                record_event(store, "token_ended", detail=f"{user.name}: {one.name}")
            messages.note(
                message("cli.deleted-count-tokens", count=len(ended), user_name=user.name)
            )
        if request.reset_password:
            password = generate_password()
            store.accounts.change(user.name, password=password, chosen_by="other")
            record_event(store, "password_reset", detail=user.name)
            messages.note(message("cli.this-is-new-password-of-user-name", user_name=user.name))
            click.echo(password)


@request
class Events:
    """The request of `relyon judge events`."""

    database: str = argument()
    kind: str = option(
        "--kind", metavar="KIND", default="", help="Only events of this kind, such as exported."
    )
    account: str = option(
        "--account", metavar="NAME", default="", help="Only events of this account."
    )
    limit: int = option(
        "--limit",
        type=click.IntRange(min=1),
        default=100,
        show_default=True,
        help="Maximum number of events.",
    )
    output: Output = group(
        Output,
        forms=fixed(("table", "json")),
        asked=format_option("table", "json", default=None),
        path=output_option(),
    )


@click.command("events", help=EVENTS, short_help="Show sign-ins and changes.")
@takes(Events)
@no_color_option
def events(request: Events) -> None:
    """Runs `relyon judge events`."""
    from relyon.core.parameters import check_choice
    from relyon.judging.events import EVENT_KINDS, list_events
    from relyon.judging.store import open_store

    if request.kind:
        check_choice("kind", request.kind, EVENT_KINDS)
    with open_store(request.database) as store:
        found = list_events(store, kind=request.kind, actor=request.account, most=request.limit)
    emit(
        Answer(
            lambda: [one.to_dict() for one in found],
            lambda language: _event_table(found, language),
        ),
        request.output,
    )


def _event_table(found: Sequence[Event], language: Language) -> str:
    from relyon.core.document.terminal import align

    table = [
        [_time(one.at), one.actor or "-", one.kind, one.detail or "-", one.address or "-"]
        for one in found
    ]
    texts = catalogue("judging", language)
    titles = texts.names("column", ("time", "account", "event", "detail", "address"))
    return "\n".join(align(titles, table, 5)) if found else texts["nothing_happened"]
