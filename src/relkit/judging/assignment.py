"""Who grades what, and what they did: exactly once, whatever happens on the way.

Each item has as many places as the project wants grades of it. A judge takes a place for a while
(a lease); a place whose lease ran out can be taken by someone else. Gold items have no places:
every judge gets each of them at most once.

Everything a judge does is one action with a key that the client made. A request that is sent again,
because the answer was lost, has the same key and changes nothing. Actions are never changed; what a
judge says of an item is the last action on it that was not undone.
"""

from __future__ import annotations

import hashlib
import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, get_args

from relkit.errors import InputError, ParameterError
from relkit.judging.database import new_id
from relkit.judging.records import ActionKind, Comparison, Item, Project, User
from relkit.judging.rows import PLACES, read_comparison, read_item, read_project, read_user
from relkit.judging.schema import (
    actions,
    assignments,
    gold,
    items,
    lapses,
    projects,
    sa,
    sides,
    users,
)
from relkit.judging.texts import check_text, is_id, is_storable

if TYPE_CHECKING:
    from relkit.judging.store import Store

__all__ = ["Progress", "Receipt", "Task", "measure_progress", "record_action", "take_tasks"]

#: An item that a judge put off stays reserved so many times longer.
LATER = 100
#: Kinds of actions that say what becomes of an item.
DECIDING = ("grade", "cannot", "skip", "later")
LONGEST = 10_000


@dataclass(frozen=True)
class Task:
    """An item that a judge has.

    Attributes:
        item: What to grade.
        later: Whether the judge put it off before.
        leased_until: Until when nobody else gets it, in seconds since 1970.
        left: What stands on the left, in a side-by-side project. Which system it is of is not said.
        right: What stands on the right.
    """

    item: Item
    later: bool
    leased_until: float
    left: tuple[Item, ...] = ()
    right: tuple[Item, ...] = ()


@dataclass(frozen=True)
class Receipt:
    """What became of an action.

    Attributes:
        id: Of the action.
        kind: What it was.
        item_id: The item it was about; for `undo`, the one of the action undone.
        grade: The grade stored.
        repeated: Whether the same request was stored before; then nothing was stored now.
        counted: False for a grade that came so late that others filled all places. It stays in the
            history and in no result.
    """

    id: int
    kind: ActionKind
    item_id: int
    grade: float | None
    repeated: bool
    counted: bool


@dataclass(frozen=True)
class Progress:
    """How far the work is.

    Attributes:
        items: Items to grade, without gold.
        finished: Of them, those all of whose places are filled.
        places: Places of all items.
        filled: Places with a grade or with a reason why there is none.
        done: What the judge did; 0 without a judge.
        open: What the judge has.
        later: What the judge put off.
        available: Items that the judge could still be given.
        seconds: The mean time of the judge's grades that have one; NaN where none has.
    """

    items: int
    finished: int
    places: int
    filled: int
    done: int = 0
    open: int = 0
    later: int = 0
    available: int = 0
    seconds: float = math.nan


def take_tasks(store: Store, user: User, project_id: int, *, count: int = 10) -> list[Task]:
    """Gives a judge up to `count` items: those that the judge has already, then new ones.

    New items come in a random order of the judge's own, which the project's seed fixes. What was
    put off comes again when nothing else is left. Calling it again gives the same items, with a
    fresh lease: a closed tab or another device goes on where the judge was.

    Args:
        store: The database.
        user: The judge.
        project_id: The project.
        count: How many items the judge should have.

    Returns:
        Fewer than `count`, or none, where nothing is left for this judge at the moment.

    Raises:
        ParameterError: If the account is closed or `count` is not 1 to 1000.
        UnknownNameError: If there is no such project.
    """
    if not user.active:
        raise ParameterError(f"the account `{user.name}` is closed")
    if not 1 <= count <= 1000:
        raise ParameterError(f"the parameter `count` must be 1 to 1000. Got `{count}` instead.")
    project = store.project(project_id)
    with store.database.write() as connection:
        _take_turn(connection, project.id)
        now = store.clock()
        own = _own(connection, project, user)
        wanted = count - len(own["open"])
        if wanted > 0:
            given = _claim(connection, project, user, wanted, now)
            if given:
                own = _own(connection, project, user)
        chosen = own["open"][:count] or own["later"][:count]
        states = {
            "open": now + project.lease_seconds,
            "later": now + project.lease_seconds * LATER,
        }
        state = "open" if own["open"] else "later"
        if chosen:
            connection.execute(
                sa.update(assignments)
                .where(assignments.c.id.in_([row.id for row in chosen]))
                .values(leased_until=states[state])
            )
        return _tasks(connection, project, chosen, states[state])


