"""The queries that lost and gained the most: what moved, and both derivations side by side."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING

from relyon.analysis.comparison.contrast import gain_sign
from relyon.analysis.explanation import Change, Explanation, explain_change
from relyon.core.document.quoted_ids import asked
from relyon.core.texts import translate
from relyon.data.convention import Convention
from relyon.report.catalogue import Catalogue
from relyon.report.number_formats import MARKS, number, signed
from relyon.report.page import Block, Cell, Columns, Details, Heading, Prose, Table, Tone

if TYPE_CHECKING:
    from relyon.analysis.comparison import Comparison
    from relyon.data.ranking import RankedDocument
    from relyon.io.descriptions import Descriptions

__all__ = ["Drilldown", "document_cell", "has_lists"]

MOST_MOVES = 12
MOST_RANKS = 20
MOST_MISSED = 5
MOST_PAIRS = 5


def has_lists(comparison: Comparison) -> bool:
    """Returns whether there are judgments and runs, not only per-query values."""
    return comparison.judgments is not None


@dataclass(frozen=True)
class Drilldown:
    """One candidate's queries by one measure.

    Attributes:
        comparison: Where they come from.
        candidate: Its name.
        measure: The measure's name.
        texts: The language.
        queries: Query texts by id.
        titles: Document titles; `None` if not requested.
    """

    comparison: Comparison
    candidate: str
    measure: str
    texts: Catalogue
    queries: Mapping[str, str] = field(default_factory=dict)
    titles: Descriptions | None = None

    def blocks(
        self, lost: Mapping[str, float], gained: Mapping[str, float], names: Mapping[str, str]
    ) -> list[Block]:
        """Returns the queries under two headings.

        Args:
            lost: Differences of the queries that lost the most.
            gained: Differences of the queries that gained the most.
            names: Anchors of the queries.
        """
        changes = self._changes([*lost, *gained])
        blocks: list[Block] = []
        for side, queries in (("lost", lost), ("gained", gained)):
            blocks.append(Heading(self.texts.say(f"drill.{side}", candidate=self.candidate)))
            if not queries:
                blocks.append(Prose((self.texts.say(f"drill.none_{side}"),)))
            blocks += [
                self._query(query, delta, names[query], changes.get(query))
                for query, delta in queries.items()
            ]
        return blocks

    def _changes(self, queries: Sequence[str]) -> dict[str, Change]:
        """Returns the changes in each query; titles are looked up for all at once."""
        if not has_lists(self.comparison):
            return {}
        found = {query: self._change(query) for query in queries}
        if self.titles is None:
            return found
        self.titles.find(document for one in found.values() for document in one.documents)
        return {query: one.described(document_titles=self.titles) for query, one in found.items()}

    @cached_property
    def _values(self) -> list[dict[str, float]]:
        """The measure by query, of the baseline and of the candidate; means over repeated runs."""
        if self.comparison.systems:
            both = self.comparison.own_values(self.candidate, self.measure)
            return [{query: pair[side] for query, pair in both.items()} for side in (0, 1)]
        return [
            one.values_by_query(self.measure)
            for one in self.comparison.results
            if one.run in {self.comparison.baseline, self.candidate}
        ]

    def _query(self, query: str, delta: float, name: str, change: Change | None) -> Details:
        tone = self._tone(delta)
        values = [number(one.get(query, math.nan)) for one in self._values]
        shown = f"{' → '.join(values)} ({signed(delta)})" if values else signed(delta)
        return Details(
            summary=asked(query, self.queries),
            blocks=() if change is None else self._derivation(change),
            name=name,
            tone=tone,
            mark=MARKS[tone],
            value=shown,
        )

    def _tone(self, difference: float) -> Tone:
        return "better" if gain_sign(self.measure) * difference > 0 else "worse"

    def _change(self, query: str) -> Change:
        rules = self._rules.one_order()  # a mean over orders has no derivation, one of them has
        return explain_change(
            self.comparison.judgments,
            self.comparison.lists(self.comparison.baseline),
            self.comparison.lists(self.candidate),
            query,
            self.measure,
            convention=rules,
            scale=self.comparison.scale,
            names=(self.comparison.baseline, self.candidate),
        )

    @property
    def _rules(self) -> Convention:
        convention = self.comparison.convention
        return convention if convention is not None else Convention()

    def _derivation(self, change: Change) -> tuple[Block, ...]:
        blocks = [*self._one_order(), *self._moves(change)]
        sides = zip(change.names, (change.before, change.after), strict=True)
        blocks.append(Columns(tuple(tuple(self._list(name, one)) for name, one in sides)))
        return tuple(blocks)

    def _one_order(self) -> list[Block]:
        if self._rules.ties != "expected":
            return []
        return [Prose((self.texts.say("drill.one_order"),))]

    def _place_in(self, change: Change, run: str) -> str:
        """Returns the heading of the places of documents in a run."""
        return self.texts.say("drill.rank_in", run=run)

    def _moves(self, change: Change) -> list[Block]:
        say = self.texts.say
        if not change.moves:
            return [Prose((say("drill.nothing_moved"),))]
        headings = [
            say("drill.document"),
            say("drill.grade"),
            *(self._place_in(change, name) for name in change.names),
        ]
        rows: list[tuple[Cell | str, ...]] = []
        for move in change.moves[:MOST_MOVES]:
            row: list[Cell | str] = [
                document_cell(move.document, change.titles),
                self._grade(change.before, move.grade),
                self._rank(move.before),
                self._rank(move.after),
            ]
            if change.additive:
                tone = self._tone(move.change)
                row.append(Cell(signed(move.change), tone, MARKS[tone]))
            rows.append(tuple(row))
        if change.additive:
            headings.append(say("drill.effect"))
            rest = math.fsum(move.change for move in change.moves[MOST_MOVES:])
            left = len(change.moves) - MOST_MOVES
            if left > 0:
                more = self.texts.count("drill.more", left)
                rows.append((more, "", "", "", signed(rest)))
            rows.append((say("drill.total"), "", "", "", signed(change.difference)))
        strong = frozenset({len(rows) - 1}) if change.additive else frozenset()
        return [Table(tuple(headings), tuple(rows), say("drill.moves"), strong=strong)]

    def _rank(self, rank: int | None) -> str:
        return self.texts.say("drill.absent") if rank is None else f"{rank:,}"

    def _grade(self, one: Explanation, grade: float | None) -> str:
        if grade is None:
            return self.texts.say("drill.unjudged")
        if one.scale is not None and one.scale.levels:
            return f"{one.scale.label(grade, self.texts.language)} ({grade:g})"
        return f"{grade:g}"

    def _heading(self, name: str) -> str:
        # User-defined measures have their own headings.
        key = f"heading.{name}"
        return self.texts.say(key) if key in self.texts else name

    def _list(self, name: str, one: Explanation) -> list[Block]:
        say = self.texts.say
        undefined = say("drill.undefined", reason=translate(one.undefined, self.texts.language))
        value = undefined if one.undefined else number(one.value)
        caption = say("drill.derivation", run=name, value=value)
        if not one.steps:
            empty = say("drill.empty") if not one.retrieved else say("drill.no_steps")
            return [Prose((caption, *([] if one.undefined else [empty])))]
        headings = (
            say("drill.rank"),
            say("drill.document"),
            say("drill.grade"),
            *map(self._heading, one.measure.headings),
            say("drill.contribution"),
            say("drill.running"),
        )
        rows: list[tuple[Cell | str, ...]] = [
            (
                f"{step.rank:,}",
                document_cell(step.document, one.titles),
                self._grade(one, step.grade),
                _short(step.gain),
                _short(step.discount),
                number(step.contribution),
                number(step.total),
            )
            for step in one.steps[:MOST_RANKS]
        ]
        strong = frozenset(
            place for place, step in enumerate(one.steps[:MOST_RANKS]) if step.contribution
        )
        blocks: list[Block] = [Table(headings, tuple(rows), caption, left=3, strong=strong)]
        if len(one.steps) > MOST_RANKS:
            left = len(one.steps) - MOST_RANKS
            blocks.append(Prose((self.texts.count("drill.further", left),)))
        if one.formula:
            blocks.append(Prose((translate(one.formula, self.texts.language),)))
        return [*blocks, *self._missed(one), *self._inverted(one)]

    def _missed(self, one: Explanation) -> list[Block]:
        """Returns the relevant documents missing from the counted ranks, best grades first."""
        if not one.missed:
            return []
        say = self.texts.say
        headings = (say("drill.document"), say("drill.grade"), say("drill.rank"))
        rows: list[tuple[Cell | str, ...]] = [
            (
                document_cell(missed.document, one.titles),
                self._grade(one, missed.grade),
                self._rank(missed.ranked),
            )
            for missed in one.missed[:MOST_MISSED]
        ]
        left = len(one.missed) - len(rows)
        if left:
            rows.append((self.texts.count("drill.more", left), "", ""))
        caption = self.texts.count("drill.missed", len(one.missed))
        return [Table(headings, tuple(rows), caption, left=2)]

    def _inverted(self, one: Explanation) -> list[Block]:
        """Returns the costliest pairs in the wrong order."""
        if not one.inversions:
            return []
        say = self.texts.say
        rows: list[tuple[Cell | str, ...]] = [
            (self._ranked(one, pair.above), self._ranked(one, pair.below), f"{pair.cost:g}")
            for pair in one.inversions[:MOST_PAIRS]
        ]
        left = one.inverted - len(rows)
        if left:
            rows.append((self.texts.count("drill.more_pairs", left), "", ""))
        caption = self.texts.count("drill.inverted", one.inverted)
        headings = (say("drill.above"), say("drill.below"), say("drill.cost"))
        return [Table(headings, tuple(rows), caption, left=2)]

    def _ranked(self, one: Explanation, entry: RankedDocument) -> Cell:
        found = document_cell(entry.document, one.titles)
        text = f"{entry.rank:,}. {entry.document} · {self._grade(one, entry.grade)}"
        return Cell(text, title=found.title if isinstance(found, Cell) else "")


def document_cell(document: str, titles: Mapping[str, str] | None) -> Cell | str:
    """Returns the id of a document, with its title if that is known."""
    title = (titles or {}).get(document, document)
    return Cell(document, title=title) if title != document else document or "–"


def _short(value: float) -> str:
    return f"{value:.0f}" if math.isfinite(value) and value == int(value) else number(value)
