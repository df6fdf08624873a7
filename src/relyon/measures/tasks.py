"""The base of measures of tasks: several calls of a search tool with one set of judgments."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, ClassVar, Literal

from relyon.data.ranking import RankedDocument, Ranking
from relyon.data.task_ranking import Call, TaskRanking, calls_of
from relyon.measures.definition import Aspect, Measure, Step

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from relyon.data.judged_calls import JudgedCalls

__all__ = [
    "CallRows",
    "Listed",
    "Records",
    "Repeats",
    "TaskMeasure",
    "TaskStep",
    "condense_calls",
    "distinct_judgments",
    "grade_values",
    "shares",
]

#: So many rows are looked at for the grades that there are.
SAMPLE = 4096
#: How a document counts that an earlier result of the task already was.
Repeats = Literal["counted", "ignored"]
#: What a measure may need besides results.
Records = Literal["reads", "tokens"]


@dataclass(frozen=True)
class TaskStep(Step):
    """The contribution of one result, or of one document read, to a measure of a task.

    Attributes:
        call: The number of its call within the task, counted from 1.
        first: The number of the call that returned (or read) this document first: `call` itself
            if it is new.
    """

    call: int = 1
    first: int = 1

    @property
    def new(self) -> bool:
        """Whether no earlier call had the document."""
        return self.first == self.call


@dataclass(frozen=True)
class Listed:
    """One result of a task.

    Attributes:
        call: The number of its call, counted from 1.
        entry: The result, with its rank within the call.
        new: Whether the task had not had the document before.
        first: The number of the call that returned it first.
    """

    call: int
    entry: RankedDocument
    new: bool
    first: int

    def step(self, gain: float, discount: float, added: float, total: float) -> TaskStep:
        """Returns its step; the numbers are those of `Step`."""
        entry = self.entry
        return TaskStep(
            entry.rank, entry.document, entry.grade, gain, discount, added, total, self.call,
            self.first,
        )  # fmt: skip


class TaskMeasure(Measure):
    """A number computed from all calls of one task.

    `steps` takes any `Ranking`: that of an ordinary run is a task with one call (see `calls_of`).
    `values` computes the same for all tasks at once. It follows the order and the grades of
    `JudgedCalls`, so it applies to every rule of a convention except ``unjudged=ignored``, under
    which each call loses its unjudged documents first (see `seen`).
    """

    aspect: ClassVar[Aspect] = "other"

    @property
    def records(self) -> Records | None:
        """What calls must have recorded; `None` if results are enough."""
        return None

    def values(self, judged: JudgedCalls) -> NDArray[np.float64]:
        """Returns the value of each task, NaN if it is undefined.

        Args:
            judged: The calls of all tasks.
        """
        raise NotImplementedError

    def weights(self, judged: JudgedCalls) -> NDArray[np.float64]:
        """Returns each task's weight in a ratio: 1, defined or not (see `query_weight`)."""
        import numpy as np

        return np.ones(len(judged.tasks))

    def seen(self, ranking: Ranking) -> Ranking:
        """Returns the task as the measure sees it: each call without ignored documents."""
        if not isinstance(ranking, TaskRanking):
            return super().seen(ranking)
        if not ranking.ignores:
            return ranking
        k: int | None = getattr(self, "k", None)
        return each_call(ranking, lambda one: one.window(k))

    def counted_calls(self, ranking: Ranking) -> tuple[Call, ...]:
        """Returns the calls that count: the first `calls` of them."""
        calls: int | None = getattr(self, "calls", None)
        return calls_of(ranking)[:calls]

    def listed(self, ranking: Ranking) -> Iterator[Listed]:
        """Yields the results that count: the first `k` of the first `calls` calls, in order."""
        k: int | None = getattr(self, "k", None)
        seen: dict[str, int] = {}
        for number, call in enumerate(self.counted_calls(ranking), 1):
            for entry in call.ranking.top(k):
                new = entry.document not in seen
                yield Listed(number, entry, new, seen.setdefault(entry.document, number))

    def reads(self, ranking: Ranking) -> Iterator[Listed] | None:
        """Returns the documents read, in order; `None` if no call recorded them."""
        calls = self.counted_calls(ranking)
        if all(call.read is None for call in calls):
            return None
        return self._reads(calls, ranking)

    @staticmethod
    def _reads(calls: tuple[Call, ...], ranking: Ranking) -> Iterator[Listed]:
        seen: dict[str, int] = {}
        for number, call in enumerate(calls, 1):
            for place, document in enumerate(call.read or (), 1):
                new = document not in seen
                grade = ranking.judged.get(document)
                entry = RankedDocument(document, math.nan, grade, place, place, place)
                yield Listed(number, entry, new, seen.setdefault(document, number))


def each_call(ranking: TaskRanking, change: Callable[[Ranking], Ranking]) -> TaskRanking:
    """Returns a task whose calls have other rankings."""
    calls = tuple(replace(call, ranking=change(call.ranking)) for call in ranking.calls)
    judged = ranking.judged
    if ranking.unseen:
        left = {document for call in calls for document in call.ranking.judged}
        judged = {document: grade for document, grade in judged.items() if document in left}
    return TaskRanking.of_calls(calls, replace(ranking, judged=judged, ignores=False))


