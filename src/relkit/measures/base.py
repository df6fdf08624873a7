"""What a measure is, and how its name is read and printed."""

from __future__ import annotations

import dataclasses
import math
from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, Literal, TypeVar, get_args, get_type_hints

from relkit.convention import Convention, parse_gain, show_gain
from relkit.errors import ParameterError, UnknownNameError
from relkit.parameters import check_choice
from relkit.registry import Registry, suggestion

if TYPE_CHECKING:
    from relkit.measures.inversions import Inversion
    from relkit.ranking import Ranking
    from relkit.scale import Scale

__all__ = [
    "Combine",
    "Measure",
    "Step",
    "added",
    "equation",
    "figure",
    "register",
    "registry",
]

Combine = Literal["mean", "ratio", "sum", "pooled"]


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
            and denominators, `sum`, or `pooled` pairs of all queries.
        averages: The forms on offer: "macro" (mean over queries), "micro" (ratio of sums).
        bounds: Lowest and highest possible value.
        headings: What `explain` calls the gain and discount columns.
        formula: The formula in one line of plain text.
        needs: What it compares a run with: `judgments`, or another run (`reference`).
        shares: Whether a step's contribution is what its document adds to the value, so that the
            difference of two values can be told document by document.
        convention_fields: Fields that take another field of the convention, or none (empty).

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
    shares: ClassVar[bool] = True
    convention_fields: ClassVar[dict[str, str]] = {}

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

    def worked(self, ranking: Ranking) -> str:
        """Returns the formula with this ranking's numbers put in, and the value at its end.

        Called only where `undefined` returns `None`. By default the contributions are added up,
        where they make the value.

        Examples:
            >>> import relkit
            >>> relkit.measure("pnr").worked(relkit.Ranking.of([3, 2, 3, 3, 2, 1]))
            '13 / 2 = 6.5'
        """
        terms = [step.contribution for step in self.steps(ranking) if step.contribution]
        value = self.value(ranking)
        if not math.isclose(math.fsum(terms), value, rel_tol=1e-9, abs_tol=1e-9):
            return figure(value)
        return equation(added(list(map(figure, terms))), value)

    def ideal_steps(self, ranking: Ranking) -> Iterator[Step]:
        """Yields the best order that the measure can imagine; nothing where it has none."""
        return iter(())

    def missed(self, ranking: Ranking) -> list[str]:
        """Returns the documents whose absence from the counted ranks lowers the value."""
        return []

    def inversions(self, ranking: Ranking, limit: int) -> tuple[list[Inversion], int]:
        """Returns pairs of documents in the wrong order, the costliest first, and their number."""
        return [], 0

    # -- what all of them share ----------------------------------------------------------------

    def value(self, ranking: Ranking) -> float:
        """Returns the measure of one ranking, NaN where it is undefined."""
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
        from relkit.convention import load_convention
        from relkit.ranking import Ranking

        rules = load_convention(convention)
        if scale is not None:
            grades = [None if grade is None else scale.parse(grade) for grade in grades]
            unretrieved = [scale.parse(grade) for grade in unretrieved]
        measure = self.resolve(rules, scale)
        return measure.value(Ranking.of(grades, unretrieved))

    def resolve(
        self, convention: Convention, scale: Scale | None = None, highest: float = math.nan
    ) -> Measure:
        """Returns the measure with every open parameter filled in.

        Args:
            convention: Fills fields of the same name; `rel` falls back to the scale's threshold.
            scale: The grade scale: its threshold, and its gains for ``gain=scale``.
            highest: The highest grade in the judgments, for ERR.
        """
        changes: dict[str, Any] = {}
        for entry in dataclasses.fields(self):  # type: ignore[arg-type]
            value = getattr(self, entry.name)
            source = self.convention_fields.get(entry.name, entry.name)
            if value is None and entry.name not in OPTIONAL and hasattr(convention, source):
                value = getattr(convention, source)
                if entry.name == "rel" and value is None:
                    value = scale.relevant_from if scale is not None else 1.0
                changes[entry.name] = value
            if entry.name == "gain" and value == "scale" and scale is not None and scale.gains:
                changes["gain"] = tuple(sorted(scale.gains.items()))
            if entry.name == "max" and value is None:
                top = scale.highest if scale is not None and scale.highest is not None else highest
                changes["max"] = max(1.0, top) if not math.isnan(top) else 1.0
        return dataclasses.replace(self, **changes) if changes else self  # type: ignore[type-var]

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
            if entry.name == "k":
                cutoff = f"@{value}" if value is not None else ""
            elif value != entry.default:
                shown = show_gain(value) if entry.name == "gain" else _show(value)
                inside.append(f"{entry.name}={shown}")
        arguments = f"({','.join(inside)})" if inside else ""
        return f"{self.name}{arguments}{cutoff}"

    def __post_init__(self) -> None:
        for name, hint in parameters(type(self)).items():
            value = getattr(self, name)
            object.__setattr__(self, name, _check(self.name, name, value, hint))


#: More terms than this are left out of a sum that is written down.
MOST_TERMS = 6


def figure(value: float) -> str:
    """Returns a number for a formula: up to 4 decimals, 4 digits where it is small.

    Examples:
        >>> figure(6.5), figure(13.0), figure(2 / 3), figure(0.0001234)
        ('6.5', '13', '0.6667', '0.0001234')
    """
    if not math.isfinite(value):
        return str(value)
    text = f"{value:.4f}" if value == 0 or abs(value) >= 0.001 else f"{value:.4g}"
    return text.rstrip("0").rstrip(".") if "." in text and "e" not in text else text


def added(terms: Sequence[str]) -> str:
    """Returns a sum as text; a long one is cut, and says how many terms it has.

    Examples:
        >>> added(["1", "0.5"]), added([])
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
    right = figure(value)
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
    "binary": "ap map map_cut f1 f setf set_f meanp mean_p mean_precision p precision prec"
    " setp set_p rprec r_precision r-precision rprecision recall r setr set_recall rr mrr"
    " recip_rank success hit hit_rate hitrate",
    "cascade": "err rbp",
    "gain": "cg dcg sdcg idcg ndcg",
    "incomplete": "bpref infap inf_ap judged num_rel numrel num_rel_ret numrelret hits"
    " num_ret numret",
    "overlap": "overlap rbo tau_ap tauap ap_correlation",
    "pairwise": "auc roc_auc concordance gauc group_auc uauc pnr",
}


_PLUGINS = {"loaded": False}


def _load(name: str | None) -> None:
    from importlib import import_module

    known = False
    for family, names in FAMILIES.items():
        if name is None or name in names.split():
            import_module(f"relkit.measures.{family}")
            known = name is not None
    if not known and not _PLUGINS["loaded"]:
        # Looking for installed packages takes time, and built-in names do not need it.
        _PLUGINS["loaded"] = True
        from relkit.measures.plugins import load_entry_points

        load_entry_points()


registry: Registry[type[Measure]] = Registry("measure", _load)

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
    registry.add(kind.name, kind, kind.aliases)
    return kind


def build(kind: type[Measure], arguments: Mapping[str, object], k: int | None = None) -> Measure:
    """Makes a measure from parameter texts.

    Raises:
        UnknownNameError: If it has no parameter of a name.
        ParameterError: If a value cannot be had.
    """
    known = parameters(kind)
    for name in arguments:
        if name not in known:
            raise UnknownNameError(
                f"the measure `{kind.name}` has no parameter `{name}`",
                hint=suggestion(name, list(known)) if known else "it takes none",
            )
    measure = kind(**arguments)
    return measure if k is None else measure.with_cutoff(k)
