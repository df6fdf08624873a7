"""Ratings: what judges say now, everything they did, and what was said elsewhere."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

from relkit.errors import InputError
from relkit.judging.accounts import AccountStore
from relkit.judging.agreement import Ratings
from relkit.judging.items import ItemStore, item_ids
from relkit.judging.places import remember_lapse, take_turn
from relkit.judging.records import Item, Project, Rating
from relkit.judging.schema import actions, assignments, gold, items, sa, users
from relkit.judging.texts import check_grade, check_text

__all__ = ["Imported", "RatingStore"]


#: What an action says besides its judge, in the order of `Rating`.
SAID = (
    actions.c.grade, actions.c.reason, actions.c.note, actions.c.seconds, actions.c.created_at,
)  # fmt: skip


class Imported(NamedTuple):
    """What an import added.

    Attributes:
        items: New items.
        grades: New grades.
    """

    items: int
    grades: int


class RatingStore(ItemStore, AccountStore):
    """The part of a store that keeps what judges say."""

    def ratings(
        self, project_id: int, *, items: Sequence[int] | None = None
    ) -> dict[int, list[Rating]]:
        """Returns what judges say now, by item: what was undone or is surplus is not in it.

        Args:
            project_id: The project.
            items: Of these items only; None for all.
        """
        query = _standing(project_id, *SAID).where(actions.c.kind.in_(("grade", "cannot")))
        if items is not None:
            query = query.where(assignments.c.item_id.in_(items))
        found: dict[int, list[Rating]] = {}
        with self.database.read() as connection:
            for part in connection.execute(query).partitions(1000):
                for item, *said in part:
                    found.setdefault(item, []).append(Rating(*said))
        return found

    def grades(self, project_id: int) -> Ratings:
        """Returns grades by item and judge, as `relkit.judging.agreement` takes them."""
        query = _standing(project_id, actions.c.grade).where(actions.c.kind == "grade")
        found: dict[int, dict[str, float]] = {}
        with self.database.read() as connection:
            for item, name, grade in connection.execute(query).all():
                found.setdefault(item, {})[name] = grade
        return found

    def history(self, project_id: int) -> list[dict[str, Any]]:
        """Returns everything that judges did, in order, with what they undid."""
        query = (
            sa.select(actions, users.c.name.label("judge"))
            .select_from(actions.join(users))
            .where(actions.c.project_id == project_id)
            .order_by(actions.c.id)
        )
        with self.database.read() as connection:
            return [dict(row) for row in connection.execute(query).mappings()]

    def import_ratings(
        self, project_id: int, ratings: Iterable[tuple[Item, Sequence[Rating]]]
    ) -> Imported:
        """Adds items with grades that were given elsewhere; accounts are made for their judges.

        Each grade takes one of the item's places; a second import of the same file adds nothing.
        An import that fails leaves nothing behind.

        Returns:
            How many items and grades are new.

        Raises:
            InputError: If the scale does not have a grade, or an item has more grades than the
                project has places.
        """
        project = self.project(project_id)
        given = list(ratings)
        with self.database.write() as connection:
            take_turn(connection, project.id)
            judges = self._ensure_users(connection, (one.judge for _, all in given for one in all))
            new = self._add_items(connection, project, [item for item, _ in given])
            known = item_ids(connection, project.id)
            places = _Places(connection, project, self.clock())
            for item, found in given:
                for one in found:
                    user = judges[one.judge.strip()]
                    places.fill(item, known[item.query, item.document], user, one)
            return Imported(len(new), places.store())


class _Places:
    """The places of a project, as an import fills them."""

    def __init__(self, connection: sa.Connection, project: Project, now: float) -> None:
        self.connection = connection
        self.project = project
        self.now = now
        self.actions: list[dict[str, Any]] = []
        self.slots: list[int | None] = []
        self.held: dict[int, dict[int, Any]] = {}
        self.open: dict[int, list[Any]] = {}
        here = assignments.c.project_id == project.id
        for row in connection.execute(sa.select(assignments).where(here)):
            if row.user_id is not None:
                self.held.setdefault(row.item_id, {})[row.user_id] = row
            if row.slot is not None and row.state != "done":
                self.open.setdefault(row.item_id, []).append(row)
        for rows in self.open.values():
            rows.sort(key=lambda row: (row.user_id is not None, row.slot))
        # Also whoever took a grade back: it is not given again in their name.
        said = sa.select(actions.c.item_id, actions.c.user_id).where(
            actions.c.project_id == project.id, actions.c.kind != "note"
        )
        self.said = {(row.item_id, row.user_id) for row in connection.execute(said)}
        known = sa.select(gold.c.item_id).select_from(gold.join(items))
        self.gold = set(connection.execute(known.where(items.c.project_id == project.id)).scalars())

    def fill(self, item: Item, item_id: int, user: int, rating: Rating) -> None:
        """Puts a rating into a place, unless the judge said something of the item before."""
        if (item_id, user) in self.said:
            return
        grade = None if rating.grade is None else check_grade(self.project.scale, rating.grade)
        self.slots.append(self._choose(item, item_id, user))
        self.said.add((item_id, user))
        self.actions.append(
            {
                "project_id": self.project.id,
                "item_id": item_id,
                "user_id": user,
                "kind": "cannot" if grade is None else "grade",
                "grade": grade,
                "reason": check_text(rating.reason, "reason"),
                "note": check_text(rating.note, "note"),
                "seconds": rating.seconds,
                "key": f"import {item_id}",
                "created_at": self.now if rating.at is None else rating.at,
            }
        )

    def _choose(self, item: Item, item_id: int, user: int) -> int | None:
        """Returns the place that a judge's grade takes; None for a new one of a gold item."""
        slots = self.open.get(item_id, [])
        own = self.held.get(item_id, {}).get(user)
        if own is not None:
            self.open[item_id] = [slot for slot in slots if slot.id != own.id]
            return int(own.id)
        if item_id in self.gold:
            return None
        if not slots:
            raise InputError(
                f"query `{item.query}`, document `{item.document}` has more than"
                f" {self.project.overlap} grades",
                hint="import into a project with a larger overlap",
            )
        slot = slots.pop(0)
        if slot.user_id is not None:
            remember_lapse(self.connection, item_id, slot.user_id, self.now)
            del self.held[item_id][slot.user_id]
        return int(slot.id)

    def store(self) -> int:
        """Stores what was filled in, and returns how much it is."""
        if not self.actions:
            return 0
        insert = sa.insert(actions).returning(actions.c.id, sort_by_parameter_order=True)
        ids = self.connection.execute(insert, self.actions).scalars().all()
        filled = list(zip(self.slots, ids, self.actions, strict=True))
        taken = [
            {"place": slot, "user_id": one["user_id"], "action_id": action}
            for slot, action, one in filled
            if slot is not None
        ]
        made = [
            {
                "project_id": self.project.id,
                "item_id": one["item_id"],
                "user_id": one["user_id"],
                "state": "done",
                "action_id": action,
            }
            for slot, action, one in filled
            if slot is None
        ]
        if taken:
            update = sa.update(assignments).where(assignments.c.id == sa.bindparam("place"))
            self.connection.execute(update.values(state="done", leased_until=None), taken)
        if made:
            self.connection.execute(sa.insert(assignments), made)
        return len(filled)


def _standing(project_id: int, *said: Any) -> sa.Select[Any]:
    """Selects item, judge and `said` of every action that fills a place, in order."""
    return (
        sa.select(assignments.c.item_id, users.c.name, *said)
        .select_from(
            assignments.join(actions, assignments.c.action_id == actions.c.id).join(
                users, assignments.c.user_id == users.c.id
            )
        )
        .where(assignments.c.project_id == project_id, assignments.c.state == "done")
        .order_by(assignments.c.item_id, actions.c.id)
    )
