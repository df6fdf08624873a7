"""What the list of results filters and sorts by: one row for each item, derived from the rest.

Decisions and corrections write the rows of their items at once. Judges' actions and imports do not,
so that they cost what they did: the rows of a project remember up to which item and which action
they are up to date, and follow when a lead looks.
"""

from __future__ import annotations

import time
import unicodedata
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Literal, get_args

from relyon.core.errors import InputError
from relyon.core.texts import message
from relyon.judging.bulk import insert_rows
from relyon.judging.database_part import Base
from relyon.judging.jobs import QUIET, REST
from relyon.judging.places import UNANSWERED, take_turn
from relyon.judging.schema import (
    actions,
    adjudications,
    assignments,
    corrected,
    corrections,
    gold,
    items,
    projects,
    result_marks,
    results,
    sa,
)
from relyon.judging.table_rows import import_key

__all__ = [
    "RESULT_STATES",
    "ResultState",
    "follow",
    "plain_search",
    "redo_results",
    "refuse_removed",
    "write_results",
]

#: The state of a result. The first that applies of: removed; gold; decided by a lead; somebody
#: could not judge it; its judges differ; all of its places are filled; some are open.
ResultState = Literal["open", "done", "disagreement", "cannot", "decided", "gold", "removed"]
RESULT_STATES: tuple[ResultState, ...] = get_args(ResultState)

#: The least spread that is a disagreement, as in the queue of disagreements.
APART = 1.0
#: Items that one step derives, and ids that it looks through.
STEP, WINDOW = 500, 20_000
#: Characters that a search looks at: of the query, and of the title and the document's name.
SEARCHED = 400
NAMES = ["item_id", "project_id", "state", "query", "tier", "text", "low", "high", "spread",
         "noted", "imported", "acted_at"]  # fmt: skip


def plain_search(text: str) -> str:
    """Returns a text in one line, without differences of case and width, as searches compare it.

    Examples:
        >>> plain_search("ＲＥＤ  Shoes"), plain_search("红色 运动鞋")
        ('red shoes', '红色 运动鞋')
    """
    return " ".join(unicodedata.normalize("NFKC", text).casefold().split())


def refuse_removed(connection: sa.Connection, item_id: int) -> None:
    """Refuses an item that a lead removed.

    Raises:
        InputError: If it was removed.
    """
    if connection.execute(sa.select(items.c.removed).where(items.c.id == item_id)).scalar():
        raise InputError(
            message("judging.result-was-removed"), hint=message("judging.restore-result-first")
        )


@dataclass
class _Said:
    """What was said about an item."""

    places: list[str] = field(default_factory=list)
    grades: list[float] = field(default_factory=list)
    cannot: bool = False
    decision: float | None = None
    noted: bool = False
    imported: bool = False
    at: float = 0.0

    def state(self, *, removed: bool, golden: bool, spread: float) -> ResultState:
        """Returns the state of the item."""
        if removed:
            return "removed"
        if golden:
            return "gold"
        if self.decision is not None:
            return "decided"
        if self.cannot:
            return "cannot"
        if spread >= APART:
            return "disagreement"
        return "open" if any(one in UNANSWERED for one in self.places) else "done"


def write_results(connection: sa.Connection, ids: Iterable[int]) -> None:
    """Derives the rows of some items again.

    Args:
        connection: A connection in a write transaction that has its turn.
        ids: The items; those that are not there are ignored.
    """
    every = list(ids)
    for start in range(0, len(every), STEP):
        _write(connection, every[start : start + STEP])


def _write(connection: sa.Connection, ids: Sequence[int]) -> None:
    run = connection.execute
    found = list(
        run(
            sa.select(items.c.id, items.c.project_id, items.c.query, items.c.query_text,
                      items.c.document, items.c.title, items.c.tier, items.c.removed,
                      items.c.created_at)
            .where(items.c.id.in_(ids))
        )
    )  # fmt: skip
    golden = set(run(sa.select(gold.c.item_id).where(gold.c.item_id.in_(ids))).scalars())
    said = _read_said(connection, ids)
    rows = []
    for item in found:
        one = said.get(item.id, _Said())
        low, high = min(one.grades, default=None), max(one.grades, default=None)
        spread = 0.0 if low is None or high is None else high - low
        rows.append((
            item.id, item.project_id,
            one.state(removed=item.removed, golden=item.id in golden, spread=spread),
            item.query, item.tier,
            f"{_searched(item.query, item.query_text)}\n{_searched(item.title, item.document)}",
            low, high, spread, one.noted, one.imported, max(one.at, item.created_at),
        ))  # fmt: skip
    run(sa.delete(results).where(results.c.item_id.in_(ids)))
    insert_rows(connection, results, NAMES, rows)


