"""The list of a project's results: filtered, sorted, and one page at a time.

A page costs about the same in a project of ten thousand results and of a million. Few candidates,
such as those of one query, are read by their ids. Otherwise the list is walked in its order, and a
page looks through at most so many results for what a filter asks; the next page goes on there.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal, get_args

from relyon.core.errors import ParameterError
from relyon.core.parameters import check_choice
from relyon.core.texts import message
from relyon.judging.database_part import Base
from relyon.judging.result_rows import RESULT_STATES, ResultState, plain_search
from relyon.judging.schema import TableRow, actions, assignments, items, results, sa
from relyon.judging.texts import is_storable

__all__ = [
    "Counted",
    "ListedResult",
    "ResultFilter",
    "ResultOrder",
    "ResultPage",
    "count_results",
    "filter_conditions",
    "list_results",
]

ResultOrder = Literal["newest", "query", "spread", "added"]
#: Results that a page looks through at most.
LOOKED = 12_000
#: Results that are counted at most.
COUNTED = 10_000
#: Each order's column, and whether the largest comes first.
KEYS: dict[ResultOrder, tuple[sa.Column[object], bool]] = {
    "newest": (results.c.acted_at, True),
    "query": (results.c.query, False),
    "spread": (results.c.spread, True),
    "added": (results.c.item_id, False),
}


@dataclass(frozen=True)
class ResultFilter:
    """Which results are listed; all of the conditions hold.

    Attributes:
        query: A part of the query; the whole query if `exact`.
        exact: Whether it is the whole query.
        text: A part of the query, the title, or the document's name.
        judge: The id of a judge who has a place of it, or graded it.
        lowest: The least grade that a judge gave.
        highest: The greatest grade that a judge gave.
        tier: The tier.
        state: The state; by default all but removed ones.
        noted: Only results with a note.
        imported: Only results with an imported grade.
        since: Only results with which something happened since; seconds since 1970.
        until: Only results with which nothing happened since.

    Raises:
        ParameterError: If the state is unknown.
    """

    query: str = ""
    exact: bool = False
    text: str = ""
    judge: int | None = None
    lowest: float | None = None
    highest: float | None = None
    tier: str | None = None
    state: ResultState | None = None
    noted: bool = False
    imported: bool = False
    since: float | None = None
    until: float | None = None

    def __post_init__(self) -> None:
        if self.state is not None:
            check_choice("state", self.state, RESULT_STATES)

    @property
    def states(self) -> tuple[ResultState, ...]:
        """The states of the results that it lists."""
        if self.state is not None:
            return (self.state,)
        return tuple(one for one in RESULT_STATES if one != "removed")


@dataclass(frozen=True)
class ListedResult:
    """A result in the list.

    Attributes:
        id: The item.
        state: Its state.
        query: The query.
        tier: The tier.
        spread: The highest grade minus the lowest.
        noted: Whether it has a note.
        imported: Whether it has an imported grade.
        acted_at: When something last happened with it, in seconds since 1970.
    """

    id: int
    state: ResultState
    query: str
    tier: str
    spread: float
    noted: bool
    imported: bool
    acted_at: float


@dataclass(frozen=True)
class ResultPage:
    """A page of the list.

    Attributes:
        results: Its results.
        following: Where the next page begins; empty after the last one.
        looked: How many results were looked through, if that is why the page ends.
    """

    results: tuple[ListedResult, ...]
    following: str
    looked: int | None = None


@dataclass(frozen=True)
class Counted:
    """A number of results.

    Attributes:
        count: The number.
        more: Whether there are more, or may be.
        looked: How many results were looked through, if that is why there may be more.
    """

    count: int
    more: bool
    looked: int | None = None


def filter_conditions(project_id: int, chosen: ResultFilter) -> list[sa.ColumnElement[bool]]:
    """Returns the conditions of a filter for the rows of a project, except that on states."""
    found: list[sa.ColumnElement[bool]] = [results.c.project_id == project_id]
    if chosen.query and chosen.exact:
        found.append(results.c.query == chosen.query)
    elif chosen.query.strip():  # in the first line
        found.append(results.c.text.like(f"%{_escaped(chosen.query)}%\n%", escape="/"))
    if chosen.text.strip():
        found.append(results.c.text.like(f"%{_escaped(chosen.text)}%", escape="/"))
    if chosen.lowest is not None:
        found.append(results.c.high >= chosen.lowest)
    if chosen.highest is not None:
        found.append(results.c.low <= chosen.highest)
    if (chosen.judge, chosen.lowest, chosen.highest) != (None, None, None):
        found.append(_graded(chosen))
    if chosen.tier is not None:
        found.append(results.c.tier == chosen.tier)
    for name in ("noted", "imported"):
        if getattr(chosen, name):
            found.append(results.c[name] == sa.true())
    return found + _happened(chosen)


def _happened(chosen: ResultFilter) -> list[sa.ColumnElement[bool]]:
    """Returns the conditions on the time."""
    found: list[sa.ColumnElement[bool]] = []
    if chosen.since is not None:
        found.append(results.c.acted_at >= chosen.since)
    if chosen.until is not None:
        found.append(results.c.acted_at < chosen.until)
    return found


def _escaped(text: str) -> str:
    """Returns a text for `LIKE` to find as it is."""
    found = plain_search(text)
    for sign in "/%_":
        found = found.replace(sign, f"/{sign}")
    return found


def _graded(chosen: ResultFilter) -> sa.ColumnElement[bool]:
    """Returns the condition that the judge, or any, has a place with such a grade."""
    place = sa.select(assignments.c.id).where(assignments.c.item_id == results.c.item_id)
    if chosen.judge is not None:
        place = place.where(assignments.c.user_id == chosen.judge)
    if (chosen.lowest, chosen.highest) != (None, None):
        place = place.join(actions, assignments.c.action_id == actions.c.id)
        if chosen.lowest is not None:
            place = place.where(actions.c.grade >= chosen.lowest)
        if chosen.highest is not None:
            place = place.where(actions.c.grade <= chosen.highest)
    return place.exists()


def _is_plain(chosen: ResultFilter) -> bool:
    """Returns whether every result of its states is listed."""
    return replace(chosen, state=None) == ResultFilter()


def list_results(
    store: Base,
    project_id: int,
    chosen: ResultFilter | None = None,
    *,
    order: ResultOrder = "newest",
    after: str = "",
    count: int = 50,
) -> ResultPage:
    """Returns a page of a project's results.

    Args:
        store: The database.
        project_id: The project.
        chosen: The filter.
        order: `newest`: where something happened last. `query`: by query. `spread`: the largest
            disagreement first. `added`: as they were added.
        after: The `following` of the page before; empty for the first page.
        count: The number of results of a page.

    Raises:
        ParameterError: If the order or the cursor is unknown.

    Examples:
        >>> from tempfile import TemporaryDirectory
        >>> from relyon.judging import Item, open_store
        >>> from relyon.judging.result_rows import follow
        >>> folder = TemporaryDirectory()
        >>> with open_store(f"{folder.name}/judging.db", create=True) as store:
        ...     june = store.projects.create("June")
        ...     _ = store.items.add(june.id, [Item("red shoes", "d1"), Item("tv", "d2")])
        ...     _ = follow(store, june.id, seconds=10)
        ...     [one.query for one in list_results(store, june.id, ResultFilter("shoe")).results]
        ['red shoes']
        >>> folder.cleanup()
    """
    check_choice("order", order, get_args(ResultOrder))
    chosen = chosen or ResultFilter()
    if not is_storable(f"{chosen.query}{chosen.text}{chosen.tier or ''}"):
        return ResultPage((), "")
    walk = _Walk(project_id, chosen, order, _read_cursor(order, after))
    with store.database.read() as connection:
        few = walk.candidates(connection)
        if few is not None:
            return walk.page_of(few, count)
        return walk.page(connection, count)


def count_results(store: Base, project_id: int, chosen: ResultFilter | None = None) -> Counted:
    """Returns how many results a filter lists, counted up to ten thousand.

    Args:
        store: The database.
        project_id: The project.
        chosen: The filter.
    """
    chosen = chosen or ResultFilter()
    if not is_storable(f"{chosen.query}{chosen.text}{chosen.tier or ''}"):
        return Counted(0, False)
    walk = _Walk(project_id, chosen, "newest", None)
    with store.database.read() as connection:
        few = walk.candidates(connection)
        if few is not None:
            return Counted(len(few), False)
        return walk.count(connection)


@dataclass(frozen=True)
class _Walk:
    """A walk through the results of a project, in one order."""

    project_id: int
    chosen: ResultFilter
    order: ResultOrder
    after: tuple[float | str, int] | None

    @property
    def key(self) -> sa.ColumnElement[object]:
        """The column that orders, with the item to tell equal ones apart."""
        return KEYS[self.order][0]

    @property
    def falling(self) -> bool:
        """Whether the largest comes first."""
        return KEYS[self.order][1]

    def ordered(self, query: sa.Select[*tuple[object, ...]]) -> sa.Select[*tuple[object, ...]]:
        """Sorts a query."""
        columns = (self.key, results.c.item_id)
        return query.order_by(*(one.desc() if self.falling else one.asc() for one in columns))

    def beyond(self, place: tuple[float | str, int], *, behind: bool) -> sa.ColumnElement[bool]:
        """Returns the condition for results after a place, or for those up to it."""
        pair, other = sa.tuple_(self.key, results.c.item_id), sa.tuple_(*map(sa.literal, place))
        if behind:
            return pair < other if self.falling else pair > other
        return pair >= other if self.falling else pair <= other

    def in_state(self, state: ResultState) -> list[sa.ColumnElement[bool]]:
        """Returns the conditions for the results of one state, whose order an index knows."""
        found = [results.c.project_id == self.project_id, results.c.state == state]
        if self.after is not None:
            found.append(self.beyond(self.after, behind=True))
        if self.order == "newest":
            found += _happened(self.chosen)
        return found

    def candidates(self, connection: sa.Connection) -> list[TableRow] | None:
        """Returns all results of the filter, if few can be; None if many can."""
        few: sa.Select[int] | None = None
        if self.chosen.query and self.chosen.exact:
            few = sa.select(items.c.id).where(
                items.c.project_id == self.project_id, items.c.query == self.chosen.query
            )
        elif self.chosen.judge is not None:
            few = sa.select(assignments.c.item_id).where(
                assignments.c.project_id == self.project_id,
                assignments.c.user_id == self.chosen.judge,
            )
        if few is None:
            return None
        ids = list(connection.execute(few.limit(LOOKED + 1)).scalars())
        if len(ids) > LOOKED:
            return None
        conditions = filter_conditions(self.project_id, self.chosen)
        states = set(self.chosen.states)
        found: list[TableRow] = []
        for start in range(0, len(ids), 1000):
            query = sa.select(results).where(results.c.item_id.in_(ids[start : start + 1000]))
            found += connection.execute(query.where(*conditions)).all()
        return [row for row in found if row.state in states]

    def page_of(self, rows: Sequence[TableRow], count: int) -> ResultPage:
        """Returns a page of results that were all read."""
        keyed = sorted(((self.place(row), row) for row in rows), key=lambda one: one[0],
                       reverse=self.falling)  # fmt: skip
        after = self.after
        if after is not None:
            keyed = [one for one in keyed if (one[0] < after if self.falling else one[0] > after)]
        return self.cut([row for _, row in keyed[: count + 1]], count)

    def place(self, row: TableRow) -> tuple[float | str, int]:
        """Returns where a result is in the order."""
        return row._mapping[self.key.name], row.item_id

    def cut(self, rows: Sequence[TableRow], count: int) -> ResultPage:
        """Returns a page of at most so many of some results."""
        shown = [_listed(row) for row in rows[:count]]
        more = len(rows) > count
        return ResultPage(tuple(shown), _write_cursor(*self.place(rows[count - 1])) if more else "")

    def limit(self, connection: sa.Connection, most: int) -> tuple[float | str, int] | None:
        """Returns the last result to look at; None if that is the last one of all."""
        each = max(1, most // len(self.chosen.states))
        found = []
        for state in self.chosen.states:
            query = sa.select(self.key.label("key"), results.c.item_id).where(*self.in_state(state))
            row = connection.execute(self.ordered(query).limit(1).offset(each - 1)).first()
            if row is not None:
                found.append((row[0], row[1]))
        if not found:
            return None
        return max(found) if self.falling else min(found)

    def page(self, connection: sa.Connection, count: int) -> ResultPage:
        """Returns a page, looking through a limited number of results."""
        plain = _is_plain(self.chosen)
        last = None if plain else self.limit(connection, LOOKED)
        conditions = [] if plain else filter_conditions(self.project_id, self.chosen)
        if last is not None:
            conditions.append(self.beyond(last, behind=False))
        rows: list[TableRow] = []
        for state in self.chosen.states:
            query = sa.select(results).where(*self.in_state(state), *conditions)
            rows += connection.execute(self.ordered(query).limit(count + 1)).all()
        rows.sort(key=self.place, reverse=self.falling)
        found = self.cut(rows, count)
        if found.following or last is None:
            return found
        return replace(found, following=_write_cursor(*last), looked=LOOKED)

    def count(self, connection: sa.Connection) -> Counted:
        """Counts, up to a limit."""
        plain = _is_plain(self.chosen)
        last = None if plain else self.limit(connection, LOOKED)
        conditions = [] if plain else filter_conditions(self.project_id, self.chosen)
        if last is not None:
            conditions.append(self.beyond(last, behind=False))
        total = 0
        for state in self.chosen.states:
            some = sa.select(results.c.item_id).where(*self.in_state(state), *conditions)
            some = some.limit(COUNTED + 1 - total)
            query = sa.select(sa.func.count()).select_from(some.subquery())
            total += int(connection.execute(query).scalar_one())
            if total > COUNTED:
                return Counted(COUNTED, True)
        return Counted(total, last is not None, None if last is None else LOOKED)


def _listed(row: TableRow) -> ListedResult:
    return ListedResult(row.item_id, row.state, row.query, row.tier, row.spread,
                        bool(row.noted), bool(row.imported), row.acted_at)  # fmt: skip


def _write_cursor(key: float | str, item: int) -> str:
    return f"{item}:{key if isinstance(key, str) else repr(key)}"


def _read_cursor(order: ResultOrder, text: str) -> tuple[float | str, int] | None:
    if not text:
        return None
    item, _, key = text.partition(":")
    try:
        number = int(item)
        value = key if order == "query" else int(key) if order == "added" else float(key)
    except ValueError:
        number = -1
        value = ""
    if not 0 < number < 2**31 or not is_storable(str(value)):
        raise ParameterError(
            message("judging.unknown-cursor"), hint=message("judging.open-list-again")
        )
    return value, number
