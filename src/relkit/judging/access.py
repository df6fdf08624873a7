"""Who is signed in, and tokens with which programs act for somebody.

A secret is 256 random bits. The database keeps its SHA-256 only, which is enough for what cannot be
guessed, and lets nobody in who reads the database.
"""

from __future__ import annotations

import hashlib
import secrets
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Literal, get_args

from relkit.core.errors import InputError, ParameterError
from relkit.core.parameters import check_choice
from relkit.core.texts import message
from relkit.judging.events import record_event
from relkit.judging.passwords import generate_password
from relkit.judging.records import User
from relkit.judging.rows import read_user
from relkit.judging.schema import sa, sign_ins, tokens, users
from relkit.judging.texts import check_text

if TYPE_CHECKING:
    from relkit.judging.accounts import ChosenBy
    from relkit.judging.store import Store

__all__ = [
    "IDLE",
    "LIFETIME",
    "SCOPES",
    "TOKEN_DAYS",
    "Scope",
    "SignIn",
    "Token",
    "create_first_account",
    "create_token",
    "delete_token",
    "end_all_sign_ins",
    "end_one_sign_in",
    "end_sign_in",
    "find_signed_in",
    "find_token",
    "find_token_user",
    "hash_secret",
    "list_sign_ins",
    "list_tokens",
    "new_secret",
    "start_sign_in",
]

#: Seconds that a sign-in lasts.
LIFETIME = 14 * 86400.0
#: Seconds after which it ends if nobody uses it.
IDLE = 3 * 86400.0
#: Tokens that one account may have.
MOST_TOKENS = 50
#: Days that a token can be made for, besides those that do not end.
TOKEN_DAYS = (7, 30, 90, 365)
#: Seconds between two notes of when something was last used.
NOTED_EVERY = 60.0

Scope = Literal["read", "grade", "admin"]
"""What a token lets a program do: `read` what its owner may read; `grade` what a judge does;
`admin` all that its owner may."""
SCOPES: tuple[Scope, ...] = get_args(Scope)

