"""What the calls of a task cost: results seen before, and gain by what was read or spent."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar, Literal

from relyon.core.rules import Gain, gain_function
from relyon.data.ranking import Ranking
from relyon.measures.definition import UNBOUNDED, Better
from relyon.measures.formulas import equation, format_number
from relyon.measures.lookup import register
from relyon.measures.tasks import (
    CallRows,
    Listed,
    Records,
    TaskMeasure,
    TaskStep,
    grade_values,
    shares,
)

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from relyon.data.judged_calls import JudgedCalls

__all__ = ["GainPerRead", "GainPerTokens", "Redundancy"]

Items = Literal["results", "reads"]
NO_READS = "it was not recorded which documents were read"
NOTHING_READ = "nothing was read"
NOTHING_RETRIEVED = "nothing was retrieved"
NO_TOKENS = "the tokens of a call are unknown"
ZERO_TOKENS = "no tokens were spent"
#: Gains are per so many tokens.
TOKENS = 1000.0


@register
@dataclass(frozen=True)
class Redundancy(TaskMeasure):
    """Redundancy: the share of results that the task had before.

    Results among the first k of a call that an earlier result of the task already was, divided by
    all results that count. With ``items=reads``, the share of documents read that the task had read
    before; a call without a record of reads read nothing. Lower is better. Grades do not matter.
    Undefined without a result, or without a read.

    Attributes:
        k: Ranks counted per call, of results only; `None` counts all.
        calls: Calls counted; `None` counts all.
        items: Counts the `results` of calls, or the `reads`.

    Examples:
        >>> import relyon
        >>> relyon.measure("redundancy@10").score([1, 0, 1])
        0.0

    References:
        Defined here; the complement of the novelty of a session's later lists, Jiang, He and Allan
        (2014), Searching, browsing, and clicking in a search session, SIGIR.
    """

    name = "redundancy"
    better: ClassVar[Better] = "lower"
    formula = "results that the task had before / results"
    headings: ClassVar[tuple[str, str]] = ("seen before", "divisor")
    k: int | None = None
    calls: int | None = None
    items: Items = "results"

    @property
    def records(self) -> Records | None:
        return "reads" if self.items == "reads" else None

    def _counted(self, ranking: Ranking) -> list[Listed] | None:
        if self.items == "results":
            return list(self.listed(ranking))
        reads = self.reads(ranking)
        return None if reads is None else list(reads)

    def undefined(self, ranking: Ranking) -> str | None:
        counted = self._counted(ranking)
        if counted is None:
            return NO_READS
        if not counted:
            return NOTHING_RETRIEVED if self.items == "results" else NOTHING_READ
        return None

    def steps(self, ranking: Ranking) -> Iterator[TaskStep]:
        counted = self._counted(ranking) or []
        of, found = float(len(counted)), 0
        for one in counted:
            found += not one.new
            yield one.step(float(not one.new), of, float(not one.new) / of, found / of)

    def values(self, judged: JudgedCalls) -> NDArray[np.float64]:
        import numpy as np

        tasks = len(judged.tasks)
        if self.items == "results":
            rows: CallRows | None = CallRows.of(judged, self.k, self.calls)
        else:
            rows = CallRows.of_reads(judged, self.calls)
        if rows is None:
            return np.full(tasks, np.nan)
        again = rows.sums((~rows.new).astype(np.float64), tasks)
        of = np.bincount(rows.task, minlength=tasks)
        return shares(again, of)


@register
@dataclass(frozen=True)
class GainPerRead(TaskMeasure):
    """Gain per document read.

    The gains of the documents that the task read, each once, divided by the number of reads.
    Reading a document again adds no gain and one read. A document counts wherever it came from.
    A call without a record of reads read nothing. Undefined if nothing was read.

    Attributes:
        calls: Calls counted; `None` counts all.
        gain: How a grade becomes a gain; `None` takes the convention's.

    Examples:
        >>> import relyon
        >>> relyon.measure("gain_per_read").score([2, 1])
        nan

    References:
        Defined here, after gain per effort: Smucker and Clarke (2012), Time-based calibration of
        effectiveness measures, SIGIR.
    """

    name = "gain_per_read"
    bounds: ClassVar[tuple[float, float]] = UNBOUNDED
    formula = "gain of the distinct documents read / reads"
    headings: ClassVar[tuple[str, str]] = ("gain", "reads")
    calls: int | None = None
    gain: Gain | None = None

    @property
    def records(self) -> Records | None:
        return "reads"

    def undefined(self, ranking: Ranking) -> str | None:
        reads = self.reads(ranking)
        if reads is None:
            return NO_READS
        return None if any(True for _ in reads) else NOTHING_READ

    def steps(self, ranking: Ranking) -> Iterator[TaskStep]:
        reads, worth = list(self.reads(ranking) or ()), gain_function(self.gain or "linear")
        return _gained(reads, worth, float(len(reads)))

    def expanded_formula(self, ranking: Ranking) -> str:
        return _quotient(self, ranking, float(len(list(self.reads(ranking) or ()))))

    def values(self, judged: JudgedCalls) -> NDArray[np.float64]:
        import numpy as np

        tasks = len(judged.tasks)
        rows = CallRows.of_reads(judged, self.calls)
        if rows is None:
            return np.full(tasks, np.nan)
        gained = _gained_once(rows, gain_function(self.gain or "linear"), tasks)
        of = np.bincount(rows.task, minlength=tasks)
        return shares(gained, of)


@register
@dataclass(frozen=True)
class GainPerTokens(TaskMeasure):
    """Gain per 1,000 tokens.

    The gains of the documents that calls returned among their first k results, each once, divided
    by the thousands of tokens of these calls. Undefined if the tokens of a call that counts are
    unknown, or if none were spent.

    Attributes:
        k: Ranks counted per call; `None` counts all.
        calls: Calls counted; `None` counts all.
        gain: How a grade becomes a gain; `None` takes the convention's.

    Examples:
        >>> import relyon
        >>> relyon.measure("gain_per_ktoken@10").score([2, 1])
        nan

    References:
        Defined here, after gain per effort: Smucker and Clarke (2012), Time-based calibration of
        effectiveness measures, SIGIR.
    """

    name = "gain_per_ktoken"
    aliases = ("gain_per_1k_tokens",)
    bounds: ClassVar[tuple[float, float]] = UNBOUNDED
    formula = "gain of distinct results / (tokens / 1000)"
    headings: ClassVar[tuple[str, str]] = ("gain", "1000 tokens")
    k: int | None = None
    calls: int | None = None
    gain: Gain | None = None

    @property
    def records(self) -> Records | None:
        return "tokens"

    def _spent(self, ranking: Ranking) -> float:
        return math.fsum(call.tokens for call in self.counted_calls(ranking)) / TOKENS

    def undefined(self, ranking: Ranking) -> str | None:
        spent = self._spent(ranking)
        if math.isnan(spent):
            return NO_TOKENS
        return None if spent > 0 else ZERO_TOKENS

    def steps(self, ranking: Ranking) -> Iterator[TaskStep]:
        worth = gain_function(self.gain or "linear")
        return _gained(list(self.listed(ranking)), worth, self._spent(ranking))

    def expanded_formula(self, ranking: Ranking) -> str:
        return _quotient(self, ranking, self._spent(ranking))

    def values(self, judged: JudgedCalls) -> NDArray[np.float64]:
        import numpy as np

        tasks = len(judged.tasks)
        rows = CallRows.of(judged, self.k, self.calls)
        gained = _gained_once(rows, gain_function(self.gain or "linear"), tasks)
        task = np.repeat(np.arange(tasks), np.diff(judged.calls))
        kept = np.ones(len(task), dtype=bool)
        if self.calls is not None and len(task):
            kept = np.arange(len(task)) - judged.calls[task] < self.calls
        spent = np.bincount(task[kept], weights=judged.tokens[kept], minlength=tasks) / TOKENS
        return shares(gained, spent)


def _gained_once(
    rows: CallRows, worth: Callable[[float | None], float], tasks: int
) -> NDArray[np.float64]:
    """Returns the gain of each task's distinct documents."""
    gains = grade_values(rows.grade, worth)
    valued = gains != 0
    found = rows.where(valued)
    return found.sums(gains[valued] * found.new, tasks)


def _gained(
    counted: list[Listed], worth: Callable[[float | None], float], of: float
) -> Iterator[TaskStep]:
    """Yields the gain of each document the first time, divided by the effort."""
    running = 0.0
    for one in counted:
        gain = worth(one.entry.grade) if one.new else 0.0
        running += gain
        yield one.step(gain, of, gain / of, running / of)


def _quotient(measure: TaskMeasure, ranking: Ranking, of: float) -> str:
    value = measure.value(ranking)
    return equation(f"{format_number(value * of)} / {format_number(of)}", value)
