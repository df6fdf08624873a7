"""Long-running jobs on a project: their steps, progress and termination.

Each step is one transaction, too short for a judge to notice. A job's results become visible all at
once when it is done; a job that failed, was stopped or died is rolled back.
"""

from __future__ import annotations

import os
import secrets
import socket
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from relyon.core.errors import ParameterError
from relyon.core.texts import message as say
from relyon.judging.database import new_id
from relyon.judging.places import take_turn
from relyon.judging.schema import TableRow, actions, jobs, sa

if TYPE_CHECKING:
    from relyon.judging.database_part import Base
    from relyon.judging.records import User

__all__ = [
    "Job",
    "JobKind",
    "JobState",
    "Report",
    "StoppedError",
    "Work",
    "claim_dead_jobs",
    "find_job",
    "list_jobs",
    "refuse_while_importing",
    "start_job",
    "stop_job",
    "unfinished",
]

JobKind = Literal["import", "unpack", "remove", "model", "correct", "search", "audit"]
JobState = Literal["running", "stopping", "done", "failed", "stopped"]
Report = Callable[[int, int], None]
LAST_ACTION = sa.select(sa.func.max(actions.c.id))
ALIVE = ("running", "stopping")

#: Seconds without a heartbeat after which a process elsewhere counts as dead.
SILENCE = 180.0
#: Target seconds per step: as long as a judge may wait.
STEP = 0.05
#: Rows of the first step, and items of the first removal step; and their minimum and maximum: with
#: fewer, each step is dominated by the disk.
FIRST, FIRST_REMOVAL, LEAST, MOST = 500, 200, 400, 5000
#: Pause between steps: minimum seconds, and share of the step without and with other writers. A
#: writer in another process retries every 25 ms or so.
REST, QUIET, BUSY = 0.004, 0.25, 1.0

_HOST = socket.gethostname()
_TOKEN = secrets.token_hex(8)
#: Jobs that this process is running.
_working: set[int] = set()


@dataclass(frozen=True)
class Job:
    """A long-running job on a project.

    Attributes:
        id: In the database.
        project_id: The project.
        kind: An `import`, the `unpack`ing of an archive, the `remove`al of the project, a
            language `model` that grades it, a lead's request to `correct` many results, a
            `search` that sends all queries to an engine, or the `audit` of a language model.
        state: `running`; `stopping` after a request to stop; `done`; `failed`; `stopped`.
        source: The file.
        done: Rows done.
        total: Rows in total.
        items: New items.
        grades: New grades.
        message: Why it failed.
        created_at: When it began, in seconds since 1970.
        seen_at: The time of its last heartbeat.
        alive: Whether a process is working on it.
        user_id: The account that started it; None on the command line.
    """

    id: int
    project_id: int
    kind: JobKind
    state: JobState
    source: str
    done: int
    total: int
    items: int
    grades: int
    message: str
    created_at: float
    seen_at: float
    alive: bool
    user_id: int | None = None

    @property
    def unfinished(self) -> bool:
        """Whether it is running, or waiting for cleanup."""
        return self.state in ALIVE


class StoppedError(ParameterError):
    """The job was asked to stop."""

    def __init__(self) -> None:
        super().__init__("it was stopped and rolled back")


def _me() -> str:
    return f"{_HOST}:{os.getpid()}:{_TOKEN}"


def _lives(row: TableRow, now: float) -> bool:
    """Returns whether the process of a job is alive."""
    if row.state not in ALIVE:
        return False
    if row.worker == _me():
        return row.id in _working
    host, _, rest = row.worker.rpartition(":")[0].rpartition(":")
    if host == _HOST and rest.isdigit():
        if int(rest) == os.getpid():
            return False  # an earlier process with the same number, as in containers
        try:
            if os.name != "nt":  # Windows would end it
                os.kill(int(rest), 0)
        except ProcessLookupError:
            return False
        except OSError:
            pass
    return bool(now - row.seen_at < SILENCE)


def _read(row: TableRow, now: float) -> Job:
    return Job(
        row.id,
        row.project_id,
        row.kind,
        row.state,
        row.source,
        row.done,
        row.total,
        row.items,
        row.grades,
        row.message,
        row.created_at,
        row.seen_at,
        _lives(row, now),
        row.user_id,
    )


def list_jobs(store: Base, project_id: int) -> list[Job]:
    """Returns the jobs of a project, latest first."""
    query = sa.select(jobs).where(jobs.c.project_id == project_id).order_by(jobs.c.id.desc())
    with store.database.read() as connection:
        return [_read(row, store.clock()) for row in connection.execute(query)]


def find_job(store: Base, job_id: int) -> Job | None:
    """Returns a job, or None if the id is unknown."""
    with store.database.read() as connection:
        row = connection.execute(sa.select(jobs).where(jobs.c.id == job_id)).one_or_none()
    return None if row is None else _read(row, store.clock())


# The query of every claim is built once.
UNFINISHED = sa.select(jobs.c.id).where(
    jobs.c.project_id == sa.bindparam("project"), jobs.c.state.in_(ALIVE), jobs.c.kind == "import"
)


def unfinished(connection: sa.Connection, project_id: int) -> list[int]:
    """Returns the unfinished imports of a project, whose items no judge may get yet."""
    return list(connection.execute(UNFINISHED, {"project": project_id}).scalars())


def refuse_while_importing(connection: sa.Connection, project_id: int) -> None:
    """Keeps a second import from attaching grades to items that the first may roll back.

    Raises:
        ParameterError: If an import of the project is not finished.
    """
    if unfinished(connection, project_id):
        raise ParameterError(
            say("judging.another-import-into-this"),
            hint=say("judging.wait-until-is-done"),
        )


