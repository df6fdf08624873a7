"""A judging database: projects, items, users, and the grades that were given.

What judges do is in `relkit.judging.assignment`.
"""

from __future__ import annotations

import hashlib
import math
import os
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any, Self, get_args

from relkit.errors import InputError, ParameterError, UnknownNameError
from relkit.judging import passwords
from relkit.judging.aggregation import Aggregate, Rule, aggregate
from relkit.judging.agreement import Disagreement, Ratings, find_disagreements
from relkit.judging.database import Database, new_id
from relkit.judging.records import Comparison, Item, Kind, Project, Rating, Role, User
from relkit.judging.schema import (
    actions,
    adjudications,
    assignments,
    gold,
    items,
    projects,
    sa,
    sides,
    users,
)
from relkit.scale import Level, Scale, load_scale

__all__ = [
    "PLACES",
    "PREFERENCES",
    "FinalGrade",
    "GoldQuality",
    "Queued",
    "Store",
    "check_text",
    "is_id",
    "is_storable",
    "open_store",
    "read_comparison",
    "read_item",
    "read_project",
    "read_user",
]

#: `place` is a number below this prime; multiplying by a judge's own number permutes the items.
PLACES = 2**31 - 1

PREFERENCES = Scale(
    "preference",
    relevant_from=1.0,
    levels=(
        Level(-2.0, "first much better", "前者好得多", -2.0),
        Level(-1.0, "first better", "前者略好", -1.0),
        Level(0.0, "equal", "差不多", 0.0),
        Level(1.0, "second better", "后者略好", 1.0),
        Level(2.0, "second much better", "后者好得多", 2.0),
    ),
)
"""The five-point scale of side-by-side projects."""


@dataclass(frozen=True)
class FinalGrade:
    """What counts as the grade of an item.

    Attributes:
        item: The item.
        value: The grade; under `mean_gain` a gain.
        source: `adjudicated`, `gold`, or the rule that aggregated the judges' grades.
        judges: How many grades there are.
        agreeing: How many of them are equal to the value.
        tied: Whether `majority` found several grades equally frequent.
    """

    item: Item
    value: float
    source: str
    judges: int
    agreeing: int
    tied: bool


@dataclass(frozen=True)
class Queued:
    """An item that a lead should decide.

    Attributes:
        item: The item.
        ratings: What the judges say.
        spread: The highest grade less the lowest.
        unrateable: How many judges could not grade it.
    """

    item: Item
    ratings: tuple[Rating, ...]
    spread: float
    unrateable: int


@dataclass(frozen=True)
class GoldQuality:
    """How a judge grades the items whose grade is known.

    Attributes:
        judge: The judge's name.
        items: Gold items graded.
        equal: The share graded as known.
        difference: The mean of the judge's grade less the known one.
    """

    judge: str
    items: int
    equal: float
    difference: float


def open_store(
    address: str | os.PathLike[str],
    *,
    create: bool = False,
    clock: Callable[[], float] = time.time,
) -> Store:
    """Opens a judging database.

    Args:
        address: A file, or the URL of a PostgreSQL database (`postgresql://USER@HOST/NAME`).
        create: Make the tables where there are none, or bring those of an earlier version up to
            date.
        clock: Tells the time in seconds since 1970.

    Raises:
        InputError: If there is no such database, or its tables are of another version.
        ParameterError: If the URL is of another kind of database.
        DependencyError: If a package is missing: ``pip install 'relkit[judge]'``.

    Examples:
        >>> from tempfile import TemporaryDirectory
        >>> from relkit.judging.records import Item
        >>> folder = TemporaryDirectory()
        >>> with open_store(f"{folder.name}/judging.db", create=True) as store:
        ...     project = store.create_project("June", scale="search", overlap=2)
        ...     store.add_items(project.id, [Item("red shoes", "d1"), Item("red shoes", "d2")])
        2
        >>> folder.cleanup()
    """
    database = Database(address)
    path = database.engine.url.database or ""
    if database.sqlite and not create and not os.path.isfile(path):
        raise InputError("there is no such database", path=path, hint=_INIT)
    try:
        if create:
            database.upgrade()
        found, newest = database.version()
        if found != newest:
            what = "has no judging tables" if found is None else f"is of version {found}"
            raise InputError(f"the database {what}", path=database.address, hint=_INIT)
    except BaseException:
        database.close()
        raise
    return Store(database, clock=clock)


