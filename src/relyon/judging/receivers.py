"""Receivers of alarms: chats by their webhook, and e-mail addresses."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, get_args
from urllib.parse import urlsplit

from relyon.core.errors import InputError, ParameterError
from relyon.core.language import check_language
from relyon.core.parameters import check_choice
from relyon.core.texts import Language, message
from relyon.judging.database import new_id
from relyon.judging.schema import TableRow, messages, receivers, sa
from relyon.judging.texts import check_text, is_id

if TYPE_CHECKING:
    from relyon.judging.database_part import Base
    from relyon.judging.records import User

__all__ = [
    "RECEIVER_KINDS",
    "Receiver",
    "ReceiverKind",
    "add_receiver",
    "find_receiver",
    "list_receivers",
    "remove_receiver",
    "switch_receiver",
]

ReceiverKind = Literal["webhook", "dingtalk", "feishu", "email"]
RECEIVER_KINDS: tuple[ReceiverKind, ...] = get_args(ReceiverKind)

#: One address, which cannot end a header or name a second receiver.
MAILBOX = re.compile(
    r"[A-Za-z0-9.!#$%&'*+/=?^_`{|}~-]{1,64}@"
    r"[A-Za-z0-9](?:[A-Za-z0-9-]{0,62})(?:\.[A-Za-z0-9-]{1,63})*"
)
#: Longest address of a webhook.
LONGEST_ADDRESS = 2000
MOST_RECEIVERS = 50


@dataclass(frozen=True)
class Receiver:
    """A receiver of alarms.

    Attributes:
        id: In the database.
        kind: A `webhook` takes Slack's JSON, which Mattermost and others take too; `dingtalk` and
            `feishu` take their own; `email` is an address.
        address: The webhook's URL, part of which is a secret, or the e-mail address.
        name: Its name in lists; may be empty.
        language: Of the messages.
        active: Whether it is notified.
        every_month: Whether it is notified of months without an alarm, too.
        created_at: Seconds since 1970: months made before are not sent.
    """

    id: int
    kind: ReceiverKind
    address: str
    name: str
    language: Language
    active: bool
    every_month: bool
    created_at: float

    @property
    def shown(self) -> str:
        """The address as pages show it: of a webhook only its host.

        Examples:
            >>> url = "https://hooks.slack.com/services/T0/B0/secret"
            >>> Receiver(1, "webhook", url, "", "en", True, False, 0.0).shown
            'https://hooks.slack.com/…'
        """
        if self.kind == "email":
            return self.address
        parts = urlsplit(self.address)
        return f"{parts.scheme}://{parts.netloc}/…"


def check_mailbox(address: str) -> str:
    """Returns an e-mail address without the space around it.

    Raises:
        ParameterError: If it is not a single plain address.

    Examples:
        >>> check_mailbox(" search@example.org ")
        'search@example.org'
    """
    found = address.strip()
    if len(found) > 254 or not MAILBOX.fullmatch(found):
        raise ParameterError(
            message("judging.is-not-mailbox", address=found[:60]),
            hint=message("judging.give-one-mailbox"),
        )
    return found


def add_receiver(
    store: Base,
    kind: ReceiverKind,
    address: str,
    *,
    by: User,
    name: str = "",
    language: Language = "en",
    every_month: bool = False,
) -> Receiver:
    """Adds a receiver of alarms.

    Args:
        store: The database.
        kind: Its kind.
        address: The address; of a webhook as the caller checked it.
        by: The admin who adds it.
        name: Its name in lists.
        language: Of the messages.
        every_month: Whether it is notified of months without an alarm, too.

    Raises:
        ParameterError: If the account is not an admin, or the address is invalid.
        InputError: If there are too many.
    """
    if by.role != "admin" or not by.active:
        raise ParameterError(message("judging.is-not-admin", by_name=by.name))
    check_choice("kind", kind, RECEIVER_KINDS)
    check_language(language)
    if kind == "email":
        address = check_mailbox(address)
    elif not address or len(address) > LONGEST_ADDRESS:
        raise ParameterError(message("judging.webhook-too-long", longest=LONGEST_ADDRESS))
    name = check_text(name, "name").strip()[:200]
    if not name.isprintable():
        raise ParameterError(message("judging.cannot-be-name", name=name[:60], what="receiver"))
    with store.database.write() as connection:
        count = connection.execute(sa.select(sa.func.count()).select_from(receivers)).scalar_one()
        if count >= MOST_RECEIVERS:
            raise InputError(
                message("judging.too-many-receivers", most=MOST_RECEIVERS),
                hint=message("judging.remove-a-receiver"),
            )
        made = connection.execute(
            sa.insert(receivers).values(
                kind=kind,
                address=address,
                name=name,
                language=language,
                every_month=every_month,
                created_by=by.id,
                created_at=store.clock(),
            )
        )
        number = new_id(made)
        return read_receiver(
            connection.execute(sa.select(receivers).where(receivers.c.id == number)).one()
        )


def read_receiver(row: TableRow) -> Receiver:
    """Returns a receiver from its row."""
    return Receiver(
        row.id,
        row.kind,
        row.address,
        row.name,
        row.language,
        row.active,
        row.every_month,
        row.created_at,
    )


def list_receivers(store: Base, *, which: Literal["all", "active"] = "all") -> list[Receiver]:
    """Returns the receivers, in their order."""
    query = sa.select(receivers).order_by(receivers.c.id)
    if which == "active":
        query = query.where(receivers.c.active)
    with store.database.read() as connection:
        return [read_receiver(row) for row in connection.execute(query)]


def find_receiver(store: Base, number: int) -> Receiver | None:
    """Returns a receiver; None if it does not exist."""
    if not is_id(number):
        return None
    query = sa.select(receivers).where(receivers.c.id == number)
    with store.database.read() as connection:
        row = connection.execute(query).one_or_none()
    return None if row is None else read_receiver(row)


def switch_receiver(store: Base, number: int, *, active: bool) -> None:
    """Makes a receiver active, or keeps it without notifying it."""
    with store.database.write() as connection:
        connection.execute(
            sa.update(receivers).where(receivers.c.id == number).values(active=active)
        )


def remove_receiver(store: Base, number: int) -> None:
    """Removes a receiver, its address, and its messages."""
    with store.database.write() as connection:
        connection.execute(sa.delete(messages).where(messages.c.receiver_id == number))
        connection.execute(sa.delete(receivers).where(receivers.c.id == number))
