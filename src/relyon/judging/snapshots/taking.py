"""Taking a snapshot: a job that asks an engine all queries, and goes on where it ended.

Every answer is stored as it comes. A snapshot whose job was stopped, or whose process died, stays
open until another job has asked what is left; no query is asked twice once it was answered.
"""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import msgspec

from relyon.core.errors import InputError, ParameterError, RelyonError
from relyon.core.parameters import check_whole
from relyon.core.texts import message
from relyon.engines.asked import Query, Variant
from relyon.engines.asking import Outcome, ask_all, unanswered
from relyon.engines.latency import Latency
from relyon.engines.planning import keyed, make_requests
from relyon.engines.shown import without_address
from relyon.engines.tapes.entry import recipe_hash
from relyon.engines.tapes.recording import recorded
from relyon.engines.tapes.tape import answers_checksum
from relyon.judging.database import new_id
from relyon.judging.job_reasons import write_reason
from relyon.judging.jobs import Job, StoppedError, Work, list_jobs, start_job
from relyon.judging.places import take_turn
from relyon.judging.projects import check_open
from relyon.judging.removal import tidy_up
from relyon.judging.schema import jobs, sa, snapshot_answers, snapshots
from relyon.judging.snapshots.kept import (
    MOST_QUERIES,
    MOST_RESULTS,
    MOST_SNAPSHOTS,
    Snapshot,
    find_snapshot,
    read_answers,
    read_queries,
    running,
)
from relyon.judging.texts import check_name, is_storable

if TYPE_CHECKING:
    from relyon.engines.files.configuration import Configuration
    from relyon.engines.reach import Reach
    from relyon.engines.tapes.entry import Entry
    from relyon.judging.database_part import Base
    from relyon.judging.records import Project, User

__all__ = [
    "SnapshotRun",
    "continue_snapshot",
    "last_snapshot_job",
    "running_snapshot",
    "start_snapshot",
]

log = logging.getLogger("relyon.judging")

#: Seconds between two looks of a job whether it was stopped.
BEAT = 0.5
#: Seconds between two signs of life of a job whose engine does not answer.
ALIVE = 20.0
#: Characters of a field, and of all fields of a document, that are kept: the first ones.
LONGEST_FIELD, LONGEST_TEXTS = 1000, 2000


@dataclass
class SnapshotRun:
    """The asking for a snapshot: created, and to be run by this process.

    Attributes:
        store: The database.
        work: Its job.
        snapshot: The snapshot.
        configuration: The engine, which no one else uses.
        reach: Which addresses it may be connected at; None sets no limit.
    """

    store: Base
    work: Work
    snapshot: Snapshot
    configuration: Configuration
    reach: Reach | None = None
    _without: list[Outcome] = field(default_factory=list, repr=False)
    _keys: dict[str, str] = field(default_factory=dict, repr=False)
    _stopped: threading.Event = field(default_factory=threading.Event, repr=False)

    def run(self) -> None:
        """Asks until every query has its answer, the job is stopped, or an error ends it."""
        try:
            self._ask()
            self._look()
            if self._without:
                places = {query: place for place, query in enumerate(self._keys)}
                total = self.snapshot.queries
                raise unanswered(self._without, lambda one: places[one.query.id], total)
            self._close()
        except StoppedError:
            self.work.end("stopped")
        except RelyonError as error:
            log.warning("job %d: %s", self.work.job_id, error)
            reason = without_address(write_reason(error.message), self.configuration.engine)
            self.work.end("failed", reason)
        except BaseException:
            self.work.end("failed", write_reason(message("judging.model-run-broke")))
            raise

    def _ask(self) -> None:
        engine, limits = self.configuration.engine, self.configuration.limits
        left = read_queries(self.store, self.snapshot, left=True)
        if not left:
            return
        requests = make_requests(engine, left, [self.snapshot.setting], self.snapshot.k)
        for key, one in keyed(requests, self.snapshot.recipe, engine).items():
            self._keys[one.query.id] = key
        engine.open(limits.timeout, limits.concurrency, self.reach)
        asking = _Asking(ask_all(engine, requests, limits, keep=self._keep), engine.close)
        try:
            seen = time.monotonic()
            while not asking.ended(BEAT):
                self._look()
                if time.monotonic() - seen > ALIVE:
                    self._show_life()
                    seen = time.monotonic()
        except BaseException:
            self._stopped.set()
            raise

    def _look(self) -> None:
        """Stops if that was requested."""
        with self.store.database.read() as connection:
            mine = sa.select(jobs.c.state).where(jobs.c.id == self.work.job_id)
            if connection.execute(mine).scalar() != "running":
                raise StoppedError

    def _show_life(self) -> None:
        with self.store.database.write() as connection:
            mine = jobs.c.id == self.work.job_id
            connection.execute(sa.update(jobs).where(mine).values(seen_at=self.store.clock()))

    def _keep(self, outcome: Outcome) -> None:
        """Stores what became of a request, before its thread sends another one.

        A query without an answer is asked again when the snapshot is continued. An answer that was
        on its way when the job was stopped is stored, too.

        Raises:
            StoppedError: If nothing more is to be sent.
        """
        query = outcome.request.query.id
        if outcome.answer is None and not outcome.refused:
            self._without.append(outcome)
        else:
            engine = self.configuration.engine
            entry, documents = recorded(self._keys[query], outcome, engine.secrets)
            entry.failed = without_address(entry.failed, engine)
            table = snapshot_answers.c
            mine = sa.and_(table.snapshot_id == self.snapshot.id, table.query == query)
            with self.work.step(1, stoppable=False) as connection:
                connection.execute(
                    sa.update(snapshot_answers)
                    .where(mine, table.entry.is_(None))
                    .values(**_stored(entry, documents))
                )
        if self._stopped.is_set():
            raise StoppedError

    def _close(self) -> None:
        """Makes the snapshot whole.

        Raises:
            InputError: If the engine refused every query: these are asked again next time.
        """
        entries = [one.entry for one in read_answers(self.store, self.snapshot)]
        if not entries:
            raise StoppedError  # the project was removed
        mine = snapshots.c.id == self.snapshot.id
        latency = Latency.of(entries)
        if not latency.queries:
            with self.work.step(stoppable=False) as connection:
                table = snapshot_answers
                connection.execute(
                    sa.update(table)
                    .where(table.c.snapshot_id == self.snapshot.id)
                    .values(entry=None, documents="")
                )
            raise InputError(
                message("judging.engine-refused-every-query", problem=entries[0].failed)
            )
        values = {
            "state": "whole",
            "checksum": answers_checksum(entries),
            "p50": latency.p50,
            "p95": latency.p95,
            "failed": latency.failed,
            "empty": sum(not one.ids and not one.failed for one in entries),
            "retried": latency.retried,
            "ended_at": self.store.clock(),
        }
        with self.work.step(stoppable=False) as connection:
            connection.execute(sa.update(snapshots).where(mine).values(**values))
            self.work.write_end(connection, "done")
        self.work.leave()


