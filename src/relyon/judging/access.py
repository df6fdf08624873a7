"""Sign-ins, and tokens with which programs act for a user.

A secret is 256 random bits. The database stores only its SHA-256, which is enough for a secret that
cannot be guessed, and useless to a reader of the database.
"""

from __future__ import annotations

import hashlib
import secrets
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Literal, get_args

from relyon.core.errors import InputError, ParameterError
from relyon.core.parameters import check_choice
from relyon.core.texts import message
from relyon.judging.events import record_event
from relyon.judging.members import STANDING, Standing, join_standing, read_standing
from relyon.judging.passwords import generate_password
from relyon.judging.records import User
from relyon.judging.schema import TableRow, sa, sign_ins, tokens, users
from relyon.judging.texts import check_text

if TYPE_CHECKING:
    from relyon.judging.accounts import ChosenBy
    from relyon.judging.store import Store

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
    "find_program",
    "find_signed_in",
    "find_token",
    "find_token_user",
    "find_visitor",
    "hash_secret",
    "list_sign_ins",
    "list_tokens",
    "new_secret",
    "start_sign_in",
]

#: Seconds that a sign-in lasts.
LIFETIME = 14 * 86400.0
#: Seconds after which an unused sign-in ends.
IDLE = 3 * 86400.0
#: Tokens that one account may have.
MOST_TOKENS = 50
#: Maximum lifetime of a token in days, unless it does not expire.
TOKEN_DAYS = (7, 30, 90, 365)
#: Minimum seconds between two updates of a last-used time.
NOTED_EVERY = 60.0

Scope = Literal["read", "grade", "admin"]
"""The permissions of a token: `read` reads all that its owner may read; `grade` acts as a judge;
`admin` may do all that its owner may."""
SCOPES: tuple[Scope, ...] = get_args(Scope)

# The query of every request is built once.
TOKEN_USER = (
    sa.select(
        users,
        *(tokens.c[name].label(f"token_{name}") for name in ("id", "scope", "used_at")),
        *STANDING,
    )
    .select_from(join_standing(users.join(tokens, tokens.c.user_id == users.c.id)))
    .where(
        tokens.c.secret_hash == sa.bindparam("hashed"),
        sa.or_(tokens.c.expires_at.is_(None), tokens.c.expires_at > sa.bindparam("now")),
        users.c.active,
    )
)
SIGNED_IN = (
    sa.select(users, sign_ins.c.id.label("sign_in_id"), sign_ins.c.seen_at, *STANDING)
    .select_from(join_standing(users.join(sign_ins, sign_ins.c.user_id == users.c.id)))
    .where(
        sign_ins.c.secret_hash == sa.bindparam("hashed"),
        sign_ins.c.expires_at > sa.bindparam("now"),
        sign_ins.c.seen_at > sa.bindparam("idle_since"),
        users.c.active,
    )
)


@dataclass(frozen=True)
class Token:
    """A token with which a program acts for a user. The secret itself is not stored.

    Attributes:
        id: In the database.
        name: Its purpose.
        created_at: Seconds since 1970.
        owner: The name of the account that it acts for.
        scope: Its permissions.
        expires_at: When it expires; None if it does not.
        used_at: When it was last used, to the minute; None if it never was.
        ended: Whether it has expired.
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
    """A browser in which a user is signed in.

    Attributes:
        id: In the database.
        created_at: When they signed in.
        seen_at: When it was last used, to the minute.
        agent: A short name of the browser and its system.
        address: The address from which they signed in.
        current: Whether it is the current one.
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
    """Returns the stored hash of a secret."""
    return hashlib.sha256(secret.encode("utf-8", "replace")).hexdigest()


def start_sign_in(
    store: Store, user: User, *, lifetime: float = LIFETIME, agent: str = "", address: str = ""
) -> str:
    """Records a sign-in, and returns a new secret for the cookie.

    Args:
        store: The database.
        user: The user.
        lifetime: Seconds until the sign-in expires.
        agent: The browser and its system, for the owner to recognise.
        address: The address of the browser.
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
    """Returns the user of a sign-in's secret: None if it has ended or the account is closed.

    Args:
        store: The database.
        secret: The value of the cookie.
        idle: Seconds after which an unused sign-in ends.
    """
    found = find_visitor(store, secret, idle=idle)
    return None if found is None else found.user


def find_visitor(
    store: Store, secret: str, *, idle: float = IDLE, project_id: int | None = None
) -> Standing | None:
    """Returns the user of a sign-in's secret as `find_signed_in`, and their role in a project."""
    if not secret:
        return None
    now = store.clock()
    values = {
        "hashed": hash_secret(secret),
        "now": now,
        "idle_since": now - idle,
        "project": project_id,
    }
    with store.database.read() as connection:
        row = connection.execute(SIGNED_IN, values).one_or_none()
    if row is None:
        return None
    if abs(now - row.seen_at) >= NOTED_EVERY:
        store.database.try_write(
            sa.update(sign_ins).where(sign_ins.c.id == row.sign_in_id).values(seen_at=now)
        )
    return read_standing(row)


