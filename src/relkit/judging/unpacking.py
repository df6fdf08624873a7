"""A project made of its archive: checked first, then put in batch by batch, seen at last."""

from __future__ import annotations

import hashlib
import json
import math
import zipfile
import zlib
from array import array
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice
from typing import IO, TYPE_CHECKING, Any

from relkit.core.errors import InputError, ParameterError
from relkit.judging.archive_parts import FORMAT, MANIFEST, VERSION, Part, archive_parts
from relkit.judging.bulk import insert_rows, reserve_ids, update_statistics
from relkit.judging.database import new_id
from relkit.judging.jobs import Report, StoppedError, Work, start_job
from relkit.judging.places import is_swapped
from relkit.judging.projects import SEEN
from relkit.judging.records import Project, User
from relkit.judging.removal import abandon_project, tidy_up
from relkit.judging.rows import import_key, read_project
from relkit.judging.schema import assignments, llm_answers, projects, sa
from relkit.judging.texts import check_name, is_storable, plain

if TYPE_CHECKING:
    from relkit.judging.store import Store

__all__ = ["Archive", "Unpacked", "is_archive", "prepare_unpacking", "unpack_project"]

LONGEST_MANIFEST = 1 << 20
#: Characters of one row: a side-by-side item holds two rankings.
LONGEST_LINE = 64 << 20
PEOPLE = "users.jsonl"


@dataclass(frozen=True)
class Unpacked:
    """What an archive became.

    Attributes:
        project: The project.
        made: Names of accounts that were made, closed and without a password.
        matched: Names of accounts that were there and whose grades these are now.
        kept: Answers of language models that were here already, and say something else.
    """

    project: Project
    made: tuple[str, ...]
    matched: tuple[str, ...]
    kept: int


def is_archive(head: bytes) -> bool:
    """Says whether a file that begins so may be an archive: no other format of ours does."""
    return head.startswith(b"PK\x03\x04")


