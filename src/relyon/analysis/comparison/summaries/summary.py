"""A comparison as the comment of a pull request: the verdict first, then what it rests on."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from relyon import _native
from relyon.analysis.comparison.contrast import Contrast
from relyon.analysis.comparison.contrast_parts import contrast_label, decimals, is_pooled
from relyon.analysis.comparison.contrast_tables import FEW, extremes
from relyon.analysis.comparison.legend import legend
from relyon.analysis.comparison.summaries.parts import (
    Gate,
    broken_down,
    decision_blocks,
    difference,
    margin_points,
    noise_floors,
)
from relyon.core.document.github import LONGEST, Command, Folded, Quoted, render_comment
from relyon.core.document.model import Block, Cell, Document, Lines, Points, Table
from relyon.core.document.terminal import cut
from relyon.core.notes import Note, gathered_notes
from relyon.core.texts import PAGE, Catalogue, Language, catalogue
from relyon.measures.display_names import convention_line

if TYPE_CHECKING:
    from relyon.analysis.comparison.paired_runs import PairedRuns

__all__ = ["Commands", "Gate", "comparison_summary", "summary_document"]

#: How many queries of each side are listed.
SHOWN = 5
#: Texts of queries are cut to this many terminal columns, names in tables to the second.
WIDEST, NAME = 120, 60
#: The most candidates in the table.
MOST = 30
SIGNS = {
    "worse": "❌",
    "cannot-tell": "⚠️",
    "few": "⚠️",
    "few-clusters": "⚠️",
    "no-difference": "➖",
    "unchanged": "➖",
}
PASSED, FAILED, NOTHING = "✅", "❌", "➖"
#: The states of a contrast, the most serious first.
ORDER = (
    *("worse", "cannot-tell", "few", "few-clusters", "no-difference"),
    *("unchanged", "equal", "not-worse", "better", "described"),
)


@dataclass(frozen=True)
class Commands:
    """Commands that a reader can run.

    Attributes:
        compare: Makes the comparison.
        explain: Returns what explains a query, given the place of the candidate among the runs,
            the query, and the measure; empty if nothing can be explained.
    """

    compare: str = ""
    explain: Callable[[int, str, str], str] | None = None


def comparison_summary(
    comparison: PairedRuns,
    notes: Sequence[Note],
    *,
    gate: Gate | None = None,
    commands: Commands | None = None,
    title: str = "",
    language: Language = "en",
) -> str:
    """Returns the summary as Markdown of GitHub and GitLab.

    Args:
        comparison: The comparison.
        notes: Its notes.
        gate: What was checked; without it the first tested measure comes first.
        commands: Commands that a reader can run.
        title: What is compared, if a repository has several gates.
        language: `en` or `zh`.
    """
    words = catalogue("summary", language, PAGE)
    found = summary_document(
        comparison, notes, gate=gate, commands=commands, title=title, language=language
    )
    return render_comment(found, cut=words.say("cut", longest=LONGEST))


def summary_document(
    comparison: PairedRuns,
    notes: Sequence[Note],
    *,
    gate: Gate | None = None,
    commands: Commands | None = None,
    title: str = "",
    language: Language = "en",
) -> Document:
    """Returns the content of `comparison_summary`, whose arguments are the same."""
    return _Summary(comparison, notes, gate, commands or Commands(), title, language).document()


class _Summary:
    def __init__(
        self,
        comparison: PairedRuns,
        notes: Sequence[Note],
        gate: Gate | None,
        commands: Commands,
        title: str,
        language: Language,
    ) -> None:
        self.comparison = comparison
        self.notes = notes
        self.gate = gate
        self.commands = commands
        self.title = title
        self.language = language
        self.words: Catalogue = catalogue("summary", language, PAGE)
        self.several = len(comparison.candidates) > 1

    def document(self) -> Document:
        told = self._told()
        lines = [self._line(one) for one in told]
        head = lines[0] if lines else self.words["no_gate"]
        if told and self.gate is not None and self.gate.reasons:
            fine = SIGNS.get(self._state(told[0]), PASSED) in {PASSED, NOTHING}
            head = self.words.say("fails", line=head) if fine else head
        if self.title:
            head = self.words.say("titled", title=self.title, line=head)
        blocks = [
            *([Points([self._signed(one) for one in told[1:]])] if told[1:] else []),
            *decision_blocks(self.comparison, self.gate, self._shown(told), self.language),
            *self._gate(told),
            *self._warnings(),
            self._table(),
            *margin_points(told, self.comparison, self.language),
            *broken_down(self.comparison, self._shown(told), self.language),
            *self._queries(told),
            *noise_floors(self.comparison, self._shown(told), self.language),
            *self._details(),
            *self._locally(told),
            Lines([self.words.say("made_by", version=_native.__version__)]),
        ]
        return Document(blocks, f"{self._sign(told)} {head}")

    # -- verdicts ------------------------------------------------------------------------------

    def _told(self) -> list[Contrast]:
        """Returns the contrasts of the gate, or those of the first measure, the worst first."""
        comparison = self.comparison
        names = [] if self.gate is None else list(self.gate.measures)
        first = comparison.candidates[0]
        measures = {comparison.contrast(first, name).measure for name in names}
        told = measures or {comparison.focus}
        found = [one for one in comparison.contrasts if one.measure in told and one.tested]
        return sorted(found, key=lambda one: ORDER.index(self._state(one)))

    def _sign(self, told: Sequence[Contrast]) -> str:
        """Returns the sign of the whole: a gate that passes may have found no difference."""
        if self.gate is not None and self.gate.reasons:
            return FAILED
        sign = SIGNS.get(self._state(told[0]), PASSED) if told else NOTHING
        return PASSED if sign == NOTHING and self.gate is not None else sign

    def _shown(self, told: Sequence[Contrast]) -> list[str]:
        """Returns the candidates of which there is more than a row, the worst first."""
        found = dict.fromkeys(one.candidate for one in told)
        return list(found or dict.fromkeys(self.comparison.candidates))[:FEW]

    def _margin(self, one: Contrast) -> float | None:
        return None if one.margin is None else one.margin.size

    def _state(self, one: Contrast) -> str:
        """Returns the verdict, and why nothing can be concluded."""
        if one.verdict != "undecided":
            return one.verdict
        if one.few:
            return "few-clusters" if one.in_clusters else "few"
        if not one.changed and one.difference == 0:
            return "unchanged"
        return "no-difference" if self._margin(one) is None else "cannot-tell"

    def _line(self, one: Contrast) -> str:
        margin = self._margin(one)
        places = decimals(one)
        values = {
            "verdict": self.words.name("verdict", self._state(one)),
            "measure": contrast_label(one),
            "before": PAGE.number(one.baseline_mean, places),
            "after": PAGE.number(one.candidate_mean, places),
            "difference": difference(one),
        }
        if margin is None:
            line = self.words.say("line", **values)
        else:
            line = self.words.say("line_margin", **values, margin=f"{margin:.4g}")
        if not self.several:
            return line
        return self.words.say("of_candidate", candidate=one.candidate, line=line)

    def _signed(self, one: Contrast) -> str:
        return f"{SIGNS.get(self._state(one), PASSED)} {self._line(one)}"

    def _gate(self, told: Sequence[Contrast]) -> Iterator[Block]:
        """Yields why the gate fails, or what it checked and cannot show."""
        if self.gate is None:
            yield Lines([self.words["no_gate"]])
            return
        if self.gate.reasons:
            yield Quoted([self.words.say("failed", reason=one) for one in self.gate.reasons])
            if self.gate.advice:
                yield Points(list(self.gate.advice))
            return
        lines = [self.words.say("passed", measures=list(self.gate.measures))]
        lines += [
            self.words.say(
                "no_proof",
                measure=contrast_label(one),
                queries=one.queries,
                detectable=PAGE.number(one.detectable, decimals(one)),
            )
            for one in told
            if self._state(one) == "no-difference" and not math.isnan(one.detectable)
        ]
        yield Lines(list(dict.fromkeys(lines)))

    # -- tables --------------------------------------------------------------------------------

    def _table(self) -> Table:
        margins = any(self._margin(one) is not None for one in self.comparison.contrasts)
        run = ["run"] if self.several else []
        p = "corrected" if self.comparison.corrected else "p"
        keys = ["measure", *run, "verdict", "before", "after", "difference", p]
        keys += ["margin"] if margins else []
        shown = self.comparison.candidates[:MOST]
        rows = []
        for measure in self.comparison.measures:
            for one in self.comparison.contrasts:
                if one.measure == measure and one.candidate in shown:
                    rows.append(self._row(one, keys))
        more = len(self.comparison.candidates) - len(shown)
        notes = [self.words.say("more_columns", count=more)] if more else []
        left = keys.index("before")
        return Table(self.words.names("column", keys), rows, self._sides(), left, notes=notes)

    def _sides(self) -> str:
        if self.several:
            return ""
        queries = max((one.queries for one in self.comparison.contrasts), default=0)
        sides = {"baseline": self.comparison.baseline, "candidate": self.comparison.candidates[0]}
        held = [one.clusters.count for one in self.comparison.contrasts if one.clusters]
        if held and max(held) < queries:
            return self.words.say("sides_clusters", **sides, queries=queries, clusters=max(held))
        return self.words.say("sides", **sides, queries=queries)

    def _row(self, one: Contrast, keys: Sequence[str]) -> list[Cell | str]:
        places, margin = decimals(one), self._margin(one)
        state = self._state(one)
        verdict = self.words.name("verdict", state) if one.tested else ""
        cells: dict[str, Cell | str] = {
            "measure": contrast_label(one),
            "run": cut(one.candidate, NAME),
            "before": PAGE.number(one.baseline_mean, places),
            "after": PAGE.number(one.candidate_mean, places),
            "difference": difference(one),
            "p": PAGE.p_value(one.p) if one.tested else "",
            "corrected": PAGE.p_value(one.p_adjusted) if one.tested else "",
            "margin": "" if margin is None else f"{margin:.4g}",
            "verdict": f"{SIGNS.get(state, PASSED)} {verdict}" if one.tested else "",
        }
        return [cells[key] for key in keys]

    def _queries(self, told: Sequence[Contrast]) -> Iterator[Block]:
        """Yields the queries that lost most, and behind a click those that gained."""
        contrasts: list[Contrast] = []
        for one in told:
            if not is_pooled(one) and one.candidate not in {other.candidate for other in contrasts}:
                contrasts.append(one)
        gained: list[Table] = []
        for one in contrasts[:FEW]:
            better, worse = self._changes(one)
            if worse:
                yield self._query_table(one, worse, "lost")
            if better:
                gained.append(self._query_table(one, better, "gained"))
        for table in gained:
            yield Folded(table.caption, [Table(table.headings, table.rows)])
        if len(contrasts) > FEW:
            yield Lines([self.words.say("not_shown", runs=len(contrasts) - FEW)])

    def _changes(self, one: Contrast) -> tuple[list[tuple[str, float]], list[tuple[str, float]]]:
        """Returns the queries that gained and lost most; equal ones in the order of their ids."""
        better, worse = extremes(self.comparison, one.candidate, one.measure, one.queries)
        moved = self.comparison.influences(one.candidate, one.measure)
        worse.sort(key=lambda item: (-abs(moved[item[0]]), item[0]))
        return better[:SHOWN], worse[:SHOWN]

    def _query_table(self, one: Contrast, queries: Sequence[tuple[str, float]], side: str) -> Table:
        values = {"candidate": one.candidate, "measure": contrast_label(one)}
        texts = self.comparison.query_texts or {}
        both = self.comparison.own_values(one.candidate, one.measure)
        places = decimals(one)
        rows: list[list[Cell | str]] = []
        for query, change in queries:
            before, after = both[query]
            text = texts.get(query, query)
            title = "" if text == query else cut(" ".join(text.split()), WIDEST)
            numbers = (PAGE.number(before, places), PAGE.number(after, places))
            rows.append(
                [Cell(cut(query, NAME), title=title), *numbers, PAGE.signed(change, places)]
            )
        headings = self.words.names("column", ("query", "before", "after", "difference"))
        caption = self.words.say(f"{side}_of" if self.several else f"{side}_most", **values)
        return Table(headings, rows, caption)

    # -- notes and commands --------------------------------------------------------------------

    def _notes(self, level: str) -> list[str]:
        return [
            note.text(self.language, others)
            for note, others in gathered_notes(self.notes)
            if note.level == level
        ]

    def _warnings(self) -> Iterator[Block]:
        warnings = self._notes("warning")
        if warnings:
            yield Points([f"⚠️ {text}" for text in warnings])

    def _details(self) -> Iterator[Block]:
        notes = self._notes("info")
        if notes:
            yield Folded(self.words.say("notes", count=len(notes)), [Points(notes)])
        level = PAGE.percent(self.comparison.settings.confidence)
        rule = legend(self.comparison, self.language, verdicts="words")
        rule = rule.translate(str.maketrans("▲▼·", PASSED + FAILED + NOTHING))
        lines = [self.words.say("reading", level=level, rule=rule)]
        if self.comparison.convention is not None:
            lines.append(
                convention_line(
                    self.comparison.convention,
                    self.comparison.measures,
                    definitions=self.comparison.definitions,
                    language=self.language,
                )
            )
        yield Folded(self.words["legend"], [Lines(lines)])

    def _locally(self, told: Sequence[Contrast]) -> Iterator[Block]:
        blocks: list[Block] = []
        worst = self._worst(told)
        if worst and self.commands.explain is not None:
            one, query = worst
            place = self.comparison.runs.index(one.candidate)
            command = self.commands.explain(place, query, one.measure)
            if command:
                said = self.words.say("explain", query=query)
                blocks += [Lines([said]), Command(command)]
        if self.commands.compare:
            blocks += [Lines([self.words["compare"]]), Command(self.commands.compare)]
        if blocks:
            yield Folded(self.words["locally"], blocks)

    def _worst(self, told: Sequence[Contrast]) -> tuple[Contrast, str] | None:
        for one in told:
            worse = [] if is_pooled(one) else self._changes(one)[1]
            if worse:
                return one, worse[0][0]
        return None
