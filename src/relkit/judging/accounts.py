"""Accounts: who grades, who leads, and with which password."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, Literal, get_args

from relkit.core.errors import ParameterError
from relkit.core.parameters import check_choice
from relkit.judging import passwords
from relkit.judging.actions import release_places
from relkit.judging.base import StoreBase
from relkit.judging.names import check_one_script, name_key, other_key
from relkit.judging.records import Role, User
from relkit.judging.rows import read_user
from relkit.judging.schema import (
    browsers,
    postgresql,
    sa,
    sign_ins,
    sqlite,
    tokens as user_tokens,
    users,
)
from relkit.judging.texts import check_name, is_storable, unknown_name

__all__ = ["MACHINE_PREFIX", "AccountStore", "ChosenBy"]

ChosenBy = Literal["owner", "other"]
"""Who knows a password: its owner alone, or also somebody who made it, whom its owner then has to
replace at the first sign-in."""

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
    if not belongs if machine else name_key(cleaned).startswith(MACHINE_PREFIX):
        raise ParameterError(
            f"`{cleaned}` is {'no' if machine else 'the'} name of a language model",
            hint=f"the names of language models, and no others, begin with {MACHINE_PREFIX}",
        )
    return cleaned


class AccountStore(StoreBase):
    """The part of a store that keeps accounts."""

    def create_user(
        self,
        name: str,
        *,
        role: Role = "judge",
        password: str | None = None,
        chosen_by: ChosenBy = "owner",
    ) -> User:
        """Makes an account; without a password it holds grades but nobody can log in with it.

        Args:
            name: The name to log in with.
            role: What it may do.
            password: The password.
            chosen_by: Whether its owner chose the password, or has to replace it.

        Raises:
            ParameterError: If the name is empty, taken, or could be taken for another one, the role
                unknown, or the password short or easily guessed.
        """
        name = check_account_name(name, "user")
        check_one_script(name)
        check_choice("role", role, get_args(Role))
        self._check_name_free(name)
        values = {
            "name": name,
            "role": role,
            "password_hash": None if password is None else _new_hash(password, name, chosen_by),
            "must_change": password is not None and chosen_by == "other",
            "active": True,
            "created_at": self.clock(),
        }
        made = self._insert_named(users, values, "user")
        return User(made, name, role, must_change=bool(values["must_change"]))

    def _check_name_free(self, name: str) -> None:
        taken = self.find_user(name)
        if taken is not None and taken.name != name:
            raise ParameterError(
                f"`{name}` could be taken for `{taken.name}`, who has an account already",
                hint="take another name",
            )

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

    def find_user(self, name: str) -> User | None:
        """Returns the account that is called so, or by a name that looks alike."""
        row = self._user_row(name.strip(), alike=True)
        return None if row is None else read_user(row)

    def _user_row(self, name: str, *, alike: bool = False) -> Any:
        if not is_storable(name):
            return None
        same = users.c.name == name
        query = sa.select(users).where(
            sa.or_(same, users.c.name_key == name_key(name)) if alike else same
        )
        with self.database.read() as connection:
            found = connection.execute(query).all()
        return next((row for row in found if row.name == name), next(iter(found), None))

    def set_user(
        self,
        name: str,
        *,
        role: Role | None = None,
        password: str | None = None,
        active: bool | None = None,
        chosen_by: ChosenBy = "owner",
        tokens: Literal["end", "keep"] = "end",
    ) -> User:
        """Changes an account; what is None stays. What a closed account had goes to others.

        A new password ends all sign-ins and tokens; so does closing the account, and they do not
        come back where it is opened again.

        Args:
            name: Whose account.
            role: What it may do from now on.
            password: The new password.
            active: False closes the account, True opens it.
            chosen_by: Whether its owner chose the password, or has to replace it.
            tokens: Whether a new password ends the account's tokens.

        Raises:
            UnknownNameError: If there is none of that name.
            ParameterError: If the role is unknown, the password short or easily guessed, it is a
                language model, or nobody would be left who can make accounts.
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
            changes["password_hash"] = _new_hash(password, found.name, chosen_by)
            changes["must_change"] = chosen_by == "other"
        if active is not None:
            changes["active"] = active
        if not changes:
            return found
        with self.database.write() as connection:
            if role not in {None, "admin"} or active is False:
                _check_admin_left(connection, found)
            connection.execute(sa.update(users).where(users.c.id == found.id).values(**changes))
            if active is False:
                release_places(connection, found.id, self.clock())
                _end_access(connection, found, (sign_ins, user_tokens, browsers))
            elif password is not None:
                ended = (sign_ins,) if tokens == "keep" else (sign_ins, user_tokens)
                _end_access(connection, found, ended)
        return self.user(name)

    def _ensure_users(self, connection: sa.Connection, names: Iterable[str]) -> dict[str, int]:
        """Returns the accounts of these names, which are made where there are none."""
        wanted = {check_account_name(name, "judge") for name in names}
        query = sa.select(users.c.name, users.c.id, users.c.name_key)
        found = connection.execute(query).all()
        known = {row.name: row.id for row in found}
        missing = sorted(wanted - known.keys())  # in one order: two never wait for each other
        if not missing:
            return known
        taken = {row.name_key for row in found}
        rows = []
        for name in missing:
            # Files of other programs may well name `Ann` and `ann`: both are kept.
            key = other_key(name, taken)
            taken.add(key)
            rows.append(
                {"name": name, "name_key": key, "role": "judge", "created_at": self.clock()}
            )
        insert = (
            sqlite.insert(users).on_conflict_do_nothing()
            if connection.dialect.name == "sqlite"
            else postgresql.insert(users).on_conflict_do_nothing()
        )
        connection.execute(insert, rows)
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

        It takes equally long whether the name or the password is wrong. Who writes a name as one
        that looks alike is understood: no two accounts have such names.
        """
        row = self._user_row(name.strip(), alike=True)
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


def _new_hash(password: str, name: str, chosen_by: ChosenBy) -> str:
    check_choice("chosen_by", chosen_by, get_args(ChosenBy))
    if chosen_by == "owner":
        passwords.check_password_strength(password, name)
    return passwords.hash_password(password)


def _check_admin_left(connection: sa.Connection, leaving: User) -> None:
    """Refuses that the last account goes which can make accounts and be signed in to."""
    query = (
        sa.select(users.c.id)
        .where(users.c.role == "admin", users.c.active, users.c.password_hash.is_not(None))
        .with_for_update()
    )
    admins = connection.execute(query).scalars().all()
    if list(admins) == [leaving.id]:
        raise ParameterError(
            f"`{leaving.name}` is the only administrator", hint="make another one first"
        )


def _end_access(connection: sa.Connection, user: User, tables: Iterable[sa.Table]) -> None:
    """Ends what lets somebody in as a user."""
    for table in tables:
        connection.execute(sa.delete(table).where(table.c.user_id == user.id))
