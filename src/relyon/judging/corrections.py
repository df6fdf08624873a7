"""Corrections by leads: of one result, of a selection, or of all that a filter lists.

A correction is a row that says who, why and when, and the results that it is about. A few are
corrected in one transaction, many by a job: it first writes down which they are, then corrects them
step by step. If its process dies before that, nothing has changed; if it dies later, the next one
goes on. One more correction takes a whole one back, except where something else followed.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Literal, get_args

from relyon.core.errors import InputError, ParameterError
from relyon.core.parameters import check_choice
from relyon.core.texts import message
from relyon.judging.correct_one import Corrector
from relyon.judging.database import new_id
from relyon.judging.database_part import Base
from relyon.judging.jobs import JobState, StoppedError, Work, start_job
from relyon.judging.places import take_turn
from relyon.judging.projects import check_open
from relyon.judging.records import Project, User
from relyon.judging.result_filter import ResultFilter, filter_conditions
from relyon.judging.result_rows import follow, write_results
from relyon.judging.schema import (
    TableRow,
    corrected,
    corrections,
    items,
    projects,
    results,
    sa,
    users,
)
from relyon.judging.table_rows import read_project, read_user
from relyon.judging.texts import check_grade, check_text, is_id

__all__ = [
    "AT_ONCE",
    "BulkKind",
    "Correcting",
    "Correction",
    "CorrectionKind",
    "correct",
    "correction_of_job",
    "find_correction",
    "resume",
    "undo_correction",
]

BulkKind = Literal["decide", "reopen", "reopen_others", "remove", "restore"]
CorrectionKind = BulkKind | Literal["undo"]
#: Results that are corrected in one transaction.
AT_ONCE = 200
#: Results of a step, and ids that a step looks through for results of a filter.
STEP, WINDOW = 100, 20_000
#: States of corrections that are not finished.
RUNNING = ("planned", "running")


@dataclass(frozen=True)
class Correction:
    """What a lead did to some results.

    Attributes:
        id: In the database.
        project_id: The project.
        kind: `decide`: the lead's grade counts. `reopen`: places are free again, for anybody;
            `reopen_others`: for judges who did not answer it. `remove`: it counts nowhere;
            `restore`: it counts again. `undo`: takes another one back.
        state: `planned`, `running`, `done`, or `stopped`.
        lead: Who did it.
        reason: Why.
        grade: With `decide`: the grade.
        undoes: The correction that it takes back.
        undone: Whether it was taken back.
        created_at: When, in seconds since 1970.
        total: How many results it is about.
        applied: How many of them changed.
        job_id: Its job, if it is one.
    """

    id: int
    project_id: int
    kind: CorrectionKind
    state: str
    lead: str
    reason: str
    grade: float | None
    undoes: int | None
    undone: bool
    created_at: float
    total: int
    applied: int
    job_id: int | None


def find_correction(store: Base, project_id: int, number: int) -> Correction:
    """Returns a correction of a project.

    Raises:
        InputError: If there is none.
    """
    with store.database.read() as connection:
        row = _find(connection, project_id, number)
        mine = corrected.c.correction_id == row.id
        counts = sa.select(
            sa.func.count(), sa.func.sum(sa.case((corrected.c.applied, 1), else_=0))
        ).where(mine)
        total, applied = connection.execute(counts).one()
        undone = sa.select(corrections.c.id).where(
            corrections.c.project_id == project_id, corrections.c.undoes == row.id
        )
        name = sa.select(users.c.name).where(users.c.id == row.user_id)
        return Correction(
            row.id, row.project_id, row.kind, row.state, connection.execute(name).scalar_one(),
            row.reason, row.grade, row.undoes, connection.execute(undone).first() is not None,
            row.created_at, total, int(applied or 0), row.job_id,
        )  # fmt: skip


def correction_of_job(store: Base, job_id: int) -> int:
    """Returns the correction that a job runs."""
    query = sa.select(corrections.c.id).where(corrections.c.job_id == job_id)
    with store.database.read() as connection:
        return int(connection.execute(query).scalar_one())


def _find(connection: sa.Connection, project_id: int, number: int) -> TableRow:
    mine = sa.and_(corrections.c.id == number, corrections.c.project_id == project_id)
    row = None
    if is_id(number):
        row = connection.execute(sa.select(corrections).where(mine)).one_or_none()
    if row is None:
        raise InputError(message("judging.unknown-correction"))
    return row


@dataclass(frozen=True)
class Correcting:
    """A correction that was begun.

    Attributes:
        id: Of the correction.
        job_id: Its job, which `run` runs; None if it is done, or was sent before.
        run: Corrects the results, and raises `StoppedError` if it is stopped: what it did so far
            can be undone.
    """

    id: int
    job_id: int | None
    run: Callable[[], None] = lambda: None


def correct(
    store: Base,
    project_id: int,
    user: User,
    kind: BulkKind,
    chosen: Sequence[int] | ResultFilter,
    *,
    request: str,
    reason: str,
    grade: float | str | None = None,
) -> Correcting:
    """Corrects results of a project.

    Args:
        store: The database.
        project_id: The project.
        user: A lead.
        kind: What happens to the results.
        chosen: The results, or a filter; of other projects' results none is changed.
        request: Generated by the client: a request that was sent before changes nothing.
        reason: Why; the history shows it.
        grade: With `decide`: the grade.

    Raises:
        InputError: If there is no result or no reason, or the grade is not on the scale.
        ParameterError: If the user is a judge, the project is closed, or another correction of the
            project is not finished.
    """
    check_choice("kind", kind, get_args(BulkKind))
    reason = check_text(reason, "reason").strip()
    if not reason:
        raise InputError(
            message("judging.correction-needs-reason"), hint=message("judging.say-why-correction")
        )
    ids = None if isinstance(chosen, ResultFilter) else list(dict.fromkeys(chosen))
    if ids is not None and not ids:
        raise InputError(message("judging.nothing-chosen"), hint=message("judging.choose-results"))
    with store.database.write() as connection:
        project = _begin(connection, project_id, user)
        before = _sent_before(connection, project_id, request)
        if before is not None:
            return Correcting(before, None)
        _refuse_while_correcting(connection, project_id)
        values: dict[str, object] = {"reason": reason, "request": check_text(request, "key")}
        if kind == "decide":
            values["grade"] = check_grade(project.scale, "" if grade is None else grade)
        work = None
        if ids is None or len(ids) > AT_ONCE:
            work = start_job(store, connection, "correct", project_id, by=user)
        number = _insert(store, connection, project_id, user, kind, work, values)
        if ids is not None:
            for start in range(0, len(ids), 1000):
                some = [one for one in ids[start : start + 1000] if is_id(one)]
                mine = sa.and_(items.c.project_id == project_id, items.c.id.in_(some))
                _plan(connection, number, sa.select(items.c.id).where(mine))
        if work is None:
            _apply(store, connection, number, AT_ONCE)
            _set_state(connection, number, "done")
            return Correcting(number, None)
    wanted = chosen if isinstance(chosen, ResultFilter) else None
    return Correcting(number, work.job_id, lambda: _run(store, number, work, wanted))


def undo_correction(
    store: Base, project_id: int, user: User, number: int, *, request: str, reason: str = ""
) -> Correcting:
    """Takes a correction back, except where something else followed it.

    Args:
        store: The database.
        project_id: The project.
        user: A lead.
        number: The correction.
        request: As in `correct`.
        reason: Why.

    Raises:
        InputError: If there is no such correction, or it was taken back already.
        ParameterError: As `correct`.
    """
    with store.database.write() as connection:
        _begin(connection, project_id, user)
        before = _sent_before(connection, project_id, request)
        if before is not None:
            return Correcting(before, None)
        _refuse_while_correcting(connection, project_id)
        target = _find(connection, project_id, number)
        again = sa.select(corrections.c.id).where(
            corrections.c.project_id == project_id, corrections.c.undoes == target.id
        )
        if target.kind == "undo" or connection.execute(again).first() is not None:
            raise InputError(message("judging.undone-already"))
        mine = sa.and_(corrected.c.correction_id == target.id, corrected.c.applied)
        count = sa.select(sa.func.count()).select_from(corrected).where(mine)
        work = None
        if connection.execute(count).scalar_one() > AT_ONCE:
            work = start_job(store, connection, "correct", project_id, by=user)
        values: dict[str, object] = {
            "reason": check_text(reason, "reason"),
            "request": check_text(request, "key"),
            "undoes": target.id,
        }
        number = _insert(store, connection, project_id, user, "undo", work, values)
        _plan(connection, number, sa.select(corrected.c.item_id).where(mine))
        if work is None:
            _apply(store, connection, number, AT_ONCE)
            _set_state(connection, number, "done")
            return Correcting(number, None)
    return Correcting(number, work.job_id, lambda: _run(store, number, work, None))


def resume(store: Base, work: Work) -> None:
    """Ends the correction of a process that died: goes on with it, or leaves everything as it was.

    It goes on if its results had been written down. Otherwise nothing has changed.
    """
    mine = corrections.c.job_id == work.job_id
    with store.database.read() as connection:
        row = connection.execute(sa.select(corrections).where(mine)).one_or_none()
    if row is not None and row.state == "running":
        with suppress(StoppedError):
            _apply_all(store, row.id, work)
    else:
        _give_up(store, None if row is None else row.id, work, "failed")


def _run(store: Base, number: int, work: Work, chosen: ResultFilter | None) -> None:
    try:
        if chosen is not None:
            _plan_filter(store, number, work, chosen)
        with work.step() as connection:
            count = sa.select(sa.func.count()).select_from(corrected)
            mine = count.where(corrected.c.correction_id == number)
            work.write_total(connection, connection.execute(mine).scalar_one())
            _set_state(connection, number, "running")
    except BaseException as error:
        _give_up(store, number, work, "stopped" if isinstance(error, StoppedError) else "failed")
        raise
    _apply_all(store, number, work)


def _apply_all(store: Base, number: int, work: Work) -> None:
    last = 0
    try:
        while True:
            with work.step(STEP) as connection:
                before, last = last, _apply(store, connection, number, STEP, after=last)
                if last == before:
                    _set_state(connection, number, "done")
                    work.write_end(connection, "done")
                    break
    except BaseException as error:
        _give_up(store, number, work, "stopped" if isinstance(error, StoppedError) else "failed")
        raise
    work.leave()


def _give_up(store: Base, number: int | None, work: Work, state: JobState) -> None:
    """Ends a correction where it is; another process goes on if the database cannot be used."""
    try:
        with store.database.write() as connection:
            if number is not None:
                _set_state(connection, number, "stopped")
            work.write_end(connection, state)
    finally:
        work.leave()


def _begin(connection: sa.Connection, project_id: int, user: User) -> Project:
    """Takes the project's turn, and returns the project."""
    if user.role == "judge":
        raise ParameterError(
            message("judging.is-judge", user_name=user.name),
            hint=message("judging.lead-or-admin-decides"),
        )
    take_turn(connection, project_id)
    check_open(connection, project_id)
    query = sa.select(projects).where(projects.c.id == project_id)
    return read_project(connection.execute(query).one())


