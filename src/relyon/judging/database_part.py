"""The base of all parts of a judging database: a connection and a clock."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from relyon.core.errors import ParameterError
from relyon.core.texts import message
from relyon.judging.database import Database, new_id
from relyon.judging.schema import sa

__all__ = ["Base"]


class Base:
    """An open database, and a clock.

    The parts of a store derive from it, and functions that need no other part take it.

    Attributes:
        database: The connection.
        clock: Returns the time in seconds since 1970.
    """

    def __init__(self, database: Database, clock: Callable[[], float]) -> None:
        self.database = database
        self.clock = clock

    def insert_named(self, table: sa.Table, values: Mapping[str, object], what: str) -> int:
        """Inserts a row with a unique name, and returns its id.

        Raises:
            ParameterError: If the name is taken.
        """
        try:
            with self.database.write() as connection:
                inserted = connection.execute(sa.insert(table).values(**values))
                return new_id(inserted)
        except sa.exc.IntegrityError:
            raise ParameterError(
                message("judging.already-exists", what=what, values=values["name"]),
                hint=message("judging.choose-another-name"),
            ) from None
