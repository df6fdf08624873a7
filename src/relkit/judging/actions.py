"""What judges do: stored exactly once, whatever happens on the way.

Everything a judge does is one action with a key that the client made. A request that is sent again,
because the answer was lost, has the same key and changes nothing. Actions are never changed; what a
judge says of an item is the last action on it that was not undone.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, get_args

from relkit.core.errors import InputError, ParameterError
from relkit.core.parameters import check_choice
from relkit.judging.database import new_id
from relkit.judging.disguise import is_lost
from relkit.judging.places import (
    ANSWERS,
    CHANGE_PLACE,
    DECIDING,
    LATER,
    forget_gold,
    give_gold,
    give_places,
    is_free,
    remember_lapse,
    see_preference,
    take_turn,
    undone,
)
from relkit.judging.projects import find_project, refuse_closed
from relkit.judging.records import ActionKind, Project, User
from relkit.judging.rows import read_project, read_user
from relkit.judging.schema import actions, assignments, gold, lapses, projects, sa, users
from relkit.judging.texts import check_grade, check_text, is_id, is_storable

if TYPE_CHECKING:
    from relkit.judging.store import Store

__all__ = ["Again", "AnsweredError", "Receipt", "record_action", "release_places"]

#: What becomes of another answer to an item that the judge has answered.
Again = Literal["replace", "refuse"]

LONGEST = 10_000
#: Seconds that one answer can take: a day.
SLOWEST = 86_400.0

# What each grade asks is put together once.
HELD = (
    sa.select(assignments)
    .where(
        assignments.c.item_id == sa.bindparam("item"),
        assignments.c.user_id == sa.bindparam("user"),
    )
    .with_for_update()  # the same judge's actions from two devices come one after the other
)
STORED = sa.select(actions).where(
    actions.c.user_id == sa.bindparam("user"), actions.c.key == sa.bindparam("key")
)
STORE = sa.insert(actions)


class AnsweredError(InputError):
    """The judge has answered this item before, elsewhere, and that answer stays."""


class _NotAloneError(Exception):
    """What is to be done may change other judges' places, and others are at work."""


class _Said(NamedTuple):
    """What a judge said last of an item."""

    id: int
    kind: str


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
    again: Again = "replace",
) -> Receipt:
    """Stores one thing that a judge did.

    Args:
        store: The database.
        user: The judge.
        kind: `grade` gives a grade. `cannot` says that
            the item cannot be graded, and why. `skip` gives it back for someone else. `later` puts
            it off. `note` remarks something. `undo` takes the last action back.
        key: Made by the client for this action, at most 200 characters. The same request, sent
            again with the same key, is stored once.
        item_id: The item; for `undo` not needed.
        project_id: For `undo`: the project whose last action is taken back. For other kinds: an
            item of another project is refused.
        grade: With `grade`: the grade, or the name of a level. In a side-by-side project the
            preference as the judge sees it: -2 left much better … 2 right much better.
        reason: With `cannot`: why.
        note: A remark; with `note` it is needed.
        seconds: How long it took, at most a day.
        undoes: With `undo`: the key of the action to take back; the last one without it.
        again: Whether an answer to an item that the judge has answered before replaces that
            answer, or is refused: it may come from a page that does not know of the other.

    Raises:
        AnsweredError: If the judge has answered the item, and `again` is `refuse`.
        ParameterError: If the key was used for another action, a parameter is missing or does not
            belong to this kind of action, or the account is closed.
        InputError: If the judge never had the item, the scale does not have the grade, or there is
            nothing to undo.
    """
    _check(user, kind, key, item_id, project_id, reason, note, seconds, again)
    values: dict[str, Any] = {"reason": reason, "note": note, "seconds": seconds}
    wish = (user, kind, key, item_id, project_id, grade, values, undoes, again)
    try:
        with store.database.write() as connection:
            return _record(store, connection, *wish, alone=kind in ("skip", "undo"))
    except (sa.exc.IntegrityError, _NotAloneError):
        # The same request came in twice at once, and the other one was stored; or other judges'
        # places are concerned.
        with store.database.write() as connection:
            return _record(store, connection, *wish, alone=True)


