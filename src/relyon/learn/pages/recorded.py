"""Values of every order of a list to play with, so that a page needs no program behind it.

A measure sees nothing of a list but its grades, so the record has one row per order of grades:
`3 2 - 0/1` is a list of grades 3, 2, unjudged and 0 with a document of grade 1 that is not
retrieved.
"""

from __future__ import annotations

import math
import warnings
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations

from relyon.core.errors import InputError
from relyon.core.notes import RelyonWarning
from relyon.core.texts import message
from relyon.evaluation import evaluate
from relyon.learn.blocks import Goal, Play
from relyon.learn.quantities import GradedList, read_rules

__all__ = [
    "MOST_ORDERS",
    "Record",
    "State",
    "fewest_moves",
    "key",
    "reachable",
    "reached",
    "record",
    "values_of",
]

#: Most orders in a page: more would make it too large.
MOST_ORDERS = 6000
#: Values that differ by less are the same.
SAME = 1e-9

#: A list: the grades of what is retrieved, and of what is not.
State = tuple[tuple[str, ...], tuple[str, ...]]


@dataclass(frozen=True)
class Record:
    """The values of every list that can be reached.

    Attributes:
        start: The first list's key.
        values: By the list's key, the value of each measure: `None` where it is undefined.
    """

    start: str
    values: dict[str, tuple[float | None, ...]]


def record(play: Play) -> Record:
    """Computes the record of a list to play with.

    Raises:
        InputError: If there are more orders than fit a page.
    """
    start = first_state(play)
    states = list(_states(play, start))
    if len(states) > MOST_ORDERS:
        raise InputError(
            message(
                "learn.has-orders",
                id=play.id,
                count=len(states),
                most=MOST_ORDERS,
            ),
            hint=message("learn.use-fewer-documents"),
        )
    return Record(key(start), values_of(states, play.measures, play.rules))


def values_of(
    states: Sequence[State], measures: Sequence[str], rules: str = ""
) -> dict[str, tuple[float | None, ...]]:
    """Returns the values of lists by their keys: `None` where a measure is undefined.

    Args:
        states: The lists.
        measures: The measures' names.
        rules: The convention's rules that follow a measure's list, such as ``preset=lightgbm``.
    """
    lists = {str(place): _graded(state) for place, state in enumerate(states)}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RelyonWarning)  # a lesson says itself what is unusual
        results = evaluate(
            {query: one.judgments for query, one in lists.items()},
            {query: one.run for query, one in lists.items()},
            list(measures),
            convention=read_rules(rules),
        )
    columns = [results.values_by_query(measure) for measure in measures]
    return {
        key(state): tuple(_number(column.get(str(place), math.nan)) for column in columns)
        for place, state in enumerate(states)
    }


def first_state(play: Play) -> State:
    """Returns the list as it is shown at first."""
    names = tuple(_name(document.grade) for document in play.documents)
    return names[: play.retrieved], names[play.retrieved :]


def key(state: State) -> str:
    """Returns the key of a list in the record."""
    retrieved, missing = state
    return " ".join(retrieved) + ("/" + " ".join(sorted(missing)) if missing else "")


def reached(goal: Goal, play: Play, found: Record, at: str) -> bool:
    """Returns whether a list reaches a goal."""
    for measure, want in goal.want.items():
        column = play.measures.index(measure)
        value, first = found.values[at][column], found.values[found.start][column]
        if value is None or first is None:
            return False
        every = [row[column] for row in found.values.values()]
        known = [one for one in every if one is not None]
        reached = {
            "higher": value > first + SAME,
            "lower": value < first - SAME,
            "same": abs(value - first) <= SAME,
            "highest": value >= max(known) - SAME,
            "lowest": value <= min(known) + SAME,
        }
        if not reached[want]:
            return False
    return True


def fewest_moves(goal: Goal, play: Play, found: Record, most: int = 6) -> int | None:
    """Returns in how many moves a goal can be reached, `None` if not within `most`.

    A move takes one document to any other place.
    """
    for moves, states in enumerate(reachable(first_state(play), play.line, most)):
        if any(reached(goal, play, found, key(state)) for state in states):
            return moves
    return None


def reachable(start: State, line: bool, most: int) -> Iterator[list[State]]:
    """Yields the lists that take no move, one move, and so on: each where it is reached first.

    Args:
        start: The first list.
        line: Whether documents can be moved across the line.
        most: The most moves.
    """
    seen = {start}
    front = [start]
    for _ in range(most + 1):
        yield front
        front = list(dict.fromkeys(new for state in front for new in _moves(state, line)))
        front = [state for state in front if state not in seen]
        seen.update(front)


def _moves(state: State, line: bool) -> Iterator[State]:
    """Yields every list that is one move away."""
    retrieved, missing = state
    for place, name in enumerate(retrieved):
        rest = retrieved[:place] + retrieved[place + 1 :]
        for target in range(len(rest) + 1):
            yield (*rest[:target], name, *rest[target:]), missing
        if line:
            yield rest, tuple(sorted((*missing, name)))
    if not line:
        return
    for place, name in enumerate(missing):
        others = missing[:place] + missing[place + 1 :]
        for target in range(len(retrieved) + 1):
            yield (*retrieved[:target], name, *retrieved[target:]), others


def _states(play: Play, start: State) -> Iterator[State]:
    """Yields every list that can be reached, each once, at most one more than fits a page."""
    retrieved, missing = start
    names = (*retrieved, *missing)
    if not play.line:
        yield from ((order, missing) for order in _orders(sorted(retrieved), MOST_ORDERS + 1))
        return
    seen: set[tuple[str, ...]] = set()
    count = 0
    for size in range(len(names) + 1):
        for places in combinations(range(len(names)), size):
            chosen = tuple(sorted(names[place] for place in places))
            if chosen in seen:
                continue
            seen.add(chosen)
            left = tuple(sorted(names[n] for n in range(len(names)) if n not in places))
            for order in _orders(list(chosen), MOST_ORDERS + 1 - count):
                yield order, left
                count += 1


def _orders(names: list[str], most: int) -> Iterator[tuple[str, ...]]:
    """Yields each distinct order of names once."""
    if most <= 0:
        return
    if not names:
        yield ()
        return
    count = 0
    for name in sorted(set(names)):
        rest = names.copy()
        rest.remove(name)
        for order in _orders(rest, most - count):
            yield (name, *order)
            count += 1


def _graded(state: State) -> GradedList:
    retrieved, missing = state
    kept: Sequence[str] = [name for name in missing if name != "-"]
    return GradedList.read(",".join(retrieved) + ("/" + ",".join(kept) if kept else ""))


def _name(grade: float) -> str:
    return "-" if math.isnan(grade) else f"{grade:g}"


def _number(value: float) -> float | None:
    return None if math.isnan(value) else round(value, 10)
