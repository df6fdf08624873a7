"""Restores a project from its archive: checked first, stored in batches, visible at the end."""

from __future__ import annotations

from array import array
from dataclasses import dataclass
from itertools import islice
from typing import TYPE_CHECKING

from relyon.core.errors import InputError, ParameterError
from relyon.core.texts import message
from relyon.judging.archive_parts import Part, Values, archive_parts
from relyon.judging.archive_reader import Archive
from relyon.judging.bulk import insert_rows, reserve_ids, update_statistics
from relyon.judging.database import new_id
from relyon.judging.imported_accounts import (
    close_people,
    ensure_machine,
    ensure_people,
    find_people,
)
from relyon.judging.jobs import Report, StoppedError, Work, start_job
from relyon.judging.members import put_member
from relyon.judging.places import is_swapped
from relyon.judging.records import Project, User
from relyon.judging.removal import abandon_project, tidy_up
from relyon.judging.schema import assignments, llm_answers, projects, sa
from relyon.judging.table_rows import import_key
from relyon.judging.texts import check_name

if TYPE_CHECKING:
    from relyon.judging.store import Store

__all__ = ["Unpacked", "prepare_unpacking", "unpack_project"]


@dataclass(frozen=True)
class Unpacked:
    """The result of importing an archive.

    Attributes:
        project: The project.
        made: Names of accounts that were created, closed and without a password.
        matched: Names of existing accounts that the grades were assigned to.
        kept: Number of existing answers of language models that differ from the archive's.
    """

    project: Project
    made: tuple[str, ...]
    matched: tuple[str, ...]
    kept: int


def unpack_project(
    store: Store,
    archive: Archive,
    *,
    name: str | None = None,
    by: User | None = None,
    report: Report | None = None,
) -> Unpacked:
    """Creates the project of an archive, which becomes visible once it is complete.

    Accounts are matched by name. Missing ones are created, closed and without a password, so that
    every grade keeps its judge.

    Args:
        store: The database.
        archive: The archive.
        name: The project's name; by default the one in the archive.
        by: The account that requested it.
        report: Called with progress.

    Raises:
        InputError: If the archive is damaged or cannot be stored here.
        ParameterError: If a project of that name exists.
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
    """Validates a whole archive and creates its job, for `run`.

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
            if by is not None and values.get("members_only"):
                # Its members are accounts of another database.
                put_member(connection, made, by.id, "lead", store.clock())
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
            message("judging.project-chosen-already-exists", chosen=chosen),
            hint=message("judging.give-new-one-another"),
        ) from None
    return Unpacking(store, archive, work, found)


class Unpacking:
    """The import of a validated archive."""

    def __init__(self, store: Store, archive: Archive, work: Work, project: Project) -> None:
        self.store = store
        self.archive = archive
        self.work = work
        self.project = project
        self.users: dict[object, User] = {}
        self.ids: dict[str, array[int]] = {"projects": array("q", [work.project_id])}
        self.made: list[str] = []
        self.matched: list[str] = []
        self.kept = 0

    def run(self) -> Unpacked:
        """Imports everything or nothing.

        Raises:
            StoppedError: If it was stopped.
            InputError: If the database cannot be used or rejects something.
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
                    message("judging.archive-holds-what-database", reason=reason),
                    path=self.archive.path,
                ) from None
            raise
        work.leave()
        update_statistics(self.store.database)
        project = self.store.projects.get(work.project_id)
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
        before = find_people(connection, names)
        now = self.store.clock()
        known = ensure_people(connection, names, now)
        self.made = [name for name in names if name not in before]
        self.matched = [name for name in names if name in before]
        close_people(connection, [known[name] for name in self.made])
        for name, machine in people:
            number = ensure_machine(connection, name, now) if machine else known[name]
            self.ids.setdefault("users", array("q")).append(number)
            self.users[number] = User(number, name, "judge", machine=machine)

    def _put_in(self, part: Part) -> None:
        """Stores the rows of one table."""
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
                    for row, identity in zip(batch, fresh, strict=True):
                        row[own] = identity
                keyed = "key" in names and "user_id" in names
                imported = self._imported(names, batch) if keyed else []
                for row in batch:
                    for place, name in links:
                        number = row[place]
                        if isinstance(number, int):
                            row[place] = self.ids[name][number - 1]
                for row in imported:
                    row[names.index("key")] = import_key(row[names.index("item_id")])
                if keyed:
                    self._make_keys_distinct(connection, part.table, names, batch)
                if part.table is assignments:
                    self._draw_sides(names, batch)
                    insert_rows(connection, part.table, [*names, "swapped"], batch)
                    continue
                insert_rows(connection, part.table, names, batch)

    def _imported(self, names: list[str], batch: list[Values]) -> list[Values]:
        """Returns the imported actions, whose keys are derived from ids."""
        key, item = names.index("key"), names.index("item_id")
        return [row for row in batch if row[key] == import_key(row[item])]

    def _make_keys_distinct(
        self, connection: sa.Connection, table: sa.Table, names: list[str], batch: list[Values]
    ) -> None:
        """Changes the keys of actions that their judge has used here: in the original of a copy.

        No browser resends them, as it knows the original's items.
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

    def _draw_sides(self, names: list[str], batch: list[Values]) -> None:
        """Appends which system each judge sees on the left, drawn by this database's ids."""
        place, user = names.index("item_id"), names.index("user_id")
        for row in batch:
            judge, item = self.users.get(row[user]), row[place]
            row.append(
                judge is not None
                and isinstance(item, int)
                and is_swapped(self.project, judge, item)
            )

    def _new_answers(
        self, connection: sa.Connection, names: list[str], batch: list[Values]
    ) -> list[Values]:
        """Returns the answers that this database lacks: the same question is asked once."""
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
