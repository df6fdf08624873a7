"""What a measure is, and how its name is read and printed."""

from __future__ import annotations

import dataclasses
import math
from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, Literal, TypeVar, get_args, get_type_hints

from relkit.core.errors import ParameterError, UnknownNameError
from relkit.core.parameters import check_choice
from relkit.core.registry import Registry, suggestion
from relkit.core.rules import COUNTED, POSITIVE, Undefined, parse_gain, parse_rel, show_gain
from relkit.data.convention import Convention

if TYPE_CHECKING:
    from relkit import _native
    from relkit.data.ranking import Ranking
    from relkit.data.scale import Scale
    from relkit.measures.inversions import Inversion

__all__ = [
    "Combine",
    "Describes",
    "Measure",
    "Step",
    "check_measure_rules",
    "equation",
    "format_number",
    "format_sum",
    "geometric_parts",
    "open_parameters",
    "register",
    "registry",
]

Combine = Literal["mean", "ratio", "sum", "pooled", "geometric"]
Describes = Literal["quality", "data"]


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
        """Returns the native function and its parameters, or `None` to loop over `steps`."""
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

    @property
    def shown(self) -> str:
        """The name in tables and sentences; `str` gives the one that can be read back."""
        return str(self)

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

    def counted(self, convention: Convention) -> float:
        """Returns the number that a query without a value counts in a mean, NaN for none."""
        return COUNTED[self.undefined_rule(convention)]

    def with_cutoff(self, k: int) -> Measure:
        """Returns the same measure cut off at rank `k`.

        Raises:
            ParameterError: If the measure has no cutoff.
        """
        if "k" not in parameters(type(self)):
            raise ParameterError(f"the measure `{self.name}` has no cutoff: got `@{k}`")
        return dataclasses.replace(self, k=k)  # type: ignore[type-var]

    def __str__(self) -> str:
        inside = []
        cutoff = ""
        for entry in dataclasses.fields(self):  # type: ignore[arg-type]
            value = getattr(self, entry.name)
            if entry.name == self.at:
                whole = "@all" if self.several else ""
                cutoff = f"@{_show(value)}" if value is not None else whole
            elif value != entry.default:
                shown = show_gain(value) if entry.name == "gain" else _show(value)
                if entry.name == "rel" and value == POSITIVE:
                    shown = "positive"
                inside.append(f"{entry.name}={shown}")
        arguments = f"({','.join(inside)})" if inside else ""
        return f"{self.name}{arguments}{cutoff}"

    def __post_init__(self) -> None:
        for name, hint in parameters(type(self)).items():
            value = getattr(self, name)
            object.__setattr__(self, name, _check(self.name, name, value, hint))


#: In a geometric mean smaller values count as this, so that one query of 0 does not make it 0.
FLOOR = 0.00001


def geometric_parts(value: float) -> tuple[float, float]:
    """Returns what a query adds to a geometric mean: the logarithm of its value, and 1.

    Examples:
        >>> geometric_parts(1.0), geometric_parts(math.nan)
        ((0.0, 1.0), (0.0, 0.0))
    """
    return (0.0, 0.0) if math.isnan(value) else (math.log(max(value, FLOOR)), 1.0)


#: More terms than this are left out of a sum that is written down.
MOST_TERMS = 6


def format_number(value: float) -> str:
    """Returns a number for a formula: up to 4 decimals, 4 digits where it is small.

    Examples:
        >>> format_number(6.5), format_number(13.0), format_number(2 / 3), format_number(0.0001234)
        ('6.5', '13', '0.6667', '0.0001234')
    """
    if not math.isfinite(value):
        return str(value)
    text = f"{value:.4f}" if value == 0 or abs(value) >= 0.001 else f"{value:.4g}"
    return text.rstrip("0").rstrip(".") if "." in text and "e" not in text else text


def format_sum(terms: Sequence[str]) -> str:
    """Returns a sum as text; a long one is cut, and says how many terms it has.

    Examples:
        >>> format_sum(["1", "0.5"]), format_sum([])
        ('1 + 0.5', '0')
    """
    if len(terms) > MOST_TERMS:
        return " + ".join([*terms[: MOST_TERMS - 1], f"… ({len(terms)} terms)"])
    return " + ".join(terms) or "0"


