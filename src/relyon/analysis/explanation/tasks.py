"""The derivation of a task's value, call by call."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, ClassVar, cast

from relyon.analysis.explanation.derivation import Explanation, derive
from relyon.analysis.explanation.json_values import plain
from relyon.analysis.explanation.parts import rows_left, title_of, with_titles
from relyon.analysis.explanation.subject import Subject
from relyon.core.document.model import Block, Document, Lines, Table
from relyon.core.errors import ParameterError
from relyon.core.texts import Catalogue, Language, catalogue, message, translate
from relyon.core.texts.numbers import TERMINAL
from relyon.data.convention import Convention
from relyon.data.task_ranking import Call, TaskRanking
from relyon.io import read_judgments
from relyon.measures.definition import Step
from relyon.measures.of_calls import Mean
from relyon.measures.parser import measure as parse_measure
from relyon.measures.tasks import TaskMeasure, TaskStep

if TYPE_CHECKING:
    import polars

    from relyon.data.judgments import Judgments
    from relyon.data.scale import Scale
    from relyon.data.traces import Traces
    from relyon.measures.definition import Measure

__all__ = [
    "ExplainedCall",
    "ExplainedResult",
    "TaskExplanation",
    "derive_task",
    "task_subject",
]

RESULT_HEADINGS = ("rank", "document", "score", "grade", "seen", "read")
MISSED_HEADINGS = ("document", "grade")

#: Calls of a task after which the value is computed: each looks at all calls before it.
MOST_VALUES = 300


@dataclass(frozen=True)
class ExplainedResult:
    """A result of a call, or a document that was read without being one of its results.

    Attributes:
        rank: Its rank within the call; `None` if it is not a result of the call.
        document: Its id.
        score: Its score; `None` if it is not a result of the call.
        grade: Its grade, or `None` if unjudged.
        first: The number of the call that returned it first; that of this call if it is new.
        read: Whether it was read after this call.
        contribution: Its addend of the value; `None` if the measure does not count it.
    """

    rank: int | None
    document: str
    score: float | None
    grade: float | None
    first: int
    read: bool
    contribution: float | None


@dataclass(frozen=True)
class ExplainedCall:
    """One call of a task.

    Attributes:
        call: Its number, counted from 1.
        query: The text that was sent; empty if unknown.
        results: Its results, best first, then what was read besides them.
        value: The measure of the calls up to this one; NaN if undefined, and after the 300th call
            of a task but for its last.
        tokens: The tokens that it cost, NaN if unknown.
        seconds: The seconds that it took, NaN if unknown.
        recorded: Whether it was recorded what was read.
    """

    call: int
    query: str
    results: tuple[ExplainedResult, ...]
    value: float
    tokens: float
    seconds: float
    recorded: bool

    @property
    def new(self) -> int:
        """How many of its results no earlier call returned."""
        return sum(one.rank is not None and one.first == self.call for one in self.results)

    @property
    def returned(self) -> int:
        """How many results it has."""
        return sum(one.rank is not None for one in self.results)


@dataclass(frozen=True)
class TaskExplanation(Explanation):
    """The derivation of one task's value of one measure.

    Attributes:
        calls: The calls, in order. The steps are those of all calls.
    """

    _title_key: ClassVar[str] = "title_task"
    calls: tuple[ExplainedCall, ...] = ()

    @property
    def documents(self) -> tuple[str, ...]:
        """The documents that its tables name."""
        own = [one.document for call in self.calls for one in call.results]
        return tuple(dict.fromkeys([*own, *super().documents]))

    @property
    def _spoken(self) -> str:
        return self.name or str(self.measure)

    def call_rows(self, call: ExplainedCall, language: Language = "en") -> list[tuple[str, ...]]:
        """The results of a call as text."""
        words = catalogue("tables", language)
        return [
            (
                "-" if one.rank is None else str(one.rank),
                one.document,
                "-" if one.score is None else f"{one.score:.5g}",
                self.grade_label(one.grade, language),
                words["task.new"]
                if one.first == call.call
                else words.say("task.call_number", call=one.first),
                words["task.read"] if one.read else "-",
                *self._adds(one),
            )
            for one in call.results
        ]

    def _adds(self, one: ExplainedResult) -> tuple[str, ...]:
        if not self.measure.is_additive:
            return ()
        return ("-" if one.contribution is None else TERMINAL.number(one.contribution),)

    def _call(self, call: ExplainedCall, words: Catalogue, language: Language) -> Block:
        """Returns a table of one call."""
        named = f"{words['list.colon']}{call.query}" if call.query else ""
        caption = words.say("task.call", call=call.call) + named
        notes = [words.say("task.results", count=call.returned, new=call.new)]
        spent = []
        if not math.isnan(call.tokens):
            spent.append(words.say("task.tokens", count=round(call.tokens)))
        if not math.isnan(call.seconds):
            spent.append(words.say("task.seconds", count=call.seconds))
        if spent:
            notes.append(words.word("list.comma").join(spent))
        notes.append(words.say("task.after", call=call.call, value=TERMINAL.number(call.value)))
        names = [*RESULT_HEADINGS, *(["adds"] if self.measure.is_additive else [])]
        if not call.results:
            return Lines([caption, *notes])
        documents = [one.document for one in call.results]
        rows = with_titles(self.call_rows(call, language), {1: documents}, self.titles or {})
        headings = words.names("column", names)
        return Table(headings, rows, caption, left=0, notes=notes, long=[1])

    def document(self, *, language: Language = "en") -> Document:
        """Returns one table per call in order, and what was missed.

        Args:
            language: `en` or `zh`.
        """
        words = catalogue("tables", language)
        blocks = [self._call(call, words, language) for call in self.calls]
        counts = {"calls": len(self.calls), "retrieved": self.retrieved, "judged": self.judged}
        blocks.append(Lines([words.say("task.counts", **counts)]))
        if self.missed:
            absent = [one.document for one in self.missed]
            rows = [(row[0], row[1]) for row in self.missed_rows(language)]
            blocks.append(
                Table(
                    words.names("column", MISSED_HEADINGS),
                    with_titles(rows, {0: absent}, self.titles or {})[: self.limit],
                    words.say("task.missed", count=len(self.missed)),
                    notes=rows_left(len(self.missed) - self.limit, words),
                    long=[0],
                )
            )
        if self.formula:
            blocks.append(Lines([translate(self.formula, language)]))
        title, *lead = self._title(language).split("\n")
        return Document(blocks, title, lead)

    def to_frame(self) -> polars.DataFrame:
        """Returns one row per result, and per document read besides the results."""
        import polars

        rows = [
            {"call": call.call, "query": call.query, **plain(one)}
            | title_of(one.document, self.titles)
            for call in self.calls
            for one in call.results
        ]
        return polars.DataFrame(rows, infer_schema_length=None)

    def to_dict(self) -> dict[str, object]:
        """Returns JSON-ready values; lists are complete."""
        calls = [
            {
                "call": call.call,
                "query": call.query,
                "value": call.value if math.isfinite(call.value) else None,
                "new": call.new,
                "tokens": None if math.isnan(call.tokens) else call.tokens,
                "seconds": None if math.isnan(call.seconds) else call.seconds,
                "reads_recorded": call.recorded,
                "results": [
                    plain(one)
                    | {"label": self.grade_label(one.grade)}
                    | title_of(one.document, self.titles)
                    for one in call.results
                ],
            }
            for call in self.calls
        ]
        return {**super().to_dict(), "calls": calls}


def task_subject(
    judgments: object,
    traces: Sequence[Traces],
    query: str,
    measure: str | Measure,
    scale: Scale | str | None,
) -> tuple[Subject, Judgments]:
    """Looks up a task: the subject, and its judgments.

    A measure of one list means its mean over the calls.

    Raises:
        UnknownNameError: If neither the judgments nor the traces have the task.
        ParameterError: If the measure compares two runs, or counts, which adds up over calls.
    """
    asked = parse_measure(measure)
    if not isinstance(asked, TaskMeasure):
        one_call = all(str(query) not in one or len(one.calls(query)) == 1 for one in traces)
        if asked.combine == "sum" and not one_call:
            raise ParameterError(
                message("analysis.counts-of-calls-add-up", name=str(asked)),
                hint=message("analysis.explain-one-call", name=str(asked)),
            )
        asked = asked if one_call and asked.needs == "judgments" else Mean(asked)
    table = read_judgments(judgments, scale=scale)
    return Subject.of(table, traces, query, asked, scale), table


def derive_task(
    subject: Subject, judgments: Judgments, traces: Traces, rules: Convention, limit: int
) -> Explanation:
    """Returns the derivation of a task's value; that of a list for a list measure of one call.

    Raises:
        ParameterError: If ties are averaged over: no single order explains the value.
    """
    averaged, rules = rules.ties == "expected", rules.one_order()
    ranking = traces.ranking(subject.query, judgments, rules)
    if averaged and ranking.tied:
        raise ParameterError(
            message("analysis.ties-expected-averages-over"),
            hint=message("analysis.choose-one-order"),
        )
    if not isinstance(subject.asked, TaskMeasure):
        alone = ranking.calls[0].ranking if ranking.calls else ranking
        return derive(subject, alone, rules, limit)
    found = derive(subject, ranking, rules, limit)
    shared = {one.name: getattr(found, one.name) for one in fields(Explanation)}
    measure = cast("TaskMeasure", found.measure)  # what a measure of tasks resolves to
    seen = cast("TaskRanking", measure.seen(ranking))
    calls = _explained(seen, measure, found.steps, rules)
    return TaskExplanation(**{**shared, "scores": None, "calls": calls})


def _explained(
    ranking: TaskRanking, measure: TaskMeasure, steps: tuple[Step, ...], rules: Convention
) -> tuple[ExplainedCall, ...]:
    """Returns the calls with each result's contribution and the value after each call."""
    added: dict[tuple[int, str], float] = {}
    for step in steps:
        number = step.call if isinstance(step, TaskStep) else 1
        key = number, step.document
        added[key] = added.get(key, 0.0) + step.contribution
    first: dict[str, int] = {}
    found = []
    for number, call in enumerate(ranking.calls, 1):
        for document in call:
            first.setdefault(document, number)
        for document in call.read or ():
            first.setdefault(document, number)
        value = math.nan
        if number <= MOST_VALUES or number == len(ranking.calls):
            value = measure.value(TaskRanking.of_calls(ranking.calls[:number], ranking))
        results = _results(number, call, ranking, first, added)
        found.append(
            ExplainedCall(
                number,
                call.query,
                results,
                rules.rounded(value),
                call.tokens,
                call.seconds,
                call.read is not None,
            )
        )
    return tuple(found)


def _results(
    number: int,
    call: Call,
    ranking: TaskRanking,
    first: dict[str, int],
    added: dict[tuple[int, str], float],
) -> tuple[ExplainedResult, ...]:
    read = dict.fromkeys(call.read or ())
    results = [
        ExplainedResult(
            entry.rank,
            entry.document,
            entry.score,
            entry.grade,
            first[entry.document],
            entry.document in read,
            added.get((number, entry.document)),
        )
        for entry in call.ranking
    ]
    returned = set(call)
    results += [
        ExplainedResult(
            None,
            document,
            None,
            ranking.judged.get(document),
            first[document],
            True,
            added.get((number, document)),
        )
        for document in read
        if document not in returned
    ]
    return tuple(results)