def _check(
    user: User,
    kind: str,
    key: str,
    item_id: int | None,
    project_id: int | None,
    reason: str,
    note: str,
    seconds: float | None,
    again: str,
) -> None:
    if not user.active:
        raise ParameterError(f"the account `{user.name}` is closed")
    check_choice("kind", kind, get_args(ActionKind))
    check_choice("again", again, get_args(Again))
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
    if seconds is not None and not 0 <= seconds <= SLOWEST:
        raise ParameterError(
            f"the parameter `seconds` must be 0 to {SLOWEST:g}. Got `{seconds}` instead."
        )


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
    again: str,
    *,
    alone: bool,
) -> Receipt:
    if kind == "undo":
        project = _find_project(connection, project_id)
        take_turn(connection, project.id)
        before = _stored(connection, user, key)
        if before is not None:
            _same(before, kind, None, None)
            return _repeat(connection, project, user, before)
        refuse_closed(project)
        target = _undoable(connection, project, user, undoes)
        item_id = int(target.item_id)
        values = {**values, "undoes": target.id}
        stored = held = None
    else:
        item_id = item_id or 0
        project = find_project(connection, item_id)
        if project_id is not None and project.id != project_id:
            raise InputError("there is no such item")
        take_turn(connection, project.id, alone=alone)
        stored = _parse(project, kind, grade)
        stored = see_preference(project, user, item_id, stored)
        before = _stored(connection, user, key)
        if before is not None:
            _same(before, kind, item_id, stored)
            return _repeat(connection, project, user, before)
        refuse_closed(project)
        held = _held(connection, user, item_id)
        if held is None and not alone:
            raise _NotAloneError
        if held is None and not _had(connection, user, item_id):
            raise InputError(f"`{user.name}` was not given this item")
        if again == "refuse" and kind in DECIDING and _answered(connection, user, item_id, held):
            raise AnsweredError(
                f"`{user.name}` has answered this item already",
                hint='undo that answer first, or send `"again": "replace"`',
            )
    for name in ("reason", "note"):
        check_text(values[name], name)
    now = store.clock()
    inserted = connection.execute(
        STORE,
        {
            "project_id": project.id,
            "item_id": item_id,
            "user_id": user.id,
            "kind": kind,
            "grade": stored,
            "key": check_text(key, "key"),
            "created_at": now,
            **values,
        },
    )
    action = new_id(inserted)
    if kind == "undo":
        if not _is_gone(connection, project, user, target, now):
            last = _last(connection, user, item_id)
            _settle(connection, project, user, item_id, last, now, given=-action)
    elif kind != "note":
        _settle(connection, project, user, item_id, _Said(action, kind), now, held)
    counted = kind not in ("grade", "cannot") or _has(connection, user, item_id, held)
    return Receipt(
        action, kind, item_id, see_preference(project, user, item_id, stored), False, counted
    )


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
    return check_grade(project.scale, grade)


def _stored(connection: sa.Connection, user: User, key: str) -> Any:
    return connection.execute(STORED, {"user": user.id, "key": key}).one_or_none()


def _same(before: Any, kind: str, item_id: int | None, grade: float | None) -> None:
    if before.kind != kind or (
        kind != "undo" and (before.item_id, before.grade) != (item_id, grade)
    ):
        raise ParameterError(
            "this key was used for another action", hint="make a new key for each action"
        )


def _held(connection: sa.Connection, user: User, item_id: int) -> Any:
    """The judge's place of an item, or None."""
    return connection.execute(HELD, {"item": item_id, "user": user.id}).one_or_none()


def _answered(connection: sa.Connection, user: User, item_id: int, held: Any) -> bool:
    """Whether what the judge said last of an item is an answer."""
    if held is not None and held.state != "done":
        return False
    last = _last(connection, user, item_id)
    return last is not None and last.kind in ANSWERS


def _has(connection: sa.Connection, user: User, item_id: int, held: Any) -> bool:
    """Whether the judge has a place of an item, after what became of one that they had."""
    return held is not None or _held(connection, user, item_id) is not None


def _had(connection: sa.Connection, user: User, item_id: int) -> bool:
    """Whether the judge had the item once."""
    for table in (lapses, actions):
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
        actions.c.id.not_in(undone(actions.c.user_id == user.id)),
    )
    if undoes is not None and not is_storable(undoes):
        raise InputError("there is nothing to undo")
    if undoes is not None:
        query = query.where(actions.c.key == undoes)
    found = connection.execute(query.order_by(actions.c.id.desc()).limit(1)).one_or_none()
    if found is None:
        raise InputError("there is nothing to undo")
    return found


def _is_gone(
    connection: sa.Connection, project: Project, user: User, target: Any, now: float
) -> bool:
    """Whether a gold item that was skipped cannot be had back: no more than any other one."""
    if target.kind != "skip":
        return False
    held = _held(connection, user, target.item_id)
    if held is None or held.slot is not None:
        return False
    if not is_lost(connection, project, user, target.item_id, target.created_at, now):
        return False
    forget_gold(connection, held.id)
    return True


