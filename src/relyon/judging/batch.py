"""A batch of an import in one transaction: items, places, known grades and ratings."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from uuid import uuid4

from relyon.core.errors import InputError
from relyon.core.texts import message
from relyon.judging.actions import Again
from relyon.judging.bulk import find_items, insert_rows, reserve_ids
from relyon.judging.database_part import Base
from relyon.judging.imported_accounts import ensure_people, find_people
from relyon.judging.incoming_items import Imported, Incoming
from relyon.judging.jobs import Work
from relyon.judging.places import REMOVED, UNANSWERED, remember_lapse, undone
from relyon.judging.records import Item, Project, Rating
from relyon.judging.result_rows import redo_results
from relyon.judging.schema import actions, assignments, gold, items, sa, sides
from relyon.judging.table_rows import check_item, import_key, item_row, result_rows
from relyon.judging.texts import check_grade, check_text

__all__ = ["Batch", "Fault", "refuse_differing"]


class _Place:
    """A place of an item that an import finds or creates."""

    __slots__ = ("action_id", "fresh", "id", "item_id", "slot", "user_id")

    def __init__(
        self, id: int, item_id: int, slot: int | None, user_id: int | None, *, fresh: bool
    ) -> None:
        self.id = id
        self.item_id = item_id
        self.slot = slot
        self.user_id = user_id
        self.fresh = fresh
        self.action_id: int | None = None


@dataclass(frozen=True, slots=True)
class Fault:
    """A rating that cannot be stored.

    Attributes:
        item: Its item.
        judge: Whose it is.
        reason: Why.
    """

    item: Item
    judge: str
    reason: str


class Batch:
    """A batch of an import, in one transaction."""

    def __init__(
        self,
        store: Base,
        connection: sa.Connection,
        project: Project,
        rows: Collection[Incoming],
        work: Work | None = None,
        again: Again = "refuse",
    ) -> None:
        self.again = again
        self.differing: list[Item] = []
        self.answers: dict[tuple[int, int], float | None] = {}
        self.connection = connection
        self.project = project
        self.rows = rows
        self.work = work
        self.now = store.clock()
        # In the file's order; of several rows for one item the first is used.
        pairs: dict[tuple[str, str], Incoming] = {}
        for one in rows:
            pairs.setdefault((one.item.query, one.item.document), one)
        if work is None:  # otherwise it was checked before the first batch was stored
            for one in pairs.values():
                check_item(one.item)
        self.known = find_items(connection, project.id, pairs)
        self.old = sorted(self.known.values())
        self.new = {key: one for key, one in pairs.items() if key not in self.known}
        self.actions: list[dict[str, object]] = []
        self.fresh: list[_Place] = []
        self.taken: list[_Place] = []
        self.held: dict[int, dict[int, _Place]] = {}
        self.open: dict[int, list[_Place]] = {}
        self.said: set[tuple[int, int]] = set()
        #: Answers of this batch: two that differ are two people's, or a mistake.
        self.given: set[tuple[int, int]] = set()
        self.gold: set[int] = set()
        self.removed: set[int] = set()

    def check(self, faults: list[Fault] | None = None) -> None:
        """Validates the batch, without changing anything.

        Args:
            faults: Collects the ratings that cannot be stored; None raises at the first one, and
                keeps those that differ from stored ones in `differing`.

        Raises:
            InputError: If something in it cannot be stored.
        """
        for one in self.rows:
            if one.known is not None:
                check_grade(self.project.scale, one.known)
            if one.pair is not None:
                result_rows(one.pair.first_results)
                result_rows(one.pair.second_results)
        if not any(one.ratings for one in self.rows):
            return
        ids = -1
        for key in self.new:
            self.known[key] = ids
            self.open[ids] = [
                _Place(0, ids, slot, None, fresh=True) for slot in range(self.project.overlap)
            ]
            ids -= 1
        self._read_old()
        judges = find_people(
            self.connection, (one.judge for row in self.rows for one in row.ratings)
        )
        strangers: dict[str, int] = {}
        for row in self.rows:
            for rating in row.ratings:
                name = rating.judge.strip()
                user = judges.get(name) or strangers.setdefault(name, -1 - len(strangers))
                different = len(self.differing)
                try:
                    self._fill(row.item, user, rating, changes=False)
                except InputError as error:
                    if faults is None:
                        raise
                    faults.append(Fault(row.item, name, error.message))
                if faults is not None and len(self.differing) > different:
                    told = message("judging.other-grade-is-stored", judge=name)
                    faults.append(Fault(row.item, name, told))

    def store(self) -> Imported:
        """Stores the batch.

        Raises:
            InputError: If grades differ from stored ones, and do not replace them.
        """
        self._add_items()
        known = self._add_gold()
        if any(one.ratings for one in self.rows):
            self._read_old()
            judges = ensure_people(
                self.connection,
                (one.judge for row in self.rows for one in row.ratings),
                self.now,
            )
            for row in self.rows:
                for one in row.ratings:
                    self._fill(row.item, judges[one.judge.strip()], one)
        refuse_differing(self.differing)
        self._write_ratings()
        return Imported(len(self.new), known + len(self.actions))

    def _add_items(self) -> None:
        ids = reserve_ids(self.connection, items, len(self.new))
        if not ids:
            return
        job = None if self.work is None else self.work.job_id
        if self.work is not None:
            self.work.made = [ids[0], ids[-1]]
        rows = [
            {**item_row(one.item, self.project, self.now), "id": number, "job_id": job}
            for number, one in zip(ids, self.new.values(), strict=True)
        ]
        insert_rows(self.connection, items, list(rows[0]), (tuple(row.values()) for row in rows))
        self.known.update(zip(self.new, ids, strict=True))
        insert_rows(
            self.connection,
            sides,
            ["item_id", "first", "second", "first_results", "second_results"],
            [
                (
                    number,
                    one.pair.first,
                    one.pair.second,
                    result_rows(one.pair.first_results),
                    result_rows(one.pair.second_results),
                )
                for number, one in zip(ids, self.new.values(), strict=True)
                if one.pair is not None
            ],
        )
        # Gold items have no places: every judge gets them.
        wanted = [
            (number, slot)
            for number, one in zip(ids, self.new.values(), strict=True)
            if one.known is None
            for slot in range(self.project.overlap)
        ]
        places = reserve_ids(self.connection, assignments, len(wanted))
        for place, (number, slot) in zip(places, wanted, strict=True):
            one = _Place(place, number, slot, None, fresh=True)
            self.fresh.append(one)
            self.open.setdefault(number, []).append(one)

    def _add_gold(self) -> int:
        """Turns the items with a known grade into gold items, and returns how many are new."""
        known = {
            self.known[one.item.query, one.item.document]: (
                check_grade(self.project.scale, one.known),
                check_text(one.known_note, "note"),
            )
            for one in self.rows
            if one.known is not None
        }
        if not known:
            return 0
        old = [item for item in self.old if item in known]
        before = 0
        if old:
            run = self.connection.execute
            before = run(sa.delete(gold).where(gold.c.item_id.in_(old))).rowcount
            free = sa.and_(assignments.c.item_id.in_(old), assignments.c.user_id.is_(None))
            run(sa.delete(assignments).where(free))
            # A judge who has it keeps it as a gold item, not in one of its places.
            run(sa.update(assignments).where(assignments.c.item_id.in_(old)).values(slot=None))
        rows = [(item, *told) for item, told in known.items()]
        insert_rows(self.connection, gold, ["item_id", "grade", "note"], rows)
        if old:
            redo_results(self.connection, self.project.id, old)
        return len(known) - before

    def _read_old(self) -> None:
        """Reads the places, answers and known grades of existing items."""
        if not self.old:
            return
        run = self.connection.execute
        here = assignments.c.item_id.in_(self.old)
        for row in run(sa.select(assignments).where(here)):
            one = _Place(row.id, row.item_id, row.slot, row.user_id, fresh=False)
            if row.user_id is not None:
                self.held.setdefault(row.item_id, {})[row.user_id] = one
            if row.slot is not None and row.state in UNANSWERED:
                self.open.setdefault(row.item_id, []).append(one)
        for places in self.open.values():
            places.sort(key=lambda one: (one.user_id is not None, one.slot))
        # Including judges who undid a grade: it is not imported again in their name.
        said = sa.select(actions.c.item_id, actions.c.user_id).where(
            actions.c.item_id.in_(self.old), actions.c.kind != "note"
        )
        self.said = {(row.item_id, row.user_id) for row in run(said)}
        standing = sa.select(actions.c.item_id, actions.c.user_id, actions.c.grade).where(
            actions.c.item_id.in_(self.old),
            actions.c.kind.in_(("grade", "cannot")),
            actions.c.id.not_in(undone(actions.c.item_id.in_(self.old))),
        )
        self.answers = {
            (row.item_id, row.user_id): row.grade for row in run(standing.order_by(actions.c.id))
        }
        gone = sa.select(items.c.id).where(items.c.id.in_(self.old), REMOVED)
        self.removed = set(run(gone).scalars())
        self.gold = set(
            run(sa.select(gold.c.item_id).where(gold.c.item_id.in_(self.old))).scalars()
        )

    def _fill(self, item: Item, user: int, rating: Rating, *, changes: bool = True) -> None:
        """Assigns a rating to a place, unless the judge rated the item or a lead removed it."""
        item_id = self.known[item.query, item.document]
        if item_id in self.removed:
            return
        grade = None if rating.grade is None else check_grade(self.project.scale, rating.grade)
        key = import_key(item_id)
        if (item_id, user) in self.said:
            if self.answers.get((item_id, user), grade) == grade:
                return
            if self.again == "refuse" or (item_id, user) in self.given:
                self.differing.append(item)
                return
            # A further action: the history keeps the earlier one, which undoing brings back.
            key = f"{key} {uuid4().hex}"
        self.answers[item_id, user] = grade
        self.given.add((item_id, user))
        place = self._choose(item, item_id, user, changes=changes)
        self.said.add((item_id, user))
        self.taken.append(place)
        place.user_id = user
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
                "key": key,
                "created_at": self.now if rating.at is None else rating.at,
            }
        )

    def _choose(self, item: Item, item_id: int, user: int, *, changes: bool) -> _Place:
        """Returns the place for a judge's grade; a new one for a gold item."""
        slots = self.open.get(item_id, [])
        own = self.held.get(item_id, {}).get(user)
        if own is not None:
            self.open[item_id] = [slot for slot in slots if slot.id != own.id]
            return own
        if item_id in self.gold:
            made = _Place(0, item_id, None, user, fresh=True)
            self.fresh.append(made)
            return made
        if not slots:
            raise InputError(
                message(
                    "judging.query-document-has-more-than-grades",
                    query=item.query,
                    document=item.document,
                    overlap=self.project.overlap,
                ),
                hint=message("judging.import-into-project"),
            )
        slot = slots.pop(0)
        if slot.user_id is not None:
            if changes:
                remember_lapse(self.connection, item_id, slot.user_id, self.now)
            del self.held[item_id][slot.user_id]
        return slot

    def _write_ratings(self) -> None:
        """Writes the ratings, and the new state of the places."""
        ids = reserve_ids(self.connection, actions, len(self.actions))
        for place, action in zip(self.taken, ids, strict=True):
            place.action_id = action
        if ids:
            names = [*self.actions[0], "id"]
            values = (
                (*one.values(), number) for one, number in zip(self.actions, ids, strict=True)
            )
            insert_rows(self.connection, actions, names, values)
        nameless = [one for one in self.fresh if not one.id]
        for one, number in zip(
            nameless, reserve_ids(self.connection, assignments, len(nameless)), strict=True
        ):
            one.id = number
        insert_rows(
            self.connection,
            assignments,
            ["id", "project_id", "item_id", "slot", "user_id", "state", "action_id"],
            (
                (
                    one.id,
                    self.project.id,
                    one.item_id,
                    one.slot,
                    one.user_id,
                    "open" if one.action_id is None else "done",
                    one.action_id,
                )
                for one in self.fresh
            ),
        )
        changed = [
            {"place": one.id, "user_id": one.user_id, "action_id": one.action_id}
            for one in self.taken
            if not one.fresh
        ]
        if changed:
            update = sa.update(assignments).where(assignments.c.id == sa.bindparam("place"))
            self.connection.execute(update.values(state="done", leased_until=None), changed)


def refuse_differing(found: Sequence[Item]) -> None:
    """Refuses grades that differ from those that the same judges gave the same items.

    Args:
        found: The items, one per grade.

    Raises:
        InputError: If there are any.
    """
    if found:
        raise InputError(
            message(
                "judging.grades-differ-from-stored",
                count=len(found),
                query=found[0].query,
                document=found[0].document,
            ),
            hint=message("judging.replace-or-name-judge"),
        )
