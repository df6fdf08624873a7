"""Long work on a project, step by step: what is done of it, who does it, and how it is ended.

Each step is one transaction that is over before a judge would notice. What a job made is seen when
it is done, at once; what is left of one that failed, was stopped or died is taken out again.
"""

from __future__ import annotations

import os
import secrets
import socket
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

from relkit.core.errors import ParameterError
from relkit.judging.database import new_id
from relkit.judging.places import take_turn
from relkit.judging.schema import actions, jobs, sa

if TYPE_CHECKING:
    from relkit.judging.base import Base
    from relkit.judging.records import User

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

JobKind = Literal["import", "unpack", "remove"]
JobState = Literal["running", "stopping", "done", "failed", "stopped"]
Report = Callable[[int, int], None]
LAST_ACTION = sa.select(sa.func.max(actions.c.id))
ALIVE = ("running", "stopping")

#: Seconds without a sign of life after which a process elsewhere counts as dead.
SILENCE = 180.0
#: Seconds that a step should take: as long as a judge may wait for it.
STEP = 0.05
#: Rows of the first step, and items of the first that removes; and how many at least and at most:
#: with fewer, the disk's part of each step is all that counts.
FIRST, FIRST_REMOVAL, LEAST, MOST = 500, 200, 400, 5000
#: Seconds between steps, at least; and as a share of the step, where nobody and where somebody
#: else writes: others' turn. A writer of another process asks for it every 25 ms or so.
REST, QUIET, BUSY = 0.004, 0.25, 1.0

_HOST = socket.gethostname()
_TOKEN = secrets.token_hex(8)
#: Jobs that this process works on.
_working: set[int] = set()


@dataclass(frozen=True)
class Job:
    """Long work on a project.

    Attributes:
        id: In the database.
        project_id: The project.
        kind: An `import`, the `unpack`ing of an archive, or the `remove`al of the project.
        state: `running`; `stopping` when somebody asked for that; `done`; `failed`; `stopped`.
        source: The file.
        done: How many rows are done.
        total: Of how many.
        items: How many items are new.
        grades: How many grades are new.
        message: Why it failed.
        created_at: When it began, in seconds since 1970.
        seen_at: When it last showed a sign of life.
        alive: Whether somebody works on it.
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

    @property
    def unfinished(self) -> bool:
        """Whether it goes on, or waits to be tidied up."""
        return self.state in ALIVE


class StoppedError(ParameterError):
    """Somebody asked for the job to be stopped."""

    def __init__(self) -> None:
        super().__init__("somebody stopped it, and nothing new of it was kept")


def _me() -> str:
    return f"{_HOST}:{os.getpid()}:{_TOKEN}"


def _lives(row: Any, now: float) -> bool:
    """Whether the process that works on a job is there."""
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


def _read(row: Any, now: float) -> Job:
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
    )


def list_jobs(store: Base, project_id: int) -> list[Job]:
    """Returns the jobs of a project, the latest first."""
    query = sa.select(jobs).where(jobs.c.project_id == project_id).order_by(jobs.c.id.desc())
    with store.database.read() as connection:
        return [_read(row, store.clock()) for row in connection.execute(query)]


def find_job(store: Base, job_id: int) -> Job | None:
    """Returns a job, or None where there is none of that id."""
    with store.database.read() as connection:
        row = connection.execute(sa.select(jobs).where(jobs.c.id == job_id)).one_or_none()
    return None if row is None else _read(row, store.clock())


# What every claim asks is put together once.
UNFINISHED = sa.select(jobs.c.id).where(
    jobs.c.project_id == sa.bindparam("project"), jobs.c.state.in_(ALIVE), jobs.c.kind == "import"
)


def unfinished(connection: sa.Connection, project_id: int) -> list[int]:
    """Returns the imports of a project whose items no judge may get yet."""
    return list(connection.execute(UNFINISHED, {"project": project_id}).scalars())


def refuse_while_importing(connection: sa.Connection, project_id: int) -> None:
    """Keeps a second import from hanging its grades on items that the first may take back.

    Raises:
        ParameterError: If an import of the project is not finished.
    """
    if unfinished(connection, project_id):
        raise ParameterError(
            "another import into this project is not finished",
            hint="wait until it is done, or stop it on the project's page",
        )


def stop_job(store: Base, job_id: int) -> bool:
    """Asks for a job to be stopped, and says whether it could be.

    Whoever works on it stops after the step at hand and takes back what it made.
    """
    asked = sa.and_(jobs.c.id == job_id, jobs.c.state == "running", jobs.c.kind != "remove")
    with store.database.write() as connection:
        done = connection.execute(sa.update(jobs).where(asked).values(state="stopping"))
        return bool(done.rowcount)


class Work:
    """A job at work: what its steps share.

    Attributes:
        store: The database.
        job_id: The job.
        project_id: Its project.
        report: Told how far it is.
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
        #: Items that the next step takes out.
        self.removal_size = FIRST_REMOVAL
        #: Ids of items that the step makes.
        self.made: list[int] = []
        self._rest = 0.0
        self._acted = 0

    @contextmanager
    def step(self, rows: int = 0, *, stoppable: bool = True) -> Iterator[sa.Connection]:
        """One transaction of the job, after which others have their turn.

        Args:
            rows: By how many rows it gets further.
            stoppable: Whether it is not done if somebody asked for the job to be stopped.

        Raises:
            StoppedError: If somebody did.
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
            values: dict[str, Any] = {"done": row.done + rows, "worker": _me()}
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

    def end(self, state: JobState, message: str = "", **values: Any) -> None:
        """Ends the job."""
        try:
            with self.store.database.write() as connection:
                self.write_end(connection, state, message, **values)
        finally:
            self.leave()

    def fail(self, error: BaseException) -> None:
        """Ends the job because of an error, or because somebody wanted that."""
        stopped = isinstance(error, StoppedError | KeyboardInterrupt | SystemExit)
        self.end("stopped" if stopped else "failed", "" if stopped else str(error)[:2000])

    def write_total(self, connection: sa.Connection, total: int) -> None:
        """Says, as part of a transaction, how many rows there are to do."""
        mine = jobs.c.id == self.job_id
        connection.execute(sa.update(jobs).where(mine).values(total=total))

    def write_end(
        self, connection: sa.Connection, state: JobState, message: str = "", **values: Any
    ) -> None:
        """Ends the job as part of a transaction."""
        connection.execute(
            sa.update(jobs)
            .where(jobs.c.id == self.job_id)
            .values(state=state, message=message, seen_at=self.store.clock(), **values)
        )

    def leave(self) -> None:
        """Lets the job lie, to be tidied up by whoever comes next."""
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
    """Makes a job in a transaction, to be worked on by this process.

    Args:
        store: The database.
        connection: In a transaction that writes.
        kind: What is done.
        project_id: The project.
        total: Rows that there are to do.
        source: The file, for those who look.
        by: Who asked for it.
        report: Told how far it is, after each step.
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
    """Returns the jobs whose process died; they are this process's from now on."""
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
