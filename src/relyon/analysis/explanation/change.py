"""Changes between two runs on one query: the documents that moved, and the cost of each move."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from relyon.analysis.explanation.derivation import LIMIT, Explanation, derive
from relyon.analysis.explanation.json_values import plain
from relyon.analysis.explanation.parts import title_of, with_titles
from relyon.analysis.explanation.subject import Subject
from relyon.analysis.explanation.tasks import (
    TaskExplanation,
    derive_task,
    task_subject,
)
from relyon.core.document.exportable import Exportable
from relyon.core.document.model import Block, Document, Lines, Table
from relyon.core.document.quoted_ids import quoted
from relyon.core.errors import ParameterError
from relyon.core.texts import Language, Text, catalogue, message, translate
from relyon.core.texts.numbers import TERMINAL
from relyon.data.convention import Convention, load_convention
from relyon.data.run import run_name
from relyon.data.scale import Scale
from relyon.data.traces import Traces
from relyon.io.descriptions import described
from relyon.io.traces import read_lists
from relyon.measures.definition import Measure

if TYPE_CHECKING:
    import polars

__all__ = ["Change", "Move", "explain_change"]


@dataclass(frozen=True)
class Move:
    """One document in two ranked lists.

    Attributes:
        document: Its id; empty for ranks after the end of a list, which some measures count.
        grade: Its grade, or `None` if unjudged.
        before: Its rank in the first run, or `None` if absent; of a task, the number of the call
            that returned it first.
        after: Its rank in the second run, likewise.
        before_contribution: Its contribution to the first run's value.
        after_contribution: Its contribution to the second run's value.
        change: The difference of the two. NaN if the measure cannot be attributed to documents.
    """

    document: str
    grade: float | None
    before: int | None
    after: int | None
    before_contribution: float
    after_contribution: float
    change: float

    def to_dict(self) -> dict[str, object]:
        """Returns JSON-ready values: NaN becomes null."""
        return plain(self)


@dataclass(frozen=True)
class Change(Exportable):
    """One query's value under two runs, and the documents that make the difference.

    Attributes:
        before: The first run's derivation.
        after: The second run's derivation.
        names: The names of the two runs.
        difference: The second value minus the first, NaN if one of them is left out.
        moves: Documents whose contribution differs, the largest difference first; the changes add
            up to `difference`. If the measure cannot be attributed to documents (`additive` is
            false), judged documents whose rank differs, the longest move first.
        additive: Whether the changes add up.
        moved: Documents whose rank differs, or that are in only one of the two lists.
        limit: Moves that `str` and `to_markdown` show.
        titles: Titles of documents by their ids, as far as they are known; `None` if
            they were not requested.

    Examples:
        >>> import relyon
        >>> judgments = {"q": {"a": 3, "b": 2}}
        >>> old, new = {"q": {"b": 2, "a": 1}}, {"q": {"a": 2, "b": 1}}
        >>> moves = relyon.explain_change(judgments, old, new, "q", "dcg@10").moves
        >>> [(move.document, move.before, move.after, round(move.change, 4)) for move in moves]
        [('a', 2, 1, 1.1072), ('b', 1, 2, -0.7381)]
    """

    before: Explanation
    after: Explanation
    names: tuple[str, str]
    difference: float
    moves: tuple[Move, ...]
    additive: bool
    moved: int
    limit: int = LIMIT
    titles: Mapping[str, str] | None = None

    @property
    def query(self) -> str:
        """The query's id."""
        return self.before.query

    @property
    def of_task(self) -> bool:
        """Whether it compares the calls of a task: a move is then from call to call."""
        return isinstance(self.before, TaskExplanation)

    @property
    def documents(self) -> tuple[str, ...]:
        """The documents that its tables, and those of both derivations, name."""
        named = [move.document for move in self.moves if move.document]
        return tuple(dict.fromkeys([*named, *self.before.documents, *self.after.documents]))

    @property
    def measure(self) -> Measure:
        """The measure with all parameters filled in."""
        return self.before.measure

    @property
    def title(self) -> str:
        """The two values and their difference."""
        return self._title("en")

    def _title(self, language: Language) -> str:
        key = "title" if math.isnan(self.difference) else "title_difference"
        if self.of_task:
            key = f"{key}_task"
        return catalogue("tables", language).say(
            f"change.{key}",
            measure=self.before.name,
            query=quoted(self.query, {self.query: self.before.query_text or ""}),
            before=_shown(self.before, language),
            after=_shown(self.after, language),
            difference=self.difference,
        )

    @property
    def headings(self) -> tuple[str, ...]:
        """Names of the columns of `rows`."""
        return self._headings("en")

    def _headings(self, language: Language) -> tuple[str, ...]:
        words = catalogue("tables", language)
        place = "call_in" if self.of_task else "rank_in"
        ranks = [words.say(f"column.{place}", side=side) for side in "AB"]
        shares = [words.say("column.side_adds", side=side) for side in "AB"] + ["B - A"]
        first = words.names("column", ("document", "grade"))
        return (*first, *ranks, *(shares if self.additive else ()))

    def rows(self, language: Language = "en") -> list[tuple[str, ...]]:
        """The moves as text."""
        words = catalogue("tables", language)
        absent = words["explanation.absent"]
        rows = []
        for move in self.moves:
            shares: tuple[str, ...] = ()
            if self.additive:
                shares = (
                    TERMINAL.number(move.before_contribution),
                    TERMINAL.number(move.after_contribution),
                    TERMINAL.signed(move.change),
                )
            rows.append(
                (
                    move.document or words["change.end"],
                    self.before.grade_label(move.grade, language),
                    *(absent if r is None else str(r) for r in (move.before, move.after)),
                    *shares,
                )
            )
        return rows

    def document(self, *, language: Language = "en") -> Document:
        """Returns the moves, a summary of omitted ones, and both formulas.

        Args:
            language: `en` or `zh`.
        """
        words = catalogue("tables", language)
        documents = [move.document for move in self.moves]
        rows = with_titles(self.rows(language), {0: documents}, self.titles or {})
        lines = []
        left_out = self.moves[self.limit :]
        if left_out:
            key = "more_difference" if self.additive else "more"
            rest = math.fsum(move.change for move in left_out)
            lines.append(words.say(f"change.{key}", count=len(left_out), difference=rest))
        if self.additive and self.moves:
            lines.append(words.say("change.together", difference=self.difference))
        lines.append(words.said(self._remark()))
        table = Table(self._headings(language), rows[: self.limit], notes=lines, long=[0])
        blocks: list[Block] = [*self._calls(language), table if rows else Lines(lines)]
        formulas = [
            f"{side}{words['list.colon']}{translate(one.formula, language)}"
            for side, one in zip("AB", (self.before, self.after), strict=True)
            if one.formula
        ]
        if formulas:
            blocks.append(Lines(formulas))
        sides = dict(zip(("baseline", "candidate"), self.names, strict=True))
        lead = words.say("comparison.sides", **sides)
        return Document(blocks, self._title(language), [lead])

    def _calls(self, language: Language) -> list[Block]:
        """Returns the calls of both sides next to each other, for a task."""
        before, after = self.before, self.after
        if not isinstance(before, TaskExplanation) or not isinstance(after, TaskExplanation):
            return []
        words = catalogue("tables", language)
        names = [words.say(f"column.{one}_in", side=side) for side in "AB"
                 for one in ("query", "after")]  # fmt: skip
        rows = []
        for number in range(max(len(before.calls), len(after.calls))):
            row = [str(number + 1)]
            for one in (before, after):
                call = one.calls[number] if number < len(one.calls) else None
                row.append("-" if call is None else call.query or "-")
                row.append("-" if call is None else TERMINAL.number(call.value))
            rows.append(row)
        headings = [*words.names("column", ["call"]), *names]
        return [Table(headings, rows, left=0, long=[1, 3])] if rows else []

    def to_frame(self) -> polars.DataFrame:
        """Returns one row per move."""
        import polars

        rows = [move.to_dict() | title_of(move.document, self.titles) for move in self.moves]
        return polars.DataFrame(rows, infer_schema_length=None)

    def _remark(self) -> Text:
        if not self.moved and not self.moves:
            return Text("tables.change.same")
        if not self.additive:
            if self.before.undefined or self.after.undefined:
                reason = Text("tables.change.no_shares")
            elif math.isnan(self.difference):
                reason = Text("tables.change.infinite")
            else:
                reason = Text("tables.change.not_additive", {"measure": self.measure.name})
            return Text("tables.change.unsaid", {"moved": self.moved, "reason": reason})
        effective = sum(move.before != move.after for move in self.moves)
        idle = self.moved - effective
        return Text("tables.change.moved", {"moved": self.moved, "idle": idle})

    def to_dict(self) -> dict[str, object]:
        """Returns JSON-ready values; `limit` does not apply to `moves`."""
        text = self.before.query_text
        return {
            "query": self.query,
            **({} if text is None else {"query_text": text or None}),
            "name": self.before.name,
            "measure": str(self.measure),
            "names": list(self.names),
            "difference": self.difference if math.isfinite(self.difference) else None,
            "additive": self.additive,
            "moved": self.moved,
            "moves": [
                move.to_dict()
                | {"label": self.before.grade_label(move.grade)}
                | title_of(move.document, self.titles)
                for move in self.moves
            ],
            "before": self.before.to_dict(),
            "after": self.after.to_dict(),
        }

    def described(self, query_texts: object = None, document_titles: object = None) -> Change:
        """Returns a copy with texts next to the ids.

        Args:
            query_texts: As for `relyon.explain`.
            document_titles: As for `relyon.explain`.
        """
        asked = None if query_texts is None else described(query_texts, "query", [self.query])
        titles = self.titles
        if document_titles is not None:
            titles = described(document_titles, "document", self.documents)
        before, after = (replace(one, titles=titles) for one in (self.before, self.after))
        if asked is not None:
            text = asked.get(self.query, "")
            before, after = (replace(one, query_text=text) for one in (before, after))
        return replace(self, before=before, after=after, titles=titles)


