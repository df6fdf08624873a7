"""Snapshots in the database: their list, their answers, their tapes and runs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

import msgspec

from relyon.core.errors import ParameterError, UnknownNameError
from relyon.core.texts import message
from relyon.data.input_fingerprints import query_ids_fingerprint
from relyon.engines.asked import Query, Variant
from relyon.engines.order import make_run
from relyon.engines.queries import queries_hash
from relyon.engines.tapes.entry import Entry
from relyon.engines.tapes.tape import Head, Tape
from relyon.engines.tapes.tape_lines import Documents, Entries
from relyon.judging.places import take_turn
from relyon.judging.schema import TableRow, jobs, sa, snapshot_answers, snapshots, users

if TYPE_CHECKING:
    from relyon.core.notes import Note
    from relyon.data.run import Run
    from relyon.engines.files.template import Scalar
    from relyon.judging.database_part import Base

__all__ = [
    "MOST_QUERIES",
    "MOST_RESULTS",
    "MOST_SNAPSHOTS",
    "Snapshot",
    "Stored",
    "delete_snapshot",
    "find_snapshot",
    "has_snapshots",
    "list_snapshots",
    "read_answers",
    "read_queries",
    "run_of",
    "running",
    "tape_of",
]

#: Snapshots of one project.
MOST_SNAPSHOTS = 50
#: Queries of one snapshot, and its results: queries times k.
MOST_QUERIES, MOST_RESULTS = 5000, 100_000

_ENTRY = msgspec.json.Decoder(Entry)
_DOCUMENTS = msgspec.json.Decoder(dict[str, dict[str, str]])


@dataclass(frozen=True)
class Snapshot:
    """What an engine answered to all queries of a project.

    Attributes:
        id: In the database.
        project_id: The project.
        name: Its name, which no other snapshot of the project has.
        engine: The name of the engine.
        kind: Its kind.
        variant: The name of the variant.
        parameters: Its parameters.
        k: How many results each query asked for.
        recipe: The fingerprint of the engine's templates and paths.
        queries: The number of queries.
        state: `open` while queries have no answer; `whole`.
        checksum: The checksum of the answers, as on a tape; empty while it is open.
        p50: The median time of an answer in milliseconds.
        p95: The 95th percentile.
        failed: Queries that the engine refused.
        empty: Queries without results.
        retried: Requests that failed and were sent again.
        created_at: In seconds since 1970.
        ended_at: When it became whole.
        by: The name of the account that took it; empty on the command line.
        answered: Queries that have their answer.
    """

    id: int
    project_id: int
    name: str
    engine: str
    kind: str
    variant: str
    parameters: Mapping[str, Scalar]
    k: int
    recipe: str
    queries: int
    state: Literal["open", "whole"]
    checksum: str
    p50: float | None
    p95: float | None
    failed: int
    empty: int
    retried: int
    created_at: float
    ended_at: float | None
    by: str
    answered: int

    @property
    def whole(self) -> bool:
        """Whether every query has its answer."""
        return self.state == "whole"

    @property
    def setting(self) -> Variant:
        """The variant with its parameters."""
        return Variant(self.variant, self.parameters)


@dataclass(frozen=True)
class Stored:
    """The answer to one query.

    Attributes:
        query: The query.
        entry: What became of the request, as on a tape.
        documents: The fields of the documents, as this answer gave them, if they were read.
    """

    query: Query
    entry: Entry
    documents: Mapping[str, Mapping[str, str]]


_ANSWERED = (
    sa.select(sa.func.count())
    .where(snapshot_answers.c.snapshot_id == snapshots.c.id, snapshot_answers.c.entry.is_not(None))
    .scalar_subquery()
)


def _select(project_id: int) -> sa.Select[*tuple[object, ...]]:
    chosen = sa.select(snapshots, users.c.name.label("by"), _ANSWERED.label("answered"))
    return chosen.select_from(snapshots.outerjoin(users)).where(
        snapshots.c.project_id == project_id
    )


def _read(row: TableRow) -> Snapshot:
    columns = [column.name for column in snapshots.columns if column.name != "user_id"]
    values = {name: getattr(row, name) for name in columns}
    return Snapshot(**values, by=row.by or "", answered=row.answered)


def list_snapshots(store: Base, project_id: int) -> list[Snapshot]:
    """Returns the snapshots of a project, latest first."""
    query = _select(project_id).order_by(snapshots.c.id.desc())
    with store.database.read() as connection:
        return [_read(row) for row in connection.execute(query)]


def has_snapshots(store: Base, project_id: int) -> bool:
    """Returns whether a project has snapshots."""
    query = sa.select(snapshots.c.id).where(snapshots.c.project_id == project_id).limit(1)
    with store.database.read() as connection:
        return connection.execute(query).first() is not None


def find_snapshot(store: Base, project_id: int, number: int) -> Snapshot:
    """Returns a snapshot of a project.

    Raises:
        UnknownNameError: If the project has none with this id.
    """
    query = _select(project_id).where(snapshots.c.id == number)
    with store.database.read() as connection:
        row = connection.execute(query).one_or_none()
    if row is None:
        raise UnknownNameError(message("judging.no-such-snapshot", number=number))
    return _read(row)


def read_queries(store: Base, snapshot: Snapshot, *, left: bool = False) -> list[Query]:
    """Returns the queries of a snapshot, in order.

    Args:
        store: The database.
        snapshot: The snapshot.
        left: Only those that have no answer yet.
    """
    table = snapshot_answers.c
    query = sa.select(table.query, table.query_text).where(table.snapshot_id == snapshot.id)
    if left:
        query = query.where(table.entry.is_(None))
    with store.database.read() as connection:
        return [Query(id, text) for id, text in connection.execute(query.order_by(table.id))]


def read_answers(store: Base, snapshot: Snapshot, *, documents: bool = False) -> list[Stored]:
    """Returns the answers of a snapshot, in the order of its queries.

    Args:
        store: The database.
        snapshot: The snapshot.
        documents: Whether to read the fields of the documents, too.
    """
    table = snapshot_answers.c
    fields = table.documents if documents else sa.literal("")
    query = sa.select(table.query, table.query_text, table.entry, fields).where(
        table.snapshot_id == snapshot.id, table.entry.is_not(None)
    )
    with store.database.read() as connection:
        rows = connection.execute(query.order_by(table.id)).all()
    return [
        Stored(Query(id, text), _ENTRY.decode(entry), _DOCUMENTS.decode(found or "{}"))
        for id, text, entry, found in rows
    ]


def run_of(snapshot: Snapshot, answers: Sequence[Stored]) -> tuple[Run, tuple[Note, ...]]:
    """Returns the run of a snapshot, in the engine's order, and notes on how it came about."""
    return make_run([one.entry for one in answers], snapshot.name, snapshot.k)


