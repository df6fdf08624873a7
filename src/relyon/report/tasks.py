"""Tasks and their calls in a report: what the systems did, measures of tasks, recall by call."""

from __future__ import annotations

import math
import warnings
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import TYPE_CHECKING

from relyon.core.notes import RelyonWarning
from relyon.data.convention import Convention
from relyon.data.run import Run
from relyon.data.traces import Traces
from relyon.evaluation import Evaluator
from relyon.measures.display_names import measure_label
from relyon.measures.of_calls import OfCalls
from relyon.measures.parser import measure as parse_measure
from relyon.report.catalogue import Catalogue
from relyon.report.classification import series
from relyon.report.click_drawings import PointRow
from relyon.report.number_formats import number
from relyon.report.page import Block, Cell, Chart, Heading, Key, Prose, Section, Table

if TYPE_CHECKING:
    from relyon.analysis.comparison import Comparison
    from relyon.data.judged_calls import JudgedCalls
    from relyon.evaluation.results import Results
    from relyon.measures.definition import Measure

__all__ = ["call_section", "sent_texts"]

#: So many calls are drawn and counted one by one.
MOST_POINTS = 10
#: Measures of tasks by what they need, and their names in the texts.
GAINS = ("task_recall", "call_rr", "recovery", "session_dcg", "nsdcg", "srbp")


def call_section(comparison: Comparison, focus: str, texts: Catalogue) -> Section:
    """Returns what the systems did, measures of whole tasks, and recall after each call.

    Args:
        comparison: A comparison of traces, or of traces and runs.
        focus: The measure for per-query analysis; its cutoff applies to each call.
        texts: The texts of reports on traces.
    """
    calls = _Calls.of(comparison, focus)
    say = texts.say
    lead = [say("calls.lead")]
    if comparison.systems:
        lead.append(say("calls.first_runs"))
    if calls.rules.ties != (comparison.convention or calls.rules).ties:
        lead.append(say("calls.one_order"))
    blocks: list[Block] = [Prose(tuple(lead)), _amounts(calls, texts)]
    blocks.append(Prose((say("calls.average"),)))
    blocks += _measures(calls, texts)
    blocks += [_recall_chart(calls, texts), *_first_calls(calls, texts)]
    blocks.append(Prose((say("calls.left_out"),)))
    return Section("calls", say("section.calls"), tuple(blocks))


def sent_texts(comparison: Comparison) -> dict[str, str] | None:
    """Returns the text of each query that traces with one call per task agree on; `None` without.

    Args:
        comparison: The comparison.
    """
    found: dict[str, set[str]] = {}
    for name in comparison.runs if comparison.judgments is not None else ():
        lists = comparison.lists(name)
        if isinstance(lists, Run):
            continue
        for task in lists.tasks:
            found.setdefault(task, set()).update(call.query for call in lists.calls(task))
    return {task: text for task, (text, *others) in found.items() if text and not others} or None


