"""Projects of judging databases, read in place as final grades or as items with ratings."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, BinaryIO

from relyon.core.errors import InputError, ParameterError
from relyon.core.texts import message
from relyon.io.databases import NAME, Database, readers
from relyon.io.format import Format, formats

if TYPE_CHECKING:
    from relyon.data.judgments import Judgments
    from relyon.data.scale import Scale
    from relyon.data.sheets import Sheet
    from relyon.io.byte_source import Source

__all__ = ["JudgingDatabase"]


class JudgingDatabase(Format):
    """A project of a judging database: an SQLite file, or PostgreSQL by its URL."""

    name = NAME
    title = "a judging database"

    def is_sheet(self, head: bytes) -> bool:
        """A project contains ratings of single judges."""
        return True

    def read_judgments(
        self,
        source: Source,
        *,
        columns: Mapping[str, str] | None = None,
        scale: Scale | None = None,
    ) -> Judgments:
        """Reads the final grades of a project, as `relyon judge export` writes them."""
        if columns:
            raise ParameterError(
                message("io.format-has-columns", name=self.name),
                hint=message("io.leave-columns-out"),
            )
        return readers.get(NAME).read_judgments(_database(source), scale=scale)

    def read_sheet(
        self,
        source: Source,
        *,
        columns: Mapping[str, str] | None = None,
        scale: Scale | None = None,
    ) -> Sheet:
        """Reads the items of a project with every rating and their final grades."""
        return readers.get(NAME).read_sheet(_database(source))

    def write_judgments(self, judgments: Judgments, stream: BinaryIO) -> None:
        """Refuses: a database is not a file to be replaced."""
        raise ParameterError(
            message("io.database-is-not-written"), hint=message("io.relyon-judge-import-adds")
        )


def _database(source: Source) -> Database:
    # The name of a stream may be a stranger's, so it is never opened.
    if isinstance(source, Database):
        return source
    raise InputError(
        message("io.is-no-judging-database"),
        path=source.path,
        hint=message("io.name-judging-database"),
    )


formats.register(JudgingDatabase())