_INIT = "`relkit judge init` makes one, and brings an older one up to date"


class Store:
    """A judging database that is open.

    Attributes:
        database: The connection.
        clock: Tells the time.
    """

    def __init__(self, database: Database, *, clock: Callable[[], float] = time.time) -> None:
        self.database = database
        self.clock = clock

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *reason: object) -> None:
        self.close()

    def close(self) -> None:
        """Closes all connections."""
        self.database.close()

    # -- users ---------------------------------------------------------------------------------

    def create_user(self, name: str, *, role: Role = "judge", password: str | None = None) -> User:
        """Makes an account; without a password it holds grades but nobody can log in with it.

        Raises:
            ParameterError: If the name is empty or taken, the role unknown, or the password short.
        """
        name = _name(name, "user")
        if role not in get_args(Role):
            raise ParameterError(
                f"the parameter `role` must be judge, lead or admin. Got `{role}` instead."
            )
        hashed = None if password is None else passwords.hash_password(password)
        values = {
            "name": name,
            "role": role,
            "password_hash": hashed,
            "active": True,
            "created_at": self.clock(),
        }
        return User(self._insert_named(users, values, "user"), name, role)

    def _insert_named(self, table: sa.Table, values: Mapping[str, Any], what: str) -> int:
        try:
            with self.database.write() as connection:
                inserted = connection.execute(sa.insert(table).values(**values))
                return new_id(inserted)
        except sa.exc.IntegrityError:
            raise ParameterError(
                f"there is a {what} `{values['name']}` already", hint="take another name"
            ) from None

    def users(self) -> list[User]:
        """Returns all accounts by name."""
        with self.database.read() as connection:
            rows = connection.execute(sa.select(users).order_by(users.c.name))
            return [read_user(row) for row in rows]

    def user(self, name: str) -> User:
        """Returns an account.

        Raises:
            UnknownNameError: If there is none of that name.
        """
        row = self._user_row(name)
        if row is None:
            raise _unknown("user", name, [one.name for one in self.users()])
        return read_user(row)

    def _user_row(self, name: str) -> Any:
        if not is_storable(name):
            return None
        with self.database.read() as connection:
            return connection.execute(sa.select(users).where(users.c.name == name)).one_or_none()

    def set_user(
        self,
        name: str,
        *,
        role: Role | None = None,
        password: str | None = None,
        active: bool | None = None,
    ) -> User:
        """Changes an account; what is None stays.

        Raises:
            UnknownNameError: If there is none of that name.
            ParameterError: If the role is unknown or the password short.
        """
        found = self.user(name)
        changes: dict[str, Any] = {}
        if role is not None:
            if role not in get_args(Role):
                raise ParameterError(
                    f"the parameter `role` must be judge, lead or admin. Got `{role}` instead."
                )
            changes["role"] = role
        if password is not None:
            changes["password_hash"] = passwords.hash_password(password)
        if active is not None:
            changes["active"] = active
        if changes:
            with self.database.write() as connection:
                connection.execute(sa.update(users).where(users.c.id == found.id).values(**changes))
        return self.user(name)

    def check_password(self, name: str, password: str) -> User | None:
        """Returns the active account that a name and a password belong to, or None.

        It takes equally long whether the name or the password is wrong.
        """
        row = self._user_row(name)
        hashed = row.password_hash if row is not None and row.active else None
        if not passwords.is_password(hashed, password) or row is None:
            return None
        if passwords.is_stale(row.password_hash):
            fresh = passwords.hash_password(password)
            with self.database.write() as connection:
                connection.execute(
                    sa.update(users).where(users.c.id == row.id).values(password_hash=fresh)
                )
        return read_user(row)

    # -- projects ------------------------------------------------------------------------------

    def create_project(
        self,
        name: str,
        *,
        scale: Scale | str = "search",
        kind: Kind = "grades",
        guideline_en: str = "",
        guideline_zh: str = "",
        overlap: int = 1,
        gold_share: float = 0.0,
        k: int | None = None,
        seed: int = 0,
        lease_seconds: float = 1800.0,
    ) -> Project:
        """Makes a project.

        Args:
            name: Its name.
            scale: The grades there are; a side-by-side project always has five preferences.
            kind: Whether single results get `grades`, or two rankings are seen `side_by_side`.
            guideline_en: The guideline in English, Markdown.
            guideline_zh: The guideline in Chinese, Markdown.
            overlap: How many judges grade each item.
            gold_share: The share of gold items among those that a judge is given, below 1.
            k: How many results of each query are judged.
            seed: Of the random orders.
            lease_seconds: How long an item stays with a judge who does nothing.

        Raises:
            ParameterError: If the name is taken or a parameter out of its range.
        """
        name = _name(name, "project")
        chosen = PREFERENCES if kind == "side_by_side" else load_scale(scale)
        if kind not in get_args(Kind):
            raise ParameterError(
                f"the parameter `kind` must be grades or side_by_side. Got `{kind}` instead."
            )
        for what, value, least in (("overlap", overlap, 1), ("k", k, 1), ("seed", seed, 0)):
            whole = isinstance(value, int) and not isinstance(value, bool)
            if value is not None and not (whole and least <= value < PLACES):
                raise ParameterError(
                    f"the parameter `{what}` must be a whole number of {least} or more."
                    f" Got `{value}` instead."
                )
        if not 0 <= gold_share < 1:
            raise ParameterError(
                "the parameter `gold_share` must be at least 0 and below 1."
                f" Got `{gold_share}` instead."
            )
        if not (lease_seconds > 0 and math.isfinite(lease_seconds)):
            raise ParameterError(
                f"the parameter `lease_seconds` must be above 0. Got `{lease_seconds}` instead."
            )
        values = {
            "name": name,
            "kind": kind,
            "scale": asdict(chosen),
            "guideline_en": check_text(guideline_en, "guideline"),
            "guideline_zh": check_text(guideline_zh, "guideline"),
            "overlap": overlap,
            "gold_share": gold_share,
            "k": k,
            "seed": seed,
            "lease_seconds": lease_seconds,
            "created_at": self.clock(),
        }
        self._insert_named(projects, values, "project")
        return self.project(name)

    def projects(self) -> list[Project]:
        """Returns all projects, the oldest first."""
        with self.database.read() as connection:
            rows = connection.execute(sa.select(projects).order_by(projects.c.id))
            return [read_project(row) for row in rows]

    def project(self, name: str | int) -> Project:
        """Returns a project by its name or id.

        Raises:
            UnknownNameError: If there is none.
        """
        key = projects.c.id if isinstance(name, int) else projects.c.name
        row = None
        if is_id(name) if isinstance(name, int) else is_storable(name):
            with self.database.read() as connection:
                row = connection.execute(sa.select(projects).where(key == name)).one_or_none()
        if row is None:
            raise _unknown("project", str(name), [one.name for one in self.projects()])
        return read_project(row)

    def set_guideline(
        self, project_id: int, *, en: str | None = None, zh: str | None = None
    ) -> None:
        """Changes the guideline in one or both languages."""
        texts = {"guideline_en": en, "guideline_zh": zh}
        changes = {
            key: check_text(text, "guideline") for key, text in texts.items() if text is not None
        }
        if changes:
            with self.database.write() as connection:
                connection.execute(
                    sa.update(projects).where(projects.c.id == project_id).values(**changes)
                )

    # -- items ---------------------------------------------------------------------------------

    def add_items(self, project_id: int, new: Iterable[Item]) -> int:
        """Adds items to judge; those that the project has already stay as they are.

        Returns:
            How many are new.

        Raises:
            InputError: If an item has no query or document, or holds what cannot be stored.
            UnknownNameError: If there is no such project.
        """
        project = self.project(project_id)
        with self.database.write() as connection:
            return len(self._add_items(connection, project, new))

    def _add_items(
        self, connection: sa.Connection, project: Project, new: Iterable[Item], slots: bool = True
    ) -> dict[tuple[str, str], int]:
        known = set(_item_ids(connection, project.id))
        rows = []
        for item in new:
            row = _item_row(item, project, self.clock())
            key = (row["query"], row["document"])
            if key not in known:
                known.add(key)
                rows.append(row)
        if not rows:
            return {}
        connection.execute(sa.insert(items), rows)
        fresh = _item_ids(connection, project.id)
        added = {
            (row["query"], row["document"]): fresh[row["query"], row["document"]] for row in rows
        }
        if slots:
            places = [
                {"project_id": project.id, "item_id": item, "slot": slot, "state": "open"}
                for item in added.values()
                for slot in range(project.overlap)
            ]
            connection.execute(sa.insert(assignments), places)
        return added

    def items(self, project_id: int) -> list[Item]:
        """Returns a project's items in the order in which they were added."""
        with self.database.read() as connection:
            rows = connection.execute(
                sa.select(items).where(items.c.project_id == project_id).order_by(items.c.id)
            )
            return [read_item(row) for row in rows]

    def set_gold(
        self, project_id: int, grades: Iterable[tuple[Item, float]], *, note: str = ""
    ) -> int:
        """Adds items whose grade is known, or makes those that are there such items.

        Every judge is given some of them among the others; they take none of an item's places.

        Returns:
            How many gold items there are now.

        Raises:
            InputError: If the scale does not have a grade.
        """
        project = self.project(project_id)
        wanted = [(item, project.scale.parse(grade)) for item, grade in grades]
        with self.database.write() as connection:
            self._add_items(connection, project, [item for item, _ in wanted], slots=False)
            known = _item_ids(connection, project.id)
            for item, grade in wanted:
                place = known[item.query, item.document]
                connection.execute(sa.delete(gold).where(gold.c.item_id == place))
                connection.execute(
                    sa.insert(gold).values(
                        item_id=place, grade=grade, note=check_text(note, "note")
                    )
                )
                connection.execute(
                    sa.delete(assignments).where(
                        assignments.c.item_id == place, assignments.c.user_id.is_(None)
                    )
                )
            found = connection.execute(
                sa.select(sa.func.count())
                .select_from(gold.join(items))
                .where(items.c.project_id == project.id)
            )
            return int(found.scalar_one())

    def gold(self, project_id: int) -> dict[int, float]:
        """Returns the known grades by item."""
        with self.database.read() as connection:
            rows = connection.execute(
                sa.select(gold.c.item_id, gold.c.grade)
                .select_from(gold.join(items))
                .where(items.c.project_id == project_id)
            )
            return {row.item_id: row.grade for row in rows}

    def add_comparisons(self, project_id: int, new: Iterable[Comparison]) -> int:
        """Adds pairs of rankings to a side-by-side project.

        Returns:
            How many are new.

        Raises:
            ParameterError: If the project is none of that kind.
            InputError: If a pair has no query, or one name for both systems.
        """
        project = self.project(project_id)
        if project.kind != "side_by_side":
            raise ParameterError(
                f"`{project.name}` is a project of single results",
                hint="make one with kind='side_by_side'",
            )
        pairs = {}
        for pair in new:
            if not pair.first or not pair.second or pair.first == pair.second:
                raise InputError(
                    f"query `{pair.query}` compares `{pair.first}` with `{pair.second}`",
                    hint="name two systems",
                )
            item = Item(
                query=pair.query,
                document=f"{pair.first} / {pair.second}",
                query_text=pair.query_text,
                tier=pair.tier,
            )
            pairs[item.query, item.document] = (item, pair)
        with self.database.write() as connection:
            added = self._add_items(connection, project, [item for item, _ in pairs.values()])
            rows = [
                {
                    "item_id": place,
                    "first": pairs[key][1].first,
                    "second": pairs[key][1].second,
                    "first_results": _results(pairs[key][1].first_results),
                    "second_results": _results(pairs[key][1].second_results),
                }
                for key, place in added.items()
            ]
            if rows:
                connection.execute(sa.insert(sides), rows)
            return len(added)

    def comparisons(self, project_id: int) -> dict[int, Comparison]:
        """Returns the pairs of rankings of a side-by-side project by item."""
        with self.database.read() as connection:
            rows = connection.execute(
                sa.select(items, sides)
                .select_from(items.join(sides))
                .where(items.c.project_id == project_id)
                .order_by(items.c.id)
            )
            return {row.id: read_comparison(row) for row in rows}

    # -- results -------------------------------------------------------------------------------

    def ratings(self, project_id: int) -> dict[int, list[Rating]]:
        """Returns what judges say now, by item: what was undone or is surplus is not in it."""
        query = (
            sa.select(assignments.c.item_id, users.c.name, actions)
            .select_from(
                assignments.join(actions, assignments.c.action_id == actions.c.id).join(
                    users, assignments.c.user_id == users.c.id
                )
            )
            .where(
                assignments.c.project_id == project_id,
                assignments.c.state == "done",
                actions.c.kind.in_(("grade", "cannot")),
            )
            .order_by(assignments.c.item_id, actions.c.id)
        )
        found: dict[int, list[Rating]] = {}
        with self.database.read() as connection:
            for row in connection.execute(query):
                found.setdefault(row[0], []).append(
                    Rating(row.name, row.grade, row.reason, row.note, row.seconds, row.created_at)
                )
        return found

    def grades(self, project_id: int) -> Ratings:
        """Returns grades by item and judge, as `relkit.judging.agreement` takes them."""
        return {
            item: graded
            for item, ratings in self.ratings(project_id).items()
            if (graded := {one.judge: one.grade for one in ratings if one.grade is not None})
        }

    def tiers(self, project_id: int) -> dict[int, str]:
        """Returns every item's tier."""
        return {item.id: item.tier for item in self.items(project_id)}

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
    ) -> int:
        """Adds items with grades that were given elsewhere; accounts are made for their judges.

        Each grade takes one of the item's places; a second import of the same file adds nothing.

        Returns:
            How many grades were added.

        Raises:
            InputError: If the scale does not have a grade, or an item has more grades than the
                project has places.
        """
        project = self.project(project_id)
        given = list(ratings)
        names = {user.name: user.id for user in self.users()}
        for name in dict.fromkeys(one.judge for _, found in given for one in found):
            if name not in names:
                names[_name(name, "judge")] = self.create_user(name).id
        with self.database.write() as connection:
            self._add_items(connection, project, [item for item, _ in given])
            known = _item_ids(connection, project.id)
            done: dict[int, set[int]] = {}
            free: dict[int, list[int]] = {}
            for row in connection.execute(
                sa.select(assignments).where(assignments.c.project_id == project.id)
            ):
                if row.user_id is None:
                    free.setdefault(row.item_id, []).append(row.id)
                else:
                    done.setdefault(row.item_id, set()).add(row.user_id)
            # Also whoever gave a grade and took it back: it is not given again in their name.
            for row in connection.execute(
                sa.select(actions.c.item_id, actions.c.user_id).where(
                    actions.c.project_id == project.id
                )
            ):
                done.setdefault(row.item_id, set()).add(row.user_id)
            added = 0
            for item, found in given:
                place = known[item.query, item.document]
                for one in found:
                    user = names[one.judge.strip()]
                    if user in done.setdefault(place, set()):
                        continue
                    if not free.get(place):
                        raise InputError(
                            f"query `{item.query}`, document `{item.document}` has more than"
                            f" {project.overlap} grades",
                            hint="import into a project with a larger overlap",
                        )
                    done[place].add(user)
                    self._import_rating(connection, project, place, user, one, free[place].pop(0))
                    added += 1
            return added

    def _import_rating(
        self,
        connection: sa.Connection,
        project: Project,
        place: int,
        user: int,
        rating: Rating,
        slot: int,
    ) -> None:
        grade = None if rating.grade is None else project.scale.parse(rating.grade)
        _finite(grade)
        inserted = connection.execute(
            sa.insert(actions).values(
                project_id=project.id,
                item_id=place,
                user_id=user,
                kind="cannot" if grade is None else "grade",
                grade=grade,
                reason=check_text(rating.reason, "reason"),
                note=check_text(rating.note, "note"),
                seconds=rating.seconds,
                key=f"import {place}",
                created_at=self.clock() if rating.at is None else rating.at,
            )
        )
        connection.execute(
            sa.update(assignments)
            .where(assignments.c.id == slot)
            .values(user_id=user, state="done", action_id=new_id(inserted))
        )

    def gold_quality(self, project_id: int) -> list[GoldQuality]:
        """Returns how each judge grades the gold items, by name."""
        known = self.gold(project_id)
        pairs: dict[str, list[tuple[float, float]]] = {}
        for item, grades in self.grades(project_id).items():
            if item in known:
                for judge, grade in grades.items():
                    pairs.setdefault(judge, []).append((grade, known[item]))
        return [
            GoldQuality(
                judge,
                len(found),
                sum(one == other for one, other in found) / len(found),
                math.fsum(one - other for one, other in found) / len(found),
            )
            for judge, found in sorted(pairs.items())
        ]

    # -- adjudication --------------------------------------------------------------------------

    def queue(self, project_id: int, *, at_least: float = 1.0) -> list[Queued]:
        """Returns what a lead should decide: disagreements, the widest first, then what could not
        be graded. Gold items and what is decided already are not in it.

        Args:
            project_id: The project.
            at_least: The least spread that counts as a disagreement.
        """
        decided = {*self.adjudicated(project_id), *self.gold(project_id)}
        ratings = self.ratings(project_id)
        open_items = {item: found for item, found in ratings.items() if item not in decided}
        grades = {
            item: {one.judge: one.grade for one in found if one.grade is not None}
            for item, found in open_items.items()
        }
        apart: list[Disagreement] = find_disagreements(grades, at_least=at_least)
        order = [(one.unit, one.spread) for one in apart]
        listed = {one.unit for one in apart}
        order += [
            (item, 0.0)
            for item, found in open_items.items()
            if item not in listed and any(one.grade is None for one in found)
        ]
        by_id = {item.id: item for item in self.items(project_id)}
        return [
            Queued(
                by_id[item],
                tuple(ratings[item]),
                spread,
                sum(one.grade is None for one in ratings[item]),
            )
            for item, spread in order
        ]

    def adjudicate(
        self, item_id: int, user: User, grade: float | str, *, key: str, note: str = ""
    ) -> bool:
        """Decides an item's grade. The last decision counts; earlier ones stay in the history.

        Args:
            item_id: The item.
            user: A lead or an admin.
            grade: The grade.
            key: Made by the client for this decision: the same request sent again has the same.
            note: Why.

        Returns:
            Whether it was new: False for a request that was stored before.

        Raises:
            ParameterError: If the user is a judge, or the key was used for something else.
            InputError: If there is no such item, or the scale does not have the grade.
        """
        if user.role == "judge":
            raise ParameterError(
                f"`{user.name}` is a judge", hint="a lead or an admin decides disagreements"
            )
        check_text(key, "key")
        with self.database.write() as connection:
            row = None
            if is_id(item_id):
                row = connection.execute(
                    sa.select(items.c.project_id).where(items.c.id == item_id)
                ).one_or_none()
            if row is None:
                raise InputError(f"there is no item {item_id}")
            values = self._project_of(connection, row.project_id)
            parsed = values.scale.parse(grade)
            _finite(parsed)
            before = connection.execute(
                sa.select(adjudications).where(
                    adjudications.c.user_id == user.id, adjudications.c.key == key
                )
            ).one_or_none()
            if before is not None:
                if (before.item_id, before.grade) != (item_id, parsed):
                    raise ParameterError("this key was used for another decision")
                return False
            connection.execute(
                sa.insert(adjudications).values(
                    item_id=item_id,
                    user_id=user.id,
                    grade=parsed,
                    note=check_text(note, "note"),
                    key=key,
                    created_at=self.clock(),
                )
            )
            return True

    def _project_of(self, connection: sa.Connection, project_id: int) -> Project:
        return read_project(
            connection.execute(sa.select(projects).where(projects.c.id == project_id)).one()
        )

    def adjudicated(self, project_id: int) -> dict[int, float]:
        """Returns the decided grades by item."""
        with self.database.read() as connection:
            rows = connection.execute(
                sa.select(adjudications.c.item_id, adjudications.c.grade)
                .select_from(adjudications.join(items))
                .where(items.c.project_id == project_id)
                .order_by(adjudications.c.id)
            )
            return {row.item_id: row.grade for row in rows}

    def final_grades(self, project_id: int, *, rule: Rule = "median") -> list[FinalGrade]:
        """Returns the grade that counts of every item that has one, in the items' order.

        What a lead decided comes first, then what is known of gold items, then what `rule` makes
        of the judges' grades.

        Args:
            project_id: The project.
            rule: As in `relkit.judging.aggregation.aggregate`. Under `mean_gain` decided and known
                grades become gains too.
        """
        project = self.project(project_id)
        grades = self.grades(project_id)
        fixed = {
            **{item: (grade, "gold") for item, grade in self.gold(project_id).items()},
            **{
                item: (grade, "adjudicated") for item, grade in self.adjudicated(project_id).items()
            },
        }
        found = []
        for item in self.items(project_id):
            given = list(grades.get(item.id, {}).values())
            if item.id in fixed:
                grade, source = fixed[item.id]
                one = aggregate([grade], rule=rule, scale=project.scale)
                result = replace(one, judges=len(given), agreeing=given.count(grade))
            elif given:
                result, source = aggregate(given, rule=rule, scale=project.scale), rule
            else:
                continue
            found.append(_final(item, result, source))
        return found


