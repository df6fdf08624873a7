"""The project of a month: the results that its sample shows, with last month's settings."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice
from typing import TYPE_CHECKING

from relyon.core.errors import ParameterError
from relyon.core.texts import message
from relyon.data.period import check_month
from relyon.judging.batch import Batch
from relyon.judging.bulk import update_statistics
from relyon.judging.database import new_id
from relyon.judging.imported_accounts import close_people, ensure_people, find_people
from relyon.judging.incoming_items import Incoming
from relyon.judging.jobs import Report, StoppedError, Work, start_job
from relyon.judging.projects import find_settings, settings_row
from relyon.judging.records import EARLIER_PREFIX, Item, Rating
from relyon.judging.removal import abandon_project, tidy_up
from relyon.judging.samples import store_sample
from relyon.judging.schema import assignments, gold, items, members, projects, sa
from relyon.judging.table_rows import check_item, read_project

if TYPE_CHECKING:
    from relyon.data.scale import Scale
    from relyon.judging.records import Project, User
    from relyon.judging.store import Store
    from relyon.online.sampling import Pool, Sample

__all__ = ["MonthProject", "create_month_project"]


@dataclass(frozen=True)
class MonthProject:
    """What the project of a month is made of.

    Attributes:
        month: Such as `2026-11`; the project's name, too.
        sample: The sampled sessions.
        pool: The results to grade, and those that were graded before.
        titles: Titles by document, as far as they are known.
        copied: The project whose guideline, scale, overlap, gold items, members and target are
            copied; None for one that has only the settings below.
        earlier: The project whose grades are used again, by its name; empty without.
        scale: The grade scale, without `copied`.
        overlap: How many judges grade each item, without `copied`.
        gold_share: The share of gold items, without `copied`.
        source: The name of the log, for display.
    """

    month: str
    sample: Sample
    pool: Pool
    titles: Mapping[str, str] = field(default_factory=dict)
    copied: Project | None = None
    earlier: str = ""
    scale: Scale | str = "search"
    overlap: int = 2
    gold_share: float = 0.0
    source: str = ""


def create_month_project(
    store: Store, planned: MonthProject, *, by: User | None = None, report: Report | None = None
) -> Project:
    """Creates the project of a month with its sample: everything or nothing.

    The project is hidden until it is complete. Grades of an earlier project fill one place of
    their item, in the name of a closed account that begins with `EARLIER_PREFIX`; the item has no
    further places, so that it is not graded again.

    Args:
        store: The database.
        planned: The project.
        by: The account that asked for it.
        report: Called with progress.

    Raises:
        ParameterError: If a project of that name exists, or the month is invalid.
        StoppedError: If it was stopped.
    """
    check_month(planned.month)
    tidy_up(store)
    rows = _rows(store, planned)
    for one in rows:
        check_item(one.item)
    values = settings_row(
        planned.month,
        scale=planned.scale,
        overlap=planned.overlap,
        gold_share=planned.gold_share,
    )
    values |= {"created_at": store.clock(), "state": "making"}
    if planned.copied is not None:
        values |= find_settings(planned.copied)
    try:
        with store.database.write() as connection:
            made = new_id(connection.execute(sa.insert(projects).values(**values)))
            total = len(rows)
            work = start_job(
                store, connection, "unpack", made, total=total, source=planned.source, by=by,
                report=report,
            )  # fmt: skip
            row = connection.execute(sa.select(projects).where(projects.c.id == made)).one()
    except sa.exc.IntegrityError:
        raise ParameterError(
            message("judging.project-already-exists", name=planned.month),
            hint=message("judging.delete-or-open-that-project"),
        ) from None
    _fill(store, planned, rows, read_project(row), work, by)
    update_statistics(store.database)
    return store.projects.get(made)


def _fill(
    store: Store,
    planned: MonthProject,
    rows: Sequence[Incoming],
    project: Project,
    work: Work,
    by: User | None,
) -> None:
    """Stores the items, and the sample together with the end of the job."""
    try:
        with work.step() as connection:
            judges = [one.judge for row in rows for one in row.ratings[:1]]
            fresh = set(judges) - find_people(connection, judges).keys()
            known = ensure_people(connection, judges, store.clock())
            close_people(connection, [known[name] for name in fresh])
        left = iter(rows)
        while batch := list(islice(left, work.size)):
            with work.step(len(batch)) as connection:
                Batch(store, connection, project, batch, work).store()
                _close_reused(connection, project)
        with work.step() as connection:
            if planned.copied is not None:
                _copy_members(connection, planned.copied, project, store.clock())
            store_sample(
                connection,
                project.id,
                planned.month,
                planned.sample,
                source=planned.source,
                by=by,
                now=store.clock(),
            )
            mine = projects.c.id == project.id
            connection.execute(sa.update(projects).where(mine).values(state="open"))
            reused = sum(1 for row in rows if row.ratings)
            work.write_end(connection, "done", items=len(rows), grades=reused)
    except BaseException as error:
        work.report = None
        stopped = isinstance(error, StoppedError | KeyboardInterrupt | SystemExit)
        try:
            abandon_project(work, "stopped" if stopped else "failed")
        finally:
            work.leave()
        raise
    work.leave()


def _rows(store: Store, planned: MonthProject) -> list[Incoming]:
    """Returns the items: those to grade, those that were graded, and the gold items."""
    known = _gold_items(store, planned.copied)
    pairs = {(one.item.query, one.item.document) for one in known}
    rows = list(known)
    columns = ("query", "doc", "tier", "position")
    for query, doc, tier, position in planned.pool.pairs.select(columns).iter_rows():
        if (query, doc) not in pairs:
            rows.append(Incoming(_item(planned, query, doc, tier, position)))
    judge = EARLIER_PREFIX + planned.earlier
    reused = planned.pool.reused.select(*columns, "grade", "judged_at")
    for query, doc, tier, position, grade, when in reused.iter_rows():
        if (query, doc) not in pairs:
            at = None if when is None else when.timestamp()
            rating = Rating(judge, float(grade), at=at)
            rows.append(Incoming(_item(planned, query, doc, tier, position), (rating,)))
    return rows


def _item(planned: MonthProject, query: str, doc: str, tier: str, position: int) -> Item:
    return Item(query, doc, title=planned.titles.get(doc, ""), tier=tier, rank=position)


def _gold_items(store: Store, copied: Project | None) -> list[Incoming]:
    """Returns the gold items of a project, to be gold items of another one."""
    if copied is None:
        return []
    known = store.gold.all(copied.id)
    notes = _gold_notes(store, copied)
    return [
        Incoming(item, known=known[item.id], known_note=notes.get(item.id, ""))
        for item in store.items.all(copied.id, ids=list(known))
    ]


def _gold_notes(store: Store, copied: Project) -> dict[int, str]:
    query = sa.select(gold.c.item_id, gold.c.note).select_from(gold.join(items))
    with store.database.read() as connection:
        rows = connection.execute(query.where(items.c.project_id == copied.id))
        return {row.item_id: row.note for row in rows}


def _close_reused(connection: sa.Connection, project: Project) -> None:
    """Removes the free places of items that have an earlier grade."""
    graded = sa.select(assignments.c.item_id).where(
        assignments.c.project_id == project.id, assignments.c.state == "done"
    )
    free = sa.and_(
        assignments.c.project_id == project.id,
        assignments.c.user_id.is_(None),
        assignments.c.item_id.in_(graded),
    )
    connection.execute(sa.delete(assignments).where(free))


def _copy_members(connection: sa.Connection, copied: Project, project: Project, now: float) -> None:
    rows = connection.execute(
        sa.select(members.c.user_id, members.c.role).where(members.c.project_id == copied.id)
    ).all()
    if rows:
        values = [{**row._mapping, "project_id": project.id, "created_at": now} for row in rows]
        connection.execute(sa.insert(members), values)