def _take_turn(connection: sa.Connection, project_id: int) -> None:
    """Lets one transaction after the other change a project's assignments, for a moment each."""
    if connection.dialect.name != "sqlite":  # whose writers queue anyway
        lock = sa.text("SELECT pg_advisory_xact_lock(728512, :project)")
        connection.execute(lock, {"project": project_id})


def _own(connection: sa.Connection, project: Project, user: User) -> dict[str, list[Any]]:
    rows = connection.execute(
        sa.select(assignments)
        .select_from(assignments.join(items, assignments.c.item_id == items.c.id))
        .where(
            assignments.c.project_id == project.id,
            assignments.c.user_id == user.id,
            assignments.c.state.in_(("open", "later")),
        )
        .order_by(_order(project, user), items.c.id)
    ).all()
    return {state: [row for row in rows if row.state == state] for state in ("open", "later")}


def _number(*parts: object) -> int:
    text = "\n".join(map(str, parts)).encode()
    return int.from_bytes(hashlib.blake2b(text, digest_size=8).digest())


def _order(project: Project, user: User) -> sa.ColumnElement[Any]:
    """The judge's own order of all items: a permutation of their places."""
    factor = 1 + _number(project.seed, "factor", user.name) % (PLACES - 1)
    shift = _number(project.seed, "shift", user.name) % PLACES
    place = sa.cast(items.c.place, sa.BigInteger)
    whole = sa.literal(factor, sa.BigInteger) * place + sa.literal(shift, sa.BigInteger)
    return whole % sa.literal(PLACES, sa.BigInteger)


def _claim(connection: sa.Connection, project: Project, user: User, wanted: int, now: float) -> int:
    """Gives a judge new items and returns how many."""
    before = _count(
        connection, assignments.c.project_id == project.id, assignments.c.user_id == user.id
    )
    ordinary = _free(connection, project, user, wanted, now)
    known = _free_gold(connection, project, user, wanted) if project.gold_share else []
    until = now + project.lease_seconds
    given = 0
    while given < wanted and ordinary:
        draw = _number(project.seed, "gold", user.name, before + given) / 2**64
        if known and draw < project.gold_share:
            item = known.pop(0)
            connection.execute(
                sa.insert(assignments).values(
                    project_id=project.id,
                    item_id=item,
                    user_id=user.id,
                    state="open",
                    leased_until=until,
                    swapped=_swapped(project, user, item),
                )
            )
        else:
            slot = ordinary.pop(0)
            _give(connection, project, user, slot, until, now)
        given += 1
    return given


def _swapped(project: Project, user: User, item: int) -> bool:
    """Whether this judge sees the second system on the left: as by a coin, and always the same."""
    side_by_side = project.kind == "side_by_side"
    return side_by_side and bool(_number(project.seed, "side", user.name, item) & 1)


def _free(
    connection: sa.Connection, project: Project, user: User, wanted: int, now: float
) -> list[Any]:
    """Returns one free place of each of the next items that the judge may get."""
    # So many rows hold at least as many items as are wanted: an item has no more places.
    rows = connection.execute(
        sa.select(assignments)
        .select_from(assignments.join(items, assignments.c.item_id == items.c.id))
        .where(*_may_get(project, user, now))
        .order_by(_order(project, user), items.c.id, assignments.c.slot)
        .limit(wanted * project.overlap)
    )
    first: dict[int, Any] = {}
    for row in rows:
        first.setdefault(row.item_id, row)
    return list(first.values())[:wanted]


