"""Identities: accounts of an identity provider that sign in to accounts here.

An identity is the pair of an issuer and its id for a person, which never changes, and never an
e-mail address, which may be given to somebody else.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from relyon.core.errors import InputError, ParameterError
from relyon.core.texts import message
from relyon.judging.database import new_id
from relyon.judging.records import Role, User
from relyon.judging.schema import identities, sa, users
from relyon.judging.table_rows import read_user
from relyon.judging.texts import check_text

if TYPE_CHECKING:
    from collections.abc import Sequence

    from relyon.judging.store import Store

__all__ = [
    "Identity",
    "create_identified",
    "find_identified",
    "find_owner",
    "link_identity",
    "list_identities",
    "put_identity",
    "unlink_identity",
]

#: The longest id of a person that a provider may send (OpenID Connect Core 1.0, section 2).
LONGEST = 255
#: Names that are tried for a new account: the name itself, then with a number.
NAMES = 100


@dataclass(frozen=True)
class Identity:
    """An account of an identity provider.

    Attributes:
        issuer: The provider.
        subject: The provider's id of the person.
    """

    issuer: str
    subject: str


def put_identity(connection: sa.Connection, identity: Identity, user_id: int, now: float) -> None:
    """Stores that an identity signs in to an account.

    Raises:
        ParameterError: If its id is empty or too long.
        sa.exc.IntegrityError: If it signs in to another account.
    """
    subject = check_text(identity.subject, "id of the person")
    if not 0 < len(subject) <= LONGEST:
        raise ParameterError(message("judging.identity-needs-id", longest=LONGEST))
    connection.execute(
        sa.insert(identities).values(
            issuer=check_text(identity.issuer, "issuer"),
            subject=subject,
            user_id=user_id,
            created_at=now,
        )
    )


def find_owner(store: Store, identity: Identity) -> User | None:
    """Returns the account that an identity belongs to, even a closed one."""
    query = (
        sa.select(users)
        .join_from(identities, users, users.c.id == identities.c.user_id)
        .where(identities.c.issuer == identity.issuer, identities.c.subject == identity.subject)
    )
    with store.database.read() as connection:
        row = connection.execute(query).one_or_none()
    return None if row is None else read_user(row)


def find_identified(store: Store, identity: Identity) -> User | None:
    """Returns the active account that an identity signs in to."""
    found = find_owner(store, identity)
    return found if found is not None and found.active else None


def list_identities(store: Store, user: User) -> list[Identity]:
    """Returns the identities that sign in to an account."""
    query = sa.select(identities).where(identities.c.user_id == user.id)
    with store.database.read() as connection:
        rows = connection.execute(query.order_by(identities.c.issuer, identities.c.subject))
        return [Identity(row.issuer, row.subject) for row in rows]


def link_identity(store: Store, user: User, identity: Identity) -> None:
    """Lets an identity sign in to an account; nothing happens if it already does.

    Raises:
        InputError: If it signs in to another account.
    """
    try:
        with store.database.write() as connection:
            put_identity(connection, identity, user.id, store.clock())
    except sa.exc.IntegrityError:
        found = find_identified(store, identity)
        if found is None or found.id != user.id:
            raise InputError(message("judging.identity-is-another-accounts")) from None


def unlink_identity(store: Store, user: User, identity: Identity) -> None:
    """Ends that an identity signs in to an account.

    Raises:
        ParameterError: If nothing else would sign in to the account.
    """
    mine = sa.and_(
        identities.c.user_id == user.id,
        identities.c.issuer == identity.issuer,
        identities.c.subject == identity.subject,
    )
    with store.database.write() as connection:
        own = sa.select(users.c.password_hash).where(users.c.id == user.id).with_for_update()
        has_password = connection.execute(own).scalar_one() is not None
        connection.execute(sa.delete(identities).where(mine))
        others = sa.select(identities.c.subject).where(identities.c.user_id == user.id)
        if not has_password and not connection.execute(others).all():
            raise ParameterError(message("judging.only-way-to-sign-in"))


def create_identified(
    store: Store, identity: Identity, names: Sequence[str], *, role: Role = "judge"
) -> User:
    """Creates an account that an identity signs in to, without a password.

    Args:
        store: The database.
        identity: The identity.
        names: Names for the account, the preferred one first. One that is taken, or that could be
            mistaken for another account's, gets a number.
        role: The role of the account.

    Raises:
        ParameterError: If no name can be used.
    """
    name = _free_name(store, names)
    now = store.clock()
    try:
        with store.database.write() as connection:
            values = {"name": name, "role": role, "active": True, "must_change": False}
            made = new_id(connection.execute(sa.insert(users).values(**values, created_at=now)))
            put_identity(connection, identity, made, now)
    except sa.exc.IntegrityError:
        # The same person, in two browsers at once.
        found = find_identified(store, identity)
        if found is None:
            raise ParameterError(
                message("judging.already-exists", what="user", values=name),
                hint=message("judging.choose-another-name"),
            ) from None
        return found
    return User(made, name, role)


def _free_name(store: Store, names: Sequence[str]) -> str:
    problem = ParameterError(message("judging.no-name-of-provider"))
    for name in names:
        for number in range(1, NAMES):
            wanted = name if number == 1 else f"{name} {number}"
            try:
                wanted = store.accounts.check_new_name(wanted)
            except (ParameterError, InputError):
                continue
            return wanted
    raise problem