def _read_said(connection: sa.Connection, ids: Sequence[int]) -> dict[int, _Said]:
    """Reads what was said about items, and when last."""
    run = connection.execute
    said: dict[int, _Said] = {}
    held = sa.select(
        assignments.c.item_id, assignments.c.state, actions.c.kind, actions.c.grade
    ).select_from(assignments.outerjoin(actions, assignments.c.action_id == actions.c.id))
    for item, state, kind, grade in run(held.where(assignments.c.item_id.in_(ids))):
        one = said.setdefault(item, _Said())
        one.places.append(state)
        one.cannot |= kind == "cannot"
        if kind == "grade":
            one.grades.append(grade)
    everything = sa.select(
        actions.c.item_id, actions.c.note, actions.c.key, actions.c.created_at
    ).where(actions.c.item_id.in_(ids))
    for item, note, key, at in run(everything):
        one = said.setdefault(item, _Said())
        one.noted |= bool(note)
        one.imported |= key.startswith(import_key(item))
        one.at = max(one.at, at)
    decided = sa.select(adjudications).where(adjudications.c.item_id.in_(ids))
    for row in run(decided.order_by(adjudications.c.id)):
        one = said.setdefault(row.item_id, _Said())
        one.decision = row.grade
        one.noted |= bool(row.note)
        one.at = max(one.at, row.created_at)
    changed = (
        sa.select(corrected.c.item_id, corrections.c.created_at)
        .select_from(corrected.join(corrections))
        .where(corrected.c.item_id.in_(ids), corrected.c.applied)
    )
    for item, at in run(changed):
        one = said.setdefault(item, _Said())
        one.at = max(one.at, at)
    return said


def _searched(*texts: str) -> str:
    """Returns texts in one line, as searches look at them."""
    return plain_search("\v".join(dict.fromkeys(filter(None, texts))))[:SEARCHED]


def redo_results(connection: sa.Connection, project_id: int, ids: Sequence[int]) -> None:
    """Has rows of a project derived again: a few at once, many when somebody looks."""
    if len(ids) <= STEP:  # none, too
        write_results(connection, ids)
        return
    mark = result_marks.c.item_id
    earlier = sa.update(result_marks).where(
        result_marks.c.project_id == project_id, mark >= min(ids)
    )
    connection.execute(earlier.values(item_id=min(ids) - 1))


def follow(store: Base, project_id: int, *, seconds: float) -> float:
    """Brings the rows of a project up to date, as far as there is time.

    Args:
        store: The database.
        project_id: The project.
        seconds: The time, after which no further step begins.

    Returns:
        The share that is up to date, 1 if all of it is.
    """
    end = time.monotonic() + seconds
    while True:
        share = _share(store, project_id)
        if share == 1 or time.monotonic() > end:
            return share
        with store.database.write() as connection:
            start = time.monotonic()
            take_turn(connection, project_id)
            _step(connection, project_id)
        # Others wait for their turn, too.
        time.sleep(max(REST, QUIET * (time.monotonic() - start)))


def _newest(connection: sa.Connection) -> tuple[int, int]:
    """Returns the newest item and the newest action of all projects."""
    item = connection.execute(sa.select(sa.func.max(items.c.id))).scalar() or 0
    action = connection.execute(sa.select(sa.func.max(actions.c.id))).scalar() or 0
    return item, action


def _share(store: Base, project_id: int) -> float:
    mine = result_marks.c.project_id == project_id
    with store.database.read() as connection:
        item, action = _newest(connection)
        mark = connection.execute(sa.select(result_marks).where(mine)).one_or_none()
    if mark is None:
        return 1.0 if item == 0 else 0.0
    left = max(0, item - mark.item_id) + max(0, action - mark.action_id)
    return 1.0 if left == 0 else min(0.99, 1 - left / (item + action))


def _step(connection: sa.Connection, project_id: int) -> None:
    """Derives the rows of the next items, or of the items of the next actions."""
    mine = result_marks.c.project_id == project_id
    item, action = _newest(connection)
    mark = connection.execute(sa.select(result_marks).where(mine)).one_or_none()
    if mark is None:
        # Actions until now are part of the items that follow.
        values = {"project_id": project_id, "item_id": 0, "action_id": action}
        if not connection.execute(
            sa.select(projects.c.id).where(projects.c.id == project_id)
        ).all():
            return
        connection.execute(sa.insert(result_marks).values(values))
        mark = connection.execute(sa.select(result_marks).where(mine)).one()
    if mark.item_id < item:
        column, table, start, last = items.c.id, items, mark.item_id, item
    else:
        column, table, start, last = actions.c.item_id, actions, mark.action_id, action
    until = min(start + WINDOW, last)
    query = (
        sa.select(table.c.id, column)
        .where(table.c.project_id == project_id, table.c.id > start, table.c.id <= until)
        .order_by(table.c.id)
        .limit(STEP)
    )
    found = connection.execute(query).all()
    if len(found) == STEP:
        until = found[-1][0]
    write_results(connection, sorted({row[1] for row in found}))
    name = "item_id" if table is items else "action_id"
    connection.execute(sa.update(result_marks).where(mine).values({name: until}))
