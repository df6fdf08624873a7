"""What a measure is."""

from __future__ import annotations

import dataclasses
import math
from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, Literal

from relkit.core.errors import ParameterError
from relkit.core.rules import COUNTED, POSITIVE, Counted, Undefined, show_gain
from relkit.core.texts import message
from relkit.measures.formulas import equation, format_number, format_sum
from relkit.measures.parameters import OPTIONAL, check_parameter, parameters, show

if TYPE_CHECKING:
    from relkit import _native
    from relkit.data.convention import Convention
    from relkit.data.ranking import Ranking
    from relkit.data.scale import Scale
    from relkit.measures.inversions import Inversion

__all__ = ["UNBOUNDED", "Aspect", "Combine", "Describes", "Measure", "Step"]

#: The bounds of measures that add up gains or counts.
UNBOUNDED = (0.0, math.inf)

Combine = Literal["mean", "ratio", "sum", "pooled", "geometric"]
Describes = Literal["quality", "data"]
Aspect = Literal[
    "coverage", "top", "first", "precision", "hit", "pairs", "judged", "diversity", "other"
]


@dataclass(frozen=True)
class Step:
    """What one rank adds to a measure.

    Attributes:
        rank: The place in the list, counted from 1.
        document: The document's id; empty where the list has ended.
        grade: Its grade; `None` where nobody judged it.
        gain: What it is worth. The measure's `headings` name this and the next column.
        discount: By what it is divided or multiplied.
        contribution: What it adds.
        total: The measure's value up to this rank.
    """

    rank: int
    document: str
    grade: float | None
    gain: float
    discount: float
    contribution: float
    total: float


