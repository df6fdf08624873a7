"""The base of all measures."""

from __future__ import annotations

import dataclasses
import math
from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar, Literal, TypeAlias, get_args

from relyon.core.errors import ParameterError
from relyon.core.rules import COUNTED, POSITIVE, Counted, Undefined, show_gain
from relyon.core.texts import message
from relyon.measures.formulas import equation, format_number, format_sum
from relyon.measures.parameters import OPTIONAL, check_parameter, parameters, show

if TYPE_CHECKING:
    from relyon import _native
    from relyon.data.convention import Convention
    from relyon.data.ranking import Ranking
    from relyon.data.scale import Scale
    from relyon.measures.inversions import Inversion

__all__ = ["UNBOUNDED", "Aspect", "Better", "Combine", "Describes", "Kernel", "Measure", "Step"]

#: The bounds of measures that add up gains or counts.
UNBOUNDED = (0.0, math.inf)

UNDEFINED: tuple[Undefined, ...] = get_args(Undefined)

#: The name of a native function and its parameters.
Kernel: TypeAlias = tuple[str, Mapping[str, object]]

Combine = Literal["mean", "ratio", "sum", "pooled", "geometric"]
Describes = Literal["quality", "data"]
Better = Literal["higher", "lower"]
Aspect = Literal[
    "coverage", "top", "first", "precision", "hit", "pairs", "judged", "diversity", "other"
]


