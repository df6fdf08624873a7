"""What a project's archive holds: which tables, which columns, and in which order.

An archive is a ZIP file with a part of JSON Lines a table and a manifest. Ids in it are counted
from 1 in each table, so that two archives of one project are equal wherever it lies. A table or a
column that is added to the schema comes along by itself; a table that belongs to no project has to
be named here, which a test makes sure of.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from relkit.core.texts import message
from relkit.judging.schema import (
    items,
    llm_answers,
    llm_configurations,
    llm_requests,
    metadata,
    projects,
    sa,
    users,
)

__all__ = [
    "FORMAT",
    "LEFT_OUT",
    "MANIFEST",
    "SUFFIX",
    "VERSION",
    "Part",
    "archive_parts",
]

FORMAT = "relkit-project"
#: Of the archives that are written, and the newest that can be read.
VERSION = 1
SUFFIX = ".relkit-project"
MANIFEST = "manifest.json"

#: Tables that are no part of a project, and why.
LEFT_OUT = {
    "users": "only the names of those who did something: never a password",
    "sign_ins": "who is signed in",
    "tokens": "whose programs may act",
    "attempts": "wrong passwords",
    "browsers": "who signed in from where",
    "events": "what happened in the database",
    "jobs": "how the project came here, not what it is",
}
#: Columns that mean something in one database only: what came with which import; and what is drawn
#: anew, from the ids of that database.
FORGOTTEN = {("items", "job_id"), ("assignments", "swapped")}


@dataclass(frozen=True)
class Part:
    """One table of an archive.

    Attributes:
        table: The table.
        columns: Its columns in the archive, in order.
        references: The table whose row each column names; None where it names none.
        numbered: Whether its rows have ids, which the archive counts from 1.
    """

    table: sa.Table
    columns: tuple[sa.Column[Any], ...]
    references: tuple[str | None, ...]
    numbered: bool

    @property
    def file(self) -> str:
        """The name of its file in the archive."""
        return f"{self.table.name}.jsonl"

    @property
    def names(self) -> list[str]:
        """The names of its columns."""
        return [column.name for column in self.columns]

    def rows(self, project_id: int) -> sa.Select[Any]:
        """Selects the project's rows, in the order of their ids."""
        keys = list(self.table.primary_key.columns)
        return sa.select(*self.columns).where(_belongs(self.table, project_id)).order_by(*keys)


def _belongs(table: sa.Table, project_id: int) -> sa.ColumnElement[bool]:
    if table is projects:
        return projects.c.id == project_id
    if table is llm_answers:
        # The same question is asked once, in any project.
        asked = sa.select(llm_requests.c.request_hash).where(_belongs(llm_requests, project_id))
        return llm_answers.c.request_hash.in_(asked)
    if "project_id" in table.c:
        return sa.and_(table.c.project_id == project_id)
    for name, owner in (("item_id", items), ("configuration_id", llm_configurations)):
        if name in table.c:
            mine = sa.select(owner.c.id).where(owner.c.project_id == project_id)
            found: sa.ColumnElement[bool] = table.c[name].in_(mine)
            return found
    raise LookupError(
        message("the table {table_name} belongs to no project", table_name=table.name)
    )


def archive_parts() -> list[Part]:
    """Returns the tables of an archive: those that others refer to first."""
    return [_part(table) for table in metadata.sorted_tables if table.name not in LEFT_OUT]


def _part(table: sa.Table) -> Part:
    columns = tuple(
        column for column in table.columns if (table.name, column.name) not in FORGOTTEN
    )
    references = tuple(_reference(column) for column in columns)
    return Part(table, columns, references, "id" in table.c)


def _reference(column: sa.Column[Any]) -> str | None:
    for key in column.foreign_keys:
        target = key.column.table
        if target.name not in LEFT_OUT or target is users:
            return str(target.name)
    return None
