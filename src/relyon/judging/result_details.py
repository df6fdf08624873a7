"""Everything about a result: its grades, the final grade and how it came, and its history."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from relyon.core.errors import InputError
from relyon.core.texts import message
from relyon.data.aggregation import aggregate
from relyon.judging.database_part import Base
from relyon.judging.records import Comparison, Item, Rating
from relyon.judging.result_rows import ResultState
from relyon.judging.schema import (
    actions,
    adjudications,
    assignments,
    corrected,
    corrections,
    gold,
    items,
    overrides,
    results,
    sa,
    sides,
    users,
)
from relyon.judging.table_rows import import_key, read_comparison, read_item
from relyon.judging.texts import is_id

__all__ = [
    "Final",
    "Happening",
    "ResultDetails",
    "find_result",
    "read_details",
    "read_history",
    "read_state",
]

Source = Literal["decision", "gold", "median"]


@dataclass(frozen=True)
class Final:
    """The final grade of a result.

    Attributes:
        grade: The grade.
        source: A lead's `decision`, a known grade (`gold`), or the `median` of the judges' grades.
    """

    grade: float
    source: Source


@dataclass(frozen=True)
class ResultDetails:
    """A result with its grades.

    Attributes:
        item: The item.
        removed: Whether a lead removed it; then its grades count nowhere.
        ratings: The judges' grades, the earliest first.
        holders: Judges who have it and have not answered.
        final: The final grade, if there is one.
        known: The known grade of a gold item.
        pair: The two rankings, in a side-by-side project.
    """

    item: Item
    removed: bool
    ratings: tuple[Rating, ...]
    holders: tuple[str, ...]
    final: Final | None
    known: float | None
    pair: Comparison | None = None


@dataclass(frozen=True)
class Happening:
    """One event in the history of a result.

    Attributes:
        at: When, in seconds since 1970.
        who: The account; empty for an import of the result.
        kind: `added`; a kind of action; `imported` for a grade from a file; `decided`, or
            `withdrawn` for a decision that no longer counts; a kind of correction; `undone` for an
            answer that a correction took back, and `again` for one that it brought back.
        grade: The grade.
        reason: Why it could not be judged, or was corrected.
        note: A remark.
        seconds: How long it took.
        standing: Whether an answer counts: it was not undone.
        correction: The correction.
    """

    at: float
    who: str
    kind: str
    grade: float | None = None
    reason: str = ""
    note: str = ""
    seconds: float | None = None
    standing: bool = False
    correction: int | None = None


def find_result(store: Base, project_id: int, item: int) -> ResultDetails:
    """Returns a result of a project.

    Raises:
        InputError: If the project has none of this number.
    """
    found = read_details(store, project_id, [item]) if is_id(item) else {}
    if item not in found:
        raise InputError(message("judging.there-is-no-item-item-id", item_id=item))
    return found[item]


def read_details(store: Base, project_id: int, ids: Sequence[int]) -> dict[int, ResultDetails]:
    """Returns some results of a project by id.

    Args:
        store: The database.
        project_id: The project.
        ids: The results; at most some hundreds.
    """
    mine = sa.and_(items.c.project_id == project_id, items.c.id.in_(ids))
    with store.database.read() as connection:
        run = connection.execute
        rows = run(sa.select(items).where(mine)).all()
        known = {row.item_id: row.grade
                 for row in run(sa.select(gold).where(gold.c.item_id.in_(ids)))}  # fmt: skip
        decided = {
            row.item_id: row.grade
            for row in run(
                sa.select(adjudications)
                .where(adjudications.c.item_id.in_(ids))
                .order_by(adjudications.c.id)
            )
        }
        pairs = {
            row.id: read_comparison(row)
            for row in run(sa.select(items, sides).select_from(items.join(sides)).where(mine))
        }
        held = (
            sa.select(assignments.c.item_id, users.c.name, actions.c.kind, actions.c.grade,
                      actions.c.reason, actions.c.note, actions.c.seconds, actions.c.created_at)
            .select_from(
                assignments.join(users, assignments.c.user_id == users.c.id)
                .outerjoin(actions, assignments.c.action_id == actions.c.id)
            )
            .where(assignments.c.item_id.in_(ids))
            .order_by(actions.c.id)
        )  # fmt: skip
        ratings: dict[int, list[Rating]] = {}
        holders: dict[int, list[str]] = {}
        for item, name, kind, grade, reason, note, seconds, at in run(held):
            if kind in ("grade", "cannot"):
                ratings.setdefault(item, []).append(Rating(name, grade, reason, note, seconds, at))
            else:
                holders.setdefault(item, []).append(name)
    found = {}
    for row in rows:
        said = tuple(ratings.get(row.id, ()))
        final = _final(decided.get(row.id), known.get(row.id), said)
        found[row.id] = ResultDetails(
            read_item(row), bool(row.removed), said, tuple(sorted(holders.get(row.id, ()))),
            final, known.get(row.id), pairs.get(row.id),
        )  # fmt: skip
    return found


def _final(decision: float | None, known: float | None, said: Sequence[Rating]) -> Final | None:
    if decision is not None:
        return Final(decision, "decision")
    if known is not None:
        return Final(known, "gold")
    grades = [one.grade for one in said if one.grade is not None]
    return Final(aggregate(grades).value, "median") if grades else None


def read_state(store: Base, item: int) -> ResultState | None:
    """Returns the state of a result in the list; None if it is not there yet."""
    query = sa.select(results.c.state).where(results.c.item_id == item)
    with store.database.read() as connection:
        state: ResultState | None = connection.execute(query).scalar()
    return state


def read_history(store: Base, project_id: int, item: int) -> list[Happening]:
    """Returns all that happened with a result, the earliest first.

    Args:
        store: The database.
        project_id: The project.
        item: The result.
    """
    taken_back = actions.alias()
    with store.database.read() as connection:
        run = connection.execute
        mine = sa.and_(items.c.id == item, items.c.project_id == project_id)
        added = run(sa.select(items.c.created_at).where(mine)).scalar()
        if added is None:
            return []
        found = [Happening(added, "", "added")]
        said = (
            sa.select(actions, users.c.name, overrides.c.correction_id,
                      taken_back.c.id.label("back"))
            .select_from(
                actions.join(users)
                .outerjoin(overrides, overrides.c.action_id == actions.c.id)
                .outerjoin(taken_back, taken_back.c.undoes == actions.c.id)
            )
            .where(actions.c.item_id == item)
            .order_by(actions.c.id)
        )  # fmt: skip
        for row in run(said):
            kind = row.kind
            if row.correction_id is not None:
                if kind == "skip" or (kind == "undo" and _skipped(connection, row.undoes)):
                    continue  # it keeps the judge from getting the result again
                kind = "undone" if kind == "undo" else "again"
            elif row.key.startswith(import_key(item)):
                kind = "imported"
            found.append(
                Happening(row.created_at, row.name, kind, row.grade, row.reason, row.note,
                          row.seconds, kind != "undo" and row.back is None, row.correction_id)
            )  # fmt: skip
        by = sa.select(adjudications, users.c.name).select_from(adjudications.join(users))
        of = (
            sa.select(corrections, users.c.name, corrected.c.decision_id)
            .select_from(
                corrected.join(corrections).join(users, corrections.c.user_id == users.c.id)
            )
            .where(corrected.c.item_id == item, corrected.c.applied)
        )
        changes = run(of).all()
        for row in changes:
            found.append(
                Happening(row.created_at, row.name, row.kind, row.grade, row.reason,
                          correction=row.id)
            )  # fmt: skip
        covered = {row.decision_id for row in changes}
        for row in run(by.where(adjudications.c.item_id == item)):
            if row.id in covered:  # the correction says so
                continue
            kind = "withdrawn" if row.grade is None else "decided"
            found.append(Happening(row.created_at, row.name, kind, row.grade, note=row.note))
    # As read where the time is the same.
    return sorted(found, key=lambda one: one.at)


def _skipped(connection: sa.Connection, action: int) -> bool:
    query = sa.select(actions.c.kind).where(actions.c.id == action)
    return bool(connection.execute(query).scalar() == "skip")