def explain_change(
    judgments: object,
    run: object,
    other: object,
    query: str,
    measure: str | Measure = "ndcg@10",
    *,
    convention: Convention | str | Mapping[str, object] | None = None,
    scale: Scale | str | None = None,
    names: Sequence[str] | None = None,
    limit: int = LIMIT,
    query_texts: object = None,
    document_titles: object = None,
) -> Change:
    """Derives a query's change: which documents moved between two runs, and what each move cost.

    A document's share of a value is its contribution in the derivation (see
    `relyon.explain`); the change is the difference of its two shares, so the changes of all
    documents add up to the difference of the values. For measures in which one document's share
    depends on others (AP, ERR) a document may gain or lose without moving. PNR, concordance
    and comparisons with a reference run cannot be attributed to documents: moves are listed without
    a cost.

    Args:
        judgments: See `relyon.evaluate`.
        run: The run before; see `relyon.evaluate`.
        other: The run after.
        query: The query's id.
        measure: The measure's name.
        convention: See `relyon.evaluate`.
        scale: See `relyon.evaluate`.
        names: The names of the two runs; by default their files' names.
        limit: Number of moves to show.
        query_texts: As for `relyon.explain`.
        document_titles: As for `relyon.explain`.

    Raises:
        UnknownNameError: If neither the judgments nor a run have the query.
        ParameterError: If ties are averaged over, or there are not two names.

    Examples:
        >>> import relyon
        >>> judgments = {"q": {"a": 3, "b": 2, "c": 0}}
        >>> old, new = {"q": {"b": 3, "c": 2, "a": 1}}, {"q": {"a": 3, "b": 2, "c": 1}}
        >>> print(relyon.explain_change(judgments, old, new, "q", "dcg", names=("old", "new")))
        dcg of query q: 3.5000 → 4.2619 (+0.7619)
        A = old, B = new
        <BLANKLINE>
        document  grade  rank in A  rank in B  A adds  B adds    B - A
        ────────  ─────  ─────────  ─────────  ──────  ──────  ───────
        a             3          3          1  1.5000  3.0000  +1.5000
        b             2          1          2  2.0000  1.2619  -0.7381
        all changes together: +0.7619
        3 documents moved, 1 of them without effect.
        <BLANKLINE>
        A: dcg = 2 + 3/2 = 3.5
        B: dcg = 3 + 2/1.585 = 4.2619
    """
    rules = load_convention(convention)
    titles = tuple(names) if names is not None else (run_name(run), run_name(other))
    if len(titles) != 2:
        raise ParameterError(message("analysis.two-runs-need-two", count=len(titles)))
    given = [read_lists(one) for one in (run, other)]
    runs = [one for one in given if not isinstance(one, Traces)]
    if len(runs) < len(given):
        asked = [str(query)]
        pair = [one if isinstance(one, Traces) else Traces.from_run(one, asked) for one in given]
        subject, judged = task_subject(judgments, pair, query, measure, scale)
        first, second = (derive_task(subject, judged, one, rules, limit) for one in pair)
    else:
        subject = Subject.of(judgments, runs, query, measure, scale)
        first, second = (derive(subject, subject.ranking(one, rules), rules, limit) for one in runs)
    instead = subject.asked.counted(rules)
    values = [instead if one.undefined else one.value for one in (first, second)]
    difference = values[1] - values[0] if all(map(math.isfinite, values)) else math.nan
    moves, additive = _moves(first, second, difference)
    places = _places(first), _places(second)
    moved = sum(
        places[0].get(document) != places[1].get(document)
        for document in {**places[0], **places[1]}
    )
    change = Change(
        first, second, (str(titles[0]), str(titles[1])), difference, moves, additive, moved, limit
    )
    return change.described(query_texts, document_titles)


