"""Imports: items, places, known grades and ratings put into a project, in batches where it is much.

A small import is one transaction. A large one is a job (`relkit.judging.jobs`): everything in it is
checked before the first row is written; then batches go in, each for a moment, and judges are given
none of the new items before the last one is there. What an import that failed or was stopped had
made is taken out again.
"""

from __future__ import annotations

from collections.abc import Collection
from itertools import islice

from relkit.judging.base import Base
from relkit.judging.batch import Batch
from relkit.judging.bulk import update_statistics
from relkit.judging.incoming import Imported, Incoming
from relkit.judging.jobs import Report, Work, refuse_while_importing, start_job
from relkit.judging.places import take_turn
from relkit.judging.projects import check_open
from relkit.judging.records import Project, User
from relkit.judging.removal import discard_import, tidy_up

__all__ = [
    "AT_ONCE",
    "announce_import",
    "bring_in",
    "prepare_import",
]

#: Rows that go in at once: no judge notices.
AT_ONCE = 2000


class Prepared:
    """An import that was checked and may begin: a job, for whoever waits and whoever does not."""

    def __init__(
        self, store: Base, project: Project, rows: Collection[Incoming], work: Work
    ) -> None:
        self.store = store
        self.project = project
        self.rows = rows
        self.work = work

    def run(self) -> Imported:
        """Brings everything in, or nothing.

        Raises:
            StoppedError: If somebody asked for it to be stopped.
            InputError: If the database cannot be used; what went in is taken out by whoever
                comes next.
        """
        work = self.work
        try:
            new = grades = 0
            left = iter(self.rows)
            while batch := list(islice(left, work.size)):
                with work.step(len(batch)) as connection:
                    added = Batch(self.store, connection, self.project, batch, work).store()
                new, grades = new + added.items, grades + added.grades
            with work.step() as connection:
                work.write_end(connection, "done", items=new, grades=grades)
        except BaseException as error:
            self._take_back(error)
            raise
        work.leave()
        update_statistics(self.store.database)
        return Imported(new, grades)

    def _take_back(self, error: BaseException) -> None:
        self.work.report = None
        try:
            discard_import(self.work)
            self.work.fail(error)
        finally:
            self.work.leave()


def bring_in(
    store: Base,
    project: Project,
    rows: Collection[Incoming],
    *,
    source: str = "",
    by: User | None = None,
    report: Report | None = None,
) -> Imported:
    """Brings items into a project: all or none.

    Args:
        store: The database.
        project: The project.
        rows: What comes; gone through twice where it is much.
        source: The file, for those who look.
        by: Who asked for it.
        report: Told how far it is, after each batch.

    Returns:
        How many items, and how many grades or known grades, are new.

    Raises:
        InputError: If something cannot be stored, the scale does not have a grade, or an item has
            more grades than the project has places.
        ParameterError: If the project is closed, or another import is not finished.
    """
    if len(rows) <= AT_ONCE:
        with store.database.write() as connection:
            take_turn(connection, project.id)
            check_open(connection, project.id)
            refuse_while_importing(connection, project.id)
            return Batch(store, connection, project, rows).store()
    return prepare_import(store, project, rows, source=source, by=by, report=report).run()


def prepare_import(
    store: Base,
    project: Project,
    rows: Collection[Incoming],
    *,
    source: str = "",
    by: User | None = None,
    report: Report | None = None,
    work: Work | None = None,
) -> Prepared:
    """Checks all of an import and makes its job, which `run` then works on.

    Args:
        store: The database.
        project: The project.
        rows: What comes.
        source: The file, for those who look.
        by: Who asked for it.
        report: Told how far it is, after each batch.
        work: The job, where it was announced.

    Raises:
        InputError: As `bring_in`.
        ParameterError: As `bring_in`.
    """
    if work is None:
        work = announce_import(store, project, source=source, by=by, report=report)
    try:
        left = iter(rows)
        while batch := list(islice(left, 5000)):
            with store.database.read() as connection:
                Batch(store, connection, project, batch).check()
        with work.step() as connection:
            work.write_total(connection, len(rows))
    except BaseException as error:
        work.fail(error)
        raise
    return Prepared(store, project, rows, work)


def announce_import(
    store: Base,
    project: Project,
    *,
    source: str = "",
    by: User | None = None,
    report: Report | None = None,
) -> Work:
    """Makes the job of an import, before it is known what comes: there is one at a time.

    Raises:
        ParameterError: If the project is closed, or another import is not finished.
    """
    tidy_up(store)
    with store.database.write() as connection:
        take_turn(connection, project.id)
        check_open(connection, project.id)
        refuse_while_importing(connection, project.id)
        return start_job(
            store, connection, "import", project.id, source=source, by=by, report=report
        )
