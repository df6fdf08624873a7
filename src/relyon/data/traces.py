"""Traces: what agents searched for, task by task and call by call."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, TypeVar

from relyon import _native
from relyon.core.errors import InputError
from relyon.core.notes import Note
from relyon.core.texts import message
from relyon.data.judged_calls import JudgedCalls
from relyon.data.native_rules import native_rules
from relyon.data.ranking import Ranking
from relyon.data.run import Run
from relyon.data.source import Noted, path_of
from relyon.data.task_ranking import Call, TaskRanking
from relyon.data.trace_calls import TraceCall
from relyon.data.trace_columns import TraceColumns

if TYPE_CHECKING:
    import polars as pl

    from relyon.data.convention import Convention
    from relyon.data.judgments import Judgments

__all__ = ["Traces"]

T = TypeVar("T")


class Traces(Noted):
    """Calls of a search tool by task: typed, immutable, and read once.

    A task is what an agent was asked to do; it calls the search tool once or several times. A task
    takes the place of a query: judgments are of tasks, and an evaluation has one value per task.
    Calls are in the order of their numbers, or, without numbers, as they are written; they count
    from 1. The results of a call are ordered by their scores, as in a run; without scores, as they
    are written.

    `relyon.read_traces` reads them from files; the constructors here take data in memory.

    Attributes:
        table: The native table.
        name: Their name in results.
        source: The file they came from, or "memory".
        notes: Notes about the data.

    Examples:
        >>> traces = Traces.from_dict(
        ...     {
        ...         "who wrote it": [
        ...             {"query": "author", "results": ["d3", "d4"]},
        ...             {"query": "author of the novel", "results": [("d1", 2.5), ("d3", 0.5)]},
        ...         ]
        ...     }
        ... )
        >>> traces
        Traces('traces', tasks=1, calls=2, rows=4, source='memory')
        >>> traces.calls("who wrote it")[1].documents
        ('d1', 'd3')
    """

    __slots__ = ("_name", "_table")

    def __init__(
        self,
        table: _native.TraceTable,
        *,
        name: str | None = None,
        source: str = "memory",
        notes: tuple[Note, ...] = (),
    ) -> None:
        self._table = table
        self._name = name or "traces"
        self._source = source
        unscored = (Note("scores-from-ranks"),) if table.unscored else ()
        self._notes = (*notes, *unscored)

    @classmethod
    def from_dict(
        cls,
        traces: Mapping[T, Sequence[Mapping[str, object]]],
        *,
        name: str | None = None,
        source: str = "memory",
    ) -> Traces:
        """Takes {task: [call, …]}.

        Args:
            traces: Ids are text or whole numbers. A call is a mapping with `results` and perhaps
                `query`, `call` (its number), `read`, `tokens`, `seconds`. Results are a list of
                ids, of pairs (document, score) or of mappings with `document` and perhaps `score`,
                `start`, `end`; or a mapping {document: score}.
            name: The name in results.
            source: The name of the data in messages.

        Raises:
            InputError: If there is no call, or a value cannot be used.
        """
        columns = TraceColumns(path_of(source))
        for task, calls in traces.items():
            if isinstance(calls, Mapping | str) or not isinstance(calls, Sequence):
                raise InputError(
                    message("data.task-is-not-list", task=task, name=type(calls).__name__),
                    path=path_of(source),
                    hint=message("data.form-of-call"),
                )
            for call in calls:
                if not isinstance(call, Mapping):
                    raise InputError(
                        message("data.call-is-not-object", task=task, name=type(call).__name__),
                        path=path_of(source),
                        hint=message("data.form-of-call"),
                    )
                columns.add(task, call)
        return cls.of(columns, name=name, source=source)

    @classmethod
    def of(
        cls,
        columns: TraceColumns,
        *,
        name: str | None = None,
        source: str = "memory",
        notes: tuple[Note, ...] = (),
    ) -> Traces:
        """Takes checked calls.

        Raises:
            InputError: If there is none, or they contradict each other.
        """
        if not len(columns):
            raise InputError(message("data.there-are-no-calls"), path=path_of(source))
        return cls(columns.table(), name=name, source=source, notes=notes)

    @classmethod
    def from_frame(
        cls,
        frame: object,
        columns: Mapping[str, str] | None = None,
        *,
        name: str | None = None,
        source: str = "memory",
    ) -> Traces:
        """Takes any data frame with one row per result.

        Args:
            frame: Polars, pandas, PyArrow or DuckDB, with the columns `task` and `document` and
                perhaps `call`, `query`, `score`, `start`, `end`, `read` (whether the document was
                then read), `tokens`, `seconds`. Rows without a document are calls without results.
                Rows of a call need not be together; `query`, `tokens` and `seconds` of its first
                row count. Without `call`, a task has one call.
            columns: Column names by these roles. Other roles are found by the usual names, such as
                `task_id` or 任务.
            name: The name in results.
            source: The name of the data in messages.

        Raises:
            InputError: If a column is missing or a row cannot be used.

        Examples:
            >>> import polars as pl
            >>> rows = {"task": [7, 7, 7], "call": [1, 2, 2], "document": ["a", "b", "a"]}
            >>> [call.documents for call in Traces.from_frame(pl.DataFrame(rows)).calls(7)]
            [('a',), ('b', 'a')]
        """
        from relyon.data.trace_frames import frame_columns

        found = frame_columns(frame, columns, path_of(source))
        return cls.of(found, name=name, source=source)

    @classmethod
    def from_run(cls, run: Run, queries: Iterable[str] | None = None) -> Traces:
        """Takes a run: each query is a task with one call.

        Args:
            run: The run.
            queries: Takes only these of its queries; None takes all.

        Examples:
            >>> run = Run.from_dict({"q1": {"d1": 0.3, "d2": 1.5}}, name="bm25")
            >>> Traces.from_run(run)
            Traces('bm25', tasks=1, calls=1, rows=2, source='memory')
        """
        columns = TraceColumns(run.path)
        for query in run.queries if queries is None else filter(run.__contains__, queries):
            documents, scores, ranks = run.table.documents(query)
            pairs = list(zip(documents, scores, strict=True))
            columns.add(query, {"results": pairs}, ranks=ranks)
        table = columns.table(has_ranks=run.table.has_ranks)
        return cls(table, name=run.name, source=run.source, notes=run.notes)

    @property
    def table(self) -> _native.TraceTable:
        """The native table."""
        return self._table

    @property
    def name(self) -> str:
        """Their name in results."""
        return self._name

    @property
    def tag(self) -> str:
        """Empty: only TREC runs have tags."""
        return ""

    @property
    def tasks(self) -> list[str]:
        """The tasks, in the order in which they first appear."""
        return self._table.tasks()

    @property
    def most_calls(self) -> int:
        """The number of calls of the task that has the most."""
        return self._table.most_calls

    def calls(self, task: str | int) -> tuple[TraceCall, ...]:
        """Returns the calls of a task, in order; KeyError if it has none."""
        place = self._table.place(str(task))
        return tuple(self._call(place, number) for number in range(self._table.count(place)))

    def _call(self, place: int, number: int) -> TraceCall:
        query, documents, scores, scored, ranks, starts, ends, read, tokens, seconds = (
            self._table.call(place, number)
        )
        return TraceCall(
            query,
            tuple(documents),
            tuple(scores),
            scored,
            None if ranks is None else tuple(ranks),
            None if starts is None else tuple(starts),
            None if ends is None else tuple(ends),
            None if read is None else tuple(read),
            tokens,
            seconds,
        )

    def ranking(self, task: str | int, judgments: Judgments, convention: Convention) -> TaskRanking:
        """Returns a task's calls with grades, ordered by the rules of a convention.

        Args:
            task: The task; one without a call has an empty list of calls.
            judgments: The judgments; a task without any has no grades.
            convention: The rules, as in `Ranking.build`. With ``unretrieved="removed"``, the judged
                documents of the task are those that any of its calls returned.
        """
        name, table = str(task), judgments.table
        judged = table.grades(name) if name in table else {}
        graded = table.subtopics(name) if name in table else {}

        def build(
            documents: Sequence[str], scores: Sequence[float], ranks: Sequence[int] | None
        ) -> Ranking:
            return Ranking.build(
                judged,
                documents,
                scores,
                convention,
                ranks=ranks,
                query=name,
                graded=graded,
                passages=judgments.passages,
            )

        found = []
        every: dict[str, float] = {}
        for one in self.calls(name) if name in self._table else ():
            ranking = build(one.documents, one.scores, one.ranks)
            found.append(Call(ranking, one.query, one.read, one.tokens, one.seconds))
            every |= ranking.judged
        shared = replace(found[0].ranking, judged=every) if found else build((), (), ())
        return TaskRanking.of_calls(tuple(found), shared)

    def judged(
        self,
        judgments: Judgments,
        convention: Convention,
        *,
        tied: bool = False,
        threads: int = 0,
    ) -> JudgedCalls:
        """Returns the calls of all judged tasks, with grades, as arrays.

        Judged tasks without a call come last, if the convention counts them.

        Args:
            judgments: The judgments.
            convention: The rules: `ties`, `scores`, `unjudged` (``ignored`` leaves unjudged results
                where they are), `unretrieved`, `negative`, `missing`.
            tied: Only tasks of which a call has documents of equal scores and unequal labels: those
                whose values can depend on the order of ties.
            threads: Threads to use; 0 uses all cores.
        """
        plan = _native.Plan([], native_rules(convention, spans=False))
        found = _native.judged_calls(judgments.table, plan, self._table, tied=tied, threads=threads)
        judged = JudgedCalls(**found)
        return _only_returned(judged) if convention.unretrieved == "removed" else judged

    def run(self, call: int | None = None) -> Run:
        """Returns the results of one call per task as a run; tasks without that call are left out.

        Args:
            call: The number of the call, from 1; `None` for traces with one call per task.

        Raises:
            InputError: If a task has several calls and none is chosen, or no task has the call.
        """
        if call is None and self.most_calls > 1:
            raise InputError(
                message("data.traces-are-no-run", calls=self.most_calls),
                path=self.path,
                hint=message("data.evaluate-traces"),
            )
        number = 1 if call is None else call
        lists = {
            task: dict(zip(one.documents, one.scores, strict=True))
            for task in self.tasks
            if 0 < number <= self._table.count(place := self._table.place(task))
            for one in [self._call(place, number - 1)]
            if one.documents
        }
        if not lists:
            raise InputError(message("data.no-task-has-call", call=number), path=self.path)
        found = Run.from_dict(lists, name=self._name, source=self._source)
        return found.with_notes(self._notes)

    def to_dict(self) -> dict[str, list[dict[str, object]]]:
        """Returns all calls as {task: [call, …]}, as `from_dict` takes them."""
        return {task: [call.to_dict() for call in self.calls(task)] for task in self.tasks}

    def to_frame(self) -> pl.DataFrame:
        """Returns one row per result; `from_frame` takes it.

        The columns are task, call, query, document, score, start, end, read, tokens and seconds.
        A call without results has one row without a document. A document that was read without
        being a result of the call is in no row.
        """
        from relyon.data.trace_frames import trace_frame

        return trace_frame({task: self.calls(task) for task in self.tasks})

    def __iter__(self) -> Iterator[str]:
        """Iterates over the tasks."""
        return iter(self.tasks)

    def __len__(self) -> int:
        """The number of results over all calls."""
        return self._table.rows

    def __contains__(self, task: object) -> bool:
        return isinstance(task, str | int) and str(task) in self._table

    def __reduce__(self) -> tuple[object, ...]:
        return _restored, (self.to_dict(), self._name, self._source, self._notes)

    def __repr__(self) -> str:
        return (
            f"Traces({self._name!r}, tasks={len(self._table)}, calls={self._table.calls}, "
            f"rows={self._table.rows}, source={self._source!r})"
        )


def _only_returned(judged: JudgedCalls) -> JudgedCalls:
    """Returns calls in which a document that was read has a grade only if a call returned it."""
    import numpy as np

    if judged.reads is None or judged.read_documents is None or judged.read_grades is None:
        return judged
    task = np.repeat(np.arange(len(judged.tasks)), np.diff(judged.calls))
    codes = [judged.documents, judged.read_documents]
    width = max((int(one.max(initial=0)) for one in codes), default=0) + 1
    returned, read = (
        np.repeat(task, np.diff(offsets)) * width + one
        for offsets, one in zip((judged.rows, judged.reads), codes, strict=True)
    )
    grades = np.where(np.isin(read, returned), judged.read_grades, np.nan)
    return replace(judged, read_grades=grades)


def _restored(
    traces: dict[str, list[dict[str, object]]], name: str, source: str, notes: tuple[Note, ...]
) -> Traces:
    """Returns traces that were pickled."""
    found = Traces.from_dict(traces, name=name, source=source)
    found._notes = notes
    return found
