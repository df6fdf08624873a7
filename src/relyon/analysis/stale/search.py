"""The lowest and highest value of one query over all grades that some documents can have.

Under fewer than 257 combinations of grades all are tried. With more, two facts are used. If the
numbers of documents per grade are fixed, a measure whose numerator adds gain × weight of the rank
(DCG, NDCG, P, recall, RBP), or in which a better rank of a relevant document is never worse (AP,
RR), is highest if the higher grades go to the documents with the larger effect, and lowest if they
go to those with the smaller one. So only the numbers per grade are left: all are tried if they are
few, else they are improved one by one from several starts, and the result says so.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Generator, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations_with_replacement, product
from typing import TYPE_CHECKING

from relyon.analysis.stale.scenarios import Asked, Scenarios

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

__all__ = ["Extremes", "Task", "find_extremes"]

#: All combinations of grades are tried up to this many.
BRUTE = 256
#: All numbers of documents per grade are tried up to this many.
CHAINS = 600
#: Measures with which the order by effect is exact: of a run, and of a difference of two.
ORDERED = frozenset({"dcg", "ndcg", "cg", "p", "recall", "rbp", "ap", "rr"})
#: Those for which the grades between the lowest and the highest give no value outside: the others
#: of `ORDERED`, whose value is linear in the gains or asks only whether a document is relevant.
TWO_LEVELS = ORDERED - {"ndcg"}
LINEAR = frozenset({"dcg", "ndcg", "cg", "p", "recall", "rbp"})

#: Grades of the documents of a task, in their order.
_Levels = Sequence[float]
_Search = Generator[list[_Levels], "NDArray[np.float64]", "Extremes"]


@dataclass(frozen=True, slots=True)
class Extremes:
    """The range of one query.

    Attributes:
        low: The lowest value; NaN if it never has one.
        high: The highest value; NaN likewise.
        sometimes: Whether under some grades it has no value.
        exact: Whether no grades give a value outside: all that can matter were tried.
    """

    low: float
    high: float
    sometimes: bool
    exact: bool


@dataclass(frozen=True, slots=True)
class Task:
    """One query whose range is asked for.

    Attributes:
        query: The query.
        documents: The documents whose grades can be others.
        grades: Their grades.
        fixed: Other grades that differ from the judgments: documents that are gone, without one.
        factors: The factor of each run's value; -1 and 1 are a difference.
    """

    query: str
    documents: tuple[str, ...]
    grades: tuple[float, ...]
    fixed: Mapping[str, float | None]
    factors: tuple[float, ...]

    @property
    def key(self) -> Hashable:
        """What tells it from other tasks on the same judgments."""
        return self.query, self.documents, tuple(self.fixed), self.factors


def find_extremes(
    scenarios: Scenarios,
    tasks: Sequence[Task],
    levels: Sequence[float],
    known: dict[Hashable, Extremes] | None = None,
) -> list[Extremes]:
    """Returns the range of each task; the questions of all are evaluated together.

    Args:
        scenarios: Judgments and runs.
        tasks: The queries.
        levels: The grades that a document can have, ascending.
        known: Ranges found before with the same judgments, which are added to.
    """
    if known is None:
        known = {}
    new = {task.key: task for task in tasks if task.key not in known}
    known.update(zip(new, _find(scenarios, list(new.values()), levels), strict=True))
    return [known[task.key] for task in tasks]


def _find(scenarios: Scenarios, tasks: Sequence[Task], levels: Sequence[float]) -> list[Extremes]:
    import numpy as np

    name = scenarios.measure.name
    searches: list[_Search] = []
    for task in tasks:
        single = sum(one != 0 for one in task.factors) == 1
        ordered = scenarios.usual and name in (ORDERED if single else LINEAR)
        chosen = (levels[0], levels[-1]) if ordered and name in TWO_LEVELS else levels
        searches.append(_search(task, chosen, ordered, single))
    found: list[Extremes | None] = [None] * len(tasks)
    waiting = {place: next(search) for place, search in enumerate(searches)}
    while waiting:
        questions: list[Asked] = []
        for place, asked in waiting.items():
            task = tasks[place]
            for grades in asked:
                changed = dict(zip(task.documents, grades, strict=True))
                questions.append((task.query, {**task.fixed, **changed}))
        values = scenarios.values(questions)
        start, later = 0, {}
        for place, asked in waiting.items():
            factors = np.array(tasks[place].factors)
            used = factors != 0
            part = values[start : start + len(asked)][:, used] @ factors[used]
            start += len(asked)
            try:
                later[place] = searches[place].send(part)
            except StopIteration as end:
                found[place] = end.value
        waiting = later
    return [one for one in found if one is not None]


def _search(task: Task, levels: Sequence[float], ordered: bool, single: bool) -> _Search:
    """Asks for values of grades, and returns their range.

    The lowest value of one run's ordered measure is reached with the lowest and the highest grade
    alone: NDCG is a linear function of the gains over a convex one, which has its least value at a
    corner.
    """
    import numpy as np

    count = len(task.documents)
    seen = _Seen()
    # No grades: the value as it is, which fixed grades may have changed.
    seen.take((yield [task.grades]))
    if not count:
        return seen.range(True)
    if len(levels) ** count <= BRUTE:
        seen.take((yield [list(one) for one in product(levels, repeat=count)]))
        return seen.range(True)
    low, high = levels[0], levels[-1]
    alone = [[high if own == place else low for own in range(count)] for place in range(count)]
    values = yield [*alone, *([one] * count for one in levels)]
    seen.take(values)
    effect = np.nan_to_num(values[:count], nan=0.0)
    falling = [int(one) for one in np.argsort(-effect, kind="stable")]
    few = math.comb(count + len(levels) - 1, len(levels) - 1) <= CHAINS
    for order, better in ((falling, max), (falling[::-1], min)):
        if ordered and single and better is min:
            ends = [(size,) * (len(levels) - 1) for size in range(count + 1)]
            seen.take((yield [_graded(order, one, levels) for one in ends]))
        elif few:
            cuts = combinations_with_replacement(range(count + 1), len(levels) - 1)
            seen.take((yield [_graded(order, one, levels) for one in cuts]))
        else:
            yield from _improve(order, levels, better, seen)
    return seen.range(few and ordered)


def _improve(
    order: Sequence[int],
    levels: Sequence[float],
    better: Callable[..., float],
    seen: _Seen,
) -> Generator[list[_Levels], NDArray[np.float64], None]:
    """Moves one boundary between grades at a time as long as that improves the value."""
    import numpy as np

    count, parts = len(order), len(levels) - 1
    # Boundary i is how many documents have more than the i-th highest grade's successor.
    starts = [(size,) * parts for size in range(count + 1)]
    best: tuple[int, ...] | None = None
    value = math.nan
    cuts: Iterable[tuple[int, ...]] = starts
    while True:
        asked = list(cuts)
        values = yield [_graded(order, one, levels) for one in asked]
        seen.take(values)
        if np.isnan(values).all():
            return
        sign = 1.0 if better is max else -1.0
        place = int(np.nanargmax(sign * values))
        if best is not None and not sign * values[place] > sign * value + 1e-12:
            return
        best, value = asked[place], float(values[place])
        cuts = sorted(
            {
                tuple(sorted((*best[:part], size, *best[part + 1 :])))
                for part in range(parts)
                for size in range(count + 1)
            }
            - {best}
        )


def _graded(order: Sequence[int], cuts: Sequence[int], levels: Sequence[float]) -> list[float]:
    """Returns grades: the highest for the first of the order down to the first cut, and so on."""
    grades = [levels[0]] * len(order)
    start = 0
    for level, end in zip(reversed(levels), cuts, strict=False):
        for place in order[start:end]:
            grades[place] = level
        start = max(start, end)
    return grades


class _Seen:
    """The range of the values seen so far."""

    def __init__(self) -> None:
        self.low, self.high, self.sometimes = math.inf, -math.inf, False

    def take(self, values: NDArray[np.float64]) -> None:
        """Adds values."""
        for value in values.tolist():
            if math.isnan(value):
                self.sometimes = True
            else:
                self.low, self.high = min(self.low, value), max(self.high, value)

    def range(self, exact: bool) -> Extremes:
        """Returns the range."""
        if self.low > self.high:
            return Extremes(math.nan, math.nan, True, exact)
        return Extremes(self.low, self.high, self.sometimes, exact)
