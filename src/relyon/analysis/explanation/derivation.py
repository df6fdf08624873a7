"""The derivation of one number: what each rank added, and the ideal list."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, replace
from typing import TYPE_CHECKING, ClassVar

from relyon.analysis.explanation.discrepancy import Discrepancy
from relyon.analysis.explanation.json_values import plain
from relyon.analysis.explanation.parts import (
    IdealStep,
    Missed,
    pair_values,
    rank_in_run,
    rows_left,
    shown_numbers,
    title_of,
    with_titles,
)
from relyon.analysis.explanation.subject import Subject
from relyon.core.document.exportable import Exportable
from relyon.core.document.model import Block, Document, Lines, Table
from relyon.core.document.quoted_ids import quoted
from relyon.core.texts import Language, Message, catalogue, translate
from relyon.core.texts.numbers import TERMINAL
from relyon.data.convention import Convention
from relyon.data.ranking import Ranking
from relyon.data.scale import Scale
from relyon.io.descriptions import described
from relyon.measures.definition import Measure, Step
from relyon.measures.inversions import Inversion

if TYPE_CHECKING:
    import polars

__all__ = ["Explanation", "derive"]

LIMIT = 10
IDEAL_HEADINGS = ("rank", "document", "grade", "gain", "adds", "in_the_run")
MISSED_HEADINGS = ("document", "grade", "in_the_run")
PAIR_HEADINGS = (
    *("rank", "above", "grade", "score"),
    *("rank", "below", "grade", "score"),
    "cost",
)


@dataclass(frozen=True)
class Explanation(Exportable):
    """The derivation of one query's value of one measure.

    Attributes:
        query: The query's id.
        measure: The measure with all parameters filled in.
        value: Its value, NaN if undefined.
        steps: The contribution of each rank; the last total is the value.
        undefined: Why there is no value, or an empty string.
        judged: Judged documents of the query.
        retrieved: Documents of the ranked list.
        convention: The rules.
        scale: The grade scale, if the judgments have one.
        name: The measure as requested.
        expanded_formula: The formula with its numbers, such as ``13 / 2 = 6.5``.
        ideal: The ideal list, as far as it has gain; empty for measures without one.
        missed: Relevant documents missing from the counted ranks, best grades first, for measures
            that divide by all relevant documents.
        inversions: Pairs in the wrong order, for PNR, concordance, AUC and GAUC: the largest
            difference of grades first, among equal ones the largest distance in rank; at most
            `limit` of them.
        inverted: Their total number.
        scores: The run's score of each retrieved document, best ranked first.
        grades: The grade of each judged document.
        against: The query's value under another convention, if one was named.
        names_in: The language of the names of grades in the judgments, `None` for numbers.
        limit: Rows per table in `str` and `to_markdown`, except for the derivation.
        query_text: The query's text, empty if unknown; `None` if not requested.
        titles: Titles of documents by their ids, as far as they are known; `None` if
            they were not requested.
    """

    _title_key: ClassVar[str] = "title"
    query: str
    measure: Measure
    value: float
    steps: tuple[Step, ...]
    undefined: str
    judged: int
    retrieved: int
    convention: Convention
    scale: Scale | None = None
    name: str = ""
    expanded_formula: str = ""
    ideal: tuple[IdealStep, ...] = ()
    missed: tuple[Missed, ...] = ()
    inversions: tuple[Inversion, ...] = ()
    inverted: int = 0
    scores: Mapping[str, float] | None = None
    grades: Mapping[str, float] = field(default_factory=dict)
    against: Discrepancy | None = None
    limit: int = LIMIT
    names_in: Language | None = None
    query_text: str | None = None
    titles: Mapping[str, str] | None = None

    @property
    def documents(self) -> tuple[str, ...]:
        """The documents that its tables name."""
        found = [
            *(step.document for step in self.steps),
            *(step.document for step in self.ideal),
            *(one.document for one in self.missed),
            *(one.document for pair in self.inversions for one in (pair.above, pair.below)),
        ]
        return tuple(filter(None, dict.fromkeys(found)))

    @property
    def headings(self) -> tuple[str, ...]:
        """Names of the columns of `rows`."""
        return self._headings("en")

    def _headings(self, language: Language) -> tuple[str, ...]:
        words = catalogue("tables", language)
        first = ["rank", "document", *(["score"] if self.scores is not None else []), "grade"]
        own = [translate(one, language) for one in self.measure.headings]
        last = [*(["adds"] if self.measure.is_additive else []), "total"]
        return (*words.names("column", first), *own, *words.names("column", last))

    def grade_label(self, grade: float | None, language: Language = "en") -> str:
        """Returns a grade as text, with its name in a language if the scale has one."""
        if grade is None:
            return "-"
        if self.scale is not None and self.scale.levels:
            return f"{self.scale.label(grade, self.names_in or language)} ({grade:g})"
        return f"{grade:g}"

    def rows(self, language: Language = "en") -> list[tuple[str, ...]]:
        """The steps as text."""
        gains = shown_numbers([step.gain for step in self.steps])
        discounts = shown_numbers([step.discount for step in self.steps])
        rows = []
        for step, gain, discount in zip(self.steps, gains, discounts, strict=True):
            score: tuple[str, ...] = ()
            if self.scores is not None:
                found = self.scores.get(step.document)
                score = ("-" if found is None else f"{found:.5g}",)
            rows.append(
                (
                    str(step.rank),
                    step.document or "-",
                    *score,
                    self.grade_label(step.grade, language),
                    gain,
                    discount,
                    *((TERMINAL.number(step.contribution),) if self.measure.is_additive else ()),
                    TERMINAL.number(step.total),
                )
            )
        return rows

    def ideal_rows(self, language: Language = "en") -> list[tuple[str, ...]]:
        """The ideal list as text: rank, document, grade, gain, contribution, rank in the run."""
        gains = shown_numbers([step.gain for step in self.ideal])
        return [
            (
                str(step.rank),
                step.document,
                self.grade_label(step.grade, language),
                gain,
                TERMINAL.number(step.contribution),
                rank_in_run(step.ranked, language),
            )
            for step, gain in zip(self.ideal, gains, strict=True)
        ]

    def missed_rows(self, language: Language = "en") -> list[tuple[str, ...]]:
        """The missed documents as text: document, grade, rank in the run."""
        return [
            (one.document, self.grade_label(one.grade, language), rank_in_run(one.ranked, language))
            for one in self.missed
        ]

    def inversion_rows(self) -> list[tuple[str, ...]]:
        """The inverted pairs as text: rank, document, grade and score of both, and the cost."""
        rows = []
        for pair in self.inversions:
            cells: list[str] = []
            for entry in (pair.above, pair.below):
                grade = "-" if entry.grade is None else f"{entry.grade:g}"
                cells += [str(entry.rank), entry.document, grade, f"{entry.score:.5g}"]
            rows.append((*cells, f"{pair.cost:g}"))
        return rows

    @property
    def title(self) -> str:
        """The measure and its formula, with the value below."""
        return self._title("en")

    @property
    def _spoken(self) -> str:
        """The name of the measure in the title."""
        return self.measure.name

    def _title(self, language: Language) -> str:
        words = catalogue("tables", language)
        value = (
            TERMINAL.number(self.value, 10).rstrip("0").rstrip(".")
            if math.isfinite(self.value)
            else ""
        )
        shown = value or TERMINAL.number(self.value)
        if self.undefined:
            reason = translate(self.undefined, language)
            shown = words.say("explanation.undefined", reason=reason)
        formula = f"  =  {self.measure.formula}" if self.measure.formula else ""
        query = quoted(self.query, {self.query: self.query_text or ""})
        values = {"measure": self._spoken, "query": query, "value": shown}
        return f"{self.measure}{formula}\n{words.say(f'explanation.{self._title_key}', **values)}"

    @property
    def formula(self) -> str:
        """The formula with its numbers, such as ``ndcg@10 = DCG 3.8928 / ideal DCG 4.7619 = …``."""
        if not self.expanded_formula:
            return ""
        values = {"name": str(self.name or self.measure), "formula": self.expanded_formula}
        return Message("{name} = {formula}", values)

    def document(self, *, language: Language = "en") -> Document:
        """Returns the tables in display order.

        Args:
            language: `en` or `zh`.
        """
        words = catalogue("tables", language)
        titles = self.titles or {}
        documents = [step.document for step in self.steps]
        rows = with_titles(self.rows(language), {1: documents}, titles)
        counts = words.say("explanation.counts", retrieved=self.retrieved, judged=self.judged)
        first = Table(self._headings(language), rows, left=0, notes=[counts], long=[1])
        blocks: list[Block] = [first if rows else Lines([counts])]
        if self.ideal:
            shown = max(self.limit, len(self.steps))
            best = [step.document for step in self.ideal]
            blocks.append(
                Table(
                    words.names("column", IDEAL_HEADINGS),
                    with_titles(self.ideal_rows(language), {1: best}, titles)[:shown],
                    words.say("explanation.ideal", count=len(self.ideal)),
                    left=0,
                    notes=rows_left(len(self.ideal) - shown, words),
                    long=[1],
                )
            )
        if self.missed:
            absent = [one.document for one in self.missed]
            blocks.append(
                Table(
                    words.names("column", MISSED_HEADINGS),
                    with_titles(self.missed_rows(language), {0: absent}, titles)[: self.limit],
                    words.say("explanation.missed", count=len(self.missed)),
                    notes=rows_left(len(self.missed) - self.limit, words),
                    long=[0],
                )
            )
        if self.inverted:
            sides = {
                1: [pair.above.document for pair in self.inversions],
                5: [pair.below.document for pair in self.inversions],
            }
            blocks.append(
                Table(
                    words.names("column", PAIR_HEADINGS),
                    with_titles(self.inversion_rows(), sides, titles),
                    words.say("explanation.inverted", count=self.inverted),
                    left=0,
                    notes=rows_left(self.inverted - len(self.inversions), words),
                    long=[1, 5],
                )
            )
        if self.formula:
            blocks.append(Lines([translate(self.formula, language)]))
        if self.against is not None:
            blocks += self.against.document(language=language).blocks
        title, *lead = self._title(language).split("\n")
        return Document(blocks, title, lead)

    def to_frame(self) -> polars.DataFrame:
        """Returns one row per rank: its contribution, and the sum up to it."""
        import polars

        scores = self.scores or {}
        rows = [
            {**plain(step), "score": scores.get(step.document)}
            | title_of(step.document, self.titles)
            for step in self.steps
        ]
        return polars.DataFrame(rows, infer_schema_length=None)

    def to_dict(self) -> dict[str, object]:
        """Returns JSON-ready values; lists are complete, except for the inverted pairs."""
        scores = self.scores or {}
        return {
            "query": self.query,
            **({} if self.query_text is None else {"query_text": self.query_text or None}),
            "name": self.name or str(self.measure),
            "measure": str(self.measure),
            "formula": self.measure.formula,
            "expanded_formula": self.expanded_formula,
            "value": self.value if math.isfinite(self.value) else None,
            "undefined": self.undefined,
            "judged": self.judged,
            "retrieved": self.retrieved,
            "headings": list(self.headings),
            "steps": [
                plain(step)
                | {
                    "label": self.grade_label(step.grade),
                    "score": scores.get(step.document),
                }
                | title_of(step.document, self.titles)
                for step in self.steps
            ],
            "ideal": [self._labelled(step) for step in self.ideal],
            "missed": [self._labelled(one) for one in self.missed],
            "inverted": self.inverted,
            "inversions": [pair_values(pair, self.titles) for pair in self.inversions],
            "against": None if self.against is None else self.against.to_dict(),
            "convention": self.convention.to_dict(),
        }

    def _labelled(self, one: IdealStep | Missed) -> dict[str, object]:
        label = {"label": self.grade_label(one.grade)}
        return plain(one) | label | title_of(one.document, self.titles)

    def described(self, query_texts: object = None, document_titles: object = None) -> Explanation:
        """Returns a copy with texts next to the ids.

        Args:
            query_texts: As for `relyon.explain`.
            document_titles: As for `relyon.explain`.
        """
        found = self
        if query_texts is not None:
            texts = described(query_texts, "query", [self.query])
            found = replace(found, query_text=texts.get(self.query, ""))
        if document_titles is not None:
            found = replace(found, titles=described(document_titles, "document", self.documents))
        return found


def derive(subject: Subject, ranking: Ranking, rules: Convention, limit: int) -> Explanation:
    """Returns the derivation of a query's value from one order of its documents."""
    filled = subject.resolve(rules)
    ranking = filled.seen(ranking)
    reason = filled.undefined(ranking) or ""
    places = {entry.document: entry.rank for entry in ranking}
    steps = () if reason else tuple(filled.steps(ranking))
    ideal = () if reason else tuple(filled.ideal_steps(ranking))
    missed = () if reason else filled.missing_relevant(ranking)
    inversions, inverted = ([], 0) if reason else filled.inversions(ranking, limit)
    return Explanation(
        query=subject.query,
        measure=filled,
        value=math.nan if reason else rules.rounded(filled.value(ranking)),
        steps=steps,
        undefined=reason,
        judged=len(ranking.judged),
        retrieved=len(ranking),
        convention=rules,
        scale=subject.scale,
        names_in=subject.names_in,
        name=str(subject.asked),
        expanded_formula="" if reason else filled.expanded_formula(ranking),
        ideal=tuple(
            IdealStep(**asdict(step), ranked=places.get(step.document))
            for step in ideal
            if step.gain > 0
        ),
        missed=tuple(
            Missed(document, ranking.judged[document], places.get(document)) for document in missed
        ),
        inversions=tuple(inversions),
        inverted=inverted,
        scores={entry.document: entry.score for entry in ranking},
        grades=dict(ranking.judged),
        limit=limit,
    )