class Measure(ABC):
    """A number computed from one ranked list, and the way in which queries become one number.

    Subclasses are frozen dataclasses; their fields are the measure's parameters. A field that is
    `None` and has the name of a field of `Convention` is taken from there. Register a subclass
    with `@register` and it works in `relkit.evaluate`, on the command line and in `explain`.

    Attributes:
        name: The canonical name.
        aliases: Other names, case-insensitive.
        title: The name in prose; where it is empty, `name`, in capitals if it is short.
        trec_names: trec_eval's names, by relkit's: ``{"p@{k}": "P_{k}"}``. Braces stand for a
            parameter. Measures that are not listed have the same name in both.
        becomes: Another measure's name, by a parameter that only the other has: with that
            parameter a name stands for the other, as ir_measures' ``NumRet(rel=2)`` does.
        aspect: What of a ranking a change of the value is about: a report words it accordingly.
        combine: How queries become one number: `mean` of values, `ratio` of summed numerators
            and denominators, `sum`, `pooled` pairs of all queries, or the `geometric` mean, whose
            numerators are logarithms.
        averages: The forms on offer: "macro" (mean over queries), "micro" (ratio of sums).
        bounds: Lowest and highest possible value.
        headings: What `explain` calls the gain and discount columns.
        formula: The formula in one line of plain text.
        needs: What it compares a run with: `judgments`, or another run (`reference`).
        is_additive: Whether a step's contribution is what its document adds to the value, so that
            the difference of two values can be told document by document.
        weighted: Whether rows of labelled scores may weigh differently.
        describes: What it tells: the `quality` of a ranking, or the `data`, such as how much of a
            list was judged. A comparison shows the latter and does not test it.
        ordinal: Whether only the order of the grades counts. Grades below 0 are then used as they
            are; for other measures they are not relevant and worth nothing.
        sums_undefined: Whether queries without a value have a share in a ratio of sums.
        counts_queries: Whether it is about the queries alone: one query's value says nothing.
        needs_subtopics: Whether it is about judgments of subtopics; others count as one subtopic.
        convention_fields: Fields that take another field of the convention, or none (empty).
        fallbacks: Values of fields that neither the name nor the convention fills.
        at: The parameter that stands after the @: the cutoff, or the level of recall of `iprec`.
        argument: The parameter that a number after a point stands for, where it is no cutoff:
            `rbp.95`.
        several: Whether the bare name stands for several measures, as trec_eval's `P` does; one
            without a cutoff is then written `@all`.

    Examples:
        >>> from dataclasses import dataclass
        >>> from relkit.measures import Measure, Step, register
        >>> @register
        ... @dataclass(frozen=True)
        ... class FirstGrade(Measure):
        ...     '''Grade of the first document.'''
        ...     name = "first_grade"
        ...     def steps(self, ranking):
        ...         for entry in ranking.top(1):
        ...             grade = entry.grade or 0.0
        ...             yield Step(1, entry.document, entry.grade, grade, 1.0, grade, grade)
        >>> import relkit
        >>> run = {"q": {"a": 0.5, "b": 0.1}}
        >>> relkit.evaluate({"q": {"a": 2}}, run, ["first_grade"])["first_grade"]
        2.0
    """

    name: ClassVar[str]
    aliases: ClassVar[tuple[str, ...]] = ()
    title: ClassVar[str] = ""
    trec_names: ClassVar[Mapping[str, str]] = {}
    becomes: ClassVar[Mapping[str, str]] = {}
    aspect: ClassVar[Aspect] = "other"
    combine: ClassVar[Combine] = "mean"
    averages: ClassVar[tuple[str, ...]] = ("macro",)
    bounds: ClassVar[tuple[float, float]] = (0.0, 1.0)
    headings: ClassVar[tuple[str, str]] = ("gain", "discount")
    formula: ClassVar[str] = ""
    needs: ClassVar[str] = "judgments"
    is_additive: ClassVar[bool] = True
    weighted: ClassVar[bool] = False
    describes: ClassVar[Describes] = "quality"
    ordinal: ClassVar[bool] = False
    sums_undefined: ClassVar[bool] = False
    counts_queries: ClassVar[bool] = False
    needs_subtopics: ClassVar[bool] = False
    convention_fields: ClassVar[dict[str, str]] = {}
    fallbacks: ClassVar[dict[str, Any]] = {}
    at: ClassVar[str] = "k"
    argument: ClassVar[str] = "k"
    several: ClassVar[bool] = False

    # -- what a subclass defines ---------------------------------------------------------------

    @abstractmethod
    def steps(self, ranking: Ranking) -> Iterator[Step]:
        """Yields the derivation rank by rank; the last total is the value.

        Called only where `undefined` returns `None`. No step at all means 0.
        """

    def undefined(self, ranking: Ranking) -> str | None:
        """Returns why the measure has no value for this query, or `None` if it has one."""
        return None

    def kernel(self) -> tuple[str, dict[str, Any]] | None:
        """Returns the native function and its parameters, or `None` to loop over `steps`.

        A parameter `undefined` is filled with what a query without a value counts, for functions
        that weigh queries.
        """
        return None

    def parts(self, ranking: Ranking) -> tuple[float, float]:
        """Returns the numerator and denominator that micro averages add up."""
        value = self.value(ranking)
        return (0.0, 0.0) if math.isnan(value) else (value, 1.0)

    def micro(self, numerator: float, denominator: float) -> float:
        """Returns the micro average of summed numerators and denominators, NaN for 0/0."""
        if denominator == 0:
            return math.inf if numerator > 0 else math.nan
        return numerator / denominator

    def query_weight(self, ranking: Ranking) -> float:
        """Returns what a query weighs in a weighted mean (`combine` is `ratio`, macro average)."""
        return 1.0

    def details(
        self, numerator: float, denominator: float, equal: tuple[float, float] = (0.0, 0.0)
    ) -> dict[str, float]:
        """Returns what is shown beside the number, by name.

        Args:
            numerator: Summed over the queries.
            denominator: Summed over the queries.
            equal: Of PNR: positive and negative pairs of equal labels.
        """
        return {}

    def mean_details(self, total: _native.Total, undefined: Counted) -> dict[str, float]:
        """Returns those of the details that are another number for a mean over queries.

        Args:
            total: The queries.
            undefined: What a query without a value counts.
        """
        return {}

    @property
    def shown(self) -> str:
        """The name in tables and sentences; `str` gives the one that can be read back."""
        return str(self)

    def trec_name(self, filled: Measure | None = None) -> str:
        """Returns trec_eval's name, or relkit's own where trec_eval has none.

        Args:
            filled: The same measure with every parameter filled in.

        Examples:
            >>> import relkit
            >>> [relkit.measure(name).trec_name() for name in ("ndcg@10", "ap", "iprec@0.5")]
            ['ndcg_cut_10', 'map', 'iprec_at_recall_0.50']
        """
        own = str(self)
        values = {name: getattr(self, name) for name in parameters(type(self))}
        written = {name: show(value) for name, value in values.items()}
        for pattern, name in self.trec_names.items():
            if pattern.format_map(written) == own:
                return name.format_map(values)
        return own

    @property
    def asks_relevance(self) -> bool:
        """Whether it asks from which grade on a document is relevant."""
        return hasattr(self, "rel")

    @property
    def needs_highest_grade(self) -> bool:
        """Whether its value depends on the highest grade in the judgments, if no scale has one."""
        return "max" in parameters(type(self)) and self.filled("max") is None

    def resampled(self) -> bool:
        """Returns whether a comparison can form the pooled number anew from whole queries."""
        return False

    def pooled(self, total: _native.Total) -> float:
        """Returns the number over the rows of all queries, for ``combine = "pooled"``."""
        raise NotImplementedError

    def expanded_formula(self, ranking: Ranking) -> str:
        """Returns the formula with this ranking's numbers put in, and the value at its end.

        Called only where `undefined` returns `None`. By default the contributions are added up,
        where they make the value.

        Examples:
            >>> import relkit
            >>> relkit.measure("pnr").expanded_formula(relkit.Ranking.of([3, 2, 3, 3, 2, 1]))
            '13 / 2 = 6.5'
        """
        terms = [step.contribution for step in self.steps(ranking) if step.contribution]
        value = self.value(ranking)
        if not math.isclose(math.fsum(terms), value, rel_tol=1e-9, abs_tol=1e-9):
            return format_number(value)
        return equation(format_sum(list(map(format_number, terms))), value)

    def ideal_steps(self, ranking: Ranking) -> Iterator[Step]:
        """Yields the best order that the measure can imagine; nothing where it has none."""
        return iter(())

    def missing_relevant(self, ranking: Ranking) -> list[str]:
        """Returns the documents whose absence from the counted ranks lowers the value."""
        return []

    def inversions(self, ranking: Ranking, limit: int) -> tuple[list[Inversion], int]:
        """Returns pairs of documents in the wrong order, the costliest first, and their number."""
        return [], 0

    # -- what all of them share ----------------------------------------------------------------

    def seen(self, ranking: Ranking) -> Ranking:
        """Returns what the measure sees of a ranking: without ungraded documents in its first k."""
        return ranking.window(getattr(self, "k", None)) if ranking.ignores else ranking

    def value(self, ranking: Ranking) -> float:
        """Returns the measure of one ranking, NaN where it is undefined."""
        ranking = self.seen(ranking)
        if self.undefined(ranking) is not None:
            return math.nan
        total = 0.0
        for step in self.steps(ranking):
            total = step.total
        return total

    def expected(self, ranking: Ranking) -> float:
        """Returns the mean over all orders of tied documents, NaN where undefined.

        Raises:
            ParameterError: If there are too many orders to enumerate.
        """
        values = [self.value(order) for order in ranking.orders()]
        return math.fsum(values) / len(values)

    def score(
        self,
        grades: Sequence[float | None],
        unretrieved: Sequence[float] = (),
        *,
        convention: Convention | str | None = None,
        scale: Scale | None = None,
    ) -> float:
        """Returns the measure of one list of grades in ranked order.

        Args:
            grades: Grades, best ranked first; `None` for an unjudged document.
            unretrieved: Grades of judged documents that the list does not hold.
            convention: The rules for parameters that the measure leaves open.
            scale: The grade scale.

        Examples:
            >>> import relkit
            >>> round(relkit.measure("ndcg@10").score([2, 3, 0]), 10)
            0.9134015925
        """
        from relkit.data.convention import load_convention
        from relkit.data.ranking import Ranking

        rules = load_convention(convention)
        if scale is not None:
            grades = [None if grade is None else scale.parse(grade) for grade in grades]
            unretrieved = [scale.parse(grade) for grade in unretrieved]
        measure = self.resolve(rules, scale)
        return measure.value(Ranking.of(grades, unretrieved))

    def resolve(
        self, convention: Convention, scale: Scale | None = None, highest: float = math.nan
    ) -> Measure:
        """Returns the measure with every open parameter filled in that has no fallback.

        Args:
            convention: Fills fields of the same name; `rel` falls back to the scale's threshold.
            scale: The grade scale: its threshold, and its gains for ``gain=scale``.
            highest: The highest grade in the judgments, for ERR.
        """
        changes: dict[str, Any] = {}
        own = convention.measure_rules((self.name, *self.aliases))
        for entry in dataclasses.fields(self):  # type: ignore[arg-type]
            value = getattr(self, entry.name)
            if value is not None and not (entry.name == "gain" and value == "scale"):
                continue
            if value is None and entry.name in own:
                value = own[entry.name]
            source = self.convention_fields.get(entry.name, entry.name)
            if value is None and entry.name not in OPTIONAL and hasattr(convention, source):
                value = getattr(convention, source)
                if entry.name == "rel" and value is None:
                    value = scale.relevant_from if scale is not None else 1.0
            if entry.name == "gain" and value == "scale" and scale is not None and scale.gains:
                value = tuple(sorted(scale.gains.items()))
            if entry.name == "max" and value is None:
                top = scale.highest if scale is not None and scale.highest is not None else highest
                value = max(1.0, top) if not math.isnan(top) else 1.0
            if value is not None:
                changes[entry.name] = value
        return dataclasses.replace(self, **changes) if changes else self  # type: ignore[type-var]

    def filled(self, name: str) -> Any:
        """Returns a parameter's value, or what stands for it where it is left open."""
        value = getattr(self, name)
        return self.fallbacks.get(name) if value is None else value

    def undefined_rule(self, convention: Convention) -> Undefined:
        """Returns what a query without a value counts: `skip`, `zero`, `one`, or `error`."""
        own = convention.measure_rules((self.name, *self.aliases))
        rule: Undefined = own.get("undefined", convention.undefined)
        return rule

    def counted_as(self, convention: Convention) -> Counted:
        """Returns the same for sums, to which a query that was refused (`error`) adds nothing."""
        rule = self.undefined_rule(convention)
        return "skip" if rule == "error" else rule

    def counted(self, convention: Convention) -> float:
        """Returns the number that a query without a value counts in a mean, NaN for none."""
        return COUNTED[self.undefined_rule(convention)]

    def with_cutoff(self, k: int) -> Measure:
        """Returns the same measure cut off at rank `k`.

        Raises:
            ParameterError: If the measure has no cutoff.
        """
        if "k" not in parameters(type(self)):
            raise ParameterError(
                message("the measure `{name}` has no cutoff: got `@{k}`", name=self.name, k=k)
            )
        return dataclasses.replace(self, k=k)  # type: ignore[type-var]

    def __str__(self) -> str:
        inside = []
        cutoff = ""
        for entry in dataclasses.fields(self):  # type: ignore[arg-type]
            value = getattr(self, entry.name)
            if entry.name == self.at:
                whole = "@all" if self.several else ""
                cutoff = f"@{show(value)}" if value is not None else whole
            elif value != entry.default:
                shown = show_gain(value) if entry.name == "gain" else show(value)
                if entry.name == "rel" and value == POSITIVE:
                    shown = "positive"
                inside.append(f"{entry.name}={shown}")
        arguments = f"({','.join(inside)})" if inside else ""
        return f"{self.name}{arguments}{cutoff}"

    def __post_init__(self) -> None:
        for name, hint in parameters(type(self)).items():
            value = getattr(self, name)
            object.__setattr__(self, name, check_parameter(self.name, name, value, hint))
