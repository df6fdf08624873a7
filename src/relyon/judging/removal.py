"""Removal of unfinished imports and of whole projects: in batches, referring rows first."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from typing import TYPE_CHECKING

from relyon.core.errors import InputError
from relyon.core.texts import message
from relyon.judging.bulk import update_statistics
from relyon.judging.corrections import resume
from relyon.judging.job_reasons import write_reason
from relyon.judging.jobs import JobState, Report, Work, claim_dead_jobs, start_job
from relyon.judging.places import take_turn
from relyon.judging.schema import (
    items,
    jobs,
    llm_answers,
    llm_probes,
    llm_requests,
    metadata,
    projects,
    sa,
)

if TYPE_CHECKING:
    from relyon.judging.database_part import Base
    from relyon.judging.records import Project, User

__all__ = [
    "Removal",
    "abandon_project",
    "discard_import",
    "prepare_store",
    "remove_project",
    "start_removal",
    "tidy_up",
]

log = logging.getLogger("relyon.judging")


def referring(target: sa.Table) -> list[tuple[sa.Table, sa.Column[object]]]:
    """Returns the tables that refer to another one, and the columns that do.

    They are in an order of removal: no row refers to one that was removed before.
    """
    return [
        (table, column)
        for table in reversed(metadata.sorted_tables)
        for column in table.columns
        if table is not target and column.references(target.c.id)
    ]


def _remove_items(connection: sa.Connection, chosen: Sequence[int]) -> None:
    """Removes items with their answers and decisions."""
    hashes = [
        found
        for table in (llm_requests, llm_probes)
        for found in connection.execute(
            sa.select(table.c.request_hash).where(table.c.item_id.in_(chosen))
        ).scalars()
    ]
    for table, column in referring(items):
        connection.execute(sa.delete(table).where(column.in_(chosen)))
    if hashes:
        # The answer may also belong to the same question in another project.
        asked = llm_answers.c.request_hash
        others = [
            asked.not_in(sa.select(table.c.request_hash)) for table in (llm_requests, llm_probes)
        ]
        connection.execute(sa.delete(llm_answers).where(asked.in_(hashes), *others))
    connection.execute(sa.delete(items).where(items.c.id.in_(chosen)))


def discard_import(work: Work) -> None:
    """Removes the items that an import created. No judge was given one of them."""
    with work.store.database.read() as connection:
        job = connection.execute(sa.select(jobs).where(jobs.c.id == work.job_id)).one()
    if job.first_item is None:
        return
    mine = sa.and_(
        items.c.id.between(job.first_item, job.last_item),
        items.c.job_id == work.job_id,
    )
    _remove_all(work, sa.select(items.c.id).where(mine).order_by(items.c.id))


def _remove_all(work: Work, chosen: sa.Select[int]) -> None:
    while True:
        with work.step(stoppable=False) as connection:
            found = list(connection.execute(chosen.limit(work.removal_size)).scalars())
            if not found:
                return
            _remove_items(connection, found)


def remove_project(
    store: Base, project: Project, *, by: User | None = None, report: Report | None = None
) -> None:
    """Removes a project with all its contents; it is hidden at once.

    Raises:
        InputError: If the database cannot be used; the next process removes the rest.
    """
    start_removal(store, project, by=by, report=report).run()


class Removal:
    """The removal of a hidden project."""

    def __init__(self, work: Work) -> None:
        self.work = work

    def run(self, state: JobState = "done") -> None:
        """Removes the project's rows, and ends the job with the given state."""
        work = self.work
        here = work.project_id
        try:
            _remove_all(work, sa.select(items.c.id).where(items.c.project_id == here))
            with work.step(stoppable=False) as connection:
                _remove_rest(connection, here)
                connection.execute(
                    sa.update(projects).where(projects.c.id == here).values(state="removed")
                )
                work.write_end(connection, state)
        finally:
            work.leave()


def start_removal(
    store: Base, project: Project, *, by: User | None = None, report: Report | None = None
) -> Removal:
    """Hides a project and creates the job that removes it.

    Raises:
        InputError: If it is being removed already.
    """
    tidy_up(store)
    with store.database.write() as connection:
        take_turn(connection, project.id)
        found = connection.execute(
            sa.select(projects.c.state).where(projects.c.id == project.id)
        ).scalar_one()
        if found not in ("open", "closed"):
            raise InputError(message("judging.is-being-removed-already", project_name=project.name))
        _hide(connection, project.id)
        most = connection.execute(
            sa.select(sa.func.max(items.c.id)).where(items.c.project_id == project.id)
        ).scalar()
        work = start_job(store, connection, "remove", project.id, by=by, report=report)
        counts = sa.select(sa.func.count()).where(items.c.project_id == project.id)
        total = connection.execute(counts).scalar_one()
        last = {"last_item": most, "total": total}
        connection.execute(sa.update(jobs).where(jobs.c.id == work.job_id).values(**last))
        # A running import stops by itself, and so do a language model and a search.
        kinds = jobs.c.kind.in_(("import", "model", "search", "audit"))
        others = sa.and_(jobs.c.project_id == project.id, kinds)
        connection.execute(
            sa.update(jobs).where(others, jobs.c.state == "running").values(state="stopping")
        )
    return Removal(work)


def _hide(connection: sa.Connection, project_id: int) -> None:
    """Hides a project, and makes its name available."""
    connection.execute(
        sa.update(projects)
        .where(projects.c.id == project_id)
        # No valid name has this character.
        .values(state="removing", name=f"\x7f{project_id}", guideline={})
    )


def abandon_project(work: Work, state: JobState) -> None:
    """Removes an incomplete project, and ends the job that was creating it."""
    with work.step(stoppable=False) as connection:
        _hide(connection, work.project_id)
    Removal(work).run(state)


def _remove_rest(connection: sa.Connection, project_id: int) -> None:
    """Removes the rows that belong to a project but to none of its items."""
    for table, column in referring(projects):
        if table is jobs:
            continue  # a record of what was done
        mine = column == project_id
        if "id" in table.c:
            for child, reference in referring(table):
                chosen = sa.select(table.c.id).where(mine)
                connection.execute(sa.delete(child).where(reference.in_(chosen)))
        connection.execute(sa.delete(table).where(mine))


def prepare_store(store: Base) -> None:
    """Prepares a database when a server starts: updates its statistics and tidies up."""
    update_statistics(store.database)
    tidy_up(store)


def tidy_up(store: Base) -> int:
    """Cleans up the jobs of processes that died, and returns their number.

    Incomplete imports and archives are removed; a removal or a correction is continued.
    """
    found = claim_dead_jobs(store)
    for work, kind in found:
        log.warning("tidying up after a process that died: job %d (%s)", work.job_id, kind)
        try:
            if kind == "import":
                discard_import(work)
                work.end("failed", "the program was ended; nothing of it was kept")
                continue
            if kind == "correct":
                resume(store, work)
                continue
            if kind in ("model", "search", "audit"):
                work.end("failed", write_reason(message("judging.model-was-ended")))
                continue
            if kind == "unpack":
                abandon_project(work, "failed")
            else:
                Removal(work).run()
        finally:
            work.leave()
    return len(found)
