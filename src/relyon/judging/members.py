"""Who sees a project, and in which role: the one rule, and the members of projects.

An administrator sees every project. A project for everybody is seen by every account, in the role
of the account. A project for members only is seen by its members, each in their role there.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Literal, get_args

from relyon.core.errors import InputError, ParameterError
from relyon.core.parameters import check_choice
from relyon.core.texts import message
from relyon.judging.projects import SEEN, find_project
from relyon.judging.records import Project, Role, User
from relyon.judging.schema import (
    TableRow,
    actions,
    adjudications,
    assignments,
    items,
    members,
    postgresql,
    projects,
    sa,
    sqlite,
    users,
)
from relyon.judging.settlement import release_places
from relyon.judging.table_rows import read_project, read_user

if TYPE_CHECKING:
    from relyon.judging.store import Store

__all__ = [
    "MEMBER_ROLES",
    "STANDING",
    "Member",
    "MemberRole",
    "Standing",
    "find_standing",
    "join_standing",
    "list_members",
    "open_to_everybody",
    "project_of_item",
    "put_member",
    "read_standing",
    "remove_member",
    "restrict_to_members",
    "set_member",
    "visible_projects",
]

MemberRole = Literal["judge", "lead"]
"""The role of a member in one project."""
MEMBER_ROLES: tuple[MemberRole, ...] = get_args(MemberRole)


@dataclass(frozen=True)
class Standing:
    """An account, and its role in a project.

    Attributes:
        user: The account, in its own role.
        exists: Whether the project exists.
        role: Its role in the project; None if it does not see the project.
        members_only: Whether only members see the project.
    """

    user: User
    exists: bool
    role: Role | None
    members_only: bool = False

    @property
    def here(self) -> User | None:
        """The account in its role in the project; None if it does not see the project."""
        return None if self.role is None else replace(self.user, role=self.role)


@dataclass(frozen=True)
class Member:
    """A member of a project.

    Attributes:
        name: The name of the account.
        role: The role in the project.
        account_role: The role of the account.
        active: Whether the account may be used.
        since: When they became a member, in seconds since 1970.
    """

    name: str
    role: MemberRole
    account_role: Role
    active: bool
    since: float


#: The columns from which `read_standing` reads a role.
STANDING = (
    projects.c.id.label("project_here"),
    projects.c.members_only.label("members_only_here"),
    members.c.role.label("role_here"),
)


def join_standing(accounts: sa.FromClause) -> sa.FromClause:
    """Joins the project `:project`, and the membership in it, to a query of accounts."""
    return accounts.outerjoin(
        projects,
        sa.and_(
            projects.c.id == sa.bindparam("project", type_=sa.Integer), projects.c.state.in_(SEEN)
        ),
    ).outerjoin(
        members, sa.and_(members.c.project_id == projects.c.id, members.c.user_id == users.c.id)
    )


def read_standing(row: TableRow) -> Standing:
    """Returns the account of a row, and its role in the project that was joined to it."""
    user, exists = read_user(row), row.project_here is not None
    role = _find_role(user.role, row.members_only_here, row.role_here) if exists else None
    return Standing(user, exists, role, bool(row.members_only_here))


def _find_role(account: Role, members_only: bool, member: MemberRole | None) -> Role | None:
    """Returns an account's role in a project: the one rule of who sees what."""
    if account == "admin" or not members_only:
        return account
    return member


# The query of every grade is built once.
STANDING_OF = (
    sa.select(users, *STANDING)
    .select_from(join_standing(users))
    .where(users.c.id == sa.bindparam("user"))
)
SEEN_PROJECTS = (
    sa.select(
        projects,
        users.c.role.label("account_role"),
        members.c.role.label("role_here"),
    )
    .select_from(
        projects.join(users, users.c.id == sa.bindparam("user")).outerjoin(
            members, sa.and_(members.c.project_id == projects.c.id, members.c.user_id == users.c.id)
        )
    )
    .where(projects.c.state.in_(SEEN))
    .order_by(projects.c.id)
)


def find_standing(store: Store, user: User, project_id: int | None) -> Standing:
    """Returns an account, in its own role, and its role in a project.

    Args:
        store: The database.
        user: The account.
        project_id: The project; None for none.

    Examples:
        >>> from tempfile import TemporaryDirectory
        >>> from relyon.judging import open_store
        >>> folder = TemporaryDirectory()
        >>> with open_store(f"{folder.name}/judging.db", create=True) as store:
        ...     ann, lea = store.accounts.create("Ann"), store.accounts.create("Lea", role="lead")
        ...     june = store.projects.create("June")
        ...     restrict_to_members(store, june, by=lea)
        ...     find_standing(store, ann, june.id).role, find_standing(store, lea, june.id).role
        (None, 'lead')
        >>> folder.cleanup()
    """
    with store.database.read() as connection:
        values = {"user": user.id, "project": project_id}
        return read_standing(connection.execute(STANDING_OF, values).one())


