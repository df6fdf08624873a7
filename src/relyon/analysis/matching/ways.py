"""Ways of counting: known programs, and one or two changes of their rules."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations
from typing import TYPE_CHECKING, Any, Literal, get_args

from relyon.analysis.matching.programs import PROGRAMS, Program
from relyon.core.rules import POSITIVE, show_gain, show_rel
from relyon.data.convention import CHOICES, Convention
from relyon.evaluation.providers import program_rules
from relyon.measures.parameters import parameters

if TYPE_CHECKING:
    from relyon.analysis.matching.effects import Effects
    from relyon.measures.definition import Measure

__all__ = ["AverageRule", "Cutoff", "Way", "cut", "ways"]

Cutoff = Literal["k", "k-1", "k+1", "none"]
AverageRule = Literal["mean", "geometric", "pooled", "run"]

#: Fields that change what a measure reads; the others decide orders, grades and queries for all.
SHARED = ("ties", "missing", "unjudged", "unretrieved", "negative", "scores", "decimals")
#: Decimals to which programs round each query's value.
DECIMALS = (2, 3, 4)
_USUAL = Convention()
_NAMES = tuple(entry.name for entry in dataclasses.fields(Convention))


@dataclass(frozen=True)
class Way:
    """One way of counting: a program's rules, with at most two changes.

    Attributes:
        program: The program it starts from; `relyon` is relyon's own rules.
        changes: The changed rules by name, as text: fields of `Convention`, `cutoff` (`k-1`, `k+1`
            or `none` in place of the measure's own k), and `average` (`geometric`: mean of
            logarithms of at least 1e-5; `pooled`: sums over all queries, for measures that have
            it; `run`: over the run's queries, those without judgments count 0).
        fields: The fields of the convention, and `cutoff` and `average`.
    """

    program: Program
    changes: tuple[tuple[str, str], ...]
    fields: Mapping[str, Any] = dataclasses.field(repr=False, compare=False)

    @property
    def tier(self) -> int:
        """How many changes it takes: 0 is a known program."""
        return len(self.changes)

    @property
    def cutoff(self) -> Cutoff:
        """Which cutoff it takes."""
        found: Cutoff = self.fields["cutoff"]
        return found

    @property
    def average(self) -> AverageRule:
        """How queries become one number."""
        found: AverageRule = self.fields["average"]
        return found

    @cached_property
    def convention(self) -> Convention:
        """The rules."""
        if not self.changes:
            return self.program.convention
        own = {name: one for name, one in self.fields.items() if name in _NAMES}
        return Convention(**{**own, "name": "custom"})

    def __str__(self) -> str:
        changed = [f"{name}={value}" for name, value in self.changes]
        return ", ".join([str(self.program), *changed])

    def without(self, name: str) -> Way:
        """Returns the way without one of its changes."""
        usual = {**_fields(self.program.convention), "cutoff": "k", "average": "mean"}
        kept = tuple(one for one in self.changes if one[0] != name)
        return Way(self.program, kept, {**self.fields, name: usual[name]})

    def options(self, measures: Sequence[Measure]) -> str | None:
        """Returns the options of `relyon evaluate` for these rules; None if it has none."""
        rules = [program_rules(one, self.convention) for one in measures]
        if self.average not in ("mean", "pooled") or any(one != rules[0] for one in rules):
            return None
        base = self.program.preset
        parts = [] if base == "relyon" else ["--convention", base]
        own = next(one.convention for one in PROGRAMS if one.preset == base and not one.option)
        usual = own.shown()
        for name, value in self.convention.replace(**rules[0]).shown().items():
            if value != usual.get(name):
                parts += ["--set", f"{name}={'none' if value == 'None' else value}"]
        if self.average == "pooled":
            parts += ["--average", "micro"]
        names = [str(cut(one, self.cutoff) or one) for one in measures]
        return " ".join([*parts, "-m", ",".join(names)])

    def to_dict(self) -> dict[str, object]:
        """Returns JSON-ready values."""
        return {
            "program": self.program.preset,
            "option": self.program.option,
            "changes": dict(self.changes),
            "convention": self.convention.to_dict(),
        }


def _fields(rules: Convention) -> dict[str, Any]:
    return {name: getattr(rules, name) for name in _NAMES}


def cutoff_of(measure: Measure) -> int | None:
    """Returns the cutoff of a measure that can have another; None without one."""
    k = getattr(measure, "k", None) if "k" in parameters(type(measure)) else None
    return k if isinstance(k, int) else None


def cut(measure: Measure, cutoff: Cutoff) -> Measure | None:
    """Returns the measure with another cutoff; None if it has none to change."""
    if cutoff == "k":
        return measure
    k = cutoff_of(measure)
    if k is None:
        return None
    if cutoff == "none":
        return dataclasses.replace(measure, k=None)  # type: ignore[type-var]
    other = k - 1 if cutoff == "k-1" else k + 1
    return measure.with_cutoff(other) if other >= 1 else None


class Rules:
    """The rules that can matter for these measures on these files, and their other values.

    Args:
        measures: The measures.
        effects: What the files leave open.
    """

    def __init__(self, measures: Sequence[Measure], effects: Effects) -> None:
        self.measures = measures
        self.effects = effects

    @cached_property
    def names(self) -> frozenset[str]:
        """The names of the measures, under which a convention may have rules of their own."""
        return frozenset(name for one in self.measures for name in (one.name, *one.aliases))

    @cached_property
    def read(self) -> frozenset[str]:
        """The fields of `Convention` that one of the measures reads."""
        found = {"undefined"}
        for one in self.measures:
            for entry in dataclasses.fields(one):  # type: ignore[arg-type]
                if getattr(one, entry.name) is None:
                    found.add(one.convention_fields.get(entry.name, entry.name))
        return frozenset(found & set(_NAMES))

    @cached_property
    def values(self) -> dict[str, tuple[object, ...]]:
        """The values of each rule that can matter, as fields of `Convention` or names of `Way`."""
        found: dict[str, tuple[object, ...]] = {}
        known: Mapping[str, tuple[object, ...]] = CHOICES
        for name in SHARED:
            if name == "decimals":
                found[name] = (None, *DECIMALS)
            elif self.effects.matters(name):
                found[name] = tuple(one for one in known[name] if one != "error")
        if "ties" in found and not self.effects.ranked:
            found["ties"] = tuple(one for one in found["ties"] if one != "rank")
        if "ties" not in found and self.effects.ranked:
            found["ties"] = ("doc-desc", "rank")
        for name in sorted(self.read - set(SHARED)):
            if name == "gain":
                found[name] = ("linear", "exp", *self.effects.scale_gain)
            elif name == "rel":
                found[name] = (None, *self.effects.levels)
            elif name in known:
                found[name] = tuple(one for one in known[name] if one != "error")
        if any(cutoff_of(one) is not None for one in self.measures):
            found["cutoff"] = get_args(Cutoff)
        averages = [one for one in self.measures if one.combine == "mean"]
        forms: tuple[object, ...] = ("mean",)
        if averages:
            forms += ("geometric",)
            forms += ("run",) if self.effects.unjudged_queries else ()
        if any("micro" in one.averages and "macro" in one.averages for one in self.measures):
            forms += ("pooled",)
        found["average"] = forms
        return found

    def idle(self) -> list[str]:
        """Returns the fields that cannot matter here."""
        skipped = {"measures", "name", *self.values}
        return [name for name in _NAMES if name not in skipped]

    def key(self, fields: Mapping[str, Any]) -> tuple[object, ...]:
        """Returns the same for rules that cannot differ on these files."""
        kept = []
        for name in self.values:
            value = fields[name]
            if name == "rel" and value is not None and value == self.effects.usual_level:
                value = None
            if name in ("negative", "missing") and value == "error":
                value = getattr(_USUAL, name)
            kept.append(value)
        own = tuple(one for one in fields["measures"] if one[0] in self.names)
        return (*kept, own)


def ways(
    measures: Sequence[Measure], effects: Effects, *, most: int = 2
) -> tuple[list[Way], list[str]]:
    """Returns known programs, one change and two changes, and the rules that cannot matter.

    Known programs are all returned. Of changes that cannot differ on these files only the simplest
    are: fewer changes come first, then relyon, presets, and programs under options.

    Args:
        measures: The measures.
        effects: What the files leave open.
        most: The number of changes, at most.
    """
    rules = Rules(measures, effects)
    found = []
    starts = []
    seen: set[object] = set()
    for program in PROGRAMS:
        fields = {**_fields(program.convention), "cutoff": "k", "average": "mean"}
        if not effects.refused(program.convention):
            found.append(Way(program, (), fields))
        key = rules.key(fields)
        if key not in seen:
            seen.add(key)
            starts.append((program, fields))
    for size in range(1, most + 1):
        for program, fields in starts:
            for changes in _changes(fields, rules.values, size):
                changed = {**fields, **changes, "name": "custom"}
                key = rules.key(changed)
                if key in seen or effects.refused(changed):
                    continue
                seen.add(key)
                named = [(name, _shown(name, value)) for name, value in changes.items()]
                found.append(Way(program, tuple(named), changed))
    return found, rules.idle()


def _changes(
    fields: Mapping[str, Any], values: Mapping[str, tuple[object, ...]], size: int
) -> Iterator[dict[str, Any]]:
    single = [
        (name, value)
        for name, choices in values.items()
        for value in choices
        if value != fields[name]
    ]
    for chosen in combinations(single, size):
        if len({name for name, _ in chosen}) == size:
            yield dict(chosen)


def _shown(name: str, value: Any) -> str:
    if name == "gain":
        return show_gain(value)
    if name == "rel":
        return "positive" if value == POSITIVE else show_rel(value).lower()
    return str(value).lower() if value is None else str(value)