@dataclass(frozen=True)
class Step:
    """The contribution of one rank to a measure.

    Attributes:
        rank: The rank, counted from 1.
        document: The document's id; empty after the end of the list.
        grade: Its grade; `None` if unjudged.
        gain: Its gain. The measure's `headings` name this and the next column.
        discount: The divisor or factor of its gain.
        contribution: Its addend of the value.
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
    """A number computed from one ranked list, and how queries are combined.

    Subclasses are frozen dataclasses; their fields are the measure's parameters. A field that is
    `None` and has the name of a field of `Convention` is taken from there. Register a subclass
    with `@register` and it works in `relyon.evaluate`, on the command line and in `explain`.

    Attributes:
        name: The canonical name.
        aliases: Other names, case-insensitive.
        title: The name in prose; if empty, `name`, capitalised if it is short.
        trec_names: trec_eval's names, by relyon's: ``{"p@{k}": "P_{k}"}``. Braces contain a
            parameter. Measures that are not listed have the same name in both.
        becomes: Another measure's name, by a parameter that only the other has: with that parameter
            a name means the other, like ir_measures' ``NumRet(rel=2)``.
        aspect: The aspect of a ranking that it measures; reports word changes accordingly.
        combine: How queries become one number: `mean` of values, `ratio` of summed numerators
            and denominators, `sum`, `pooled` pairs of all queries, or the `geometric` mean, whose
            numerators are logarithms.
        averages: The available averages: "macro" (mean over queries), "micro" (ratio of sums).
        bounds: Lowest and highest possible value.
        headings: The names of the gain and discount columns in `explain`.
        formula: The formula as one line of plain text.
        needs: The other input: `judgments`, or another run (`reference`).
        is_additive: Whether a step's contribution is that of its document to the value, so that
            the difference of two values can be attributed to documents.
        weighted: Whether rows of labelled scores may have weights.
        describes: Its subject: the `quality` of a ranking, or the `data`, such as how much of
            a list was judged. A comparison shows the latter without a test.
        better: Which values are better: `higher` ones, or `lower` ones, as of a share of bad
            results. A comparison then calls a drop better; its difference keeps the sign.
        ordinal: Whether only the order of the grades counts. Grades below 0 are then used
            unchanged; for other measures they are not relevant and have no gain.
        sums_undefined: Whether queries without a value contribute to a ratio of sums.
        counts_queries: Whether it only counts queries, so that one query's value has no meaning.
        needs_subtopics: Whether it uses judgments of subtopics; others count as one subtopic.
        needs_passages: Whether it uses judgments of passages; without them each judged document
            counts as one passage.
        convention_fields: Fields that take another field of the convention, or none (empty).
        fallbacks: Defaults of fields that neither the name nor the convention fills.
        at: The parameter after the @: the cutoff, or the level of recall of `iprec`.
        argument: The parameter given by a number after a point, if it is not a cutoff: `rbp.95`.
        several: Whether the bare name means several measures, like trec_eval's `P`; the one without
            a cutoff is then written `@all`.

    Examples:
        >>> from dataclasses import dataclass
        >>> from relyon.measures import Measure, Step, register
        >>> @register
        ... @dataclass(frozen=True)
        ... class FirstGrade(Measure):
        ...     '''Grade of the first document.'''
        ...     name = "first_grade"
        ...     def steps(self, ranking):
        ...         for entry in ranking.top(1):
        ...             grade = entry.grade or 0.0
        ...             yield Step(1, entry.document, entry.grade, grade, 1.0, grade, grade)
        >>> import relyon
        >>> run = {"q": {"a": 0.5, "b": 0.1}}
        >>> relyon.evaluate({"q": {"a": 2}}, run, ["first_grade"])["first_grade"]
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
    better: ClassVar[Better] = "higher"
    ordinal: ClassVar[bool] = False
    sums_undefined: ClassVar[bool] = False
    counts_queries: ClassVar[bool] = False
    needs_subtopics: ClassVar[bool] = False
    needs_passages: ClassVar[bool] = False
    convention_fields: ClassVar[dict[str, str]] = {}
    fallbacks: ClassVar[dict[str, object]] = {}
    at: ClassVar[str] = "k"
    argument: ClassVar[str] = "k"
    several: ClassVar[bool] = False

    # -- defined by subclasses ----------------------------------------------------------------

    @abstractmethod
    def steps(self, ranking: Ranking) -> Iterator[Step]:
        """Yields the derivation rank by rank; the last total is the value.

        Called only if `undefined` returns `None`. Without steps the value is 0.
        """

    def undefined(self, ranking: Ranking) -> str | None:
        """Returns why the measure has no value for this query, or `None` if it has one."""
        return None

    def kernel(self) -> Kernel | None:
        """Returns the native function and its parameters, or `None` to loop over `steps`.

        A parameter `undefined` is filled with the value of undefined queries, for functions
        that weight queries.
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
        """Returns a query's weight in a weighted mean (`combine` is `ratio`, macro average)."""
        return 1.0

    def details(
        self, numerator: float, denominator: float, equal: tuple[float, float] = (0.0, 0.0)
    ) -> dict[str, float]:
        """Returns the details shown next to the number, by name.

        Args:
            numerator: Summed over the queries.
            denominator: Summed over the queries.
            equal: For PNR: positive and negative pairs of equal labels.
        """
        return {}

    def mean_details(self, total: _native.Total, undefined: Counted) -> dict[str, float]:
        """Returns the details that differ for a mean over queries.

        Args:
            total: The number of queries.
            undefined: The rule for queries without a value.
        """
        return {}

    @property
    def shown(self) -> str:
        """The name in tables and sentences; `str` gives the one that can be parsed."""
        return str(self)

    def trec_name(self, filled: Measure | None = None) -> str:
        """Returns trec_eval's name, or relyon's own if trec_eval has none.

        Args:
            filled: The same measure with all parameters filled in.

        Examples:
            >>> import relyon
            >>> [relyon.measure(name).trec_name() for name in ("ndcg@10", "ap", "iprec@0.5")]
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
        """Whether it uses a threshold of relevance."""
        return hasattr(self, "rel")

    @property
    def needs_highest_grade(self) -> bool:
        """Whether it needs the highest grade in the judgments when no scale gives one."""
        return "max" in parameters(type(self)) and self.filled("max") is None

    def resampled(self) -> bool:
        """Returns whether a comparison can recompute the pooled number from whole queries."""
        return False

    def pooled(self, total: _native.Total) -> float:
        """Returns the number over the rows of all queries, for ``combine = "pooled"``."""
        raise NotImplementedError

    def expanded_formula(self, ranking: Ranking) -> str:
        """Returns the formula with this ranking's numbers and the resulting value.

        Called only if `undefined` returns `None`. By default the contributions are added up, if
        they sum to the value.

        Examples:
            >>> import relyon
            >>> relyon.measure("pnr").expanded_formula(relyon.Ranking.of([3, 2, 3, 3, 2, 1]))
            '13 / 2 = 6.5'
        """
        terms = [step.contribution for step in self.steps(ranking) if step.contribution]
        value = self.value(ranking)
        if not math.isclose(math.fsum(terms), value, rel_tol=1e-9, abs_tol=1e-9):
            return format_number(value)
        return equation(format_sum(list(map(format_number, terms))), value)

    def ideal_steps(self, ranking: Ranking) -> Iterator[Step]:
        """Yields the steps of the ideal order; nothing if the measure has none."""
        return iter(())

    def missing_relevant(self, ranking: Ranking) -> list[str]:
        """Returns the documents whose absence from the counted ranks lowers the value."""
        return []

    def inversions(self, ranking: Ranking, limit: int) -> tuple[list[Inversion], int]:
        """Returns pairs of documents in the wrong order, the costliest first, and their number."""
        return [], 0

    # -- what all measures share ---------------------------------------------------------------

    def seen(self, ranking: Ranking) -> Ranking:
        """Returns the ranking as the measure sees it: without unjudged documents in its first k."""
        return ranking.window(getattr(self, "k", None)) if ranking.ignores else ranking

    def value(self, ranking: Ranking) -> float:
        """Returns the measure of one ranking, NaN if it is undefined."""
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
            unretrieved: Grades of judged documents that are not in the list.
            convention: The rules for parameters that the measure leaves open.
            scale: The grade scale.

        Examples:
            >>> import relyon
            >>> round(relyon.measure("ndcg@10").score([2, 3, 0]), 10)
            0.9134015925
        """
        from relyon.data.convention import load_convention
        from relyon.data.ranking import Ranking

        rules = load_convention(convention)
        if scale is not None:
            grades = [None if grade is None else scale.parse(grade) for grade in grades]
            unretrieved = [scale.parse(grade) for grade in unretrieved]
        measure = self.resolve(rules, scale)
        return measure.value(Ranking.of(grades, unretrieved))

    def resolve(
        self, convention: Convention, scale: Scale | None = None, highest: float = math.nan
    ) -> Measure:
        """Returns the measure with its open parameters filled in, except those with a fallback.

        Args:
            convention: Fills fields of the same name; `rel` falls back to the scale's threshold.
            scale: The grade scale: its threshold, and its gains for ``gain=scale``.
            highest: The highest grade in the judgments, for ERR.
        """
        changes: dict[str, object] = {}
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

    def filled(self, name: str) -> object:
        """Returns a parameter's value, or its default if it is left open."""
        value = getattr(self, name)
        return self.fallbacks.get(name) if value is None else value

    def undefined_rule(self, convention: Convention) -> Undefined:
        """Returns the rule for queries without a value: `skip`, `zero`, `one`, or `error`."""
        own = convention.measure_rules((self.name, *self.aliases))
        rule = own.get("undefined")
        return next((one for one in UNDEFINED if one == rule), convention.undefined)

    def counted_as(self, convention: Convention) -> Counted:
        """Returns the same for sums, to which a refused query (`error`) adds nothing."""
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
            raise ParameterError(message("measures.measure-has-no-cutoff", name=self.name, k=k))
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
