"""Why another program prints a different number: which rules differ, and what each contributes."""

from __future__ import annotations

import math
import struct
from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from itertools import combinations
from typing import TYPE_CHECKING

from relyon.analysis.explanation.json_values import plain
from relyon.analysis.explanation.subject import Subject
from relyon.core.document.exportable import Exportable
from relyon.core.document.model import Document, Lines, Table
from relyon.core.errors import InputError, RelyonError
from relyon.core.rules import COUNTED
from relyon.core.texts import Catalogue, Language, catalogue, translate
from relyon.core.texts.numbers import TERMINAL
from relyon.data.convention import Convention
from relyon.data.judgments import Judgments
from relyon.data.ranking import Ranking
from relyon.data.run import Run
from relyon.evaluation import Evaluator
from relyon.evaluation.providers import program_rules
from relyon.measures.definition import Measure

if TYPE_CHECKING:
    import polars

__all__ = ["Discrepancy", "Outcome", "RuleShare", "discrepancy"]

#: Smaller contributions are rounding.
ROUNDING = 1e-12
NOT_JUDGED = "the query is not judged"
LACKING = "the run lacks the query"


@dataclass(frozen=True)
class Outcome:
    """The value of one query under one convention.

    Attributes:
        value: The number, NaN if there is none.
        reason: Why it is not a value of the measure: left out, counted as a constant, refused.
    """

    value: float
    reason: str = ""

    def __str__(self) -> str:
        if not self.reason:
            return TERMINAL.number(self.value)
        return (
            self.reason
            if math.isnan(self.value)
            else f"{TERMINAL.number(self.value)} ({self.reason})"
        )

    def said(self, where: str, words: Catalogue) -> str:
        """Returns the outcome as part of a sentence, the reason in brackets at its end."""
        verb, _, why = self.reason.partition(": ")
        verb, why = (translate(part, words.language) for part in (verb, why))
        values = {"where": where, "value": self.value, "verb": verb}
        if math.isnan(self.value):
            return words.say("against.none", reason=why, **values)
        if not self.reason:
            return words.say("against.value", **values)
        return words.say("against.value_reason", reason=why, **values)

    def same(self, other: Outcome) -> bool:
        """Whether the number is the same, or missing for the same reason."""
        if math.isnan(self.value) and math.isnan(other.value):
            return self.reason == other.reason
        return self.value == other.value


@dataclass(frozen=True)
class RuleShare:
    """One rule of two conventions.

    Attributes:
        rule: The field of `Convention`.
        here: Its value in the explanation's convention.
        there: Its value in the other one.
        contribution: Its part of the difference; NaN if the difference is not a number.
    """

    rule: str
    here: str
    there: str
    contribution: float

    def __str__(self) -> str:
        return f"{self.rule} ({self.here} → {self.there})"

    def to_dict(self) -> dict[str, object]:
        """Returns JSON-ready values: NaN becomes null."""
        return plain(self)


