"""Evaluates traces: measures of one list call by call, measures of tasks from all their calls."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from relyon import _native
from relyon.core.notes import Note
from relyon.data.native_rules import native_rules
from relyon.data.task_ranking import calls_of
from relyon.evaluation.measure_columns import (
    Column,
    Evaluated,
    batch_columns,
    counted_parts,
    differ,
    kept_column,
    python_columns,
    unrecorded_notes,
)
from relyon.evaluation.passage_columns import chunk_notes
from relyon.measures.of_calls import OfCalls, without_calls
from relyon.measures.tasks import TaskMeasure

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from relyon.data.convention import Convention
    from relyon.data.judged_calls import JudgedCalls
    from relyon.data.judgments import Judgments
    from relyon.data.ranking import Ranking
    from relyon.data.traces import Traces
    from relyon.evaluation.program import Program
    from relyon.measures.definition import Measure

__all__ = ["evaluate_traces", "vectorised"]


def evaluate_traces(
    judgments: Judgments, program: Program, traces: Traces, threads: int
) -> tuple[_native.Batch, dict[str, Column], tuple[Note, ...]]:
    """Evaluates traces; the rows of the batch are tasks.

    With one call per task this is the evaluation of a run. With several, a measure of one list is
    computed for each call, against all judgments of its task. The task's value is the mean of those
    that are defined; counts (`combine` is `sum`) add up, and `num_q` counts tasks. Numerators and
    denominators of ratios, positive and negative pairs, and pooled scores are those of all calls.
    A geometric mean is that of the tasks' means. Decimals round the value of a task, not those of
    its calls.
    """
    table, several = judgments.table, traces.most_calls > 1
    found: list[tuple[str, Sequence[str]]] = []
    if judgments.passages is not None:
        judged = [task for task in traces.tasks if task in table]
        found = [(task, call.documents) for task in judged for call in traces.calls(task)]
    told = chunk_notes(program, judgments.passages, found, traces.path)
    plan = program.plan
    if several and program.convention.decimals is not None:
        plan = _plan(program, spans=True, decimals=None)
    calls = _native.evaluate_calls(table, plan, traces.table, threads)
    batch = calls
    if several:
        tied = None
        if any(calls.total(place).tie_decided for place in range(len(program.places))):
            worst, best = (
                _plan(program, spans=False, ties=order, decimals=None, missing="skip")
                for order in ("worst", "best")
            )
            tied = _native.evaluate_tied_calls(table, worst, best, traces.table, threads)
        forms = [
            _form(one)
            for name, one in zip(program.asked, program.resolved, strict=True)
            if str(name) in program.places
        ]
        batch = _native.by_task(table, program.plan, traces.table, calls, forms, tied)
    columns = batch_columns(program, batch)
    columns |= _python_columns(judgments, program, traces, batch, threads)
    notes = (
        *traces.notes,
        *told,
        *_several_notes(program, traces),
        *unrecorded_notes(program, columns),
    )
    return batch, columns, notes


def _plan(program: Program, *, spans: bool, **changes: object) -> _native.Plan:
    rules = native_rules(program.convention.replace(**changes), spans=spans)
    return _native.Plan(program.kernels, rules, without_closed_form="worst")


def _form(one: Measure) -> tuple[str, bool, bool, bool]:
    """Returns how the calls of a task become one value; see `_native.by_task`."""
    if isinstance(one, OfCalls):
        return one.which, one.better == "higher", False, True
    which = "mean"
    if one.combine == "sum":
        which = "first" if one.counts_queries else "sum"
    return which, True, one.combine == "geometric", False


def _several_notes(program: Program, traces: Traces) -> list[Note]:
    """Notes what the bare name of a measure of one list means if tasks have several calls."""
    if traces.most_calls < 2:
        return []
    found: dict[str, list[str]] = {"mean-over-calls": [], "sum-over-calls": []}
    for asked, one, form in zip(program.asked, program.resolved, program.forms, strict=True):
        if isinstance(one, TaskMeasure) or one.counts_queries:
            continue
        means = one.combine != "sum" and form in {"macro", "geometric"}
        found["mean-over-calls" if means else "sum-over-calls"].append(asked.shown)
    return [
        Note(kind, values={"measures": names, "calls": traces.most_calls})
        for kind, names in found.items()
        if names
    ]


def _python_columns(
    judgments: Judgments, program: Program, traces: Traces, batch: _native.Batch, threads: int
) -> dict[str, Column]:
    """Evaluates the measures without a kernel."""
    columns: dict[str, Column] = {}
    looped: list[tuple[str, Evaluated]] = []
    rules = program.convention
    judged: dict[str, JudgedCalls] = {}

    def calls(order: str = "") -> JudgedCalls:
        """Returns all calls, or those of tied tasks in an order."""
        if order not in judged:
            convention = rules.replace(ties=order) if order else rules
            judged[order] = traces.judged(judgments, convention, tied=bool(order), threads=threads)
        return judged[order]

    tied = bool(batch.tied) and rules.ties != "rank"
    forms = {str(one): form for one, form in zip(program.asked, program.forms, strict=True)}
    for name, one in program.in_python:
        if (
            isinstance(one, TaskMeasure)
            and vectorised(one, rules, forms[name])
            and not (tied and rules.ties == "expected")
        ):
            orders = (calls("worst"), calls("best")) if tied else None
            columns[name] = _vector_column(one, rules, calls(), orders, batch.missing)
        else:
            looped.append((name, one if isinstance(one, TaskMeasure) else _EachCall(one, rules)))
    if looped:

        def rankings() -> Iterable[Ranking]:
            return (traces.ranking(task, judgments, rules) for task in batch.queries)

        columns |= python_columns(program, rankings(), batch.missing, looped)
    return columns


def vectorised(one: TaskMeasure, rules: Convention, form: str) -> bool:
    """Whether a measure computes all tasks at once under some rules."""
    return (
        type(one).values is not TaskMeasure.values
        and rules.unjudged != "ignored"
        and form != "micro"
    )


def _vector_column(
    one: TaskMeasure,
    rules: Convention,
    judged: JudgedCalls,
    orders: tuple[JudgedCalls, JudgedCalls] | None,
    missing: int,
) -> Column:
    """Evaluates a measure over all tasks at once."""
    total = _native.Total()
    values, numerators, denominators = _vectors(one, rules, judged)
    total.add(values.tolist(), numerators.tolist(), denominators.tolist(), missing)
    if orders is not None:
        worst, best = (_vectors(one, rules, order) for order in orders)
        places = {task: row for row, task in enumerate(judged.tasks)} if orders[0].tasks else {}
        for row, task in enumerate(orders[0].tasks):
            as_is = _row((values, numerators, denominators), places[task])
            low, high = _row(worst, row), _row(best, row)
            if differ(as_is[0], low[0]) or differ(as_is[0], high[0]):
                total.add_orders(as_is, low, high)
    return kept_column(values.tolist(), total, (numerators, denominators))


def _row(parts: tuple[NDArray[np.float64], ...], row: int) -> tuple[float, float, float]:
    value, numerator, denominator = (float(part[row]) for part in parts)
    return value, numerator, denominator


def _vectors(
    one: TaskMeasure, rules: Convention, judged: JudgedCalls
) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]:
    """Returns value, numerator and denominator of each task."""
    import numpy as np

    values = one.values(judged)
    weights = one.weights(judged)
    if rules.decimals is not None:
        values = np.array([rules.rounded(value) for value in values.tolist()])
    instead = one.counted(rules) if one.combine == "ratio" else math.nan
    defined = ~np.isnan(values)
    counted = defined | (not math.isnan(instead))
    filled = np.where(defined, values, 0.0 if math.isnan(instead) else instead)
    denominators = np.where(counted, weights, 0.0)
    return values, np.where(counted, filled * weights, 0.0), denominators


@dataclass(frozen=True)
class _EachCall:
    """A measure of one list without a kernel, over the calls of a task; see `evaluate_traces`."""

    of: Measure
    rules: Convention
    combine: str = "calls"

    def seen(self, ranking: Ranking) -> Ranking:
        return ranking  # each call is condensed by the measure

    def counted(self, rules: Convention) -> float:
        return math.nan  # see `parts`

    def query_weight(self, ranking: Ranking) -> float:
        return 1.0

    def value(self, ranking: Ranking) -> float:
        return self._joined([self.of.value(one) for one in self._lists(ranking)])

    def expected(self, ranking: Ranking) -> float:
        return self._joined([self.of.expected(one) for one in self._lists(ranking)])

    def parts(self, ranking: Ranking) -> tuple[float, float]:
        lists = self._lists(ranking)
        if self.of.combine == "geometric" and len(lists) > 1:
            from relyon.measures.logarithms import geometric_parts

            return geometric_parts(self.value(ranking))
        pairs = [counted_parts(self.of, one, self.of.value(one), self.rules) for one in lists]
        if self.of.counts_queries:
            return pairs[0]
        return math.fsum(one for one, _ in pairs), math.fsum(one for _, one in pairs)

    def _joined(self, values: list[float]) -> float:
        known = [value for value in values if not math.isnan(value)]
        if not known:
            return math.nan
        if self.of.counts_queries:
            return values[0]
        total = math.fsum(known)
        return total if self.of.combine == "sum" else total / len(known)

    @staticmethod
    def _lists(ranking: Ranking) -> list[Ranking]:
        return [one.ranking for one in calls_of(ranking)] or [without_calls(ranking)]
