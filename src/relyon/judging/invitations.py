"""Invitations: links that create one account, once, before they expire.

A link has a secret of 256 random bits, of which only the hash is stored. Two people who use the
same link at once create one account.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, get_args

from relyon.core.errors import InputError, ParameterError
from relyon.core.parameters import check_choice
from relyon.core.texts import message
from relyon.judging.access import hash_secret, new_secret
from relyon.judging.database import new_id
from relyon.judging.identities import Identity, put_identity
from relyon.judging.members import MemberRole, find_standing, put_member
from relyon.judging.passwords import check_password_strength, hash_password
from relyon.judging.records import Project, Role, User
from relyon.judging.schema import TableRow, invitations, projects, sa, users
from relyon.judging.texts import check_text

if TYPE_CHECKING:
    from relyon.judging.store import Store

__all__ = [
    "INVITATION_DAYS",
    "LONGEST_NOTE",
    "MOST_DAYS",
    "Invitation",
    "InvitationState",
    "accept_invitation",
    "check_invitation",
    "create_invitation",
    "find_invitation",
    "list_invitations",
    "withdraw_invitation",
]

InvitationState = Literal["open", "used", "withdrawn", "expired"]

#: Days after which an invitation expires, by default and at most.
INVITATION_DAYS, MOST_DAYS = 7, 90
#: Open invitations of one account.
MOST_OPEN = 200
LONGEST_NOTE = 200
#: Days after which an invitation that cannot be used any more is forgotten.
KEPT_DAYS = 365


@dataclass(frozen=True)
class Invitation:
    """An invitation. The secret itself is not stored.

    Attributes:
        id: In the database.
        role: The role of the account that it creates.
        name: The name of that account; empty if whoever accepts it chooses one.
        project_id: The project of which the account becomes a member; None for none.
        project: The name of that project; empty for none.
        note: Whom it is for, for those who invite.
        by: The name of the account that invites.
        created_at: Seconds since 1970.
        expires_at: When it expires.
        state: Whether it is `open`; or `used`, `withdrawn`, or `expired`.
        used_by: The name of the account that it created; empty if there is none.
    """

    id: int
    role: Role
    name: str
    project_id: int | None
    project: str
    note: str
    by: str
    created_at: float
    expires_at: float
    state: InvitationState
    used_by: str


_inviters, _invited = users.alias("inviters"), users.alias("invited")
ALL = sa.select(
    invitations,
    projects.c.name.label("project_name"),
    _inviters.c.name.label("inviter"),
    _invited.c.name.label("invited_name"),
).select_from(
    invitations.join(_inviters, _inviters.c.id == invitations.c.created_by)
    .outerjoin(_invited, _invited.c.id == invitations.c.used_by)
    .outerjoin(projects, projects.c.id == invitations.c.project_id)
)


def create_invitation(
    store: Store,
    by: User,
    *,
    role: Role = "judge",
    project: Project | None = None,
    name: str = "",
    note: str = "",
    days: float = INVITATION_DAYS,
) -> str:
    """Creates an invitation, and returns its secret, which cannot be retrieved again.

    Administrators invite anybody; others invite judges to projects that they lead.

    Args:
        store: The database.
        by: Who invites.
        role: The role of the new account.
        project: The project of which the new account becomes a member.
        name: The name of the new account; empty lets whoever accepts it choose one.
        note: Whom it is for.
        days: Days until it expires, at most 90.

    Raises:
        ParameterError: If `by` may not invite like this, the name is taken or invalid, or a value
            is out of range.

    Examples:
        >>> from tempfile import TemporaryDirectory
        >>> from relyon.judging import open_store
        >>> folder = TemporaryDirectory()
        >>> with open_store(f"{folder.name}/judging.db", create=True) as store:
        ...     root = store.accounts.create("root", role="admin")
        ...     secret = create_invitation(store, root, note="Ann, from Tuesday")
        ...     [(one.note, one.state) for one in list_invitations(store)]
        [('Ann, from Tuesday', 'open')]
        >>> folder.cleanup()
    """
    check_choice("role", role, get_args(Role))
    project_id = None if project is None else project.id
    if not _may_invite(store, by, role, project_id):
        raise ParameterError(
            message("judging.may-not-invite", by_name=by.name),
            hint=message("judging.leads-invite-judges"),
        )
    if not 0 < days <= MOST_DAYS:
        raise ParameterError(message("judging.invitation-days", most=MOST_DAYS, days=days))
    note = check_text(note, "note").strip()
    if len(note) > LONGEST_NOTE:
        raise ParameterError(message("judging.note-too-long", longest=LONGEST_NOTE))
    if name.strip():
        name = store.accounts.check_new_name(name)
    now, secret = store.clock(), new_secret()
    mine = sa.and_(
        invitations.c.created_by == by.id,
        invitations.c.used_at.is_(None),
        invitations.c.withdrawn_at.is_(None),
        invitations.c.expires_at > now,
    )
    with store.database.write() as connection:
        connection.execute(
            sa.delete(invitations).where(invitations.c.expires_at <= now - KEPT_DAYS * 86400)
        )
        waiting = sa.select(sa.func.count()).select_from(invitations).where(mine)
        if connection.execute(waiting).scalar_one() >= MOST_OPEN:
            raise ParameterError(
                message("judging.too-many-invitations", most=MOST_OPEN),
                hint=message("judging.withdraw-invitations"),
            )
        connection.execute(
            sa.insert(invitations).values(
                secret_hash=hash_secret(secret),
                role=role,
                name=name.strip(),
                project_id=project_id,
                note=note,
                created_by=by.id,
                created_at=now,
                expires_at=now + days * 86400,
            )
        )
    return secret


def _may_invite(store: Store, by: User, role: Role, project_id: int | None) -> bool:
    """Returns whether an account may invite somebody, as it is now."""
    standing = find_standing(store, by, project_id)
    if not standing.user.active:
        return False
    if standing.user.role == "admin":
        return True
    return role == "judge" and standing.role == "lead"


def list_invitations(store: Store, *, project_id: int | None = None) -> list[Invitation]:
    """Returns all invitations, or those to one project, latest first."""
    query = ALL.order_by(invitations.c.id.desc())
    if project_id is not None:
        query = query.where(invitations.c.project_id == project_id)
    now = store.clock()
    with store.database.read() as connection:
        return [_read(row, now) for row in connection.execute(query)]


def _read(row: TableRow, now: float) -> Invitation:
    state: InvitationState = "open"
    if row.used_at is not None:
        state = "used"
    elif row.withdrawn_at is not None:
        state = "withdrawn"
    elif row.expires_at <= now:
        state = "expired"
    return Invitation(
        row.id,
        row.role,
        row.name,
        row.project_id,
        row.project_name or "",
        row.note,
        row.inviter,
        row.created_at,
        row.expires_at,
        state,
        row.invited_name or "",
    )


def find_invitation(store: Store, secret: str) -> Invitation | None:
    """Returns the open invitation of a secret.

    None if there is none, it can no longer be used, or who invited may no longer do so.
    """
    query = ALL.where(invitations.c.secret_hash == hash_secret(secret))
    with store.database.read() as connection:
        row = connection.execute(query).one_or_none()
        found = None if row is None else _read(row, store.clock())
        inviter = None
        if found is not None and row is not None:
            inviter = connection.execute(sa.select(users).where(users.c.id == row.created_by)).one()
    if found is None or inviter is None or found.state != "open":
        return None
    by = User(inviter.id, inviter.name, inviter.role)
    return found if _may_invite(store, by, found.role, found.project_id) else None


def withdraw_invitation(
    store: Store, invitation_id: int, *, project_id: int | None = None
) -> Invitation:
    """Withdraws an open invitation, and returns it.

    Args:
        store: The database.
        invitation_id: The invitation.
        project_id: The project that it has to be for; None for any invitation.

    Raises:
        InputError: If there is no such invitation that is open.
    """
    mine = sa.and_(
        invitations.c.id == invitation_id,
        invitations.c.used_at.is_(None),
        invitations.c.withdrawn_at.is_(None),
    )
    if project_id is not None:
        mine = sa.and_(mine, invitations.c.project_id == project_id)
    now = store.clock()
    with store.database.write() as connection:
        row = connection.execute(ALL.where(mine)).one_or_none()
        if row is None:
            raise InputError(message("judging.invitation-is-over"))
        connection.execute(sa.update(invitations).where(mine).values(withdrawn_at=now))
    return _read(row, now)


def check_invitation(store: Store, secret: str) -> Invitation:
    """Returns the open invitation of a secret.

    Raises:
        InputError: If there is none.
    """
    found = find_invitation(store, secret)
    if found is None:
        raise InputError(
            message("judging.invitation-is-over"), hint=message("judging.ask-for-invitation")
        )
    return found


def accept_invitation(
    store: Store,
    secret: str,
    name: str,
    *,
    password: str | None = None,
    identity: Identity | None = None,
) -> User:
    """Creates the account of an invitation, which cannot be used again.

    Nothing is hashed unless the invitation is open, and the name and password are valid.

    Args:
        store: The database.
        secret: The secret of the link.
        name: The name of the account, unless the invitation has one.
        password: Its password, unless it signs in with an identity provider.
        identity: The account of an identity provider that signs in to it.

    Raises:
        InputError: If the invitation is used, withdrawn, expired or unknown.
        ParameterError: If the name or the password is not valid.
    """
    found = check_invitation(store, secret)
    name = store.accounts.check_new_name(found.name or name)
    hashed = None
    if password is not None:
        check_password_strength(password, name)
        hashed = hash_password(password)
    now = store.clock()
    open_still = sa.and_(
        invitations.c.id == found.id,
        invitations.c.used_at.is_(None),
        invitations.c.withdrawn_at.is_(None),
        invitations.c.expires_at > now,
    )
    try:
        with store.database.write() as connection:
            used = sa.update(invitations).where(open_still).values(used_at=now)
            if not connection.execute(used).rowcount:
                raise InputError(
                    message("judging.invitation-is-over"),
                    hint=message("judging.ask-for-invitation"),
                )
            values = {"name": name, "role": found.role, "active": True, "must_change": False}
            values |= {"password_hash": hashed, "created_at": now}
            made = new_id(connection.execute(sa.insert(users).values(**values)))
            connection.execute(
                sa.update(invitations).where(invitations.c.id == found.id).values(used_by=made)
            )
            if found.project_id is not None:
                here: MemberRole = "judge" if found.role == "judge" else "lead"
                put_member(connection, found.project_id, made, here, now)
            if identity is not None:
                put_identity(connection, identity, made, now)
    except sa.exc.IntegrityError:
        raise ParameterError(
            message("judging.already-exists", what="user", values=name),
            hint=message("judging.choose-another-name"),
        ) from None
    return User(made, name, found.role)
