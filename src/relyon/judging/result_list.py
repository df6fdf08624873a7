"""The list of a project's results: filtered, sorted, and one page at a time.

A page costs about the same in a project of ten thousand results and of a million. Few candidates,
such as those of one query, are read by their ids. Otherwise the list is walked in its order, and a
page looks through at most so many results for what a filter asks; the next page goes on there.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal, TypeVarTuple, get_args

from relyon.core.errors import ParameterError
from relyon.core.parameters import check_choice
from relyon.core.texts import message
from relyon.judging.database_part import Base
from relyon.judging.result_filter import ResultFilter, filter_conditions, happened
from relyon.judging.result_rows import ResultState
from relyon.judging.schema import TableRow, assignments, items, results, sa
from relyon.judging.texts import is_storable

__all__ = [
    "Counted",
    "ListedResult",
    "ResultOrder",
    "ResultPage",
    "count_results",
    "list_results",
]

ResultOrder = Literal["newest", "query", "spread", "added"]
#: A place in an order: its key, and the item.
Place = tuple[float | str, int]
Columns = TypeVarTuple("Columns")
#: Results that a page looks through at most.
LOOKED = 6_000
#: Results that are read by their ids at most.
FEW = 3_000
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


@dataclass(frozen=True)
class ResultPage:
    """A page of the list.

    Attributes:
        results: Its results.
        following: Where the next page begins; empty after the last one.
        looked: How many results were looked through, if that is why the page ends.
        counted: How many results the filter lists; only on the first page.
    """

    results: tuple[ListedResult, ...]
    following: str
    looked: int | None = None
    counted: Counted | None = None


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
        >>> from relyon.judging.result_filter import ResultFilter
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
        return ResultPage((), "", counted=Counted(0, False))
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
    found = list_results(store, project_id, chosen, count=1).counted
    return found or Counted(0, False)


@dataclass(frozen=True)
class _Walk:
    """A walk through the results of a project, in one order."""

    project_id: int
    chosen: ResultFilter
    order: ResultOrder
    after: Place | None

    def ordered(self, query: sa.Select[*Columns]) -> sa.Select[*Columns]:
        """Sorts a query of results."""
        key, falling = KEYS[self.order]
        columns = (key, results.c.item_id)
        return query.order_by(*(one.desc() if falling else one.asc() for one in columns))

    def segments(self, state: ResultState) -> list[list[sa.ColumnElement[bool]]]:
        """Returns the conditions for the results of a state: of each, an index knows the order.

        Databases do not look pairs up in an index where many results have the same key. So those
        with the key of the last one are a segment of their own.
        """
        key, falling = KEYS[self.order]
        common = [results.c.project_id == self.project_id, results.c.state == state]
        if self.order == "newest":
            common += happened(self.chosen, results)
        if self.after is None:
            return [common]
        last, item = self.after
        beyond = key < last if falling else key > last
        number = results.c.item_id
        same = [key == last, number < item if falling else number > item]
        # The order `added` has no equal keys.
        return (
            [[*common, beyond]] if self.order == "added" else [[*common, *same], [*common, beyond]]
        )

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
        ids = list(connection.execute(few.limit(FEW + 1)).scalars())
        if len(ids) > FEW:
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
        key, falling = KEYS[self.order]
        keyed = sorted(((row._mapping[key.name], row.item_id), row) for row in rows)
        if falling:
            keyed.reverse()
        after = self.after
        if after is not None:
            keyed = [one for one in keyed if (one[0] < after if falling else one[0] > after)]
        shown = tuple(_listed(row) for _, row in keyed[:count])
        following = _write_cursor(keyed[count - 1][0]) if len(keyed) > count else ""
        counted = Counted(len(rows), False) if after is None else None
        return ResultPage(shown, following, counted=counted)

    def page(self, connection: sa.Connection, count: int) -> ResultPage:
        """Returns a page of a walk, which looks through a limited number of results."""
        plain = replace(self.chosen, state=None) == ResultFilter()
        states = self.chosen.states
        found: list[Place] = []
        ends: list[Place] = []
        for state in states:
            if plain:
                found += self.first(connection, state, count + 1)
            else:
                here, end = self.matching(connection, state, LOOKED // len(states))
                found += here
                ends += [] if end is None else [end]
        falling = KEYS[self.order][1]
        found.sort(reverse=falling)
        # Where the first of the states was left: beyond, others may have results before.
        last = None if not ends else max(ends) if falling else min(ends)
        if last is not None:
            found = [one for one in found if (one >= last if falling else one <= last)]
        shown = found[:count]
        following = _write_cursor(shown[-1]) if len(found) > count else ""
        looked = None
        if not following and last is not None:
            following, looked = _write_cursor(last), LOOKED
        counted = None
        if self.after is None and plain:
            counted = self.count(connection)
        elif self.after is None:
            most = min(len(found), COUNTED)
            more = last is not None or len(found) > COUNTED
            counted = Counted(most, more, None if last is None else LOOKED)
        query = sa.select(results).where(results.c.item_id.in_([item for _, item in shown]))
        rows = {row.item_id: row for row in connection.execute(query)}
        listed = tuple(_listed(rows[item]) for _, item in shown if item in rows)
        return ResultPage(listed, following, looked, counted)

    def first(self, connection: sa.Connection, state: ResultState, most: int) -> list[Place]:
        """Returns where the next results of a state are."""
        key = KEYS[self.order][0]
        found: list[Place] = []
        for conditions in self.segments(state):
            query = sa.select(key.label("key"), results.c.item_id.label("item")).where(*conditions)
            left = most - len(found)
            rows = connection.execute(self.ordered(query).limit(left))
            found += [(row.key, row.item) for row in rows]
            if len(found) == most:
                break
        return found

    def matching(
        self, connection: sa.Connection, state: ResultState, most: int
    ) -> tuple[list[Place], Place | None]:
        """Looks through the next results of a state.

        Returns:
            Where those of the filter are, and the last one that was looked at; None if there are
            no others.
        """
        key = KEYS[self.order][0]
        found: list[Place] = []
        left = most
        for conditions in self.segments(state):
            some = self.ordered(sa.select(results).where(*conditions)).limit(left).subquery()
            chosen = filter_conditions(self.project_id, self.chosen, some)
            query = sa.select(some.c[key.name].label("key"), some.c.item_id.label("item"))
            rows = connection.execute(query.where(*chosen))
            found += [(row.key, row.item) for row in rows]
            place = sa.select(key.label("key"), results.c.item_id.label("item")).where(*conditions)
            last = connection.execute(self.ordered(place).limit(1).offset(left - 1)).first()
            if last is not None:
                return found, (last.key, last.item)
            seen = sa.select(results.c.item_id).where(*conditions).limit(left).subquery()
            count = sa.select(sa.func.count()).select_from(seen)
            left -= int(connection.execute(count).scalar_one())
        return found, None

    def count(self, connection: sa.Connection) -> Counted:
        """Counts the results of the states, up to a limit."""
        total = 0
        for state in self.chosen.states:
            (conditions,) = self.segments(state)
            some = sa.select(results.c.item_id).where(*conditions).limit(COUNTED + 1 - total)
            query = sa.select(sa.func.count()).select_from(some.subquery())
            total += int(connection.execute(query).scalar_one())
            if total > COUNTED:
                return Counted(COUNTED, True)
        return Counted(total, False)


def _listed(row: TableRow) -> ListedResult:
    return ListedResult(row.item_id, row.state, row.query, row.tier, row.spread,
                        bool(row.noted), bool(row.imported), row.acted_at)  # fmt: skip


def _write_cursor(place: Place) -> str:
    key, item = place
    return f"{item}:{key if isinstance(key, str) else repr(key)}"


def _read_cursor(order: ResultOrder, text: str) -> Place | None:
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