@dataclass(frozen=True)
class Discrepancy(Exportable):
    """One query's value under two conventions, and the rules that explain the difference.

    A rule's contribution depends on which others are already changed, so each gets the mean of its
    contributions over all orders of changing the rules: its Shapley value. It favours no order, and
    the contributions add up to the difference.

    Attributes:
        name: The measure as requested.
        here_name: Name of the explanation's convention.
        there_name: Name of the other convention.
        here: The query's value here.
        there: Its value there.
        difference: ``there - here``, NaN if one of them is not a number.
        shares: Rules that change this query's value, the largest contribution first.
        idle: Rules that differ but change nothing.
        program_rules: Rules in which the program differs from its own preset for this measure, as
            ir_measures does for those that it takes from another program; ``there`` follows them.

    Examples:
        >>> import relyon
        >>> judgments, run = {"q": {"a": 3, "b": 2}}, {"q": {"b": 2, "a": 1}}
        >>> found = relyon.explain(judgments, run, "q", "dcg", against={"gain": "exp"})
        >>> print(found.against)
        Against custom: dcg is 3.8928 here, 7.4165 there (+3.5237)
        rule  relyon  custom     adds
        ────  ──────  ──────  ───────
        gain  linear  exp     +3.5237
        all rules together: +3.5237

    References:
        Shapley (1953), A value for n-person games, Contributions to the Theory of Games II.
    """

    name: str
    here_name: str
    there_name: str
    here: Outcome
    there: Outcome
    difference: float
    shares: tuple[RuleShare, ...]
    idle: tuple[RuleShare, ...]
    program_rules: Mapping[str, str] = field(default_factory=dict)

    @property
    def title(self) -> str:
        """The two values, and their difference if there is one."""
        return self._title(catalogue("tables"))

    def _title(self, words: Catalogue) -> str:
        return words.say(
            "against.title_difference" if self._split else "against.title",
            convention=self.there_name,
            measure=self.name,
            here=self.here.said(words["against.here"], words),
            there=self.there.said(words["against.there"], words),
            difference=self.difference,
        )

    @property
    def _split(self) -> bool:
        """Whether the difference is split among rules."""
        numeric = not math.isnan(self.difference)
        return numeric and bool(self.shares) and not math.isnan(self.shares[0].contribution)

    def document(self, *, language: Language = "en") -> Document:
        """Returns the rules that matter, with their contributions, and those that do not.

        Args:
            language: `en` or `zh`; names of rules are the same in both.
        """
        words = catalogue("tables", language)
        title = self._title(words)
        lines = []
        rows: list[tuple[str, ...]] = []
        if self._split:
            rows = [
                (share.rule, share.here, share.there, TERMINAL.signed(share.contribution))
                for share in self.shares
            ]
            lines.append(words.say("against.together", difference=self.difference))
        elif self.shares:
            lines.append(words.say("against.decided", rules=list(map(str, self.shares))))
        elif self.here.same(self.there):
            lines.append(words["against.nothing"])
        if self.idle:
            lines.append(words.say("against.idle", rules=list(map(str, self.idle))))
        if self.program_rules:
            rules = [f"{name}={value}" for name, value in self.program_rules.items()]
            values = {"convention": self.there_name, "measure": self.name, "rules": rules}
            lines.append(words.say("against.program", **values))
        if not rows:
            return Document([Lines([title, *lines])])
        rule, adds = words.names("column", ("rule", "adds"))
        headings = (rule, self.here_name, self.there_name, adds)
        return Document([Table(headings, rows, title, left=3, notes=lines)])

    def to_frame(self) -> polars.DataFrame:
        """Returns one row per rule that differs, those that change nothing last."""
        import polars

        rows = [share.to_dict() for share in (*self.shares, *self.idle)]
        return polars.DataFrame(rows, infer_schema_length=None)

    def to_dict(self) -> dict[str, object]:
        """Returns JSON-ready values: NaN and infinity become null."""

        def outcome(one: Outcome) -> dict[str, object]:
            return {
                "value": one.value if math.isfinite(one.value) else None,
                "reason": one.reason,
                "text": str(one),
            }

        return {
            "convention": self.there_name,
            "here": outcome(self.here),
            "there": outcome(self.there),
            "difference": None if math.isnan(self.difference) else self.difference,
            "rules": [share.to_dict() for share in self.shares],
            "without_effect": [share.to_dict() for share in self.idle],
            "program_rules": dict(self.program_rules),
        }


class Trial:
    """One query evaluated under any convention by the compiled code, which also averages ties."""

    def __init__(self, subject: Subject, run: Run) -> None:
        self.subject = subject
        self.documents, self.scores, self.ranks = (
            run.table.documents(subject.query) if subject.query in run.table else ([], [], None)
        )
        self.held = subject.query in run.table
        names = [subject.query] * len(self.documents)
        self.run = (
            Run.from_arrays(names, self.documents, self.scores, self.ranks)
            if names
            else Run.from_dict({})
        )
        grades = {subject.query: dict(subject.subtopics or subject.grades)}
        self.judgments: object = grades
        if subject.passages is not None:
            table = Judgments.from_dict(grades).table
            self.judgments = Judgments(table, passages=subject.passages)
        if subject.reference is not None:
            rows = subject.reference.table.documents(subject.query)
            self.judgments = Run.from_arrays([subject.query] * len(rows[0]), *rows)
        self._known: dict[tuple[Convention, Measure], Outcome] = {}

    def outcome(self, rules: Convention) -> Outcome:
        """Returns the query's value under a convention."""
        try:
            measure = self.subject.resolve(rules)
            key = rules, measure
            if key not in self._known:
                self._known[key] = self._evaluate(rules, measure)
            return self._known[key]
        except RelyonError as error:
            return Outcome(math.nan, f"refused: {error.message}")

    def _evaluate(self, rules: Convention, measure: Measure) -> Outcome:
        query = self.subject.query
        if not self.subject.judged:
            return Outcome(math.nan, f"left out: {NOT_JUDGED}")
        if not self.held and rules.missing != "zero":
            word = "refused" if rules.missing == "error" else "left out"
            return Outcome(math.nan, f"{word}: {LACKING}")
        one_order = rules.replace(ties="input") if rules.ties == "expected" else rules
        ranking = Ranking.build(
            self.subject.grades,
            self.documents,
            self.scores,
            one_order,
            ranks=self.ranks,
            query=query,
            graded=self.subject.subtopics,
            passages=self.subject.passages,
        )
        try:
            found = Evaluator(self.judgments, convention=rules).evaluate(self.run, measure)
            value = found.values_by_query(measure)[query]
        except InputError:
            # Some kernels cannot average over ties, but the orders of one query can be enumerated.
            if rules.ties != "expected":
                raise
            value = rules.rounded(measure.expected(ranking))
        if not math.isnan(value):
            return Outcome(value)
        reason = measure.undefined(measure.seen(ranking)) or "undefined"
        rule = measure.undefined_rule(rules)
        if rule in {"skip", "error"}:
            word = "refused" if rule == "error" else "left out"
            return Outcome(math.nan, f"{word}: {reason}")
        return Outcome(COUNTED[rule], f"instead of no value: {reason}")

    def matters(self, rule: str, here: Convention, there: Convention) -> bool:
        """Whether a rule can have an effect on this query at all."""
        if rule == "unretrieved":
            return bool(self.subject.grades.keys() - set(self.documents))
        if rule == "decimals":
            return True
        if rule in {"undefined", "missing"}:
            return rule == "undefined" or not self.held
        if rule in {"negative", "unjudged"}:
            negative = any(grade < 0 for grade in self.subject.grades.values())
            complete = all(document in self.subject.grades for document in self.documents)
            return negative or (rule == "unjudged" and not complete)
        if rule in {"ties", "scores"}:
            single = {struct.pack("f", score) for score in self.scores}
            if rule == "scores":
                return len(single) < len(set(self.scores))
            return "rank" in {here.ties, there.ties} or len(single) < len(self.scores)
        changed = here.replace(**{rule: getattr(there, rule)})
        kept = there.replace(**{rule: getattr(here, rule)})
        if rule == "measures":
            asked = self.subject.asked
            pairs = (here, changed), (there, kept)
            if any(asked.undefined_rule(a) != asked.undefined_rule(b) for a, b in pairs):
                return True
        resolve = self.subject.resolve
        return resolve(here) != resolve(changed) or resolve(there) != resolve(kept)