def _may_get(project: Project, user: User, now: float) -> list[sa.ColumnElement[bool]]:
    """Which places a judge may be given."""
    mine = sa.select(assignments.c.item_id).where(
        assignments.c.project_id == project.id, assignments.c.user_id == user.id
    )
    said = sa.select(actions.c.item_id).where(
        actions.c.project_id == project.id,
        actions.c.user_id == user.id,
        actions.c.kind.in_(("grade", "cannot", "skip")),
        actions.c.id.not_in(_undone(actions.c.user_id == user.id)),
    )
    return [
        assignments.c.project_id == project.id,
        assignments.c.slot.is_not(None),
        _is_free(now),
        assignments.c.item_id.not_in(mine),
        assignments.c.item_id.not_in(said),
    ]


def _undone(condition: sa.ColumnElement[bool]) -> sa.Select[Any]:
    return sa.select(actions.c.undoes).where(condition, actions.c.undoes.is_not(None))


def _is_free(now: float) -> sa.ColumnElement[bool]:
    return sa.or_(
        assignments.c.user_id.is_(None),
        sa.and_(assignments.c.state != "done", assignments.c.leased_until < now),
    )


def _free_gold(connection: sa.Connection, project: Project, user: User, wanted: int) -> list[int]:
    mine = sa.select(assignments.c.item_id).where(
        assignments.c.project_id == project.id, assignments.c.user_id == user.id
    )
    query = (
        sa.select(items.c.id)
        .select_from(items.join(gold, gold.c.item_id == items.c.id))
        .where(items.c.project_id == project.id, items.c.id.not_in(mine))
        .order_by(_order(project, user), items.c.id)
        .limit(wanted)
    )
    return list(connection.execute(query).scalars())


def _give(
    connection: sa.Connection, project: Project, user: User, slot: Any, until: float, now: float
) -> None:
    """Gives a place to a judge, and remembers from whom it was taken."""
    if slot.user_id is not None:
        held = sa.and_(lapses.c.item_id == slot.item_id, lapses.c.user_id == slot.user_id)
        if not connection.execute(sa.select(lapses.c.item_id).where(held)).all():
            connection.execute(
                sa.insert(lapses).values(item_id=slot.item_id, user_id=slot.user_id, created_at=now)
            )
    connection.execute(
        sa.update(assignments)
        .where(assignments.c.id == slot.id)
        .values(
            user_id=user.id,
            state="open",
            leased_until=until,
            swapped=_swapped(project, user, slot.item_id),
            action_id=None,
        )
    )


def _tasks(
    connection: sa.Connection, project: Project, chosen: list[Any], until: float
) -> list[Task]:
    ids = [row.item_id for row in chosen]
    rows = connection.execute(sa.select(items).where(items.c.id.in_(ids)))
    found = {row.id: read_item(row) for row in rows}
    pairs: dict[int, Comparison] = {}
    if project.kind == "side_by_side":
        both = connection.execute(
            sa.select(items, sides).select_from(items.join(sides)).where(items.c.id.in_(ids))
        )
        pairs = {row.id: read_comparison(row) for row in both}
    tasks = []
    for row in chosen:
        item = found[row.item_id]
        left: tuple[Item, ...] = ()
        right: tuple[Item, ...] = ()
        if row.item_id in pairs:
            pair = pairs[row.item_id]
            left, right = pair.first_results, pair.second_results
            if row.swapped:
                left, right = right, left
            # The document's id would name the systems.
            item = Item(item.query, "", item.query_text, tier=item.tier, id=item.id)
        tasks.append(Task(item, row.state == "later", until, left, right))
    return tasks