@dataclass(frozen=True)
class CallRows:
    """The results that count, of all tasks, in their order: one entry per result.

    Attributes:
        task: The number of its task.
        call: The number of its call within the task, counted from 1.
        rank: Its rank within the call, counted from 1.
        document: The code of its document.
        grade: Its grade, NaN if unjudged.
    """

    task: NDArray[np.int64]
    call: NDArray[np.int64]
    rank: NDArray[np.int64]
    document: NDArray[np.int64]
    grade: NDArray[np.float64]

    @cached_property
    def new(self) -> NDArray[np.bool_]:
        """Whether no earlier row of its task has the document."""
        return _first_places(self.task, self.document)

    def where(self, kept: NDArray[np.bool_]) -> CallRows:
        """Returns some of the rows."""
        return CallRows(
            self.task[kept],
            self.call[kept],
            self.rank[kept],
            self.document[kept],
            self.grade[kept],
        )

    @classmethod
    def of(cls, judged: JudgedCalls, k: int | None, calls: int | None) -> CallRows:
        """Returns the first `k` results of the first `calls` calls.

        Args:
            judged: The calls of all tasks.
            k: Results counted per call, `None` for all.
            calls: Calls counted per task, `None` for all.
        """
        return cls.divided(judged, judged.rows, judged.documents, judged.grades, k, calls)

    @classmethod
    def of_reads(cls, judged: JudgedCalls, calls: int | None) -> CallRows | None:
        """Returns the documents read in the first `calls` calls; `None` if not recorded."""
        if judged.reads is None or judged.read_documents is None or judged.read_grades is None:
            return None
        documents, grades = judged.read_documents, judged.read_grades
        return cls.divided(judged, judged.reads, documents, grades, None, calls)

    @classmethod
    def divided(
        cls,
        judged: JudgedCalls,
        offsets: NDArray[np.int64],
        documents: NDArray[np.int64],
        grades: NDArray[np.float64],
        k: int | None,
        calls: int | None,
    ) -> CallRows:
        """Returns rows that `offsets` divide by call."""
        import numpy as np

        sizes = np.diff(offsets)
        tasks = np.repeat(np.arange(len(judged.tasks)), np.diff(judged.calls))
        number = np.arange(len(sizes)) - judged.calls[tasks] + 1
        task, call = np.repeat(tasks, sizes), np.repeat(number, sizes)
        rank = np.arange(1, len(documents) + 1) - np.repeat(offsets[:-1], sizes)
        rows = cls(task, call, rank, documents, grades)
        kept = None if k is None else rank <= k
        if calls is not None:
            early = call <= calls
            kept = early if kept is None else kept & early
        return rows if kept is None or kept.all() else rows.where(kept)

    def sums(self, amounts: NDArray[np.float64], tasks: int) -> NDArray[np.float64]:
        """Returns the sum of amounts by task, added in the order of the rows."""
        import numpy as np

        found: NDArray[np.float64] = np.bincount(
            self.task, weights=amounts, minlength=tasks
        ).astype(np.float64)
        return found


def shares(
    found: NDArray[np.float64] | NDArray[np.int64], of: NDArray[np.float64] | NDArray[np.int64]
) -> NDArray[np.float64]:
    """Returns the quotient by task, NaN where the divisor is not above 0."""
    import numpy as np

    with np.errstate(divide="ignore", invalid="ignore"):
        value: NDArray[np.float64] = np.where(of > 0, found / of, np.nan)
    return value


def _first_places(task: NDArray[np.int64], document: NDArray[np.int64]) -> NDArray[np.bool_]:
    """Returns whether each row has its document before the other rows of its task."""
    import numpy as np

    new = np.zeros(len(task), dtype=bool)
    if not len(task):
        return new
    # Mostly a code is of one task alone: then nothing has to be sorted.
    places = np.arange(len(task))
    first = np.empty(int(document.max()) + 1, dtype=np.int64)
    first[document[::-1]] = places[::-1]  # of equal codes the last write stays: the first row
    if bool((task[first[document]] == task).all()):
        new[:] = first[document] == places
    else:
        new[np.unique(_keys(task, document), return_index=True)[1]] = True
    return new


def _keys(task: NDArray[np.int64], document: NDArray[np.int64]) -> NDArray[np.int64]:
    """Returns one number per pair of a task and a document."""
    width = int(document.max()) + 1 if len(document) else 1
    return task * width + document


def distinct_judgments(
    judged: JudgedCalls,
) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.float64]]:
    """Returns task, document and grade of each judged document: the highest of its subtopics."""
    import numpy as np

    task = np.repeat(np.arange(len(judged.tasks)), np.diff(judged.judged))
    if judged.judged_sets is None:
        return task, judged.judged_documents, judged.judged_grades
    keys = _keys(task, judged.judged_documents)
    _, first, place = np.unique(keys, return_index=True, return_inverse=True)
    grades = np.full(len(first), -np.inf)
    np.maximum.at(grades, place, judged.judged_grades)
    return task[first], judged.judged_documents[first], grades


def condense_calls(judged: JudgedCalls) -> JudgedCalls:
    """Returns the calls without their unjudged results."""
    import numpy as np

    kept = ~np.isnan(judged.grades)
    before = np.concatenate([[0], np.cumsum(kept)])
    rows = before[judged.rows].astype(np.int64)
    return replace(judged, rows=rows, documents=judged.documents[kept], grades=judged.grades[kept])


def grade_values(
    grades: NDArray[np.float64], worth: Callable[[float | None], float]
) -> NDArray[np.float64]:
    """Returns the worth of each grade; NaN is that of an unjudged document."""
    import numpy as np

    # Mostly the first rows have every grade: then not all have to be sorted.
    unique = np.unique(grades[:SAMPLE])
    place = np.minimum(np.searchsorted(unique, grades), max(len(unique) - 1, 0))
    if not np.array_equal(unique[place] if len(unique) else unique, grades, equal_nan=True):
        unique, place = np.unique(grades, return_inverse=True)
    values = [worth(None if math.isnan(grade) else grade) for grade in unique.tolist()]
    found: NDArray[np.float64] = np.array(values, dtype=np.float64)[place]
    return found