def equation(left: str, value: float) -> str:
    """Returns `left = value`, or the value alone where that says the same.

    Examples:
        >>> equation("1 / 4", 0.25), equation("0.25", 0.25)
        ('1 / 4 = 0.25', '0.25')
    """
    right = format_number(value)
    return right if left == right else f"{left} = {right}"


#: Parameters that have a meaning when they are `None`, and so are not filled from a convention.
OPTIONAL = frozenset({"k"})

_HINTS: dict[type, dict[str, Any]] = {}


def parameters(kind: type[Measure]) -> dict[str, Any]:
    """Returns a measure's parameters and their types."""
    if kind not in _HINTS:
        hints = {entry.name: entry.type for entry in dataclasses.fields(kind)}  # type: ignore[arg-type]
        if any(isinstance(hint, str) for hint in hints.values()):
            written = get_type_hints(kind)
            hints = {name: written[name] for name in hints}
        _HINTS[kind] = hints
    return _HINTS[kind]


def _show(value: object) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, float):
        return f"{value:.17g}" if float(f"{value:g}") != value else f"{value:g}"
    return str(value)


def choices(hint: Any) -> tuple[Any, ...]:
    """Returns the texts that a parameter's type allows; empty where it is no list of them."""
    found: list[Any] = []
    for argument in get_args(hint):
        if isinstance(argument, str):
            found.append(argument)
        elif argument is not type(None):
            found.extend(choices(argument))
    return tuple(found)


def _check(measure: str, name: str, value: Any, hint: Any) -> Any:
    """Returns a parameter's value in its own type, from text too."""
    optional = type(None) in get_args(hint) or hint is type(None)
    if value is None and optional:
        return None

    def refuse(wanted: str) -> ParameterError:
        return ParameterError(
            f"the parameter `{name}` of `{measure}` must be {wanted}. Got `{value}` instead."
        )

    if name == "gain":
        return parse_gain(value)
    if name == "rel" and str(value).lower() == "positive":
        return parse_rel(value)
    allowed = choices(hint)
    if allowed:
        check_choice(name, value, allowed, subject=f"the parameter `{name}` of `{measure}`")
        return value
    wanted = next(
        (kind for kind in (bool, int, float) if hint is kind or kind in get_args(hint)), str
    )
    if wanted is bool:
        text = str(value).lower()
        if text not in {"true", "false"}:
            raise refuse("`true` or `false`")
        return text == "true"
    try:
        number = float(value)
    except (TypeError, ValueError):
        raise refuse("a number") from None
    if wanted is int:
        if isinstance(value, bool) or number != int(number) or number < 1:
            raise refuse("a whole number of 1 or more")
        return int(number)
    if not math.isfinite(number):
        raise refuse("a finite number")
    return number


#: The module of each measure and alias: a module is imported when one of its names is asked for.
FAMILIES = {
    "agreement": "kappa qwk quadratic_kappa spearman rho spearman_rho"
    " tau kendall kendall_tau tau_b",
    "binary": "ap map map_cut meanp mean_p mean_precision p precision prec"
    " setp set_p rprec r_precision r-precision rprecision rprec_mult recall r setr set_recall rr"
    " mrr recip_rank success hit hit_rate hitrate",
    "cascade": "err rbp rbp_residual",
    "classes": "auc roc_auc average_precision average_precision_score ap_score pr_auc gauc"
    " group_auc uauc",
    "continuation": "sdcg insq inst bpm nerr8 nerr9 nerr10 nerr11",
    "diversity": "alpha_dcg alpha-dcg α_dcg α-dcg alphadcg alpha_ndcg alpha-ndcg α_ndcg α-ndcg"
    " alphandcg err_ia err-ia nerr_ia nerr-ia nrbp nnrbp p_ia p-ia ap_ia ap-ia map_ia map-ia"
    " strecall strec st_recall subtopic_recall s_recall",
    "gain": "cg dcg idcg ndcg",
    "geometric": "gm_ap gmap gm_map gm_bpref",
    "incomplete": "bpref infap inf_ap judged num_nonrel_ret num_nonrel_judged_ret num_q numq"
    " num_rel numrel num_rel_ret numrelret hits num_ret numret unjudged unj",
    "interpolated": "iap eleven_point_ap 11pt_avg iprec iprec_at_recall",
    "order": "compat compatibility accuracy",
    "overlap": "overlap rbo tau_ap tauap ap_correlation",
    "pairwise": "concordance pnr",
    "sets": "f1 f setf set_f f_beta fbeta set_ap setap set_map utility",
    "trec": "bin_g bing g ndcg_rel rndcg yaap",
}


