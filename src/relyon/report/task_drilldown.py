"""The tasks that lost and gained the most, call by call, for both systems."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

from relyon.analysis.explanation import Change, Explanation
from relyon.analysis.explanation.tasks import ExplainedCall, ExplainedResult, TaskExplanation
from relyon.core.texts import PAGE, catalogue, translate
from relyon.data.run import Run
from relyon.report.drilldown import Drilldown, document_cell
from relyon.report.number_formats import number
from relyon.report.page import Block, Cell, Columns, Heading, Prose, Table

if TYPE_CHECKING:
    from relyon.core.texts import Catalogue

__all__ = ["TaskDrilldown"]

#: Calls of a task that are shown, and results of each of them.
MOST_CALLS = 10
MOST_RESULTS = 10
#: Characters of the text that was sent: a program may send a whole document.
MOST_TEXT = 500
HEADINGS = ("document", "rank", "grade", "seen", "read")


def _sent(query: str) -> str:
    """Returns the text of a call as it is shown."""
    return query if len(query) <= MOST_TEXT else query[: MOST_TEXT - 1] + "…"


@dataclass(frozen=True)
class TaskDrilldown(Drilldown):
    """One candidate's tasks by one measure: what was sent, returned and read, call by call."""

    @property
    def _words(self) -> Catalogue:
        return catalogue("tables", self.texts.language, PAGE)

    def _place_in(self, change: Change, run: str) -> str:
        key = "calls.call_in" if change.of_task else "drill.rank_in"
        return self.texts.say(key, run=run)

    def _derivation(self, change: Change) -> tuple[Block, ...]:
        before, after = change.before, change.after
        if not isinstance(before, TaskExplanation) or not isinstance(after, TaskExplanation):
            return (*self._alone(change), *super()._derivation(change))
        sides = list(zip(change.names, (before, after), strict=True))
        return (
            *self._one_order(),
            *self._moves(change),
            *self._overview(sides),
            Columns(tuple(tuple(self._side(name, one)) for name, one in sides)),
        )

    def _alone(self, change: Change) -> list[Block]:
        """Returns the text that each system sent, if it has one call."""
        said = []
        for name in change.names:
            lists = self.comparison.lists(name)
            calls = () if isinstance(lists, Run) or change.query not in lists else lists.calls(
                change.query
            )  # fmt: skip
            said += [
                self.texts.say("calls.alone", run=name, query=_sent(one.query))
                for one in calls
                if one.query
            ]
        return [Prose(tuple(said))] if said else []

    def _overview(self, sides: list[tuple[str, TaskExplanation]]) -> list[Block]:
        """Returns the text of each call and the value after it, both systems side by side."""
        say = self.texts.say
        count = max(len(one.calls) for _, one in sides)
        if not count:
            return []
        headings = (say("calls.call"), *(name for name, _ in sides))
        rows: list[tuple[Cell | str, ...]] = []
        for place in range(min(count, MOST_CALLS)):
            calls = [one.calls[place] if place < len(one.calls) else None for _, one in sides]
            cells = [
                Cell("–") if call is None else Cell(number(call.value), title=_sent(call.query))
                for call in calls
            ]
            rows.append((f"{place + 1}", *cells))
        return [Table(headings, tuple(rows), say("calls.side_by_side"))]

    def _side(self, name: str, one: TaskExplanation) -> list[Block]:
        """Returns the calls of one system, its value, and what it missed."""
        say = self.texts.say
        undefined = say("drill.undefined", reason=translate(one.undefined, self.texts.language))
        value = undefined if one.undefined else number(one.value)
        blocks: list[Block] = [Heading(say("drill.derivation", run=name, value=value))]
        if not one.calls:
            blocks.append(Prose((self._words["task.without"],)))
        for call in one.calls[:MOST_CALLS]:
            blocks += self._call(call, one)
        left = len(one.calls) - MOST_CALLS
        if left > 0:
            blocks.append(Prose((self.texts.count("calls.more_calls", left),)))
        if one.formula:
            blocks.append(Prose((translate(one.formula, self.texts.language),)))
        return [*blocks, *self._missed(one)]

    def _call(self, call: ExplainedCall, one: TaskExplanation) -> list[Block]:
        """Returns the results of a call, with what it cost and the value after it."""
        words, say = self._words, self.texts.say
        caption = words.say("task.call", call=call.call)
        if call.query:
            caption += say("list.colon") + _sent(call.query)
        parts = [words.say("task.results", count=call.returned, new=call.new)]
        if not math.isnan(call.tokens):
            parts.append(words.say("task.tokens", count=round(call.tokens)))
        if not math.isnan(call.seconds):
            parts.append(words.say("task.seconds", count=call.seconds))
        after = words.say("task.after", call=call.call, value=number(call.value))
        line = say("list.semicolon").join([say("list.clause").join(parts), after])
        blocks: list[Block] = [Prose((caption, line))]
        if not call.results:
            return blocks
        additive, reads = one.measure.is_additive, any(each.recorded for each in one.calls)
        headings = words.names("column", HEADINGS if reads else HEADINGS[:-1])
        if additive:
            headings.append(say("drill.contribution"))
        rows = [
            self._result(call, one, entry, additive, reads) for entry in call.results[:MOST_RESULTS]
        ]
        strong = frozenset(
            place for place, entry in enumerate(call.results[:MOST_RESULTS]) if entry.contribution
        )
        left = len(call.results) - MOST_RESULTS
        if left > 0:
            more = self.texts.count("calls.more_results", left)
            rows.append((more, *[""] * (len(headings) - 1)))
        return [*blocks, Table(tuple(headings), tuple(rows), strong=strong)]

    def _result(
        self,
        call: ExplainedCall,
        one: Explanation,
        entry: ExplainedResult,
        additive: bool,
        reads: bool,
    ) -> tuple[Cell | str, ...]:
        words = self._words
        new = entry.first == call.call
        seen = words["task.new"] if new else words.say("task.call_number", call=entry.first)
        read = words["task.read"] if entry.read else "–"
        adds = "–" if entry.contribution is None else number(entry.contribution)
        return (
            document_cell(entry.document, one.titles),
            "–" if entry.rank is None else f"{entry.rank:,}",
            self._grade(one, entry.grade),
            seen,
            *([read if call.recorded else ""] if reads else []),
            *([adds] if additive else []),
        )