@dataclass(frozen=True)
class _Calls:
    """The calls of each system.

    Attributes:
        comparison: The comparison.
        rules: Its rules, with one order of tied documents in place of means over orders.
        traces: The traces by system; a run is traces with one call per task.
        judged: Their calls with grades.
        k: The cutoff of each call; `None` without one.
    """

    comparison: Comparison
    rules: Convention
    traces: dict[str, Traces]
    judged: dict[str, JudgedCalls]
    k: int | None

    @classmethod
    def of(cls, comparison: Comparison, focus: str) -> _Calls:
        one = parse_measure(focus)
        k: int | None = getattr(one.of if isinstance(one, OfCalls) else one, "k", None)
        rules = (comparison.convention or Convention()).one_order()
        traces, judged = {}, {}
        judgments, threads = comparison.judgments, comparison.settings.threads
        for name in comparison.runs:
            if judgments is None:
                break
            found = comparison.lists(name)
            if isinstance(found, Run):
                found = Traces.from_run(found, judgments.queries)
            traces[name] = found
            judged[name] = found.judged(judgments, rules, threads=threads)
        return cls(comparison, rules, traces, judged, k)

    @property
    def most(self) -> int:
        """The number of calls of the task that has the most."""
        return max(one.most_calls for one in self.traces.values())

    @property
    def capped(self) -> bool:
        """Whether some calls are not shown one by one."""
        return self.most > MOST_POINTS

    @property
    def points(self) -> range:
        """The numbers of the calls that are shown one by one."""
        return range(1, min(self.most, MOST_POINTS) + 1)

    def cut(self, measure: str) -> str:
        """Returns the name of a measure with the cutoff of each call."""
        return measure if self.k is None else f"{measure}@{self.k}"

    def recall(self, calls: int) -> str:
        """Returns the name of recall after so many calls."""
        return self.cut(f"task_recall(calls={calls})")

    @cached_property
    def measures(self) -> dict[str, str]:
        """The measures of tasks that the traces have data for, with their names in the texts."""
        found = {self.cut(name): name for name in GAINS}
        judgments = self.comparison.judgments
        if judgments is not None and judgments.table.has_subtopics:
            found[self.cut("chain_recall")] = "chain_recall"
        found[self.cut("redundancy")] = "redundancy"
        if any(one.reads is not None for one in self.judged.values()):
            found["redundancy(items=reads)"] = "redundancy_reads"
            found["gain_per_read"] = "gain_per_read"
        if any((one.tokens > 0).any() for one in self.judged.values()):
            found[self.cut("gain_per_ktoken")] = "gain_per_ktoken"
        return found

    @cached_property
    def results(self) -> dict[str, Results]:
        """The measures of tasks, and recall after each call, by system."""
        wanted = [*self.measures, *map(self.recall, self.points)]
        one = self.comparison
        evaluator = Evaluator(
            one.judgments,
            convention=self.rules,
            scale=one.scale,
            threads=one.settings.threads,
        )
        with warnings.catch_warnings():
            # What they say, such as how many tasks have no value, is in the tables.
            warnings.simplefilter("ignore", RelyonWarning)
            return {
                name: evaluator.evaluate(traces, wanted, name=name)
                for name, traces in self.traces.items()
            }

    def values(self, measure: str) -> list[tuple[float, int]]:
        """Returns the number of each system, and of how many tasks it is."""
        return [(one[measure], one.entries[measure].queries) for one in self.results.values()]


def _with_calls(judged: JudgedCalls) -> int:
    import numpy as np

    return int((np.diff(judged.calls) > 0).sum())


def _amounts(calls: _Calls, texts: Catalogue) -> Table:
    """Returns how many calls, results, reads, tokens and seconds the tasks of each system have."""
    names = ["run", "tasks", "calls", "calls_each", "results_each"]
    columns = [_amount(one) for one in calls.judged.values()]
    kept = [
        place
        for place, name in enumerate(("reads_each", "tokens_each", "seconds_each"))
        if not all(math.isnan(one[1][place]) for one in columns)
    ]
    names += [("reads_each", "tokens_each", "seconds_each")[place] for place in kept]
    digits = 2, 0, 2
    rows = []
    for run, (counts, further) in zip(calls.judged, columns, strict=True):
        tasks, made, results = counts
        each = [made / tasks if tasks else math.nan, results / made if made else math.nan]
        shown = [run, f"{tasks:,}", f"{made:,}", *(number(one, 2) for one in each)]
        rows.append((*shown, *(number(further[place], digits[place]) for place in kept)))
    headings = tuple(texts.say(f"amount.{name}") for name in names)
    return Table(headings, tuple(rows), texts.say("calls.amounts"))


def _amount(judged: JudgedCalls) -> tuple[tuple[int, int, int], tuple[float, float, float]]:
    """Returns tasks, calls and results; and reads, tokens and seconds per task, NaN if unknown."""
    import numpy as np

    task = np.repeat(np.arange(len(judged.tasks)), np.diff(judged.calls))
    made, tasks = len(task), _with_calls(judged)

    def each(values: np.typing.NDArray[np.float64]) -> float:
        sums = np.full(len(judged.tasks), np.nan)
        counted = np.bincount(task, weights=values, minlength=len(judged.tasks))
        sums[np.unique(task)] = counted[np.unique(task)]
        known = sums[~np.isnan(sums)]
        return float(known.mean()) if len(known) else math.nan

    reads = np.full(made, np.nan) if judged.reads is None else np.diff(judged.reads).astype(float)
    results = int(np.diff(judged.rows).sum())
    return (tasks, made, results), (each(reads), each(judged.tokens), each(judged.seconds))