def _load_entry_points() -> None:
    from relkit.measures.plugins import load_entry_points

    load_entry_points()


registry: Registry[type[Measure]] = Registry(
    "measure",
    modules={f"relkit.measures.{family}": names for family, names in FAMILIES.items()},
    extend=_load_entry_points,
)

M = TypeVar("M", bound=type[Measure])


def register(kind: M) -> M:
    """Class decorator that makes a measure known by its name and aliases.

    Raises:
        ParameterError: If one of the names is taken.

    Examples:
        >>> from dataclasses import dataclass
        >>> import relkit
        >>> @relkit.register
        ... @dataclass(frozen=True)
        ... class Length(relkit.Measure):
        ...     '''Number of documents in the list.'''
        ...     name = "length"
        ...     def steps(self, ranking):
        ...         for entry in ranking:
        ...             place = float(entry.rank)
        ...             name, grade = entry.document, entry.grade
        ...             yield relkit.Step(entry.rank, name, grade, 1.0, 1.0, 1.0, place)
        >>> relkit.measure("length").score([2, 0, 1])
        3.0
    """
    return registry.register(kind)


def open_parameters(kind: type[Measure]) -> list[str]:
    """Returns the parameters that a measure's name may leave open, for a convention to fill."""
    entries = dataclasses.fields(kind)  # type: ignore[arg-type]
    return [one.name for one in entries if one.default is None and one.name not in OPTIONAL]


def check_measure_rules(convention: Convention) -> None:
    """Refuses rules of single measures that no measure can follow.

    Raises:
        UnknownNameError: If there is no such measure or parameter; the hint names the nearest.
        ParameterError: If a value cannot be had, or a parameter is never left open.
    """
    for name, entries in convention.measures:
        kind = registry.get(name)
        hints = parameters(kind)
        open_ones = open_parameters(kind)
        for key, value in entries:
            if key == "undefined":
                continue
            if key in hints and key not in open_ones:
                raise ParameterError(
                    f"a convention cannot set `{name}.{key}`: the measure never leaves it open",
                    hint=f"write it in the measure's name: {name}@10"
                    if key == "k"
                    else f"write it in the measure's name: {name}({key}={_show(value)})",
                )
            if key not in hints:
                raise UnknownNameError(
                    f"a convention has no rule `{name}.{key}`: the measure has no such parameter",
                    hint=suggestion(key, ["undefined", *open_ones]),
                )
            _check(name, key, value, hints[key])


def build(kind: type[Measure], arguments: Mapping[str, object], k: int | None = None) -> Measure:
    """Makes a measure from parameter texts.

    Raises:
        UnknownNameError: If it has no parameter of a name.
        ParameterError: If a value cannot be had.
    """
    if kind.name == "num_ret" and "rel" in arguments:
        kind = registry.get("num_rel_ret")  # ir_measures: NumRet(rel=2)
    if "judged_only" in arguments and "judged_only" not in parameters(kind):
        from relkit.measures.condensed import condensed

        arguments = dict(arguments)
        if str(arguments.pop("judged_only")).lower() == "true":
            kind = condensed(kind)
            arguments["judged_only"] = True
    known = parameters(kind)
    for name in arguments:
        if name not in known:
            raise UnknownNameError(
                f"the measure `{kind.name}` has no parameter `{name}`",
                hint=suggestion(name, list(known)) if known else "it takes none",
            )
    measure = kind(**arguments)
    return measure if k is None else measure.with_cutoff(k)