def record_action(
    store: Store,
    user: User,
    kind: ActionKind,
    *,
    key: str,
    item_id: int | None = None,
    project_id: int | None = None,
    grade: float | str | None = None,
    reason: str = "",
    note: str = "",
    seconds: float | None = None,
    undoes: str | None = None,
) -> Receipt:
    """Stores one thing that a judge did.

    Args:
        store: The database.
        user: The judge.
        kind: `grade` gives a grade; a new one replaces the judge's earlier one. `cannot` says that
            the item cannot be graded, and why. `skip` gives it back for someone else. `later` puts
            it off. `note` remarks something. `undo` takes the last action back.
        key: Made by the client for this action, at most 200 characters. The same request, sent
            again with the same key, is stored once.
        item_id: The item; for `undo` not needed.
        project_id: For `undo`: the project whose last action is taken back.
        grade: With `grade`: the grade, or the name of a level. In a side-by-side project the
            preference as the judge sees it: -2 left much better … 2 right much better.
        reason: With `cannot`: why.
        note: A remark; with `note` it is needed.
        seconds: How long it took.
        undoes: With `undo`: the key of the action to take back; the last one without it.

    Raises:
        ParameterError: If the key was used for another action, a parameter is missing or does not
            belong to this kind of action, or the account is closed.
        InputError: If the judge never had the item, the scale does not have the grade, or there is
            nothing to undo.
    """
    _check(user, kind, key, item_id, project_id, reason, note, seconds)
    values: dict[str, Any] = {"reason": reason, "note": note, "seconds": seconds}
    try:
        with store.database.write() as connection:
            return _record(
                store, connection, user, kind, key, item_id, project_id, grade, values, undoes
            )
    except sa.exc.IntegrityError:
        # The same request came in twice at once: the other one was stored.
        with store.database.write() as connection:
            return _record(
                store, connection, user, kind, key, item_id, project_id, grade, values, undoes
            )


def _check(
    user: User,
    kind: str,
    key: str,
    item_id: int | None,
    project_id: int | None,
    reason: str,
    note: str,
    seconds: float | None,
) -> None:
    if not user.active:
        raise ParameterError(f"the account `{user.name}` is closed")
    if kind not in get_args(ActionKind):
        raise ParameterError(
            "the parameter `kind` must be grade, cannot, skip, later, note or undo."
            f" Got `{kind}` instead."
        )
    if not key or len(key) > 200 or not key.isprintable():
        raise ParameterError("the parameter `key` must be a text of 1 to 200 characters.")
    needed = "project_id" if kind == "undo" else "item_id"
    if {"project_id": project_id, "item_id": item_id}[needed] is None:
        raise ParameterError(f"the action `{kind}` needs `{needed}`")
    if kind == "note" and not note.strip():
        raise ParameterError("the action `note` needs a note")
    if kind == "cannot" and not reason.strip():
        raise ParameterError("the action `cannot` needs a reason")
    for name, text in (("reason", reason), ("note", note)):
        if len(text) > LONGEST:
            raise ParameterError(f"the {name} is longer than {LONGEST:,} characters")
    if seconds is not None and not (seconds >= 0 and math.isfinite(seconds)):
        raise ParameterError(f"the parameter `seconds` must be 0 or more. Got `{seconds}` instead.")


def _record(
    store: Store,
    connection: sa.Connection,
    user: User,
    kind: ActionKind,
    key: str,
    item_id: int | None,
    project_id: int | None,
    grade: float | str | None,
    values: dict[str, Any],
    undoes: str | None,
) -> Receipt:
    if kind == "undo":
        project = _find_project(connection, project_id)
        _take_turn(connection, project.id)
        before = _stored(connection, user, key)
        if before is not None:
            _same(before, kind, None, None)
            return _receipt(connection, project, before, user, repeated=True)
        target = _undoable(connection, project, user, undoes)
        item_id = int(target.item_id)
        values = {**values, "undoes": target.id}
        stored = None
    else:
        row = None
        if item_id is not None and is_id(item_id):
            row = connection.execute(
                sa.select(items.c.project_id).where(items.c.id == item_id)
            ).one_or_none()
        if row is None or item_id is None:
            raise InputError(f"there is no item {item_id}")
        project = _find_project(connection, row.project_id)
        _take_turn(connection, project.id)
        stored = _parse(project, kind, grade)
        if stored is not None and _swapped(project, user, item_id):
            stored = -stored or 0.0
        before = _stored(connection, user, key)
        if before is not None:
            _same(before, kind, item_id, stored)
            return _receipt(connection, project, before, user, repeated=True)
        if not _had(connection, user, item_id):
            raise InputError(f"`{user.name}` was not given the item {item_id}")
    for name in ("reason", "note"):
        check_text(values[name], name)
    inserted = connection.execute(
        sa.insert(actions).values(
            project_id=project.id,
            item_id=item_id,
            user_id=user.id,
            kind=kind,
            grade=stored,
            key=check_text(key, "key"),
            created_at=store.clock(),
            **values,
        )
    )
    if kind != "note":
        _settle(connection, project, user, item_id, store.clock())
    action = connection.execute(sa.select(actions).where(actions.c.id == new_id(inserted))).one()
    return _receipt(connection, project, action, user, repeated=False)


