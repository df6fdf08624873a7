"""Who is signed in, and tokens with which programs act for somebody.

A secret is 256 random bits. The database keeps its SHA-256 only, which is enough for what cannot be
guessed, and lets nobody in who reads the database.
"""

from __future__ import annotations

import hashlib
import secrets
from dataclasses import dataclass
from typing import TYPE_CHECKING

from relkit.errors import InputError, ParameterError
from relkit.judging.passwords import generate_password
from relkit.judging.records import User
from relkit.judging.rows import read_user
from relkit.judging.schema import sa, sign_ins, tokens, users
from relkit.judging.texts import check_text

if TYPE_CHECKING:
    from relkit.judging.store import Store

__all__ = [
    "LIFETIME",
    "Token",
    "create_first_account",
    "create_token",
    "delete_token",
    "end_all_sign_ins",
    "end_sign_in",
    "find_signed_in",
    "find_token_user",
    "list_tokens",
    "new_secret",
    "start_sign_in",
]

#: Seconds that a sign-in lasts.
LIFETIME = 14 * 86400.0
#: Tokens that one account may have.
MOST_TOKENS = 50

# What every request asks is put together once.
TOKEN_USER = (
    sa.select(users)
    .select_from(users.join(tokens, tokens.c.user_id == users.c.id))
    .where(tokens.c.secret_hash == sa.bindparam("hashed"), users.c.active)
)
SIGNED_IN = (
    sa.select(users)
    .select_from(users.join(sign_ins, sign_ins.c.user_id == users.c.id))
    .where(
        sign_ins.c.secret_hash == sa.bindparam("hashed"),
        sign_ins.c.expires_at > sa.bindparam("now"),
        users.c.active,
    )
)


@dataclass(frozen=True)
class Token:
    """What lets a program act for somebody. The secret itself is not kept.

    Attributes:
        id: In the database.
        name: What it is for.
        created_at: Seconds since 1970.
    """

    id: int
    name: str
    created_at: float


def new_secret() -> str:
    """Returns 256 random bits as text."""
    return secrets.token_urlsafe(32)


def _hashed(secret: str) -> str:
    return hashlib.sha256(secret.encode("utf-8", "replace")).hexdigest()


def start_sign_in(store: Store, user: User, *, lifetime: float = LIFETIME) -> str:
    """Remembers that somebody signed in, and returns a new secret for the cookie."""
    secret = new_secret()
    now = store.clock()
    with store.database.write() as connection:
        connection.execute(sa.delete(sign_ins).where(sign_ins.c.expires_at <= now))
        connection.execute(
            sa.insert(sign_ins).values(
                secret_hash=_hashed(secret),
                user_id=user.id,
                created_at=now,
                seen_at=now,
                expires_at=now + lifetime,
            )
        )
    return secret


def find_signed_in(store: Store, secret: str) -> User | None:
    """Returns whose sign-in a secret belongs to: None if it ended or the account is closed."""
    if not secret:
        return None
    values = {"hashed": _hashed(secret), "now": store.clock()}
    with store.database.read() as connection:
        row = connection.execute(SIGNED_IN, values).one_or_none()
    return None if row is None else read_user(row)


def end_sign_in(store: Store, secret: str) -> None:
    """Forgets a sign-in."""
    with store.database.write() as connection:
        connection.execute(sa.delete(sign_ins).where(sign_ins.c.secret_hash == _hashed(secret)))


def end_all_sign_ins(store: Store, user: User) -> None:
    """Forgets every sign-in of an account, as after a new password."""
    with store.database.write() as connection:
        connection.execute(sa.delete(sign_ins).where(sign_ins.c.user_id == user.id))


def create_token(store: Store, user: User, name: str) -> str:
    """Makes a token and returns its secret, which is not to be had again.

    Raises:
        ParameterError: If the name is empty or long, or the account has 50 tokens.
        InputError: If the name is no text that a database can hold.
    """
    name = check_text(name, "name of the token").strip()
    if not name or len(name) > 200 or not name.isprintable():
        raise ParameterError("a token needs a name of 1 to 200 characters")
    if len(list_tokens(store, user)) >= MOST_TOKENS:
        raise ParameterError(
            f"`{user.name}` has {MOST_TOKENS} tokens already", hint="delete one that is not used"
        )
    secret = f"relkit_{new_secret()}"
    with store.database.write() as connection:
        connection.execute(
            sa.insert(tokens).values(
                user_id=user.id, name=name, secret_hash=_hashed(secret), created_at=store.clock()
            )
        )
    return secret


def list_tokens(store: Store, user: User) -> list[Token]:
    """Returns an account's tokens, the oldest first."""
    query = sa.select(tokens).where(tokens.c.user_id == user.id).order_by(tokens.c.id)
    with store.database.read() as connection:
        return [Token(row.id, row.name, row.created_at) for row in connection.execute(query)]


def delete_token(store: Store, user: User, token_id: int) -> None:
    """Deletes one of an account's tokens.

    Raises:
        InputError: If the account has no such token.
    """
    mine = sa.and_(tokens.c.id == token_id, tokens.c.user_id == user.id)
    with store.database.write() as connection:
        if not connection.execute(sa.delete(tokens).where(mine)).rowcount:
            raise InputError("there is no such token")


def find_token_user(store: Store, secret: str) -> User | None:
    """Returns for whom a token acts: None if there is none, or the account is closed."""
    with store.database.read() as connection:
        row = connection.execute(TOKEN_USER, {"hashed": _hashed(secret)}).one_or_none()
    return None if row is None else read_user(row)


def create_first_account(store: Store) -> tuple[User, str] | None:
    """Makes the account that leads, where there is none yet, with a password made for it.

    Returns:
        The account and its password, which is not to be had again; None where somebody leads.
    """
    if _somebody_leads(store):
        return None
    names = {user.name for user in store.users()}
    name = next(
        name for name in ("lead", *(f"lead-{n}" for n in range(2, 1000))) if name not in names
    )
    password = generate_password()
    try:
        return store.create_user(name, role="admin", password=password), password
    except ParameterError:
        if _somebody_leads(store):  # another process that starts made it a moment ago
            return None
        raise


def _somebody_leads(store: Store) -> bool:
    return any(user.role == "admin" and user.active for user in store.users())
