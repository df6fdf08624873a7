"""Imports: items, places, known grades and ratings put into a project, in batches where it is much.

A small import is one transaction. A large one is a job (`relkit.judging.jobs`): everything in it is
checked before the first row is written; then batches go in, each for a moment, and judges are given
none of the new items before the last one is there. What an import that failed or was stopped had
made is taken out again.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import TYPE_CHECKING, Any, NamedTuple

from relkit.core.errors import InputError
from relkit.judging.bulk import find_items, insert_rows, reserve_ids, update_statistics
from relkit.judging.jobs import Report, Work, refuse_while_importing, start_job
from relkit.judging.places import remember_lapse, take_turn
from relkit.judging.projects import check_open
from relkit.judging.records import Comparison, Item, Project, Rating, User
from relkit.judging.removal import discard_import, tidy_up
from relkit.judging.rows import check_item, import_key, item_row, result_rows
from relkit.judging.schema import actions, assignments, gold, items, sa, sides
from relkit.judging.texts import check_grade, check_text

if TYPE_CHECKING:
    from relkit.judging.items import ItemStore

__all__ = [
    "AT_ONCE",
    "Imported",
    "Incoming",
    "Lazy",
    "announce_import",
    "bring_in",
    "prepare_import",
]

#: Rows that go in at once: no judge notices.
AT_ONCE = 2000


class Imported(NamedTuple):
    """What an import added.

    Attributes:
        items: New items.
        grades: New grades.
    """

    items: int
    grades: int


@dataclass(frozen=True, slots=True)
class Incoming:
    """One item on its way in.

    Attributes:
        item: The item.
        ratings: What judges said of it elsewhere.
        known: Its known grade, for a gold item.
        known_note: A remark on that grade.
        pair: The two rankings of a side-by-side item.
    """

    item: Item
    ratings: Sequence[Rating] = ()
    known: float | None = None
    known_note: str = ""
    pair: Comparison | None = None


class Lazy(Collection[Incoming]):
    """Rows that are made when they are needed: a million of them are never there at once.

    Args:
        sources: What they are made of.
        make: Makes one.
    """

    def __init__(self, sources: Sequence[Any], make: Callable[[Any], Incoming]) -> None:
        self.sources = sources
        self.make = make

    def __len__(self) -> int:
        return len(self.sources)

    def __iter__(self) -> Iterator[Incoming]:
        return map(self.make, self.sources)

    def __contains__(self, one: object) -> bool:
        return any(one == other for other in self)


class Prepared:
    """An import that was checked and may begin: a job, for whoever waits and whoever does not."""

    def __init__(
        self, store: ItemStore, project: Project, rows: Collection[Incoming], work: Work
    ) -> None:
        self.store = store
        self.project = project
        self.rows = rows
        self.work = work

    def run(self) -> Imported:
        """Brings everything in, or nothing.

        Raises:
            StoppedError: If somebody asked for it to be stopped.
            InputError: If the database cannot be used; what went in is taken out by whoever
                comes next.
        """
        work = self.work
        try:
            new = grades = 0
            left = iter(self.rows)
            while batch := list(islice(left, work.size)):
                with work.step(len(batch)) as connection:
                    added = _Batch(self.store, connection, self.project, batch, work).store()
                new, grades = new + added.items, grades + added.grades
            with work.step() as connection:
                work.write_end(connection, "done", items=new, grades=grades)
        except BaseException as error:
            self._take_back(error)
            raise
        work.leave()
        update_statistics(self.store.database)
        return Imported(new, grades)

    def _take_back(self, error: BaseException) -> None:
        self.work.report = None
        try:
            discard_import(self.work)
            self.work.fail(error)
        finally:
            self.work.leave()


def bring_in(
    store: ItemStore,
    project: Project,
    rows: Collection[Incoming],
    *,
    source: str = "",
    by: User | None = None,
    report: Report | None = None,
) -> Imported:
    """Brings items into a project: all or none.

    Args:
        store: The database.
        project: The project.
        rows: What comes; gone through twice where it is much.
        source: The file, for those who look.
        by: Who asked for it.
        report: Told how far it is, after each batch.

    Returns:
        How many items, and how many grades or known grades, are new.

    Raises:
        InputError: If something cannot be stored, the scale does not have a grade, or an item has
            more grades than the project has places.
        ParameterError: If the project is closed, or another import is not finished.
    """
    if len(rows) <= AT_ONCE:
        with store.database.write() as connection:
            take_turn(connection, project.id)
            check_open(connection, project.id)
            refuse_while_importing(connection, project.id)
            return _Batch(store, connection, project, rows).store()
    return prepare_import(store, project, rows, source=source, by=by, report=report).run()


def prepare_import(
    store: ItemStore,
    project: Project,
    rows: Collection[Incoming],
    *,
    source: str = "",
    by: User | None = None,
    report: Report | None = None,
    work: Work | None = None,
) -> Prepared:
    """Checks all of an import and makes its job, which `run` then works on.

    Args:
        store: The database.
        project: The project.
        rows: What comes.
        source: The file, for those who look.
        by: Who asked for it.
        report: Told how far it is, after each batch.
        work: The job, where it was announced.

    Raises:
        InputError: As `bring_in`.
        ParameterError: As `bring_in`.
    """
    if work is None:
        work = announce_import(store, project, source=source, by=by, report=report)
    try:
        left = iter(rows)
        while batch := list(islice(left, 5000)):
            with store.database.read() as connection:
                _Batch(store, connection, project, batch).check()
        with work.step() as connection:
            work.write_total(connection, len(rows))
    except BaseException as error:
        work.fail(error)
        raise
    return Prepared(store, project, rows, work)


def announce_import(
    store: ItemStore,
    project: Project,
    *,
    source: str = "",
    by: User | None = None,
    report: Report | None = None,
) -> Work:
    """Makes the job of an import, before it is known what comes: there is one at a time.

    Raises:
        ParameterError: If the project is closed, or another import is not finished.
    """
    tidy_up(store)
    with store.database.write() as connection:
        take_turn(connection, project.id)
        check_open(connection, project.id)
        refuse_while_importing(connection, project.id)
        return start_job(
            store, connection, "import", project.id, source=source, by=by, report=report
        )


class _Place:
    """A place of an item as an import finds or makes it."""

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


class _Batch:
    """Some rows of an import, in one transaction."""

    def __init__(
        self,
        store: ItemStore,
        connection: sa.Connection,
        project: Project,
        rows: Collection[Incoming],
        work: Work | None = None,
    ) -> None:
        self.store_ = store
        self.connection = connection
        self.project = project
        self.rows = rows
        self.work = work
        self.now = store.clock()
        # In the file's order; of two rows of one item the first is taken.
        pairs: dict[tuple[str, str], Incoming] = {}
        for one in rows:
            pairs.setdefault((one.item.query, one.item.document), one)
        if work is None:  # else it was checked before the first batch went in
            for one in pairs.values():
                check_item(one.item)
        self.known = find_items(connection, project.id, pairs)
        self.old = sorted(self.known.values())
        self.new = {key: one for key, one in pairs.items() if key not in self.known}
        self.actions: list[dict[str, Any]] = []
        self.fresh: list[_Place] = []
        self.taken: list[_Place] = []
        self.held: dict[int, dict[int, _Place]] = {}
        self.open: dict[int, list[_Place]] = {}
        self.said: set[tuple[int, int]] = set()
        self.gold: set[int] = set()

    def check(self) -> None:
        """Says what would keep the batch from going in, and changes nothing."""
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
        judges = self.store_._find_users(
            self.connection, (one.judge for row in self.rows for one in row.ratings)
        )
        strangers: dict[str, int] = {}
        for row in self.rows:
            for rating in row.ratings:
                name = rating.judge.strip()
                user = judges.get(name) or strangers.setdefault(name, -1 - len(strangers))
                self._fill(row.item, user, rating, changes=False)

    def store(self) -> Imported:
        """Puts the batch in."""
        self._add_items()
        known = self._add_gold()
        if any(one.ratings for one in self.rows):
            self._read_old()
            judges = self.store_._ensure_users(
                self.connection, (one.judge for row in self.rows for one in row.ratings)
            )
            for row in self.rows:
                for one in row.ratings:
                    self._fill(row.item, judges[one.judge.strip()], one)
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
        # Gold items have no places: every judge is given them.
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
        """Makes the items with a known grade gold items, and returns how many were none before."""
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
            # Who has it keeps it, as everybody has a gold item: not in one of its places.
            run(sa.update(assignments).where(assignments.c.item_id.in_(old)).values(slot=None))
        rows = [(item, *told) for item, told in known.items()]
        insert_rows(self.connection, gold, ["item_id", "grade", "note"], rows)
        return len(known) - before

    def _read_old(self) -> None:
        """Reads what is known of the items that were there before."""
        if not self.old:
            return
        run = self.connection.execute
        here = assignments.c.item_id.in_(self.old)
        for row in run(sa.select(assignments).where(here)):
            one = _Place(row.id, row.item_id, row.slot, row.user_id, fresh=False)
            if row.user_id is not None:
                self.held.setdefault(row.item_id, {})[row.user_id] = one
            if row.slot is not None and row.state != "done":
                self.open.setdefault(row.item_id, []).append(one)
        for places in self.open.values():
            places.sort(key=lambda one: (one.user_id is not None, one.slot))
        # Also whoever took a grade back: it is not given again in their name.
        said = sa.select(actions.c.item_id, actions.c.user_id).where(
            actions.c.item_id.in_(self.old), actions.c.kind != "note"
        )
        self.said = {(row.item_id, row.user_id) for row in run(said)}
        self.gold = set(
            run(sa.select(gold.c.item_id).where(gold.c.item_id.in_(self.old))).scalars()
        )

    def _fill(self, item: Item, user: int, rating: Rating, *, changes: bool = True) -> None:
        """Puts a rating into a place, unless the judge said something of the item before."""
        item_id = self.known[item.query, item.document]
        if (item_id, user) in self.said:
            return
        grade = None if rating.grade is None else check_grade(self.project.scale, rating.grade)
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
                "key": import_key(item_id),
                "created_at": self.now if rating.at is None else rating.at,
            }
        )

    def _choose(self, item: Item, item_id: int, user: int, *, changes: bool) -> _Place:
        """Returns the place that a judge's grade takes; a new one of a gold item."""
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
                f"query `{item.query}`, document `{item.document}` has more than"
                f" {self.project.overlap} grades",
                hint="import into a project with a larger overlap",
            )
        slot = slots.pop(0)
        if slot.user_id is not None:
            if changes:
                remember_lapse(self.connection, item_id, slot.user_id, self.now)
            del self.held[item_id][slot.user_id]
        return slot

    def _write_ratings(self) -> None:
        """Writes the ratings, and the places in the state in which they are now."""
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