def _find_project(connection: sa.Connection, project_id: int | None) -> Project:
    row = None
    if project_id is not None and is_id(project_id):
        row = connection.execute(
            sa.select(projects).where(projects.c.id == project_id)
        ).one_or_none()
    if row is None:
        raise InputError(f"there is no project {project_id}")
    return read_project(row)


def _parse(project: Project, kind: str, grade: float | str | None) -> float | None:
    if kind != "grade":
        if grade is not None:
            raise ParameterError(f"the action `{kind}` has no grade")
        return None
    if grade is None:
        raise ParameterError("the action `grade` needs a grade")
    parsed = project.scale.parse(grade)
    if not math.isfinite(parsed) or (project.scale.levels and parsed not in project.scale.gains):
        raise InputError(f"not a grade of the scale `{project.scale.name}`: `{grade}`")
    return parsed


def _stored(connection: sa.Connection, user: User, key: str) -> Any:
    return connection.execute(
        sa.select(actions).where(actions.c.user_id == user.id, actions.c.key == key)
    ).one_or_none()


def _same(before: Any, kind: str, item_id: int | None, grade: float | None) -> None:
    if before.kind != kind or (
        kind != "undo" and (before.item_id, before.grade) != (item_id, grade)
    ):
        raise ParameterError(
            "this key was used for another action", hint="make a new key for each action"
        )


def _had(connection: sa.Connection, user: User, item_id: int) -> bool:
    """Whether the judge has the item, or had it."""
    for table in (assignments, lapses, actions):
        mine = sa.select(table.c.item_id).where(
            table.c.item_id == item_id, table.c.user_id == user.id
        )
        if connection.execute(mine.limit(1)).all():
            return True
    return False


def _undoable(connection: sa.Connection, project: Project, user: User, undoes: str | None) -> Any:
    query = sa.select(actions).where(
        actions.c.project_id == project.id,
        actions.c.user_id == user.id,
        actions.c.kind.in_(DECIDING),
        actions.c.id.not_in(_undone(actions.c.user_id == user.id)),
    )
    if undoes is not None and not is_storable(undoes):
        raise InputError("there is nothing to undo")
    if undoes is not None:
        query = query.where(actions.c.key == undoes)
    found = connection.execute(query.order_by(actions.c.id.desc()).limit(1)).one_or_none()
    if found is None:
        raise InputError("there is nothing to undo")
    return found


def _last(connection: sa.Connection, user: User, item_id: int) -> Any:
    """The last thing a judge said of an item that was not undone."""
    return connection.execute(
        sa.select(actions)
        .where(
            actions.c.item_id == item_id,
            actions.c.user_id == user.id,
            actions.c.kind.in_(DECIDING),
            actions.c.id.not_in(_undone(actions.c.item_id == item_id)),
        )
        .order_by(actions.c.id.desc())
        .limit(1)
    ).one_or_none()


def _settle(
    connection: sa.Connection, project: Project, user: User, item_id: int, now: float
) -> None:
    """Makes an assignment say what the history says."""
    last = _last(connection, user, item_id)
    mine = sa.and_(assignments.c.item_id == item_id, assignments.c.user_id == user.id)
    held = connection.execute(sa.select(assignments).where(mine)).one_or_none()
    kind = None if last is None else last.kind
    if kind == "skip" and (held is None or held.slot is not None):
        values = {"user_id": None, "state": "open", "leased_until": None, "action_id": None}
        connection.execute(sa.update(assignments).where(mine).values(swapped=False, **values))
        _count_late(connection, project, item_id, now)
        return
    if held is None and not _take_back(connection, project, user, item_id, kind, now):
        return
    state = {None: "open", "later": "later"}.get(kind, "done")
    lease = {"open": 1, "later": LATER, "done": None}[state]
    connection.execute(
        sa.update(assignments)
        .where(mine)
        .values(
            state=state,
            leased_until=None if lease is None else now + lease * project.lease_seconds,
            action_id=None if last is None else last.id,
        )
    )