def _last(connection: sa.Connection, user: User, item_id: int) -> _Said | None:
    """The last thing a judge said of an item that was not undone."""
    row = connection.execute(
        sa.select(actions.c.id, actions.c.kind)
        .where(
            actions.c.item_id == item_id,
            actions.c.user_id == user.id,
            actions.c.kind.in_(DECIDING),
            actions.c.id.not_in(undone(actions.c.item_id == item_id)),
        )
        .order_by(actions.c.id.desc())
        .limit(1)
    ).one_or_none()
    return None if row is None else _Said(row.id, row.kind)


def _settle(
    connection: sa.Connection,
    project: Project,
    user: User,
    item_id: int,
    last: _Said | None,
    now: float,
    held: Any = None,
    given: int | None = None,
) -> None:
    """Makes an assignment say what the judge said last. What was undone comes first again."""
    held = held or _held(connection, user, item_id)
    kind = None if last is None else last.kind
    if kind == "skip" and (held is None or held.slot is not None):
        if held is not None:
            _release(connection, held.id)
        _count_late(connection, project, item_id, now)
        return
    if held is None:
        if not _take_back(connection, project, user, item_id, kind, now):
            return
        held = _held(connection, user, item_id)
    state = {None: "open", "later": "later"}.get(kind, "done")
    lease = {"open": 1, "later": LATER, "done": None}[state]
    connection.execute(
        CHANGE_PLACE,
        {
            "place": held.id,
            "state": state,
            "leased_until": None if lease is None else now + lease * project.lease_seconds,
            "action_id": None if last is None else last.id,
            "given": held.given if given is None else given,
        },
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
            actions.c.id.not_in(undone(actions.c.item_id == item_id)),
            actions.c.user_id.not_in(holders),
        )
        .order_by(actions.c.id)
    ).all()
    for row in late:
        judge = read_user(row)
        last = _last(connection, judge, item_id)
        if last is not None and last.kind in ("grade", "cannot"):
            _settle(connection, project, judge, item_id, last, now)
            return


def release_places(connection: sa.Connection, user_id: int, now: float) -> None:
    """Gives back what a judge has and did not grade. A grade on its way is still welcome."""
    mine = sa.and_(assignments.c.user_id == user_id, assignments.c.state != "done")
    here = sa.select(projects).where(
        projects.c.id.in_(sa.select(assignments.c.project_id).where(mine))
    )
    for row in connection.execute(here.order_by(projects.c.id)).all():
        project = read_project(row)
        take_turn(connection, project.id)
        held = connection.execute(
            sa.select(assignments).where(mine, assignments.c.project_id == project.id)
        ).all()
        for place in held:
            remember_lapse(connection, place.item_id, user_id, now)
            if place.slot is None:
                forget_gold(connection, place.id)
                continue
            _release(connection, place.id)
            _count_late(connection, project, place.item_id, now)


def _release(connection: sa.Connection, place: int) -> None:
    """Makes a place free."""
    connection.execute(
        sa.update(assignments)
        .where(assignments.c.id == place)
        .values(user_id=None, state="open", leased_until=None, action_id=None, swapped=False)
    )


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
    order = sa.case((assignments.c.user_id.is_(None), 0), (is_free(now), 1), else_=2)
    query = sa.select(assignments).where(
        assignments.c.item_id == item_id,
        assignments.c.slot.is_not(None),
        assignments.c.state != "done",
    )
    if kind not in ("grade", "cannot"):
        query = query.where(is_free(now))
    slot = connection.execute(query.order_by(order, assignments.c.slot).limit(1)).one_or_none()
    if slot is None:
        known = sa.select(gold.c.item_id).where(gold.c.item_id == item_id)
        if not connection.execute(known).all():
            return False
        give_gold(connection, project, user, item_id, now + project.lease_seconds, 0)
        return True
    give_places(connection, project, user, {0: slot}, now)
    return True


def _repeat(connection: sa.Connection, project: Project, user: User, before: Any) -> Receipt:
    """What became of an action when it was sent for the first time."""
    item_id = before.item_id
    counted = before.kind not in ("grade", "cannot") or _has(connection, user, item_id, None)
    grade = see_preference(project, user, item_id, before.grade)
    return Receipt(before.id, before.kind, item_id, grade, True, counted)