def project_of_item(store: Store, item_id: int) -> int | None:
    """Returns the project of an item; None if there is no such item."""
    try:
        with store.database.read() as connection:
            return find_project(connection, item_id).id
    except InputError as error:
        if error.__cause__ is not None:  # the database cannot be read
            raise
        return None


def visible_projects(store: Store, user: User) -> list[tuple[Project, Role]]:
    """Returns the projects that an account sees, oldest first, and its role in each."""
    with store.database.read() as connection:
        rows = connection.execute(SEEN_PROJECTS, {"user": user.id}).all()
    found = []
    for row in rows:
        role = _find_role(row.account_role, row.members_only, row.role_here)
        if role is not None:
            found.append((read_project(row), role))
    return found


def list_members(store: Store, project_id: int) -> list[Member]:
    """Returns the members of a project by name."""
    query = (
        sa.select(
            users.c.name,
            members.c.role,
            users.c.role.label("account_role"),
            users.c.active,
            members.c.created_at,
        )
        .join_from(members, users, users.c.id == members.c.user_id)
        .where(members.c.project_id == project_id)
        .order_by(users.c.name)
    )
    with store.database.read() as connection:
        return [Member(*row) for row in connection.execute(query)]


def set_member(store: Store, project: Project, user: User, role: MemberRole) -> None:
    """Makes an account a member of a project, or changes its role there.

    Raises:
        ParameterError: If it is a language model, or the role is unknown.
    """
    check_choice("role", role, MEMBER_ROLES)
    if user.machine:
        raise ParameterError(
            message("judging.is-language-model", found_name=user.name),
            hint=message("judging.cannot-sign-in-or-lead"),
        )
    with store.database.write() as connection:
        put_member(connection, project.id, user.id, role, store.clock())


def put_member(
    connection: sa.Connection, project_id: int, user_id: int, role: MemberRole, now: float
) -> None:
    """Stores a membership, or its new role."""
    dialect = sqlite if connection.dialect.name == "sqlite" else postgresql
    made = dialect.insert(members).values(
        project_id=project_id, user_id=user_id, role=role, created_at=now
    )
    key = [members.c.project_id, members.c.user_id]
    connection.execute(made.on_conflict_do_update(index_elements=key, set_={"role": role}))


def remove_member(store: Store, project: Project, user: User) -> bool:
    """Removes a member, and returns whether they were one.

    Their grades stay. The results that they have not graded go to others, if only members see the
    project.
    """
    mine = sa.and_(members.c.project_id == project.id, members.c.user_id == user.id)
    with store.database.write() as connection:
        gone = connection.execute(sa.delete(members).where(mine)).rowcount > 0
        if gone and project.members_only and user.role != "admin":
            release_places(connection, user.id, store.clock(), project_id=project.id)
    return gone


def restrict_to_members(store: Store, project: Project, *, by: User) -> None:
    """Hides a project from all but its members: those who have graded in it, and who restricts it.

    Args:
        store: The database.
        project: The project.
        by: Who restricts it, and leads it from now on.
    """
    now = store.clock()
    with store.database.write() as connection:
        here = projects.c.id == project.id
        connection.execute(sa.update(projects).where(here).values(members_only=True))
        known = set(
            connection.execute(
                sa.select(members.c.user_id).where(members.c.project_id == project.id)
            ).scalars()
        )
        for row in connection.execute(
            sa.select(users.c.id, users.c.role).where(
                users.c.id.in_(_at_work(project.id)), users.c.active, ~users.c.machine
            )
        ).all():
            if row.id not in known | {by.id}:
                role: MemberRole = "judge" if row.role == "judge" else "lead"
                put_member(connection, project.id, row.id, role, now)
        put_member(connection, project.id, by.id, "lead", now)


def _at_work(project_id: int) -> sa.Select[int]:
    """Selects the accounts that grade, or have graded or decided, in a project."""
    mine = sa.select(items.c.id).where(items.c.project_id == project_id)
    chosen: Iterable[sa.Select[int]] = (
        sa.select(assignments.c.user_id).where(
            assignments.c.project_id == project_id, assignments.c.user_id.is_not(None)
        ),
        sa.select(actions.c.user_id).where(actions.c.project_id == project_id),
        sa.select(adjudications.c.user_id).where(adjudications.c.item_id.in_(mine)),
    )
    found = sa.union(*chosen).subquery()
    return sa.select(found.c.user_id)


def open_to_everybody(store: Store, project: Project) -> None:
    """Shows a project to every account again. The list of members is kept."""
    with store.database.write() as connection:
        here = projects.c.id == project.id
        connection.execute(sa.update(projects).where(here).values(members_only=False))