def _final(item: Item, found: Aggregate, source: str) -> FinalGrade:
    return FinalGrade(item, found.value, source, found.judges, found.agreeing, found.tied)


def _item_ids(connection: sa.Connection, project_id: int) -> dict[tuple[str, str], int]:
    rows = connection.execute(
        sa.select(items.c.query, items.c.document, items.c.id).where(
            items.c.project_id == project_id
        )
    )
    return {(row.query, row.document): row.id for row in rows}


def _unknown(what: str, name: str, known: Sequence[str]) -> UnknownNameError:
    from difflib import get_close_matches

    near = get_close_matches(name, known, 1)
    hint = f"did you mean `{near[0]}`?" if near else ""
    return UnknownNameError(f"unknown {what}: `{name}`", hint=hint)


def _name(name: str, what: str) -> str:
    cleaned = check_text(name, f"name of the {what}").strip()
    if not cleaned or len(cleaned) > 200 or not cleaned.isprintable():
        raise ParameterError(f"`{name[:60]}` cannot be the name of a {what}")
    return cleaned


def is_id(number: int) -> bool:
    """Says whether a number may be the id of a row, as every database counts."""
    return 0 < number < 2**31


def is_storable(text: str) -> bool:
    """Says whether every database can hold a text."""
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        return False
    return "\0" not in text


