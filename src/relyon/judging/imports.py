"""Imports: items, places, known grades and ratings, in batches if there are many.

A small import is one transaction. A large one is a job (`relyon.judging.jobs`): everything is
checked before the first row is written; then batches are stored one by one, and judges get none of
the new items before the last batch. An import that fails or is stopped is rolled back.
"""

from __future__ import annotations

from collections.abc import Collection
from itertools import islice

from relyon.judging.actions import Again
from relyon.judging.batch import Batch, refuse_differing
from relyon.judging.bulk import update_statistics
from relyon.judging.database_part import Base
from relyon.judging.incoming_items import Imported, Incoming
from relyon.judging.jobs import Report, Work, refuse_while_importing, start_job
from relyon.judging.places import take_turn
from relyon.judging.projects import check_open
from relyon.judging.records import Item, Project, User
from relyon.judging.removal import discard_import, tidy_up

__all__ = [
    "AT_ONCE",
    "announce_import",
    "bring_in",
    "prepare_import",
]

#: Rows up to which an import is one transaction, unnoticed by judges.
AT_ONCE = 2000


class Prepared:
    """A validated import that is ready to run, in the foreground or background."""

    def __init__(
        self,
        store: Base,
        project: Project,
        rows: Collection[Incoming],
        work: Work,
        again: Again = "refuse",
    ) -> None:
        self.store = store
        self.project = project
        self.rows = rows
        self.work = work
        self.again = again

    def run(self) -> Imported:
        """Imports everything or nothing.

        Raises:
            StoppedError: If it was stopped.
            InputError: If the database cannot be used; the next process rolls back the partial
                import.
        """
        work = self.work
        try:
            new = grades = 0
            left = iter(self.rows)
            while batch := list(islice(left, work.size)):
                with work.step(len(batch)) as connection:
                    added = Batch(
                        self.store, connection, self.project, batch, work, self.again
                    ).store()
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
    again: Again = "refuse",
) -> Imported:
    """Imports items into a project: all or none.

    Args:
        store: The database.
        project: The project.
        rows: The rows; iterated twice if there are many.
        source: The file, for display.
        by: The account that requested it.
        report: Called with progress after each batch.
        again: Whether a grade replaces another one of the same judge and item, or is refused.

    Returns:
        The numbers of new items and of new grades or known grades.

    Raises:
        InputError: If something cannot be stored, a grade is not on the scale, an item has more
            grades than the project has places, or grades differ from stored ones and do not replace
            them.
        ParameterError: If the project is closed, or another import is not finished.
    """
    if len(rows) <= AT_ONCE:
        with store.database.write() as connection:
            take_turn(connection, project.id)
            check_open(connection, project.id)
            refuse_while_importing(connection, project.id)
            return Batch(store, connection, project, rows, again=again).store()
    return prepare_import(
        store, project, rows, source=source, by=by, report=report, again=again
    ).run()


def prepare_import(
    store: Base,
    project: Project,
    rows: Collection[Incoming],
    *,
    source: str = "",
    by: User | None = None,
    report: Report | None = None,
    work: Work | None = None,
    again: Again = "refuse",
) -> Prepared:
    """Validates a whole import and creates its job, for `run`.

    Args:
        store: The database.
        project: The project.
        rows: The rows.
        source: The file, for display.
        by: The account that requested it.
        report: Called with progress after each batch.
        work: The job, if it was announced.
        again: As in `bring_in`.

    Raises:
        InputError: As `bring_in`.
        ParameterError: As `bring_in`.
    """
    if work is None:
        work = announce_import(store, project, source=source, by=by, report=report)
    try:
        left, differing = iter(rows), list[Item]()
        while batch := list(islice(left, 5000)):
            with store.database.read() as connection:
                checked = Batch(store, connection, project, batch, again=again)
                checked.check()
                differing += checked.differing
        refuse_differing(differing)
        with work.step() as connection:
            work.write_total(connection, len(rows))
    except BaseException as error:
        work.fail(error)
        raise
    return Prepared(store, project, rows, work, again)


def announce_import(
    store: Base,
    project: Project,
    *,
    source: str = "",
    by: User | None = None,
    report: Report | None = None,
) -> Work:
    """Creates the job of an import before its rows are known; only one can run at a time.

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
