"""Accounts: who grades, who leads, and with which password."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, get_args

from relkit.errors import ParameterError
from relkit.judging import passwords
from relkit.judging.actions import release_places
from relkit.judging.base import StoreBase
from relkit.judging.records import Role, User
from relkit.judging.rows import read_user
from relkit.judging.schema import postgresql, sa, sqlite, users
from relkit.judging.texts import check_name, is_storable, unknown_name
from relkit.parameters import check_choice

__all__ = ["MACHINE_PREFIX", "AccountStore"]

#: How the names of language models begin, and no name of a person does.
MACHINE_PREFIX = "llm:"


def check_account_name(name: str, what: str, *, machine: bool = False) -> str:
    """Returns the name of an account without the space around it.

    Raises:
        InputError: If it has a character that no database can hold.
        ParameterError: If it cannot be a name, or is one of a machine and should be a person's.
    """
    cleaned = check_name(name, what)
    belongs = cleaned.startswith(MACHINE_PREFIX)
    if not belongs if machine else cleaned.lower().startswith(MACHINE_PREFIX):
        raise ParameterError(
            f"`{cleaned}` is {'no' if machine else 'the'} name of a language model",
            hint=f"the names of language models, and no others, begin with {MACHINE_PREFIX}",
        )
    return cleaned


class AccountStore(StoreBase):
    """The part of a store that keeps accounts."""

    def create_user(self, name: str, *, role: Role = "judge", password: str | None = None) -> User:
        """Makes an account; without a password it holds grades but nobody can log in with it.

        Raises:
            ParameterError: If the name is empty or taken, the role unknown, or the password short.
        """
        name = check_account_name(name, "user")
        check_choice("role", role, get_args(Role))
        hashed = None if password is None else passwords.hash_password(password)
        values = {
            "name": name,
            "role": role,
            "password_hash": hashed,
            "active": True,
            "created_at": self.clock(),
        }
        return User(self._insert_named(users, values, "user"), name, role)

    def users(self) -> list[User]:
        """Returns all accounts by name."""
        with self.database.read() as connection:
            rows = connection.execute(sa.select(users).order_by(users.c.name))
            return [read_user(row) for row in rows]

    def user(self, name: str) -> User:
        """Returns an account.

        Raises:
            UnknownNameError: If there is none of that name.
        """
        row = self._user_row(name)
        if row is None:
            raise unknown_name("user", name, [one.name for one in self.users()])
        return read_user(row)

    def _user_row(self, name: str) -> Any:
        if not is_storable(name):
            return None
        with self.database.read() as connection:
            return connection.execute(sa.select(users).where(users.c.name == name)).one_or_none()

    def set_user(
        self,
        name: str,
        *,
        role: Role | None = None,
        password: str | None = None,
        active: bool | None = None,
    ) -> User:
        """Changes an account; what is None stays. What a closed account had goes to others.

        Raises:
            UnknownNameError: If there is none of that name.
            ParameterError: If the role is unknown or the password short, or it is a language model.
        """
        found = self.user(name)
        if found.machine:
            raise ParameterError(
                f"`{found.name}` is a language model", hint="nobody signs in as it or leads as it"
            )
        changes: dict[str, Any] = {}
        if role is not None:
            check_choice("role", role, get_args(Role))
            changes["role"] = role
        if password is not None:
            changes["password_hash"] = passwords.hash_password(password)
        if active is not None:
            changes["active"] = active
        if changes:
            with self.database.write() as connection:
                connection.execute(sa.update(users).where(users.c.id == found.id).values(**changes))
                if active is False:
                    release_places(connection, found.id, self.clock())
        return self.user(name)

    def _ensure_users(self, connection: sa.Connection, names: Iterable[str]) -> dict[str, int]:
        """Returns the accounts of these names, which are made where there are none."""
        wanted = {check_account_name(name, "judge") for name in names}
        query = sa.select(users.c.name, users.c.id)
        known = {row.name: row.id for row in connection.execute(query)}
        missing = sorted(wanted - known.keys())  # in one order: two never wait for each other
        if not missing:
            return known
        insert = (
            sqlite.insert(users).on_conflict_do_nothing()
            if connection.dialect.name == "sqlite"
            else postgresql.insert(users).on_conflict_do_nothing()
        )
        connection.execute(
            insert,
            [{"name": name, "role": "judge", "created_at": self.clock()} for name in missing],
        )
        return {row.name: row.id for row in connection.execute(query)}

    def _find_users(self, connection: sa.Connection, names: Iterable[str]) -> dict[str, int]:
        """Returns the accounts of these names that there are.

        Raises:
            ParameterError: If one can be the name of no person.
        """
        wanted = {check_account_name(name, "judge") for name in names}
        rows = connection.execute(sa.select(users.c.name, users.c.id))
        return {row.name: row.id for row in rows if row.name in wanted}

    def _close_users(self, connection: sa.Connection, ids: Sequence[int]) -> None:
        """Makes accounts ones that only hold grades: nobody signs in to them."""
        if ids:
            connection.execute(sa.update(users).where(users.c.id.in_(ids)).values(active=False))

    def check_password(self, name: str, password: str) -> User | None:
        """Returns the active account that a name and a password belong to, or None.

        It takes equally long whether the name or the password is wrong.
        """
        row = self._user_row(name)
        hashed = row.password_hash if row is not None and row.active else None
        if not passwords.is_password(hashed, password) or row is None:
            return None
        if passwords.is_stale(row.password_hash):
            fresh = passwords.hash_password(password)
            with self.database.write() as connection:
                connection.execute(
                    sa.update(users).where(users.c.id == row.id).values(password_hash=fresh)
                )
        return read_user(row)