def discrepancy(subject: Subject, run: Run, here: Convention, there: Convention) -> Discrepancy:
    """Attributes the difference of a query's values under two conventions to their rules."""
    own = program_rules(subject.asked, there)
    there = there.replace(**own, name=there.name)
    trial = Trial(subject, run)
    differing = [
        entry.name
        for entry in fields(Convention)
        if entry.compare and getattr(here, entry.name) != getattr(there, entry.name)
    ]
    players = [rule for rule in differing if trial.matters(rule, here, there)]
    start, end = trial.outcome(here), trial.outcome(there)
    difference = end.value - start.value
    if not math.isfinite(difference):
        difference = math.nan

    def changed(rules: tuple[str, ...]) -> Convention:
        return here.replace(**{rule: getattr(there, rule) for rule in rules}, name=here.name)

    contributions: Mapping[str, float] | None = None
    if not math.isnan(difference):
        # A step in between may leave out a query that both ends count.
        counted = [subject.asked.counted(rules) for rules in (there, here)]
        instead = next((value for value in counted if not math.isnan(value)), 0.0)
        contributions = _shapley(
            players,
            {
                rules: instead
                if trial.outcome(changed(rules)).reason.startswith("left out")
                else trial.outcome(changed(rules)).value
                for size in range(len(players) + 1)
                for rules in combinations(players, size)
            },
        )
    if contributions is not None:
        effective = {rule: part for rule, part in contributions.items() if abs(part) > ROUNDING}
    else:
        rest = {rule: tuple(other for other in players if other != rule) for rule in players}
        effective = {
            rule: math.nan
            for rule in players
            if not trial.outcome(changed((rule,))).same(start)
            or not trial.outcome(changed(rest[rule])).same(end)
        }

    def share(rule: str) -> RuleShare:
        part = effective.get(rule, 0.0)
        return RuleShare(rule, _show(here, rule), _show(there, rule), part)

    order = sorted(effective, key=lambda rule: (-abs(effective[rule]), rule))
    if contributions is None:
        order = [rule for rule in players if rule in effective]
    return Discrepancy(
        name=str(subject.asked),
        here_name=here.name,
        there_name=there.name,
        here=start,
        there=end,
        difference=difference,
        shares=tuple(share(rule) for rule in order),
        idle=tuple(share(rule) for rule in differing if rule not in effective),
        program_rules=own,
    )


def _shapley(
    players: list[str], values: Mapping[tuple[str, ...], float]
) -> dict[str, float] | None:
    """Returns each player's Shapley value, `None` if a coalition has no finite value."""
    if not all(map(math.isfinite, values.values())):
        return None
    count = len(players)
    parts: dict[str, float] = {}
    for player in players:
        terms = []
        for coalition, value in values.items():
            if player in coalition:
                continue
            larger = tuple(rule for rule in players if rule in coalition or rule == player)
            weight = 1 / (count * math.comb(count - 1, len(coalition)))
            terms.append(weight * (values[larger] - value))
        parts[player] = math.fsum(terms)
    return parts


def _show(convention: Convention, rule: str) -> str:
    if rule == "measures":
        own = [f"{key}={value}" for key, value in convention.shown().items() if "." in key]
        return " ".join(own) or "none"
    return convention.shown()[rule].lower()