def end_sign_in(store: Store, secret: str) -> None:
    """Ends a sign-in."""
    mine = sign_ins.c.secret_hash == hash_secret(secret)
    with store.database.write() as connection:
        connection.execute(sa.delete(sign_ins).where(mine))


def end_one_sign_in(store: Store, user: User, sign_in_id: int) -> None:
    """Ends one of an account's sign-ins.

    Raises:
        InputError: If the account has no such sign-in.
    """
    mine = sa.and_(sign_ins.c.id == sign_in_id, sign_ins.c.user_id == user.id)
    with store.database.write() as connection:
        if not connection.execute(sa.delete(sign_ins).where(mine)).rowcount:
            raise InputError(
                message("judging.this-sign-in-does"), hint=message("judging.may-have-expired")
            )


def end_all_sign_ins(store: Store, user: User, *, but: str = "") -> int:
    """Ends all sign-ins of an account except the one with a secret, and returns their number."""
    others = sa.and_(sign_ins.c.user_id == user.id, sign_ins.c.secret_hash != hash_secret(but))
    with store.database.write() as connection:
        return int(connection.execute(sa.delete(sign_ins).where(others)).rowcount)


def list_sign_ins(
    store: Store, user: User, *, secret: str = "", idle: float = IDLE
) -> list[SignIn]:
    """Returns an account's sign-ins, the current browser first, then the most recently seen.

    Args:
        store: The database.
        user: The account.
        secret: The value of the current browser's cookie.
        idle: Seconds after which an unused sign-in ends.
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
    """Creates a token and returns its secret, which cannot be retrieved again.

    Args:
        store: The database.
        user: The user it acts for.
        name: Its purpose.
        scope: Its permissions.
        days: Days until it expires; None if it does not.

    Raises:
        ParameterError: If the name is empty or too long, the scope or lifetime invalid, or the
            account has 50 tokens.
        InputError: If the name cannot be stored in a database.
    """
    name = check_text(name, "name of the token").strip()
    if not name or len(name) > 200 or not name.isprintable():
        raise ParameterError(message("judging.token-needs-name"))
    check_choice("scope", scope, SCOPES)
    if days is not None and not 0 < days <= 3650:
        raise ParameterError(message("judging.token-expires-after-1", days=days))
    if len(list_tokens(store, user)) >= MOST_TOKENS:
        raise ParameterError(
            message(
                "judging.already-has-tokens",
                user_name=user.name,
                most_tokens=MOST_TOKENS,
            ),
            hint=message("judging.delete-unused"),
        )
    secret = f"relyon_{new_secret()}"
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
    """Returns an account's tokens, or all tokens by account, oldest first."""
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


def _read_token(row: TableRow, now: float) -> Token:
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
    """Returns one token, of an account or of any account.

    Raises:
        InputError: If this token does not exist.
    """
    for one in list_tokens(store, user):
        if one.id == token_id:
            return one
    raise InputError(message("judging.this-token-does"))


def delete_token(store: Store, user: User | None, token_id: int) -> Token:
    """Deletes one of an account's tokens, or any token, and returns it.

    Raises:
        InputError: If this token does not exist.
    """
    found = find_token(store, token_id, user)
    with store.database.write() as connection:
        connection.execute(sa.delete(tokens).where(tokens.c.id == token_id))
    return found


def find_token_user(store: Store, secret: str) -> tuple[User, Scope] | None:
    """Returns a token's user and scope: None if it has expired, or the account is closed.

    A token with the scope `grade` reduces its owner to a judge.
    """
    found = find_program(store, secret)
    if found is None:
        return None
    standing, scope = found
    user = standing.user
    return (replace(user, role="judge") if scope == "grade" else user), scope


def find_program(
    store: Store, secret: str, *, project_id: int | None = None
) -> tuple[Standing, Scope] | None:
    """Returns a token's user, their role in a project, and the token's scope, or None.

    The user is in the account's own role: a token with the scope `grade` still has to reduce it.
    """
    now = store.clock()
    with store.database.read() as connection:
        values = {"hashed": hash_secret(secret), "now": now, "project": project_id}
        row = connection.execute(TOKEN_USER, values).one_or_none()
    if row is None:
        return None
    if row.token_used_at is None or abs(now - row.token_used_at) >= NOTED_EVERY:
        store.database.try_write(
            sa.update(tokens).where(tokens.c.id == row.token_id).values(used_at=now)
        )
    return read_standing(row), row.token_scope


def create_first_account(store: Store, *, chosen_by: ChosenBy = "other") -> tuple[User, str] | None:
    """Creates the first lead account, if there is none, with a generated password.

    Args:
        store: The database.
        chosen_by: `owner` if the password need not be replaced, as in a demonstration.

    Returns:
        The account and its password, which cannot be retrieved again; None if there is a lead.
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
        if _somebody_leads(store):  # another process that is starting has just created it
            return None
        raise
    record_event(store, "account_made", detail=f"{made.name} ({made.role})")
    return made, password


def _somebody_leads(store: Store) -> bool:
    return any(user.role == "admin" and user.active for user in store.accounts.all())