class Archive:
    """An archive that is open. What it says of itself is believed only once it was compared.

    Args:
        file: The file, open for reading, with `seek`.
        path: Its name, for messages.
        largest: Bytes that all its parts may have together; None for any number.

    Attributes:
        manifest: What it says of itself.

    Raises:
        InputError: If it is none, is damaged, or of a newer version.
    """

    def __init__(self, file: IO[bytes], *, path: str = "", largest: int | None = None) -> None:
        self.path = path
        try:
            self.zip = zipfile.ZipFile(file)
            entry = self.zip.getinfo(MANIFEST)
        except (zipfile.BadZipFile, KeyError, OSError, ValueError, NotImplementedError):
            raise self._error("is no archive of a project, or was cut off") from None
        self.manifest = self._read_manifest(entry)
        self.parts = {part.file: self._matching(part) for part in archive_parts()}
        told = self.manifest["parts"]
        size = sum(one["bytes"] for one in told.values())
        if largest is not None and size > largest:
            raise self._error(
                f"holds {size:,} bytes, and {largest:,} can be taken here",
                "use `relkit judge unpack` on the server",
            )

    def _error(self, what: str, hint: str = "") -> InputError:
        return InputError(f"the file {what}", path=self.path, hint=hint)

    def _read_manifest(self, entry: zipfile.ZipInfo) -> dict[str, Any]:
        try:
            with self.zip.open(entry) as file:
                data = file.read(LONGEST_MANIFEST + 1)
            found = json.loads(data) if len(data) <= LONGEST_MANIFEST else None
        except (zipfile.BadZipFile, zlib.error, EOFError, ValueError, RecursionError, OSError,
                NotImplementedError, RuntimeError):  # fmt: skip
            found = None
        if not isinstance(found, dict) or found.get("format") != FORMAT:
            raise self._error("is no archive of a project")
        version = found.get("version")
        if not isinstance(version, int) or version > VERSION:
            raise self._error(
                f"is an archive of version {version}, made by relkit {found.get('relkit')};"
                f" this relkit reads versions up to {VERSION}",
                "install a newer relkit",
            )
        parts = found.get("parts")
        shaped = isinstance(parts, dict) and all(
            isinstance(one, dict)
            and all(isinstance(one.get(key), int) and one[key] >= 0 for key in ("rows", "bytes"))
            and isinstance(one.get("sha256"), str)
            and isinstance(one.get("columns"), list)
            for one in parts.values()
        )
        if not shaped or not isinstance(found.get("project"), str):
            raise self._error("has a manifest that cannot be read")
        return found

    def _matching(self, part: Part) -> list[int | None]:
        """Returns where each of a table's columns stands in its part; None where it is newer."""
        told = self.manifest["parts"].get(part.file)
        if told is None:
            return [None] * len(part.columns)
        names = [column.name for column in part.columns]
        strange = [name for name in told["columns"] if name not in names]
        if strange or len(set(told["columns"])) < len(told["columns"]):
            raise self._error(
                f"holds `{part.table.name}.{(strange or ['?'])[0]}`, which this relkit does not"
                " know",
                f"it was made by relkit {self.manifest.get('relkit')}: install that or a newer one",
            )
        return [told["columns"].index(name) if name in told["columns"] else None for name in names]

    @property
    def name(self) -> str:
        """The project's name."""
        return str(self.manifest["project"])

    def count(self, file: str) -> int:
        """How many rows a part has."""
        return int(self.manifest["parts"].get(file, {"rows": 0})["rows"])

    @property
    def rows(self) -> int:
        """How many rows it has in all."""
        return sum(self.count(file) for file in self.parts)

    def read(self, file: str) -> Iterator[list[Any]]:
        """Yields the rows of a part, and compares its length and sum at the end.

        Raises:
            InputError: If they are not what the manifest says.
        """
        told = self.manifest["parts"].get(file)
        if told is None:
            return
        digest = hashlib.sha256()
        left, rows = told["bytes"], 0
        width = len(told["columns"])
        try:
            with self.zip.open(file) as part:
                while line := part.readline(min(LONGEST_LINE, left + 1)):
                    digest.update(line)
                    left -= len(line)
                    rows += 1
                    if left < 0 or rows > told["rows"] or not line.endswith(b"\n"):
                        break
                    row = json.loads(line)
                    if not isinstance(row, list) or len(row) != width:
                        raise ValueError
                    yield row
        except (zipfile.BadZipFile, zlib.error, EOFError, KeyError, ValueError, RecursionError,
                OSError, NotImplementedError, RuntimeError):  # fmt: skip
            left = -1
        if left or rows != told["rows"] or digest.hexdigest() != told["sha256"]:
            raise self._error(f"is damaged: `{file}` is not what the manifest says")

    def rows_of(self, part: Part) -> Iterator[list[Any]]:
        """Yields the rows of a table with a value for each of its columns that the archive has."""
        places = [place for place in self.parts[part.file] if place is not None]
        for row in self.read(part.file):
            yield [row[place] for place in places]

    def columns_of(self, part: Part) -> tuple[list[sa.Column[Any]], list[str | None]]:
        """Returns those columns, and the table that each refers to."""
        chosen = [
            (column, target)
            for column, target, place in zip(
                part.columns, part.references, self.parts[part.file], strict=True
            )
            if place is not None
        ]
        return [column for column, _ in chosen], [target for _, target in chosen]

    def people(self) -> list[tuple[str, bool]]:
        """Returns the names in the archive, and whether each is a language model."""
        found = []
        for number, row in enumerate(self.read(PEOPLE), 1):
            shaped = len(row) == 3 and row[0] == number and isinstance(row[2], bool)
            if not shaped or not isinstance(row[1], str) or not is_storable(row[1]):
                raise self._error(f"is damaged: `{PEOPLE}`")
            found.append((row[1], row[2]))
        return found

    def check(self, report: Report | None = None) -> Project:
        """Reads all of it, and compares every value with what its column takes.

        Returns:
            The project as it will be, without an id.

        Raises:
            InputError: If something is damaged, missing or cannot be stored.
        """
        people = self.people()
        counts = {"users": len(people)}
        done = 0
        found: Project | None = None
        for part in archive_parts():
            columns, targets = self.columns_of(part)
            required = [one for one in part.columns if _needed(one)]
            if self.count(part.file) and not set(required) <= set(columns):
                raise self._error(f"lacks columns of `{part.table.name}`")
            own = columns.index(part.table.c.id) if part.numbered and columns else None
            counts[part.table.name] = self.count(part.file)
            for number, row in enumerate(self.rows_of(part), 1):
                right = own is None or row[own] == number
                for column, target, value in zip(columns, targets, row, strict=True):
                    right = right and _fits(column, value)
                    if target is not None and value is not None:
                        right = right and 1 <= value <= counts[target]
                if not right:
                    raise self._error(
                        f"is damaged: row {number:,} of `{part.file}` cannot be stored"
                    )
                if part.table is projects:
                    found = self._project(columns, row)
                done += 1
                if report is not None and done % 1000 == 0:
                    report(done, 2 * self.rows)
        if found is None or counts["projects"] != 1:
            raise self._error("holds no project")
        return found

    def _project(self, columns: list[sa.Column[Any]], row: list[Any]) -> Project:
        values = {column.name: value for column, value in zip(columns, row, strict=True)}
        values.setdefault("state", "open")
        try:
            found = read_project(_Row(values))
        except (KeyError, TypeError, ValueError, AttributeError):
            raise self._error("is damaged: its project cannot be read") from None
        if found.state not in SEEN:
            raise self._error(f"holds a project that is `{found.state}`")
        return found