def _sent_before(connection: sa.Connection, project_id: int, request: str) -> int | None:
    mine = sa.and_(corrections.c.project_id == project_id, corrections.c.request == request)
    return connection.execute(sa.select(corrections.c.id).where(mine)).scalar()


def _refuse_while_correcting(connection: sa.Connection, project_id: int) -> None:
    mine = sa.and_(corrections.c.project_id == project_id, corrections.c.state.in_(RUNNING))
    if connection.execute(sa.select(corrections.c.id).where(mine)).first() is not None:
        raise ParameterError(
            message("judging.correction-running"), hint=message("judging.wait-for-correction")
        )


def _insert(
    store: Base,
    connection: sa.Connection,
    project_id: int,
    user: User,
    kind: CorrectionKind,
    work: Work | None,
    values: dict[str, object],
) -> int:
    inserted = connection.execute(
        sa.insert(corrections).values(
            project_id=project_id,
            user_id=user.id,
            kind=kind,
            state="planned",
            job_id=None if work is None else work.job_id,
            created_at=store.clock(),
            **values,
        )
    )
    return new_id(inserted)


def _plan(connection: sa.Connection, number: int, chosen: sa.Select[int]) -> None:
    """Writes down which results a correction is about."""
    rows = chosen.add_columns(sa.literal(number)).order_by(chosen.selected_columns[0])
    connection.execute(sa.insert(corrected).from_select(["item_id", "correction_id"], rows))