def _shown(one: Explanation, language: Language) -> str:
    if not one.undefined:
        return TERMINAL.number(one.value)
    reason = translate(one.undefined, language)
    return catalogue("tables", language).say("change.undefined", reason=reason)


def _places(one: Explanation) -> dict[str, int]:
    if isinstance(one, TaskExplanation):  # the call that returned it, or in which it was read
        return {row.document: row.first for call in one.calls for row in call.results}
    return {document: rank for rank, document in enumerate(one.scores or {}, 1)}


def _moves(
    before: Explanation, after: Explanation, difference: float
) -> tuple[tuple[Move, ...], bool]:
    """Returns the moves, and whether their changes add up to the difference."""
    places = _places(before), _places(after)
    shares: tuple[dict[str, float], dict[str, float]] = ({}, {})
    grades = dict(before.grades)
    for side, one in enumerate((before, after)):
        for step in one.steps:
            share = shares[side]
            share[step.document] = share.get(step.document, 0.0) + step.contribution
    moves = []
    for document in {**shares[0], **shares[1], **places[0], **places[1]}:
        ranks = places[0].get(document), places[1].get(document)
        ours, theirs = shares[0].get(document, 0.0), shares[1].get(document, 0.0)
        moves.append(Move(document, grades.get(document), *ranks, ours, theirs, theirs - ours))
    defined = not before.undefined and not after.undefined
    whole = math.fsum(move.change for move in moves)
    if (
        defined
        and before.measure.is_additive
        and math.isclose(whole, difference, rel_tol=1e-9, abs_tol=1e-9)
    ):
        changed = [move for move in moves if move.change != 0]
        changed.sort(key=lambda move: (-abs(move.change), _first(move), move.document))
        return tuple(changed), True
    last = max(map(len, places)) + 1

    def way(move: Move) -> int:
        return abs((move.before or last) - (move.after or last))

    judged = [
        replace(move, before_contribution=math.nan, after_contribution=math.nan, change=math.nan)
        for move in moves
        if move.before != move.after and (move.grade is not None or not grades)
    ]
    judged.sort(key=lambda move: (-way(move), _first(move), move.document))
    return tuple(judged), False


def _first(move: Move) -> int:
    return min(rank for rank in (move.before, move.after, 1 << 62) if rank is not None)
