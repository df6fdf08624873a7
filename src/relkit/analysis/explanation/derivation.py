"""The derivation of one number: which rank added what, and what the best list would have had."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from typing import TYPE_CHECKING, Any

from relkit.analysis.explanation.discrepancy import Discrepancy, discrepancy
from relkit.analysis.explanation.subject import Subject
from relkit.analysis.explanation.values import plain
from relkit.core.document.model import Block, Document, Lines, Table
from relkit.core.document.result import Exportable
from relkit.core.texts import Catalogue, Language, Message, catalogue, translate
from relkit.core.texts.numbers import DIGITS, TERMINAL
from relkit.data.convention import Convention, load_convention
from relkit.data.ranking import Ranking
from relkit.data.scale import Scale
from relkit.io import read_run
from relkit.measures.base import Measure, Step
from relkit.measures.inversions import Inversion

if TYPE_CHECKING:
    import polars

__all__ = ["Explanation", "IdealStep", "Missed", "derive", "explain"]

LIMIT = 10
IDEAL_HEADINGS = ("rank", "document", "grade", "gain", "adds", "in_the_run")
MISSED_HEADINGS = ("document", "grade", "in_the_run")
PAIR_HEADINGS = (
    *("rank", "above", "grade", "score"),
    *("rank", "below", "grade", "score"),
    "cost",
)


@dataclass(frozen=True)
class IdealStep:
    """One rank of the best list.

    Attributes:
        rank: The place in the best list, counted from 1.
        document: The document's id.
        grade: Its grade.
        gain: What it is worth.
        discount: By what it is divided there.
        contribution: What it would add, in the unit of the explanation's own contributions.
        total: The sum up to this rank.
        ranked: Where the run has it, `None` where it does not.
    """

    rank: int
    document: str
    grade: float | None
    gain: float
    discount: float
    contribution: float
    total: float
    ranked: int | None


@dataclass(frozen=True)
class Missed:
    """A relevant document that the counted ranks lack.

    Attributes:
        document: Its id.
        grade: Its grade.
        ranked: Where the run has it, `None` where it does not.
    """

    document: str
    grade: float
    ranked: int | None


@dataclass(frozen=True)
class Explanation(Exportable):
    """How one query's value of one measure comes about.

    Attributes:
        query: The query's id.
        measure: The measure with every parameter filled in.
        value: Its value, NaN where undefined.
        steps: What each rank adds; the last total is the value.
        undefined: Why there is no value, or an empty string.
        judged: Judged documents of the query.
        retrieved: Documents of the ranked list.
        convention: The rules.
        scale: Names the grades, where the judgments have a scale.
        name: The measure as it was asked for.
        expanded_formula: The formula with its numbers put in, such as ``13 / 2 = 6.5``.
        ideal: The best list, as far as it is worth anything; empty for measures without one.
        missed: Relevant documents that the counted ranks lack, the best grades first, for measures
            that divide by all relevant documents.
        inversions: Pairs in the wrong order, for PNR, concordance, AUC and GAUC: the largest
            difference of grades first, among equal ones the largest distance in rank; at most
            `limit` of them.
        inverted: How many there are.
        scores: The run's score of each retrieved document, best ranked first.
        grades: The grade of each judged document.
        against: What another convention makes of the query, where one was named.
        names_in: The language of the names of grades in the judgments, `None` for numbers.
        limit: Rows of a table that `str` and `to_markdown` show, except of the derivation.
    """

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
        """Returns a grade as text, with its name in a language where the scale has one."""
        if grade is None:
            return "-"
        if self.scale is not None and self.scale.levels:
            return f"{self.scale.label(grade, self.names_in or language)} ({grade:g})"
        return f"{grade:g}"

    def rows(self, language: Language = "en") -> list[tuple[str, ...]]:
        """The steps as text."""
        gains = _column([step.gain for step in self.steps])
        discounts = _column([step.discount for step in self.steps])
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
        """The best list as text: rank, document, grade, gain, contribution, rank in the run."""
        gains = _column([step.gain for step in self.ideal])
        return [
            (
                str(step.rank),
                step.document,
                self.grade_label(step.grade, language),
                gain,
                TERMINAL.number(step.contribution),
                _ranked(step.ranked, language),
            )
            for step, gain in zip(self.ideal, gains, strict=True)
        ]

    def missed_rows(self, language: Language = "en") -> list[tuple[str, ...]]:
        """The missed documents as text: document, grade, rank in the run."""
        return [
            (one.document, self.grade_label(one.grade, language), _ranked(one.ranked, language))
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
        """The measure and its formula, and below them the value."""
        return self._title("en")

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
        values = {"measure": self.measure.name, "query": self.query, "value": shown}
        return f"{self.measure}{formula}\n{words.say('explanation.title', **values)}"

    @property
    def formula(self) -> str:
        """The formula with its numbers, such as ``ndcg@10 = DCG 3.8928 / ideal DCG 4.7619 = …``."""
        if not self.expanded_formula:
            return ""
        values = {"name": str(self.name or self.measure), "formula": self.expanded_formula}
        return Message("{name} = {formula}", values)

    def document(self, *, language: Language = "en") -> Document:
        """Returns the tables in the order in which they are shown.

        Args:
            language: `en` or `zh`.
        """
        words = catalogue("tables", language)
        rows = self.rows(language)
        counts = words.say("explanation.counts", retrieved=self.retrieved, judged=self.judged)
        first = Table(self._headings(language), rows, left=0, notes=[counts], long=[1])
        blocks: list[Block] = [first if rows else Lines([counts])]
        if self.ideal:
            shown = max(self.limit, len(self.steps))
            blocks.append(
                Table(
                    words.names("column", IDEAL_HEADINGS),
                    self.ideal_rows(language)[:shown],
                    words.say("explanation.ideal", count=len(self.ideal)),
                    left=0,
                    notes=_more(len(self.ideal) - shown, words),
                    long=[1],
                )
            )
        if self.missed:
            blocks.append(
                Table(
                    words.names("column", MISSED_HEADINGS),
                    self.missed_rows(language)[: self.limit],
                    words.say("explanation.missed", count=len(self.missed)),
                    notes=_more(len(self.missed) - self.limit, words),
                    long=[0],
                )
            )
        if self.inverted:
            blocks.append(
                Table(
                    words.names("column", PAIR_HEADINGS),
                    self.inversion_rows(),
                    words.say("explanation.inverted", count=self.inverted),
                    left=0,
                    notes=_more(self.inverted - len(self.inversions), words),
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
        """Returns one row per rank: what it adds, and the sum up to it."""
        import polars

        scores = self.scores or {}
        rows = [{**plain(step), "score": scores.get(step.document)} for step in self.steps]
        return polars.DataFrame(rows, infer_schema_length=None)

    def to_dict(self) -> dict[str, Any]:
        """Returns JSON-ready values; lists are whole but for the inverted pairs."""
        scores = self.scores or {}
        return {
            "query": self.query,
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
                for step in self.steps
            ],
            "ideal": [plain(step) | {"label": self.grade_label(step.grade)} for step in self.ideal],
            "missed": [plain(one) | {"label": self.grade_label(one.grade)} for one in self.missed],
            "inverted": self.inverted,
            "inversions": [_pair(pair) for pair in self.inversions],
            "against": None if self.against is None else self.against.to_dict(),
            "convention": self.convention.to_dict(),
        }


def _pair(pair: Inversion) -> dict[str, Any]:
    sides = {
        side: {
            "rank": entry.rank,
            "document": entry.document,
            "grade": entry.grade,
            "score": entry.score,
        }
        for side, entry in (("above", pair.above), ("below", pair.below))
    }
    return {**sides, "cost": pair.cost, "distance": pair.distance}


def _column(values: Sequence[float]) -> list[str]:
    """Returns numbers as text: without decimals where all of them are whole."""
    whole = all(value == int(value) for value in values)
    return [TERMINAL.number(value, 0 if whole else DIGITS) for value in values]


def _more(count: int, words: Catalogue) -> list[str]:
    """Returns how many rows a table leaves out."""
    return [words.say("explanation.more", count=count)] if count > 0 else []


def _ranked(place: int | None, language: Language) -> str:
    absent = catalogue("tables", language)["explanation.absent"]
    return absent if place is None else str(place)


def explain(
    judgments: Any,
    run: Any,
    query: str,
    measure: str | Measure = "ndcg@10",
    *,
    convention: Convention | str | Mapping[str, Any] | None = None,
    scale: Scale | str | None = None,
    against: Convention | str | Mapping[str, Any] | None = None,
    limit: int = LIMIT,
) -> Explanation:
    """Derives one query's value rank by rank.

    Args:
        judgments: As for `relkit.evaluate`.
        run: As for `relkit.evaluate`.
        query: The query's id.
        measure: The measure's name.
        convention: As for `relkit.evaluate`.
        scale: As for `relkit.evaluate`.
        against: Another convention, such as ``"sklearn"``: says which of its rules make it count
            another value, and how much each contributes (see `Discrepancy`).
        limit: Rows to show of the ideal list, of missed documents and of inverted pairs.

    Raises:
        UnknownNameError: If neither side has the query.
        ParameterError: If ties are averaged over: no single order explains the value.

    Examples:
        >>> import relkit
        >>> print(relkit.explain({"q": {"a": 3, "b": 2}}, {"q": {"b": 2, "a": 1}}, "q", "dcg"))
        dcg(gain=linear,discount=log2)  =  sum of gain / log2(rank + 1), ranks 1..k
        dcg of query q = 3.8927892607
        <BLANKLINE>
        rank  document  score  grade  gain  discount    adds   total
        ────  ────────  ─────  ─────  ────  ────────  ──────  ──────
           1         b      2      2     2    1.0000  2.0000  2.0000
           2         a      1      3     3    1.5850  1.8928  3.8928
        2 retrieved, 2 judged
        <BLANKLINE>
        The ideal list (2 documents with a gain)
        rank  document  grade  gain    adds  in the run at
        ────  ────────  ─────  ────  ──────  ─────────────
           1         a      3     3  3.0000              2
           2         b      2     2  1.2619              1
        <BLANKLINE>
        dcg = 2 + 3/1.585 = 3.8928
    """
    rules = load_convention(convention)
    ranked = read_run(run)
    subject = Subject.of(judgments, [ranked], query, measure, scale)
    found = derive(subject, subject.ranking(ranked, rules), rules, limit)
    if against is None:
        return found
    return replace(found, against=discrepancy(subject, ranked, rules, load_convention(against)))


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