def _plan_filter(store: Base, number: int, work: Work, chosen: ResultFilter) -> None:
    """Writes down the results of a filter, some at a time."""
    while follow(store, work.project_id, seconds=1) < 1:
        pass
    with store.database.read() as connection:
        span = sa.select(sa.func.min(results.c.item_id), sa.func.max(results.c.item_id))
        first, last = connection.execute(span.where(results.c.project_id == work.project_id)).one()
    conditions = filter_conditions(work.project_id, chosen)
    conditions.append(results.c.state.in_(chosen.states))
    for start in range(first or 1, (last or 0) + 1, WINDOW):
        part = results.c.item_id.between(start, start + WINDOW - 1)
        with work.step() as connection:
            _plan(connection, number, sa.select(results.c.item_id).where(part, *conditions))


def _set_state(connection: sa.Connection, number: int, state: str) -> None:
    mine = corrections.c.id == number
    connection.execute(sa.update(corrections).where(mine).values(state=state))


def _apply(
    store: Base, connection: sa.Connection, number: int, most: int, *, after: int = 0
) -> int:
    """Corrects the next results, and returns the number of the last one."""
    row = connection.execute(sa.select(corrections).where(corrections.c.id == number)).one()
    project = read_project(
        connection.execute(sa.select(projects).where(projects.c.id == row.project_id)).one()
    )
    lead = read_user(connection.execute(sa.select(users).where(users.c.id == row.user_id)).one())
    target = None
    if row.undoes is not None:
        target = _find(connection, row.project_id, row.undoes)
    left = sa.and_(corrected.c.correction_id == number, corrected.c.id > after)
    chosen = connection.execute(
        sa.select(corrected).where(left).order_by(corrected.c.id).limit(most)
    ).all()
    for one in chosen:
        if one.applied:
            continue
        found = Corrector(connection, project, lead, number, row.reason, store.clock())
        if _do(found, row, target, one.item_id):
            connection.execute(
                sa.update(corrected)
                .where(corrected.c.id == one.id)
                .values(applied=True, decision_id=found.decision)
            )
    write_results(connection, [one.item_id for one in chosen])
    return int(chosen[-1].id) if chosen else after


def _do(corrector: Corrector, row: TableRow, target: TableRow | None, item: int) -> bool:
    """Corrects one result, and returns whether it changed."""
    if target is not None:
        return corrector.take_back(item, target)
    if row.kind == "decide":
        return corrector.decide(item, row.grade)
    if row.kind == "remove":
        return corrector.remove(item)
    if row.kind == "restore":
        return corrector.restore(item)
    return corrector.reopen(item, others=row.kind == "reopen_others")
