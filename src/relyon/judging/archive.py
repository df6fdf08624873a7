"""A project in one file, complete with its history, for import into any judging database."""

from __future__ import annotations

import hashlib
import json
import zipfile
from array import array
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby
from typing import IO, TYPE_CHECKING

from relyon.core.errors import InputError
from relyon.core.texts import message
from relyon.judging.archive_parts import (
    FORMAT,
    MANIFEST,
    VERSION,
    Part,
    PartEntry,
    Values,
    archive_parts,
)
from relyon.judging.jobs import Report, refuse_while_importing
from relyon.judging.schema import items, sa, users
from relyon.judging.table_rows import import_key

if TYPE_CHECKING:
    from relyon.judging.store import Store

__all__ = ["pack_project"]

#: Rows read and written at a time.
ROWS = 1000


def pack_project(
    store: Store, project_id: int, file: IO[bytes], *, report: Report | None = None
) -> dict[str, int]:
    """Writes a project's archive: a consistent snapshot, even while judges grade.

    It contains items, grades with their history, keys and times, decisions, known grades, the
    guideline, the settings, and the requests and answers of language models; of accounts only the
    names. `relyon.judging.archive_import.unpack_project` restores the project from it.

    Args:
        store: The database.
        project_id: The project.
        file: The file, open for writing.
        report: Called with the number of rows written.

    Returns:
        The number of rows of each table.

    Raises:
        UnknownNameError: If the project does not exist.
        ParameterError: If an import is not finished.
    """
    from relyon._native import __version__

    project = store.projects.get(project_id)
    revision, _ = store.database.version()
    with (
        store.database.read() as connection,
        zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED, compresslevel=4) as archive,
    ):
        refuse_while_importing(connection, project.id)
        packer = _Packer(connection, archive, project.id, report)
        packer.write_names()
        for part in archive_parts():
            packer.write_part(part)
        manifest = {
            "format": FORMAT,
            "version": VERSION,
            "relyon": __version__,
            "revision": revision,
            "project": project.name,
            "packed_at": store.clock(),
            "parts": packer.parts,
        }
        archive.writestr(MANIFEST, json.dumps(manifest, ensure_ascii=False, indent=1))
    return {name.removesuffix(".jsonl"): entry["rows"] for name, entry in packer.parts.items()}


class _Packer:
    """Writes the parts of one archive, and maps ids to their numbers in it."""

    def __init__(
        self,
        connection: sa.Connection,
        archive: zipfile.ZipFile,
        project_id: int,
        report: Report | None,
    ) -> None:
        self.connection = connection
        self.archive = archive
        self.project_id = project_id
        self.report = report
        self.parts: dict[str, PartEntry] = {}
        #: The ids of each table in order: an id's number is its index.
        self.ids: dict[str, array[int]] = {}
        self.people: dict[int, int] = {}
        self.done = 0
        count = sa.select(sa.func.count()).where(items.c.project_id == project_id)
        self.total = int(connection.execute(count).scalar_one())

    def write_names(self) -> None:
        """Writes the names of all accounts that acted in the project."""
        acted: set[object] = set()
        for part in archive_parts():
            for column, target in zip(part.columns, part.references, strict=True):
                if target == "users":
                    found = part.rows(self.project_id).with_only_columns(column).order_by(None)
                    acted |= set(self.connection.execute(found.distinct()).scalars())
        rows = [
            row
            for row in self.connection.execute(sa.select(users.c.id, users.c.name, users.c.machine))
            if row.id in acted
        ]
        rows.sort(key=lambda row: row.name)
        self.people = {row.id: number for number, row in enumerate(rows, 1)}
        self._write(
            "users.jsonl",
            ["id", "name", "machine"],
            ([self.people[row.id], row.name, bool(row.machine)] for row in rows),
        )

    def write_part(self, part: Part) -> None:
        """Writes the rows of a table."""
        self._write(part.file, part.names, self._ordered(part))

    def _ordered(self, part: Part) -> Iterable[Values]:
        rows = self._rows(part)
        if part.numbered:
            return rows
        # Accounts have different ids elsewhere, and the order must not depend on them.
        groups = groupby(rows, lambda row: row[0])
        return (row for _, group in groups for row in sorted(group, key=lambda one: one[:2]))

    def _rows(self, part: Part) -> Iterator[Values]:
        options = {"stream_results": True, "yield_per": ROWS}
        own = self.ids.setdefault(part.table.name, array("q"))
        numbered = part.columns.index(part.table.c.id) if part.numbered else None
        names = part.names
        targets = [(n, name) for n, name in enumerate(part.references) if name is not None]
        for row in self.connection.execute(part.rows(self.project_id), execution_options=options):
            values = list(row)
            if numbered is not None:
                own.append(row.id)
                values[numbered] = len(own)
            imported = "key" in row._mapping and row.key == import_key(row.item_id)
            for place, name in targets:
                values[place] = self._number(name, values[place])
            if imported:  # its key is derived from an id
                values[names.index("key")] = import_key(values[names.index("item_id")])
            yield values

    def _number(self, table: str, identity: object) -> int | None:
        if not isinstance(identity, int):
            return None
        if table == "users":
            return self.people[identity]
        known = self.ids[table]
        place = bisect_left(known, identity)
        if place == len(known) or known[place] != identity:
            raise InputError(message("judging.database-refers-to-missing", table=table))
        return place + 1

    def _write(self, name: str, columns: Sequence[str], rows: Iterable[Values]) -> None:
        digest = hashlib.sha256()
        count = size = 0
        # A fixed date: the same project gives the same bytes.
        entry = zipfile.ZipInfo(name, (1980, 1, 1, 0, 0, 0))
        entry.compress_type = zipfile.ZIP_DEFLATED
        with self.archive.open(entry, "w", force_zip64=True) as part:
            for row in rows:
                line = json.dumps(row, ensure_ascii=False, separators=(",", ":")).encode() + b"\n"
                digest.update(line)
                part.write(line)
                count, size = count + 1, size + len(line)
                if self.report is not None and count % ROWS == 0 and name == "items.jsonl":
                    self.report(count, self.total)
        self.parts[name] = {
            "rows": count,
            "bytes": size,
            "sha256": digest.hexdigest(),
            "columns": list(columns),
        }