def check_text(text: str, what: str) -> str:
    """Returns a text that every database can hold.

    Raises:
        InputError: If it has a character that is none.
    """
    if not is_storable(text):
        raise InputError(
            f"the {what} holds a character that cannot be stored",
            hint="it is of code 0, or half of a pair",
        )
    return text


def _finite(grade: float | None) -> None:
    if grade is not None and not math.isfinite(grade):
        raise InputError(f"not a grade: `{grade}`")


def _place(seed: int, query: str, document: str) -> int:
    text = f"{seed}\n{len(query)}\n{query}\n{document}".encode()
    return int.from_bytes(hashlib.blake2b(text, digest_size=8).digest()) % PLACES


def _item_row(item: Item, project: Project, now: float) -> dict[str, Any]:
    if not item.query or not item.document:
        raise InputError(f"query `{item.query}`, document `{item.document}`: both are needed")
    if item.rank is not None and not 0 <= item.rank < 2**31:
        raise InputError(f"query `{item.query}`: {item.rank} is no rank")
    if item.inclusion_probability is not None and not 0 < item.inclusion_probability <= 1:
        raise InputError(
            f"query `{item.query}`: {item.inclusion_probability} is no probability above 0"
        )
    row: dict[str, Any] = {
        "project_id": project.id,
        "rank": item.rank,
        "fields": {check_text(name, "field"): _plain(value) for name, value in item.fields.items()},
        "inclusion_probability": item.inclusion_probability,
        "place": _place(project.seed, item.query, item.document),
        "created_at": now,
    }
    for name in (
        "query", "query_text", "document", "title", "snippet", "url", "image", "tier", "session",
    ):  # fmt: skip
        row[name] = check_text(getattr(item, name), name)
    return row