def stop_job(store: Base, job_id: int) -> bool:
    """Requests that a job stop, and returns whether it could be.

    Its process stops after the current step and rolls back.
    """
    asked = sa.and_(jobs.c.id == job_id, jobs.c.state == "running", jobs.c.kind != "remove")
    with store.database.write() as connection:
        done = connection.execute(sa.update(jobs).where(asked).values(state="stopping"))
        return bool(done.rowcount)


class Work:
    """A running job: the state shared by its steps.

    Attributes:
        store: The database.
        job_id: The job.
        project_id: Its project.
        report: Called with progress.
    """

    def __init__(
        self, store: Base, job_id: int, project_id: int, report: Report | None = None
    ) -> None:
        self.store = store
        self.job_id = job_id
        self.project_id = project_id
        self.report = report
        #: Rows of the next step.
        self.size = FIRST
        #: Items that the next step removes.
        self.removal_size = FIRST_REMOVAL
        #: Ids of items that the step creates.
        self.made: list[int] = []
        self._rest = 0.0
        self._acted = 0

    @contextmanager
    def step(self, rows: int = 0, *, stoppable: bool = True) -> Iterator[sa.Connection]:
        """One transaction of the job, after which others get their turn.

        Args:
            rows: The number of rows that it completes.
            stoppable: Whether to skip it if the job was asked to stop.

        Raises:
            StoppedError: If it was.
        """
        time.sleep(self._rest)
        with self.store.database.write() as connection:
            start = time.perf_counter()
            take_turn(connection, self.project_id)
            mine = jobs.c.id == self.job_id
            row = connection.execute(sa.select(jobs).where(mine)).one()
            if stoppable and row.state == "stopping":
                raise StoppedError()
            self.made = []
            acted = connection.execute(LAST_ACTION).scalar() or 0
            busy = acted != self._acted
            yield connection
            self._acted = connection.execute(LAST_ACTION).scalar() or 0
            values: dict[str, object] = {"done": row.done + rows, "worker": _me()}
            if self.made:
                values["first_item"] = min(row.first_item or self.made[0], self.made[0])
                values["last_item"] = max(row.last_item or 0, self.made[-1])
            connection.execute(
                sa.update(jobs).where(mine).values(**values, seen_at=self.store.clock())
            )
        took = time.perf_counter() - start
        self._rest = max(REST, (BUSY if busy else QUIET) * took)
        factor = min(2.0, STEP / max(took, 1e-4))
        if rows:
            self.size = max(LEAST, min(MOST, int(self.size * factor)))
        else:
            self.removal_size = max(50, min(MOST, int(self.removal_size * factor)))
        if self.report is not None:
            self.report(row.done + rows, row.total)

    def end(self, state: JobState, message: str = "") -> None:
        """Ends the job."""
        try:
            with self.store.database.write() as connection:
                self.write_end(connection, state, message)
        finally:
            self.leave()

    def fail(self, error: BaseException) -> None:
        """Ends the job after an error or a stop request."""
        stopped = isinstance(error, StoppedError | KeyboardInterrupt | SystemExit)
        self.end("stopped" if stopped else "failed", "" if stopped else str(error)[:2000])

    def write_total(self, connection: sa.Connection, total: int) -> None:
        """Stores the total number of rows, as part of a transaction."""
        mine = jobs.c.id == self.job_id
        connection.execute(sa.update(jobs).where(mine).values(total=total))

    def write_end(
        self, connection: sa.Connection, state: JobState, message: str = "", **counts: int
    ) -> None:
        """Ends the job as part of a transaction.

        Args:
            connection: A connection in a write transaction.
            state: How it ended.
            message: Why it failed.
            counts: The numbers of new `items` and `grades`.
        """
        connection.execute(
            sa.update(jobs)
            .where(jobs.c.id == self.job_id)
            .values(state=state, message=message, seen_at=self.store.clock(), **counts)
        )

    def leave(self) -> None:
        """Abandons the job, for cleanup by the next process."""
        _working.discard(self.job_id)


def start_job(
    store: Base,
    connection: sa.Connection,
    kind: JobKind,
    project_id: int,
    *,
    total: int = 0,
    source: str = "",
    by: User | None = None,
    report: Report | None = None,
) -> Work:
    """Creates a job in a transaction, to be run by this process.

    Args:
        store: The database.
        connection: A connection in a write transaction.
        kind: The kind of job.
        project_id: The project.
        total: Total number of rows.
        source: The file, for display.
        by: The account that requested it.
        report: Called with progress after each step.
    """
    inserted = connection.execute(
        sa.insert(jobs).values(
            project_id=project_id,
            kind=kind,
            state="running",
            user_id=None if by is None else by.id,
            worker=_me(),
            seen_at=store.clock(),
            source=source[:500],
            total=total,
            created_at=store.clock(),
        )
    )
    job = new_id(inserted)
    _working.add(job)
    return Work(store, job, project_id, report)


def claim_dead_jobs(store: Base) -> list[tuple[Work, JobKind]]:
    """Takes over and returns the jobs whose process died."""
    found: list[tuple[Work, JobKind]] = []
    query = sa.select(jobs).where(jobs.c.state.in_(ALIVE)).order_by(jobs.c.id)
    with store.database.read() as connection:
        dead = [row for row in connection.execute(query) if not _lives(row, store.clock())]
    for row in dead:
        same = sa.and_(jobs.c.id == row.id, jobs.c.worker == row.worker, jobs.c.state == row.state)
        with store.database.write() as connection:
            mine = sa.update(jobs).where(same, jobs.c.seen_at == row.seen_at)
            taken = connection.execute(mine.values(worker=_me(), seen_at=store.clock()))
            if taken.rowcount:
                _working.add(row.id)
                found.append((Work(store, row.id, row.project_id), row.kind))
    return found