def _count_late(connection: sa.Connection, project: Project, item_id: int, now: float) -> None:
    """Gives a place that became free to the earliest grade that came too late."""
    holders = sa.select(assignments.c.user_id).where(
        assignments.c.item_id == item_id, assignments.c.user_id.is_not(None)
    )
    late = connection.execute(
        sa.select(users)
        .select_from(users.join(actions, actions.c.user_id == users.c.id))
        .where(
            actions.c.item_id == item_id,
            actions.c.kind.in_(("grade", "cannot")),
            actions.c.id.not_in(_undone(actions.c.item_id == item_id)),
            actions.c.user_id.not_in(holders),
        )
        .order_by(actions.c.id)
    ).all()
    for row in late:
        judge = read_user(row)
        if _last(connection, judge, item_id).kind in ("grade", "cannot"):
            _settle(connection, project, judge, item_id, now)
            return


def _take_back(
    connection: sa.Connection,
    project: Project,
    user: User,
    item_id: int,
    kind: str | None,
    now: float,
) -> bool:
    """Takes a place for a judge who had one before, and says whether there was one.

    A grade that is there comes before one that someone may give: it takes a place that another
    judge only holds. That judge's grade, should it come, is then the late one.
    """
    order = sa.case((assignments.c.user_id.is_(None), 0), (_is_free(now), 1), else_=2)
    query = sa.select(assignments).where(
        assignments.c.item_id == item_id,
        assignments.c.slot.is_not(None),
        assignments.c.state != "done",
    )
    if kind not in ("grade", "cannot"):
        query = query.where(_is_free(now))
    slot = connection.execute(query.order_by(order, assignments.c.slot).limit(1)).one_or_none()
    if slot is None:
        return False
    _give(connection, project, user, slot, now + project.lease_seconds, now)
    return True


def _receipt(
    connection: sa.Connection, project: Project, action: Any, user: User, *, repeated: bool
) -> Receipt:
    counted = True
    if action.kind in ("grade", "cannot"):
        held = sa.select(assignments.c.id).where(
            assignments.c.item_id == action.item_id, assignments.c.user_id == user.id
        )
        counted = bool(connection.execute(held).all())
    grade = action.grade
    if grade is not None and _swapped(project, user, action.item_id):
        grade = -grade or 0.0
    return Receipt(action.id, action.kind, action.item_id, grade, repeated, counted)


def _count(connection: sa.Connection, *conditions: sa.ColumnElement[bool]) -> int:
    query = sa.select(sa.func.count()).select_from(assignments).where(*conditions)
    return int(connection.execute(query).scalar_one())


def measure_progress(store: Store, project_id: int, user: User | None = None) -> Progress:
    """Counts what is done and what is left, of a project and of one judge."""
    project = store.project(project_id)
    here = assignments.c.project_id == project.id
    ordinary = assignments.c.slot.is_not(None)
    done = assignments.c.state == "done"
    with store.database.read() as connection:
        per_item = (
            sa.select(
                assignments.c.item_id,
                sa.func.sum(sa.case((done, 0), else_=1)).label("missing"),
            )
            .where(here, ordinary)
            .group_by(assignments.c.item_id)
            .subquery()
        )
        whole, finished = connection.execute(
            sa.select(
                sa.func.count(), sa.func.sum(sa.case((per_item.c.missing == 0, 1), else_=0))
            ).select_from(per_item)
        ).one()
        overall = {
            "items": int(whole),
            "finished": int(finished or 0),
            "places": _count(connection, here, ordinary),
            "filled": _count(connection, here, ordinary, done),
        }
        if user is None:
            return Progress(**overall)
        mine = assignments.c.user_id == user.id
        seconds = connection.execute(
            sa.select(sa.func.avg(actions.c.seconds)).where(
                actions.c.project_id == project.id,
                actions.c.user_id == user.id,
                actions.c.kind == "grade",
            )
        ).scalar_one()
        available = connection.execute(
            sa.select(sa.func.count(assignments.c.item_id.distinct())).where(
                *_may_get(project, user, store.clock())
            )
        ).scalar_one()
        return Progress(
            **overall,
            done=_count(connection, here, mine, done),
            open=_count(connection, here, mine, assignments.c.state == "open"),
            later=_count(connection, here, mine, assignments.c.state == "later"),
            available=int(available),
            seconds=math.nan if seconds is None else float(seconds),
        )