def _plain(value: Any) -> Any:
    """Returns a value that JSON has, without characters that a database cannot hold."""
    if isinstance(value, str):
        return check_text(value, "field")
    if isinstance(value, Mapping):
        return {check_text(str(name), "field"): _plain(one) for name, one in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(one) for one in value]
    if isinstance(value, float) and not math.isfinite(value):
        return None
    return value if value is None or isinstance(value, bool | int | float) else str(value)


def _results(found: Sequence[Item]) -> list[dict[str, Any]]:
    return [
        {
            "document": check_text(one.document, "document"),
            "title": check_text(one.title, "title"),
            "snippet": check_text(one.snippet, "snippet"),
            "url": check_text(one.url, "url"),
            "image": check_text(one.image, "image"),
            "fields": _plain(one.fields),
        }
        for one in found
    ]


def _result_of(values: Mapping[str, Any], query: str) -> Item:
    return Item(query=query, **values)


def read_item(row: Any) -> Item:
    """Returns an item from its row."""
    return Item(
        row.query,
        row.document,
        row.query_text,
        row.rank,
        row.title,
        row.snippet,
        row.url,
        row.image,
        row._mapping["fields"],
        row.tier,
        row.session,
        row.inclusion_probability,
        row.id,
    )


def read_comparison(row: Any) -> Comparison:
    """Returns a pair of rankings from a row of items and sides."""
    return Comparison(
        row.query,
        row.first,
        row.second,
        tuple(_result_of(one, row.query) for one in row.first_results),
        tuple(_result_of(one, row.query) for one in row.second_results),
        row.query_text,
        row.tier,
    )


def read_user(row: Any) -> User:
    """Returns an account from its row."""
    return User(row.id, row.name, row.role, bool(row.active))


def read_project(row: Any) -> Project:
    """Returns a project from its row."""
    found = row.scale
    scale = Scale(
        found["name"],
        relevant_from=found["relevant_from"],
        levels=tuple(Level(**level) for level in found["levels"]),
    )
    return Project(
        row.id,
        row.name,
        row.kind,
        scale,
        row.guideline_en,
        row.guideline_zh,
        row.overlap,
        row.gold_share,
        row.k,
        row.seed,
        row.lease_seconds,
        row.created_at,
    )
