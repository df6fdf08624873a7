"""What a judging database is to all that works on it: a connection and a clock."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from relkit.core.errors import ParameterError
from relkit.core.texts import message
from relkit.judging.database import Database, new_id
from relkit.judging.schema import sa

__all__ = ["Base"]


class Base:
    """A database that is open, and the time.

    The parts of a store are made of it, and whatever needs no other part takes it.

    Attributes:
        database: The connection.
        clock: Tells the time in seconds since 1970.
    """

    def __init__(self, database: Database, clock: Callable[[], float]) -> None:
        self.database = database
        self.clock = clock

    def insert_named(self, table: sa.Table, values: Mapping[str, Any], what: str) -> int:
        """Inserts a row whose name no other row has, and returns its id.

        Raises:
            ParameterError: If the name is taken.
        """
        try:
            with self.database.write() as connection:
                inserted = connection.execute(sa.insert(table).values(**values))
                return new_id(inserted)
        except sa.exc.IntegrityError:
            raise ParameterError(
                message("there is a {what} `{values}` already", what=what, values=values["name"]),
                hint="choose another name",
            ) from None
