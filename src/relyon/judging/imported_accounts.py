"""Accounts of imported grades: people and language models by name."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from relyon.core.errors import ParameterError
from relyon.core.texts import message
from relyon.judging.account_names import name_key, other_key
from relyon.judging.schema import postgresql, sa, sqlite, users
from relyon.judging.texts import check_name

__all__ = [
    "MACHINE_PREFIX",
    "check_account_name",
    "close_people",
    "ensure_machine",
    "ensure_people",
    "find_people",
]

#: The prefix of language models' names, reserved for them.
MACHINE_PREFIX = "llm:"


def check_account_name(name: str, what: str, *, machine: bool = False) -> str:
    """Returns the name of an account without the space around it.

    Raises:
        InputError: If it has a character that cannot be stored.
        ParameterError: If it is not a valid name, or is a language model's instead of a person's.
    """
    cleaned = check_name(name, what)
    belongs = cleaned.startswith(MACHINE_PREFIX)
    if not belongs if machine else name_key(cleaned).startswith(MACHINE_PREFIX):
        raise ParameterError(
            message(
                "judging.is-no-name-of-language-model"
                if machine
                else "judging.is-name-of-language-model",
                cleaned=cleaned,
            ),
            hint=message(
                "judging.names-of-language-models",
                machine_prefix=MACHINE_PREFIX,
            ),
        )
    return cleaned


def find_people(connection: sa.Connection, names: Iterable[str]) -> dict[str, int]:
    """Returns the existing accounts with these names.

    Raises:
        ParameterError: If one cannot be a person's name.
    """
    wanted = {check_account_name(name, "judge") for name in names}
    rows = connection.execute(sa.select(users.c.name, users.c.id))
    return {row.name: row.id for row in rows if row.name in wanted}


def ensure_people(connection: sa.Connection, names: Iterable[str], now: float) -> dict[str, int]:
    """Returns the accounts with these names, creating missing ones."""
    wanted = {check_account_name(name, "judge") for name in names}
    query = sa.select(users.c.name, users.c.id, users.c.name_key)
    found = connection.execute(query).all()
    known = {row.name: row.id for row in found}
    missing = sorted(wanted - known.keys())  # in a fixed order, to avoid deadlocks
    if not missing:
        return known
    taken = {row.name_key for row in found}
    rows = []
    for name in missing:
        # Other programs' files may name both `Ann` and `ann`: both are kept.
        key = other_key(name, taken)
        taken.add(key)
        rows.append({"name": name, "name_key": key, "role": "judge", "created_at": now})
    dialect = sqlite if connection.dialect.name == "sqlite" else postgresql
    connection.execute(dialect.insert(users).on_conflict_do_nothing(), rows)
    return {row.name: row.id for row in connection.execute(query)}


def ensure_machine(connection: sa.Connection, judge: str, now: float) -> int:
    """Returns the account of a language model, creating it if missing."""
    dialect = sqlite if connection.dialect.name == "sqlite" else postgresql
    # The account is closed: it cannot sign in or act.
    made = dialect.insert(users).values(
        name=judge, role="judge", active=False, machine=True, created_at=now
    )
    connection.execute(made.on_conflict_do_nothing())
    chosen = sa.select(users.c.id).where(users.c.name == judge)
    return int(connection.execute(chosen).scalar_one())


def close_people(connection: sa.Connection, ids: Sequence[int]) -> None:
    """Closes accounts that exist only for their grades."""
    if ids:
        connection.execute(sa.update(users).where(users.c.id.in_(ids)).values(active=False))
