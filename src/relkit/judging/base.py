"""What every part of the store has: a database and a clock."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from typing import Any, Self

from relkit.core.errors import ParameterError
from relkit.judging.database import Database, new_id
from relkit.judging.figures import Figures
from relkit.judging.schema import sa

__all__ = ["StoreBase"]


class StoreBase:
    """A judging database that is open.

    Attributes:
        database: The connection.
        clock: Tells the time.
        figures: What was counted of large projects.
    """

    def __init__(self, database: Database, *, clock: Callable[[], float] = time.time) -> None:
        self.database = database
        self.clock = clock
        self.figures = Figures()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *reason: object) -> None:
        self.close()

    def close(self) -> None:
        """Closes all connections."""
        self.database.close()

    def _insert_named(self, table: sa.Table, values: Mapping[str, Any], what: str) -> int:
        try:
            with self.database.write() as connection:
                inserted = connection.execute(sa.insert(table).values(**values))
                return new_id(inserted)
        except sa.exc.IntegrityError:
            raise ParameterError(
                f"there is a {what} `{values['name']}` already", hint="take another name"
            ) from None