# What every request asks is put together once.
TOKEN_USER = (
    sa.select(
        users, *(tokens.c[name].label(f"token_{name}") for name in ("id", "scope", "used_at"))
    )
    .select_from(users.join(tokens, tokens.c.user_id == users.c.id))
    .where(
        tokens.c.secret_hash == sa.bindparam("hashed"),
        sa.or_(tokens.c.expires_at.is_(None), tokens.c.expires_at > sa.bindparam("now")),
        users.c.active,
    )
)
SIGNED_IN = (
    sa.select(users, sign_ins.c.id.label("sign_in_id"), sign_ins.c.seen_at)
    .select_from(users.join(sign_ins, sign_ins.c.user_id == users.c.id))
    .where(
        sign_ins.c.secret_hash == sa.bindparam("hashed"),
        sign_ins.c.expires_at > sa.bindparam("now"),
        sign_ins.c.seen_at > sa.bindparam("idle_since"),
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
        owner: The name of the account for which it acts.
        scope: What it may.
        expires_at: When it ends; None if it does not.
        used_at: When it was last used, to the minute; None if it never was.
        ended: Whether its time is over.
    """

    id: int
    name: str
    created_at: float
    owner: str
    scope: Scope
    expires_at: float | None
    used_at: float | None
    ended: bool


@dataclass(frozen=True)
class SignIn:
    """A browser in which somebody is signed in.

    Attributes:
        id: In the database.
        created_at: When they signed in.
        seen_at: When it was last used, to the minute.
        agent: The browser and its system, in few words.
        address: From where they signed in.
        current: Whether it is the one that asks.
    """

    id: int
    created_at: float
    seen_at: float
    agent: str
    address: str
    current: bool


def new_secret() -> str:
    """Returns 256 random bits as text."""
    return secrets.token_urlsafe(32)


def hash_secret(secret: str) -> str:
    """Returns what is stored in place of a secret."""
    return hashlib.sha256(secret.encode("utf-8", "replace")).hexdigest()


def start_sign_in(
    store: Store, user: User, *, lifetime: float = LIFETIME, agent: str = "", address: str = ""
) -> str:
    """Remembers that somebody signed in, and returns a new secret for the cookie.

    Args:
        store: The database.
        user: Who it is.
        lifetime: Seconds until the sign-in ends.
        agent: The browser and its system, for its owner to recognise.
        address: From where.
    """
    secret = new_secret()
    now = store.clock()
    with store.database.write() as connection:
        connection.execute(sa.delete(sign_ins).where(sign_ins.c.expires_at <= now))
        connection.execute(
            sa.insert(sign_ins).values(
                secret_hash=hash_secret(secret),
                user_id=user.id,
                created_at=now,
                seen_at=now,
                expires_at=now + lifetime,
                agent=agent,
                address=address,
            )
        )
    return secret


def find_signed_in(store: Store, secret: str, *, idle: float = IDLE) -> User | None:
    """Returns whose sign-in a secret belongs to: None if it ended or the account is closed.

    Args:
        store: The database.
        secret: What the cookie holds.
        idle: Seconds after which a sign-in ends that nobody uses.
    """
    if not secret:
        return None
    now = store.clock()
    values = {"hashed": hash_secret(secret), "now": now, "idle_since": now - idle}
    with store.database.read() as connection:
        row = connection.execute(SIGNED_IN, values).one_or_none()
    if row is None:
        return None
    if abs(now - row.seen_at) >= NOTED_EVERY:
        store.database.try_write(
            sa.update(sign_ins).where(sign_ins.c.id == row.sign_in_id).values(seen_at=now)
        )
    return read_user(row)


def end_sign_in(store: Store, secret: str) -> None:
    """Forgets a sign-in."""
    mine = sign_ins.c.secret_hash == hash_secret(secret)
    with store.database.write() as connection:
        connection.execute(sa.delete(sign_ins).where(mine))


def end_one_sign_in(store: Store, user: User, sign_in_id: int) -> None:
    """Forgets one of an account's sign-ins.

    Raises:
        InputError: If the account has no such sign-in.
    """
    mine = sa.and_(sign_ins.c.id == sign_in_id, sign_ins.c.user_id == user.id)
    with store.database.write() as connection:
        if not connection.execute(sa.delete(sign_ins).where(mine)).rowcount:
            raise InputError("there is no such sign-in", hint="it may have ended by itself")


def end_all_sign_ins(store: Store, user: User, *, but: str = "") -> int:
    """Forgets every sign-in of an account but the one of a secret, and returns how many."""
    others = sa.and_(sign_ins.c.user_id == user.id, sign_ins.c.secret_hash != hash_secret(but))
    with store.database.write() as connection:
        return int(connection.execute(sa.delete(sign_ins).where(others)).rowcount)


def list_sign_ins(
    store: Store, user: User, *, secret: str = "", idle: float = IDLE
) -> list[SignIn]:
    """Returns where an account is signed in, the browser that asks first, then the last seen.

    Args:
        store: The database.
        user: The account.
        secret: What the cookie of the browser that asks holds.
        idle: Seconds after which a sign-in ends that nobody uses.
    """
    now = store.clock()
    query = sa.select(sign_ins).where(
        sign_ins.c.user_id == user.id,
        sign_ins.c.expires_at > now,
        sign_ins.c.seen_at > now - idle,
    )
    with store.database.read() as connection:
        found = [
            SignIn(
                row.id,
                row.created_at,
                row.seen_at,
                row.agent,
                row.address,
                row.secret_hash == hash_secret(secret),
            )
            for row in connection.execute(query)
        ]
    return sorted(found, key=lambda one: (not one.current, -one.seen_at, one.id))


def create_token(
    store: Store, user: User, name: str, *, scope: Scope = "admin", days: float | None = 90
) -> str:
    """Makes a token and returns its secret, which is not to be had again.

    Args:
        store: The database.
        user: For whom it acts.
        name: What it is for.
        scope: What it lets a program do.
        days: After how many days it ends; None if it does not.

    Raises:
        ParameterError: If the name is empty or long, the scope unknown, the time none, or the
            account has 50 tokens.
        InputError: If the name is no text that a database can hold.
    """
    name = check_text(name, "name of the token").strip()
    if not name or len(name) > 200 or not name.isprintable():
        raise ParameterError("a token needs a name of 1 to 200 characters")
    check_choice("scope", scope, SCOPES)
    if days is not None and not 0 < days <= 3650:
        raise ParameterError(
            message("a token ends after 1 to 3,650 days, or not at all. Got {days}.", days=days)
        )
    if len(list_tokens(store, user)) >= MOST_TOKENS:
        raise ParameterError(
            message(
                "`{user_name}` has {most_tokens} tokens already",
                user_name=user.name,
                most_tokens=MOST_TOKENS,
            ),
            hint="delete one that is not used",
        )
    secret = f"relkit_{new_secret()}"
    now = store.clock()
    with store.database.write() as connection:
        connection.execute(
            sa.insert(tokens).values(
                user_id=user.id,
                name=name,
                secret_hash=hash_secret(secret),
                scope=scope,
                created_at=now,
                expires_at=None if days is None else now + days * 86400,
            )
        )
    return secret


def list_tokens(store: Store, user: User | None = None) -> list[Token]:
    """Returns an account's tokens, or everybody's by account, the oldest first."""
    query = (
        sa.select(tokens, users.c.name.label("owner"))
        .join(users, users.c.id == tokens.c.user_id)
        .order_by(users.c.name, tokens.c.id)
    )
    if user is not None:
        query = query.where(tokens.c.user_id == user.id)
    now = store.clock()
    with store.database.read() as connection:
        return [_read_token(row, now) for row in connection.execute(query)]


def _read_token(row: Any, now: float) -> Token:
    return Token(
        row.id,
        row.name,
        row.created_at,
        row.owner,
        row.scope,
        row.expires_at,
        row.used_at,
        row.expires_at is not None and row.expires_at <= now,
    )


def find_token(store: Store, token_id: int, user: User | None = None) -> Token:
    """Returns one token, of an account or of anybody.

    Raises:
        InputError: If there is none.
    """
    for one in list_tokens(store, user):
        if one.id == token_id:
            return one
    raise InputError("there is no such token")


def delete_token(store: Store, user: User | None, token_id: int) -> Token:
    """Deletes one of an account's tokens, or anybody's, and returns what it was.

    Raises:
        InputError: If there is no such token.
    """
    found = find_token(store, token_id, user)
    with store.database.write() as connection:
        connection.execute(sa.delete(tokens).where(tokens.c.id == token_id))
    return found


def find_token_user(store: Store, secret: str) -> tuple[User, Scope] | None:
    """Returns for whom a token acts and what it may: None if it ended, or the account is closed.

    A token that grades makes of its owner a judge, and no more.
    """
    now = store.clock()
    with store.database.read() as connection:
        values = {"hashed": hash_secret(secret), "now": now}
        row = connection.execute(TOKEN_USER, values).one_or_none()
    if row is None:
        return None
    if row.token_used_at is None or abs(now - row.token_used_at) >= NOTED_EVERY:
        store.database.try_write(
            sa.update(tokens).where(tokens.c.id == row.token_id).values(used_at=now)
        )
    user = read_user(row)
    return (replace(user, role="judge") if row.token_scope == "grade" else user), row.token_scope


def create_first_account(store: Store, *, chosen_by: ChosenBy = "other") -> tuple[User, str] | None:
    """Makes the account that leads, where there is none yet, with a password made for it.

    Args:
        store: The database.
        chosen_by: `owner` where nobody needs to replace the password: in a demonstration.

    Returns:
        The account and its password, which is not to be had again; None where somebody leads.
    """
    if _somebody_leads(store):
        return None
    names = {user.name for user in store.accounts.all()}
    name = next(
        name for name in ("lead", *(f"lead-{n}" for n in range(2, 1000))) if name not in names
    )
    password = generate_password()
    try:
        made = store.accounts.create(name, role="admin", password=password, chosen_by=chosen_by)
    except ParameterError:
        if _somebody_leads(store):  # another process that starts made it a moment ago
            return None
        raise
    record_event(store, "account_made", detail=f"{made.name} ({made.role})")
    return made, password


def _somebody_leads(store: Store) -> bool:
    return any(user.role == "admin" and user.active for user in store.accounts.all())