def tape_of(snapshot: Snapshot, answers: Sequence[Stored]) -> Tape:
    """Returns the tape of a snapshot, with which `relyon search --replay` repeats it.

    It does not say where the engine is.
    """
    documents = Documents()
    for one in answers:
        for id, fields in one.documents.items():
            documents.put(id, fields)
    head = Head(
        engine=snapshot.engine,
        kind=snapshot.kind,
        address="",
        recipe=snapshot.recipe,
        k=snapshot.k,
        explain=False,
        variants={snapshot.variant: dict(snapshot.parameters)},
        queries=queries_hash(one.query for one in answers),
        started=snapshot.created_at,
        query_ids=query_ids_fingerprint(one.query.id for one in answers),
    )
    queries = {one.query.id: one.query for one in answers}
    return Tape(head, queries, Entries.of(one.entry for one in answers), documents)


def delete_snapshot(store: Base, snapshot: Snapshot) -> None:
    """Deletes a snapshot and its answers.

    Raises:
        ParameterError: If its engine is being asked.
    """
    table = snapshot_answers
    mine = table.c.snapshot_id == snapshot.id
    with store.database.write() as connection:
        take_turn(connection, snapshot.project_id)
        if running(connection, snapshot.project_id) == snapshot.id:
            raise ParameterError(
                message("judging.snapshot-is-being-taken"), hint=message("judging.stop-it-first")
            )
        connection.execute(sa.delete(table).where(mine))
        connection.execute(sa.delete(snapshots).where(snapshots.c.id == snapshot.id))


def running(connection: sa.Connection, project_id: int) -> int | None:
    """Returns the snapshot whose engine is being asked; None if none is."""
    query = sa.select(jobs.c.source).where(
        jobs.c.project_id == project_id,
        jobs.c.kind == "search",
        jobs.c.state.in_(("running", "stopping")),
    )
    source = connection.execute(query).scalar()
    return None if source is None else int(source.partition(" ")[0])