def _stored(entry: Entry, documents: Mapping[str, Mapping[str, str]]) -> dict[str, str]:
    """Returns an answer as the database keeps it, with fields that are short and storable."""
    kept = {id: short for id, fields in documents.items() if (short := _shortened(fields))}
    return {
        "entry": msgspec.json.encode(entry).decode(),
        "documents": msgspec.json.encode(kept).decode(),
    }


def _shortened(fields: Mapping[str, str]) -> dict[str, str]:
    left = LONGEST_TEXTS
    found: dict[str, str] = {}
    for name, text in fields.items():
        part = text[: min(LONGEST_FIELD, left)]
        if part and is_storable(name) and is_storable(part):
            found[name] = part
            left -= len(part)
    return found


class _Asking:
    """The asking in a thread of its own, so that a job can end although its engine hangs.

    Args:
        outcomes: What becomes of the requests, kept before it comes.
        close: Closes the engine.
    """

    def __init__(self, outcomes: Iterator[Outcome], close: Callable[[], None]) -> None:
        self._outcomes, self._close = outcomes, close
        self._over = threading.Event()
        self._error: BaseException | None = None
        threading.Thread(target=self._run, name="snapshot", daemon=True).start()

    def _run(self) -> None:
        try:
            for _ in self._outcomes:
                pass
        except BaseException as error:  # raised again in the thread that waits
            self._error = error
        finally:
            self._close()
            self._over.set()

    def ended(self, seconds: float) -> bool:
        """Waits for some seconds, and returns whether nothing more comes."""
        over = self._over.wait(seconds)
        if over and self._error is not None:
            raise self._error
        return over