class _Row:
    """A row of an archive as a row of the database."""

    def __init__(self, values: dict[str, Any]) -> None:
        self.__dict__.update(values)
        self._mapping = values


def _needed(column: sa.Column[Any]) -> bool:
    return not column.nullable and column.server_default is None


def _fits(column: sa.Column[Any], value: Any) -> bool:
    """Says whether a column takes a value."""
    if value is None:
        return bool(column.nullable)
    kind = column.type
    if isinstance(kind, sa.Boolean):
        return isinstance(value, bool)
    if isinstance(kind, sa.Integer):
        most = 2**63 if isinstance(kind, sa.BigInteger) else 2**31
        return isinstance(value, int) and not isinstance(value, bool) and -most <= value < most
    if isinstance(kind, sa.Text):
        return isinstance(value, str) and is_storable(value)
    if isinstance(kind, sa.JSON):
        try:
            return bool(plain(value) == value)
        except InputError:
            return False
    number = isinstance(value, int | float) and not isinstance(value, bool)
    return number and math.isfinite(value)


def unpack_project(
    store: Store,
    archive: Archive,
    *,
    name: str | None = None,
    by: User | None = None,
    report: Report | None = None,
) -> Unpacked:
    """Makes the project of an archive; nobody sees it before it is all there.

    Accounts are matched by their names. Those that are not there are made, closed and without a
    password, so that every grade keeps its name.

    Args:
        store: The database.
        archive: The archive.
        name: What to call the project; as in the archive without.
        by: Who asked for it.
        report: Told how far it is.

    Raises:
        InputError: If the archive is damaged or cannot be stored here.
        ParameterError: If there is a project of that name.
    """
    return prepare_unpacking(store, archive, name=name, by=by, report=report).run()


def prepare_unpacking(
    store: Store,
    archive: Archive,
    *,
    name: str | None = None,
    by: User | None = None,
    report: Report | None = None,
) -> Unpacking:
    """Checks all of an archive and makes its job, which `run` then works on.

    Raises:
        InputError: As `unpack_project`.
        ParameterError: As `unpack_project`.
    """
    tidy_up(store)
    found = archive.check(report)
    chosen = check_name(name if name is not None else archive.name, "project")
    part = next(one for one in archive_parts() if one.table is projects)
    columns, _ = archive.columns_of(part)
    values = dict(zip([one.name for one in columns], next(archive.rows_of(part)), strict=True))
    values |= {"name": chosen, "state": "making"}
    del values["id"]
    try:
        with store.database.write() as connection:
            made = new_id(connection.execute(sa.insert(projects).values(**values)))
            work = start_job(
                store,
                connection,
                "unpack",
                made,
                total=archive.rows,
                source=archive.path,
                by=by,
                report=report,
            )
    except sa.exc.IntegrityError:
        raise ParameterError(
            f"there is a project `{chosen}` already", hint="give the new one another name"
        ) from None
    return Unpacking(store, archive, work, found)


