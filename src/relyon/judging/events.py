"""The event log: sign-ins, failed sign-ins and changes."""

from __future__ import annotations

import logging
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Literal, get_args

from relyon.core.errors import InputError
from relyon.core.parameters import check_choice
from relyon.judging.records import User
from relyon.judging.schema import events, sa

if TYPE_CHECKING:
    from relyon.judging.store import Store

log = logging.getLogger("relyon.judging")

__all__ = ["EVENT_KINDS", "Event", "EventKind", "forget_events", "list_events", "record_event"]

EventKind = Literal[
    "signed_in",
    "sign_in_failed",
    "sign_in_blocked",
    "signed_out",
    "sign_ins_ended",
    "password_changed",
    "password_reset",
    "role_changed",
    "account_made",
    "account_closed",
    "account_opened",
    "invitation_made",
    "invitation_used",
    "invitation_withdrawn",
    "member_added",
    "member_removed",
    "identity_linked",
    "identity_unlinked",
    "token_made",
    "token_ended",
    "project_made",
    "project_changed",
    "project_archived",
    "project_deleted",
    "project_restored",
    "results_corrected",
    "imported",
    "exported",
    "month_stored",
    "month_removed",
    "month_noted",
    "receiver_changed",
    "model_started",
    "model_accepted",
    "model_withdrawn",
    "model_audited",
    "snapshot_taken",
    "snapshot_deleted",
    "engine_asked",
    "backed_up",
]
EVENT_KINDS: tuple[EventKind, ...] = get_args(EventKind)

#: A detail is one line to read, not a place to store data.
MOST_DETAIL = 500


@dataclass(frozen=True)
class Event:
    """One event.

    Attributes:
        id: In the database; later ones have higher ids.
        at: Seconds since 1970.
        actor: The name of the account that did it, or that somebody tried to sign in to; empty if
            unknown.
        address: The address of the request; `command line` for commands of an operator.
        kind: Its kind.
        detail: Its object, such as the name of a project.
    """

    id: int
    at: float
    actor: str
    address: str
    kind: str
    detail: str

    def to_dict(self) -> dict[str, object]:
        """Returns JSON-ready values."""
        return asdict(self)


def record_event(
    store: Store,
    kind: EventKind,
    *,
    actor: User | str = "",
    address: str = "command line",
    detail: str = "",
    connection: sa.Connection | None = None,
) -> None:
    """Records an event; in the program's log if the database cannot be written.

    Args:
        store: The database.
        kind: Its kind.
        actor: The account.
        address: The address of the request.
        detail: Its object. Never a secret.
        connection: A connection in a write transaction, if both are to be stored or neither.

    Raises:
        ParameterError: If the kind is unknown.

    Examples:
        >>> from tempfile import TemporaryDirectory
        >>> from relyon.judging import open_store
        >>> folder = TemporaryDirectory()
        >>> with open_store(f"{folder.name}/judging.db", create=True) as store:
        ...     record_event(store, "exported", actor="ann", detail="June as trec")
        ...     [(one.kind, one.detail) for one in list_events(store)]
        [('exported', 'June as trec')]
        >>> folder.cleanup()
    """
    check_choice("kind", kind, EVENT_KINDS)
    values = {
        "created_at": store.clock(),
        "actor": _storable(actor.name if isinstance(actor, User) else actor),
        "address": _storable(address),
        "kind": kind,
        "detail": _storable(detail),
    }
    if connection is not None:
        connection.execute(sa.insert(events).values(**values))
        return
    try:
        with store.database.write() as own:
            own.execute(sa.insert(events).values(**values))
    except InputError as error:
        # The event did happen, perhaps to save the data from this very disk.
        log.error("%s could not be stored: %s", values, error)


def _storable(text: str) -> str:
    """Recording an event must never cause a failure."""
    found = text.encode("utf-8", "replace").decode().replace("\0", "?")
    return found if len(found) <= MOST_DETAIL else f"{found[: MOST_DETAIL - 1]}…"


def list_events(
    store: Store,
    *,
    kind: str = "",
    actor: str = "",
    before: int | None = None,
    most: int | None = None,
) -> list[Event]:
    """Returns the events, newest first.

    Args:
        store: The database.
        kind: Only of this kind.
        actor: Only events of this account.
        before: Only events with a lower id: the next page of a list.
        most: Maximum number of events.
    """
    query = sa.select(events).order_by(events.c.id.desc()).limit(most)
    if kind:
        query = query.where(events.c.kind == kind)
    if actor:
        query = query.where(events.c.actor == actor)
    if before is not None:
        query = query.where(events.c.id < before)
    with store.database.read() as connection:
        return [
            Event(row.id, row.created_at, row.actor, row.address, row.kind, row.detail)
            for row in connection.execute(query)
        ]


def forget_events(store: Store, *, days: float) -> int:
    """Deletes events older than a number of days, and returns how many."""
    with store.database.write() as connection:
        old = events.c.created_at < store.clock() - days * 86400
        return int(connection.execute(sa.delete(events).where(old)).rowcount)
