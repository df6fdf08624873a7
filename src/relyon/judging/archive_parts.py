"""The contents of a project's archive: tables, columns, and their order.

An archive is a ZIP file with one JSON Lines part per table and a manifest. Ids in it are counted
from 1 in each table, so that two archives of one project are equal in any database. Tables and
columns added to the schema are included automatically; a table that belongs to no project must be
listed here, which a test checks.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias, TypedDict

from relyon.core.texts import message
from relyon.judging.schema import (
    items,
    llm_answers,
    llm_configurations,
    llm_probes,
    llm_requests,
    metadata,
    projects,
    sa,
    snapshots,
    users,
)

__all__ = [
    "FORMAT",
    "LEFT_OUT",
    "MANIFEST",
    "SUFFIX",
    "VERSION",
    "Manifest",
    "Part",
    "PartEntry",
    "Values",
    "archive_parts",
]

Values: TypeAlias = list[object]
"""The values of one row, in the order of its part's columns."""

FORMAT = "relyon-project"
#: The version of written archives, and the newest that can be read.
VERSION = 1
SUFFIX = ".relyon-project"
MANIFEST = "manifest.json"

#: Tables that are not part of a project, and why.
LEFT_OUT = {
    "users": "only names of participants, never passwords",
    "sign_ins": "who is signed in",
    "tokens": "whose programs may act",
    "attempts": "wrong passwords",
    "browsers": "who signed in from where",
    "events": "what happened in the database",
    "jobs": "how the project got here, not its contents",
    "results": "derived from the rest",
    "result_marks": "how far they are derived",
    "members": "which accounts of this database see it",
    "invitations": "who may create an account",
    "identities": "which accounts of a provider sign in",
    "samples": "a file of its own, which is stored with its month",
    "receivers": "who is told of alarms",
    "messages": "what they were told",
}
#: Columns that are meaningful in one database only: the import of a row, and random values derived
#: from that database's ids.
FORGOTTEN = {("items", "job_id"), ("corrections", "job_id"), ("assignments", "swapped")}


class PartEntry(TypedDict):
    """A part's entry in the manifest."""

    rows: int
    bytes: int
    sha256: str
    columns: list[str]


@dataclass(frozen=True)
class Manifest:
    """The checked contents of a manifest.

    Attributes:
        project: The project's name.
        relyon: The version of relyon that wrote the archive.
        parts: The entry of each file.
    """

    project: str
    relyon: object
    parts: dict[str, PartEntry]


@dataclass(frozen=True)
class Part:
    """One table of an archive.

    Attributes:
        table: The table.
        columns: Its columns in the archive, in order.
        references: The table that each column refers to; None if it refers to none.
        numbered: Whether its rows have ids, which the archive numbers from 1.
    """

    table: sa.Table
    columns: tuple[sa.Column[object], ...]
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

    def rows(self, project_id: int) -> sa.Select[*tuple[object, ...]]:
        """Selects the project's rows, in the order of their ids."""
        keys = list(self.table.primary_key.columns)
        return sa.select(*self.columns).where(_belongs(self.table, project_id)).order_by(*keys)


#: The tables whose rows name a project for rows that name them.
OWNERS = (
    ("item_id", items),
    ("configuration_id", llm_configurations),
    ("snapshot_id", snapshots),
)


def _belongs(table: sa.Table, project_id: int) -> sa.ColumnElement[bool]:
    if table is projects:
        return projects.c.id == project_id
    if table is llm_answers:
        # The same request is sent once, even for several projects.
        asked = (
            sa.select(one.c.request_hash).where(_belongs(one, project_id))
            for one in (llm_requests, llm_probes)
        )
        return llm_answers.c.request_hash.in_(sa.union(*asked))
    if "project_id" in table.c:
        return sa.and_(table.c.project_id == project_id)
    for name, owner in OWNERS:
        if name in table.c:
            mine = sa.select(owner.c.id).where(owner.c.project_id == project_id)
            found: sa.ColumnElement[bool] = table.c[name].in_(mine)
            return found
    raise LookupError(message("judging.table-belongs-to-no", table_name=table.name))


def archive_parts() -> list[Part]:
    """Returns the tables of an archive, referenced tables first."""
    return [_part(table) for table in metadata.sorted_tables if table.name not in LEFT_OUT]


def _part(table: sa.Table) -> Part:
    columns = tuple(
        column for column in table.columns if (table.name, column.name) not in FORGOTTEN
    )
    references = tuple(_reference(column) for column in columns)
    return Part(table, columns, references, "id" in table.c)


def _reference(column: sa.Column[object]) -> str | None:
    for key in column.foreign_keys:
        target = key.column.table
        if target.name not in LEFT_OUT or target is users:
            return str(target.name)
    return None