class Unpacking:
    """An archive that was checked, on its way into the database."""

    def __init__(self, store: Store, archive: Archive, work: Work, project: Project) -> None:
        self.store = store
        self.archive = archive
        self.work = work
        self.project = project
        self.users: dict[int, User] = {}
        self.ids: dict[str, array[int]] = {"projects": array("q", [work.project_id])}
        self.made: list[str] = []
        self.matched: list[str] = []
        self.kept = 0

    def run(self) -> Unpacked:
        """Puts everything in, or nothing.

        Raises:
            StoppedError: If somebody asked for it to be stopped.
            InputError: If the database cannot be used or refuses something.
        """
        work = self.work
        try:
            with work.step() as connection:
                self._find_people(connection)
            for part in archive_parts():
                if part.table is not projects:
                    self._put_in(part)
            with work.step() as connection:
                mine = projects.c.id == work.project_id
                connection.execute(sa.update(projects).where(mine).values(state=self.project.state))
                count = len(self.ids["items"])
                work.write_end(connection, "done", items=count, grades=len(self.ids["actions"]))
        except BaseException as error:
            self._take_back(error)
            if isinstance(error, sa.exc.IntegrityError):
                reason = str(error.orig).strip().split("\n")[0]
                raise InputError(
                    f"the archive holds what the database refuses: {reason}",
                    path=self.archive.path,
                ) from None
            raise
        work.leave()
        update_statistics(self.store.database)
        project = self.store.project(work.project_id)
        return Unpacked(project, tuple(self.made), tuple(self.matched), self.kept)

    def _take_back(self, error: BaseException) -> None:
        stopped = isinstance(error, StoppedError | KeyboardInterrupt | SystemExit)
        self.work.report = None
        try:
            abandon_project(self.work, "stopped" if stopped else "failed")
        finally:
            self.work.leave()

    def _find_people(self, connection: sa.Connection) -> None:
        people = self.archive.people()
        names = [name for name, machine in people if not machine]
        before = self.store._find_users(connection, names)
        known = self.store._ensure_users(connection, names)
        self.made = [name for name in names if name not in before]
        self.matched = [name for name in names if name in before]
        self.store._close_users(connection, [known[name] for name in self.made])
        for name, machine in people:
            number = self.store._ensure_machine(connection, name) if machine else known[name]
            self.ids.setdefault("users", array("q")).append(number)
            self.users[number] = User(number, name, "judge", machine=machine)

    def _put_in(self, part: Part) -> None:
        """Puts the rows of one table in."""
        columns, targets = self.archive.columns_of(part)
        names = [one.name for one in columns]
        own = columns.index(part.table.c.id) if part.numbered and columns else None
        known = self.ids.setdefault(part.table.name, array("q"))
        links = [(n, name) for n, name in enumerate(targets) if name is not None]
        rows = self.archive.rows_of(part)
        while batch := list(islice(rows, self.work.size)):
            with self.work.step(len(batch)) as connection:
                if part.table is llm_answers:
                    batch = self._new_answers(connection, names, batch)
                if own is not None:
                    fresh = reserve_ids(connection, part.table, len(batch))
                    known.extend(fresh)
                    if part.table.name == "items" and fresh:
                        self.work.made = [fresh[0], fresh[-1]]
                    for row, number in zip(batch, fresh, strict=True):
                        row[own] = number
                keyed = "key" in names and "user_id" in names
                imported = self._imported(names, batch) if keyed else []
                for row in batch:
                    for place, name in links:
                        if row[place] is not None:
                            row[place] = self.ids[name][row[place] - 1]
                for row in imported:
                    row[names.index("key")] = import_key(row[names.index("item_id")])
                if keyed:
                    self._make_keys_distinct(connection, part.table, names, batch)
                if part.table is assignments:
                    self._draw_sides(names, batch)
                    insert_rows(connection, part.table, [*names, "swapped"], batch)
                    continue
                insert_rows(connection, part.table, names, batch)

    def _imported(self, names: list[str], batch: list[list[Any]]) -> list[list[Any]]:
        """Returns the actions that an import made: their keys are made of ids."""
        key, item = names.index("key"), names.index("item_id")
        return [row for row in batch if row[key] == import_key(row[item])]

    def _make_keys_distinct(
        self, connection: sa.Connection, table: sa.Table, names: list[str], batch: list[list[Any]]
    ) -> None:
        """Gives actions other keys where their judge has used them here: in the original of a copy.

        No browser sends them again: it knows the original's items.
        """
        user, key = names.index("user_id"), names.index("key")
        mine = sa.and_(
            table.c.user_id.in_({row[user] for row in batch}),
            table.c.key.in_({row[key] for row in batch}),
        )
        found = connection.execute(sa.select(table.c.user_id, table.c.key).where(mine))
        used = {(row.user_id, row.key) for row in found}
        for row in batch:
            if (row[user], row[key]) in used:
                row[key] = f"{row[key]} (project {self.work.project_id})"

    def _draw_sides(self, names: list[str], batch: list[list[Any]]) -> None:
        """Says which system each judge sees on the left, which is drawn by the ids of here."""
        item, user = names.index("item_id"), names.index("user_id")
        for row in batch:
            judge = self.users.get(row[user])
            row.append(judge is not None and is_swapped(self.project, judge, row[item]))

    def _new_answers(
        self, connection: sa.Connection, names: list[str], batch: list[list[Any]]
    ) -> list[list[Any]]:
        """Leaves out the answers that are here already: the same question is asked once."""
        keys = [names.index(name) for name in ("request_hash", "sample", "attempt")]
        said = [names.index(name) for name in ("content", "grade", "reason", "problem")]
        hashes = {row[keys[0]] for row in batch}
        mine = llm_answers.c.request_hash.in_(hashes)
        here = {
            (row.request_hash, row.sample, row.attempt): (
                row.content, row.grade, row.reason, row.problem,
            )
            for row in connection.execute(sa.select(llm_answers).where(mine))
        }  # fmt: skip
        fresh = []
        for row in batch:
            before = here.get((row[keys[0]], row[keys[1]], row[keys[2]]))
            if before is None:
                fresh.append(row)
            else:
                self.kept += before != tuple(row[place] for place in said)
        return fresh
