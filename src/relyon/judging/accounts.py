"""Accounts: names, roles and passwords."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Literal, get_args

from relyon.core.errors import ParameterError
from relyon.core.parameters import check_choice
from relyon.core.texts import message
from relyon.judging import passwords
from relyon.judging.account_names import check_one_script, name_key, skeleton
from relyon.judging.database_part import Base
from relyon.judging.imported_accounts import check_account_name
from relyon.judging.records import Role, User
from relyon.judging.schema import TableRow, browsers, sa, sign_ins, tokens as user_tokens, users
from relyon.judging.settlement import release_places
from relyon.judging.table_rows import read_user
from relyon.judging.texts import is_storable, unknown_name

__all__ = ["Accounts", "ChosenBy"]

ChosenBy = Literal["owner", "other"]
"""Who chose a password: its owner, or another person, in which case the owner has to replace it."""


class Accounts(Base):
    """The part of a store that manages accounts."""

    def create(
        self,
        name: str,
        *,
        role: Role = "judge",
        password: str | None = None,
        chosen_by: ChosenBy = "owner",
    ) -> User:
        """Creates an account; without a password it can have grades, but not sign in.

        Args:
            name: The name to sign in with.
            role: Its role.
            password: The password.
            chosen_by: Whether its owner chose the password, or has to replace it.

        Raises:
            ParameterError: If the name is empty, taken, or could be mistaken for another one, the
                role unknown, or the password short or easily guessed.
        """
        name = self.check_new_name(name)
        check_choice("role", role, get_args(Role))
        values = {
            "name": name,
            "role": role,
            "password_hash": None if password is None else _new_hash(password, name, chosen_by),
            "must_change": password is not None and chosen_by == "other",
            "active": True,
            "created_at": self.clock(),
        }
        made = self.insert_named(users, values, "user")
        return User(made, name, role, must_change=bool(values["must_change"]))

    def check_new_name(self, name: str) -> str:
        """Returns the name of a new account without the space around it.

        Raises:
            ParameterError: If it is empty, taken, mixes scripts, or could be mistaken for another
                one.
        """
        name = check_account_name(name, "user")
        check_one_script(name)
        taken = self.find(name) or self.find_alike(name)
        if taken is not None and taken.name == name:
            raise ParameterError(
                message("judging.already-exists", what="user", values=name),
                hint=message("judging.choose-another-name"),
            )
        if taken is not None:
            raise ParameterError(
                message(
                    "judging.could-be-mistaken",
                    name=name,
                    taken_name=taken.name,
                ),
                hint=message("judging.choose-another-name"),
            )
        return name

    def all(self) -> list[User]:
        """Returns all accounts by name."""
        with self.database.read() as connection:
            rows = connection.execute(sa.select(users).order_by(users.c.name))
            return [read_user(row) for row in rows]

    def get(self, name: str) -> User:
        """Returns an account.

        Raises:
            UnknownNameError: If it does not exist.
        """
        row = self._user_row(name)
        if row is None:
            raise unknown_name("user", name, [one.name for one in self.all()])
        return read_user(row)

    def find(self, name: str) -> User | None:
        """Returns the account with a name, or with one that looks alike."""
        row = self._user_row(name.strip(), alike=True)
        return None if row is None else read_user(row)

    def find_alike(self, name: str) -> User | None:
        """Returns an account, not a language model, whose name a reader could take for another."""
        looks = skeleton(name.strip())
        people = (one for one in self.all() if not one.machine)
        return next((one for one in people if skeleton(one.name) == looks), None)

    def _user_row(self, name: str, *, alike: bool = False) -> TableRow | None:
        if not is_storable(name):
            return None
        same = users.c.name == name
        query = sa.select(users).where(
            sa.or_(same, users.c.name_key == name_key(name)) if alike else same
        )
        with self.database.read() as connection:
            found = connection.execute(query).all()
        return next((row for row in found if row.name == name), next(iter(found), None))

    def change(
        self,
        name: str,
        *,
        role: Role | None = None,
        password: str | None = None,
        active: bool | None = None,
        chosen_by: ChosenBy = "owner",
        tokens: Literal["end", "keep"] = "end",
    ) -> User:
        """Changes an account; None keeps a value. The items of a closed account go to others.

        A new password ends all sign-ins and tokens; so does closing the account, and reopening it
        does not restore them.

        Args:
            name: Whose account.
            role: The new role.
            password: The new password.
            active: False closes the account, True reopens it.
            chosen_by: Whether its owner chose the password, or has to replace it.
            tokens: Whether a new password ends the account's tokens.

        Raises:
            UnknownNameError: If it does not exist.
            ParameterError: If the role is unknown, the password short or easily guessed, it is a
                language model, or no administrator would be left.
        """
        found = self.get(name)
        if found.machine:
            raise ParameterError(
                message("judging.is-language-model", found_name=found.name),
                hint=message("judging.cannot-sign-in-or-lead"),
            )
        changes: dict[str, object] = {}
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
        return self.get(name)

    def has_password(self, user: User) -> bool:
        """Returns whether an account has a password; without one it may sign in otherwise."""
        query = sa.select(users.c.password_hash).where(users.c.id == user.id)
        with self.database.read() as connection:
            return connection.execute(query).scalar() is not None

    def check_password(self, name: str, password: str) -> User | None:
        """Returns the active account that a name and a password belong to, or None.

        It takes equally long whether the name or the password is wrong. Names that look alike are
        accepted: no two accounts have such names.
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
    """Checks that another administrator can sign in."""
    query = (
        sa.select(users.c.id)
        .where(users.c.role == "admin", users.c.active, users.c.password_hash.is_not(None))
        .with_for_update()
    )
    admins = connection.execute(query).scalars().all()
    if list(admins) == [leaving.id]:
        raise ParameterError(
            message("judging.is-only-administrator", leaving_name=leaving.name),
            hint=message("judging.create-another-one-first"),
        )


def _end_access(connection: sa.Connection, user: User, tables: Iterable[sa.Table]) -> None:
    """Ends a user's sign-ins and tokens."""
    for table in tables:
        connection.execute(sa.delete(table).where(table.c.user_id == user.id))
