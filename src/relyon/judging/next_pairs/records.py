"""Drawn pairs in the database: one row per batch, none of which changes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields
from typing import TYPE_CHECKING

import msgspec

from relyon.analysis.next_pairs import DrawnPair
from relyon.core.errors import ParameterError
from relyon.core.texts import message
from relyon.judging.places import take_turn
from relyon.judging.projects import check_open
from relyon.judging.schema import pair_draws, sa, users

if TYPE_CHECKING:
    from relyon.judging.records import Project, User
    from relyon.judging.store import Store

__all__ = ["Batch", "Pair", "forget_batch", "read_batches", "record_batch"]

#: The query and the document.
Pair = tuple[str, str]

_DRAWN = msgspec.json.Decoder(list[DrawnPair])
_KNOWN = msgspec.json.Decoder(list[Pair])


@dataclass(frozen=True)
class Batch:
    """A batch of drawn pairs.

    Attributes:
        series: The fingerprint of the runs and rules that its series is for.
        batch: Its number in the series, from 1.
        title: The names of the runs.
        drawn: The pairs.
        known: The pairs with a grade before the first batch; empty for later batches.
        created_at: In seconds since 1970.
        by: The account that asked for it; empty on the command line.
    """

    series: str
    batch: int
    title: str = ""
    drawn: tuple[DrawnPair, ...] = ()
    known: frozenset[Pair] = frozenset()
    created_at: float = 0.0
    by: str = ""


def read_batches(store: Store, project_id: int, series: str | None = None) -> list[Batch]:
    """Returns the batches of a project, in the order in which they were drawn.

    Args:
        store: The database.
        project_id: The project.
        series: Only those of one series; None for all.
    """
    chosen = sa.select(pair_draws, users.c.name.label("by"))
    chosen = chosen.select_from(pair_draws.outerjoin(users))
    chosen = chosen.where(pair_draws.c.project_id == project_id)
    if series is not None:
        chosen = chosen.where(pair_draws.c.series == series)
    with store.database.read() as connection:
        rows = connection.execute(chosen.order_by(pair_draws.c.id)).all()
    return [
        Batch(
            row.series,
            row.batch,
            row.title,
            tuple(_DRAWN.decode(row.drawn)),
            frozenset(_KNOWN.decode(row.known) if row.known else ()),
            row.created_at,
            row.by or "",
        )
        for row in rows
    ]


def record_batch(
    store: Store,
    project: Project,
    series: str,
    title: str,
    drawn: Sequence[DrawnPair],
    known: Sequence[Pair],
    by: User | None,
) -> None:
    """Stores a batch.

    Raises:
        ParameterError: If the project is closed, or another batch of the series was stored since
            this one was drawn.
    """
    number = drawn[0].batch
    mine = sa.and_(pair_draws.c.project_id == project.id, pair_draws.c.series == series)
    with store.database.write() as connection:
        take_turn(connection, project.id)
        check_open(connection, project.id)
        count = sa.select(sa.func.count()).select_from(pair_draws).where(mine)
        if connection.execute(count).scalar_one() != number - 1:
            raise ParameterError(
                message("judging.batch-was-drawn-meanwhile"),
                hint=message("judging.draw-batch-again"),
            )
        values = {
            "project_id": project.id,
            "user_id": None if by is None else by.id,
            "series": series,
            "batch": number,
            "title": title,
            "drawn": msgspec.json.encode([_values(one) for one in drawn]).decode(),
            "known": msgspec.json.encode(sorted(known)).decode() if number == 1 else "",
            "created_at": store.clock(),
        }
        connection.execute(sa.insert(pair_draws).values(values))


def forget_batch(store: Store, project_id: int, batch: Batch) -> None:
    """Removes a batch whose pairs could not be added to the queue."""
    mine = sa.and_(
        pair_draws.c.project_id == project_id,
        pair_draws.c.series == batch.series,
        pair_draws.c.batch == batch.batch,
    )
    with store.database.write() as connection:
        connection.execute(sa.delete(pair_draws).where(mine))


def _values(one: DrawnPair) -> dict[str, object]:
    return {part.name: getattr(one, part.name) for part in fields(one) if part.name != "grade"}