def start_snapshot(
    store: Base,
    project: Project,
    configuration: Configuration,
    variant: Variant,
    queries: Sequence[Query],
    *,
    k: int,
    name: str,
    by: User | None = None,
    reach: Reach | None = None,
) -> SnapshotRun:
    """Creates a snapshot without answers, and the job that asks for them.

    Args:
        store: The database.
        project: The project.
        configuration: The engine.
        variant: The variant, with all its parameters.
        queries: The queries.
        k: How many results each of them asks for.
        name: The name of the snapshot.
        by: The account that requested it.
        reach: Which addresses the engine may be connected at; None sets no limit.

    Raises:
        InputError: If there are no queries.
        ParameterError: If there are too many queries or snapshots, the name is taken, a snapshot of
            the project is being taken, or the project is closed.
    """
    name = check_name(name, "snapshot")
    check_whole("k", k)
    refuse_pairs(project)
    if not queries:
        raise InputError(
            message("judging.project-has-no-queries", project_name=project.name),
            hint=message("judging.import-or-write-queries"),
        )
    if len(queries) > MOST_QUERIES or len(queries) * k > MOST_RESULTS:
        raise ParameterError(
            message("judging.snapshot-is-too-large", queries=len(queries), k=k, most=MOST_RESULTS),
            hint=message("judging.choose-smaller-k", most=MOST_QUERIES),
        )
    engine = configuration.engine
    make_requests(engine, queries, [variant], k)  # refuses what could not be asked
    tidy_up(store)
    with store.database.write() as connection:
        _check_start(connection, project)
        _check_room(connection, project, name)
        made = connection.execute(
            sa.insert(snapshots).values(
                project_id=project.id,
                user_id=None if by is None else by.id,
                name=name,
                engine=configuration.name,
                kind=engine.name,
                variant=variant.name,
                parameters=dict(variant.parameters),
                k=k,
                recipe=recipe_hash(engine.recipe, k, explain=False),
                queries=len(queries),
                state="open",
                created_at=store.clock(),
            )
        )
        number = new_id(made)
        rows = [{"snapshot_id": number, "query": one.id, "query_text": one.text} for one in queries]
        connection.execute(sa.insert(snapshot_answers), rows)
        work = _start(store, connection, project, f"{number} {name}", len(queries), by)
    return SnapshotRun(store, work, find_snapshot(store, project.id, number), configuration, reach)


def continue_snapshot(
    store: Base,
    project: Project,
    snapshot: Snapshot,
    configuration: Configuration,
    *,
    by: User | None = None,
    reach: Reach | None = None,
) -> SnapshotRun:
    """Creates the job that asks for the answers which an open snapshot still lacks.

    Args:
        store: The database.
        project: The project.
        snapshot: The snapshot.
        configuration: The engine, with the same templates as at its start.
        by: The account that requested it.
        reach: Which addresses the engine may be connected at; None sets no limit.

    Raises:
        ParameterError: If it is whole, the engine's file was changed since, a snapshot of the
            project is being taken, or the project is closed.
    """
    if snapshot.whole:
        raise ParameterError(message("judging.snapshot-is-whole", name=snapshot.name))
    if recipe_hash(configuration.engine.recipe, snapshot.k, explain=False) != snapshot.recipe:
        raise ParameterError(
            message("judging.engine-was-changed", name=snapshot.engine),
            hint=message("judging.take-another-snapshot"),
        )
    tidy_up(store)
    left = snapshot.queries - snapshot.answered
    with store.database.write() as connection:
        _check_start(connection, project)
        source = f"{snapshot.id} {snapshot.name}"
        work = _start(store, connection, project, source, left, by)
    return SnapshotRun(store, work, snapshot, configuration, reach)


def refuse_pairs(project: Project) -> None:
    """Refuses a project that compares rankings: its grades are not those of documents.

    Raises:
        ParameterError: If it does.
    """
    if project.kind == "side_by_side":
        raise ParameterError(message("judging.snapshots-need-grades", project_name=project.name))


def _check_start(connection: sa.Connection, project: Project) -> None:
    take_turn(connection, project.id)
    check_open(connection, project.id)
    if running(connection, project.id) is not None:
        raise ParameterError(
            message("judging.another-snapshot-is-being-taken"),
            hint=message("judging.wait-for-snapshot"),
        )


def _check_room(connection: sa.Connection, project: Project, name: str) -> None:
    names = sa.select(snapshots.c.name).where(snapshots.c.project_id == project.id)
    known = set(connection.execute(names).scalars())
    if len(known) >= MOST_SNAPSHOTS:
        raise ParameterError(
            message("judging.too-many-snapshots", most=MOST_SNAPSHOTS),
            hint=message("judging.delete-old-snapshot"),
        )
    if name in known:
        raise ParameterError(
            message("judging.snapshot-name-is-taken", name=name),
            hint=message("judging.choose-another-name"),
        )


def _start(
    store: Base,
    connection: sa.Connection,
    project: Project,
    source: str,
    total: int,
    by: User | None,
) -> Work:
    """Creates the job; its source begins with the number of the snapshot."""
    return start_job(store, connection, "search", project.id, total=total, source=source, by=by)


def last_snapshot_job(store: Base, project_id: int) -> Job | None:
    """Returns the latest job that took a snapshot of a project."""
    return next((one for one in list_jobs(store, project_id) if one.kind == "search"), None)


def running_snapshot(store: Base, project_id: int) -> int | None:
    """Returns the id of the snapshot that is being taken; None if none is."""
    with store.database.read() as connection:
        return running(connection, project_id)