def _measures(calls: _Calls, texts: Catalogue) -> list[Block]:
    say = texts.say
    headings = [say("table.measure")]
    for name in calls.traces:
        headings += [name, say("table.queries")]
    rows: list[tuple[Cell | str, ...]] = []
    for measure, key in calls.measures.items():
        cells = [
            text
            for value, tasks in calls.values(measure)
            for text in (number(value) if tasks else "–", f"{tasks:,}")
        ]
        rows.append((Cell(say(f"measure.{key}"), title=measure_label(measure)), *cells))
    example = f'-m "{next(iter(calls.measures))}"'
    note = [say("calls.measures_note", example=example)]
    lower = [measure_label(one) for one in calls.measures if _lower(parse_measure(one))]
    if lower:
        note.append(say("calls.lower", measures=lower))
    return [Table(tuple(headings), tuple(rows), say("calls.measures")), Prose(tuple(note))]


def _lower(measure: Measure) -> bool:
    return measure.better == "lower"


def _recall_chart(calls: _Calls, texts: Catalogue) -> Chart:
    say, names = texts.say, list(calls.traces)
    rows: list[PointRow] = []
    cells: list[tuple[Cell | str, ...]] = []
    for count in calls.points:
        found = calls.values(calls.recall(count))
        cells.append((f"{count}", *(number(value) for value, _ in found)))
        for name, (value, _) in zip(names, found, strict=True):
            if math.isnan(value):
                continue
            text = say("calls.point", run=name, calls=count, value=number(value))
            rows.append(
                {
                    "series": name,
                    "position": count,
                    "value": value,
                    "low": None,
                    "high": None,
                    "text": text,
                }
            )
    tasks = max(count for _, count in calls.values(calls.recall(1)))
    key = "calls.recall_caption" if calls.k is None else "calls.recall_caption_k"
    values: dict[str, object] = {} if calls.k is None else {"k": calls.k}
    middle = min(2, calls.most)
    caption = say(
        key,
        tasks=texts.count("count.queries", tasks),
        example=f'-m "{calls.recall(middle)}"',
        **values,
    )
    if calls.capped:
        more = say("calls.recall_more", shown=MOST_POINTS, most=calls.most)
        caption += say("list.sentence") + more
    return Chart(
        drawing="by_position",
        title=say("calls.recall_title"),
        caption=caption,
        rows=tuple(rows),
        table=Table((say("calls.x"), *names), tuple(cells)),
        labels={"x": say("calls.x"), "y": say("calls.y")},
        values={
            "series": tuple((name, *series(place)) for place, name in enumerate(names)),
            "zero": True,
            "end": 1.0,
        },
        legend=tuple(
            Key("line", series(place)[0], name, series(place)[1])
            for place, name in enumerate(names)
        ),
    )


def _first_calls(calls: _Calls, texts: Catalogue) -> list[Block]:
    """Returns the tasks of each system by the first call that returned a relevant document."""
    say = texts.say
    columns = [_firsts(calls, one) for one in calls.results.values()]
    names = [*map(str, calls.points), *([say("calls.first_later")] if calls.capped else [])]
    rows = []
    last = max(
        (place for counts in columns for place in range(len(names)) if counts[place]), default=0
    )
    for place, name in enumerate([*names, say("calls.first_never")]):
        if last < place < len(names):
            continue  # no task of any system found evidence so late
        cells = []
        for counts in columns:
            total = sum(counts)
            share = texts.percent(counts[place] / total) if total else "–"
            cells.append(say("calls.first_share", count=f"{counts[place]:,}", share=share))
        rows.append((name, *cells))
    key = "calls.first_caption" if calls.k is None else "calls.first_caption_k"
    values: dict[str, object] = {} if calls.k is None else {"k": calls.k}
    most = texts.count("count.queries", max(map(sum, columns)))
    headings = (say("calls.call"), *calls.traces)
    caption = Prose((say(key, tasks=most, **values),))
    return [Heading(say("calls.first_title")), caption, Table(headings, tuple(rows))]


def _firsts(calls: _Calls, results: Results) -> list[int]:
    """Returns the tasks whose first evidence came with each call, then later, then never.

    A task has evidence once its recall is above 0.
    """
    names = [
        *map(calls.recall, calls.points),
        *([calls.cut("task_recall")] if calls.capped else []),
    ]
    columns = [results.column(name) for name in names]
    known = sum(not math.isnan(one) for one in columns[-1])
    found = [0, *(sum(one > 0 for one in column) for column in columns)]
    return [*(after - before for before, after in pairwise(found)), known - found[-1]]
