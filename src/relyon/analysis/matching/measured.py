"""Numbers of many ways of counting, each distinct behaviour evaluated once."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from functools import cached_property
from operator import itemgetter
from typing import TYPE_CHECKING, Any

import numpy as np

from relyon.analysis.matching.ways import SHARED, Way, cut
from relyon.core.errors import RelyonError
from relyon.core.rules import COUNTED, Counted
from relyon.data.convention import Convention
from relyon.evaluation.assembly import number
from relyon.evaluation.program import Program
from relyon.evaluation.providers import program_rules
from relyon.evaluation.sources import evaluate_run
from relyon.measures.logarithms import geometric_parts

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from relyon import _native
    from relyon.data.judgments import Judgments
    from relyon.data.run import Run
    from relyon.data.scale import Scale
    from relyon.evaluation.measure_columns import Column
    from relyon.measures.definition import Measure

__all__ = ["Measurements"]

#: Rules of a pass over the run. Rounding and missing queries follow from a mean's values.
ORDERS = tuple(name for name in SHARED if name not in ("missing", "decimals"))
Key = tuple[object, ...]
#: Values of queries that are kept for further questions, before they are computed again.
MOST_HELD = 5_000_000


@dataclass(frozen=True)
class _Form:
    """A measure under the rules that it reads itself.

    Attributes:
        measure: The measure with all parameters filled in.
        name: Its name.
        counted: How a query without a value counts.
        mean: Whether the number is the mean of the queries' values.
        own: Rules of a program that are those of another one for this measure.
        after: Further parts of the key of a pass.
    """

    measure: Measure
    name: str
    counted: Counted
    mean: bool
    own: Mapping[str, str]
    after: str


@dataclass(frozen=True)
class _Asked:
    """What one measure is under one way of counting."""

    form: _Form
    orders: Key
    missing: str
    decimals: int | None
    average: str


class _Evaluated:
    """One measure of one pass over the run."""

    def __init__(self, batch: _native.Batch, column: Column, form: str) -> None:
        self.batch = batch
        self.column = column
        self.form = form

    @cached_property
    def values(self) -> NDArray[np.float64]:
        return np.asarray(self.column.values(), dtype=float)


class Measurements:
    """Judgments and a run, evaluated under any way of counting.

    Args:
        judgments: The judgments.
        run: The run.
        scale: The grade scale.
        threads: Threads to use; 0 uses all cores.
    """

    def __init__(self, judgments: Judgments, run: Run, scale: Scale | None, threads: int) -> None:
        self.judgments = judgments
        self.run = run
        self.scale = scale
        self.threads = threads
        self._readers: dict[Measure, Any] = {}
        self._forms: dict[Key, _Form | None] = {}
        self._found: dict[tuple[Key, str], _Evaluated | None] = {}
        self._numbers: dict[Key, float] = {}
        self._held = 0

    def numbers(self, ways: Sequence[Way], measures: Sequence[Measure]) -> NDArray[np.float64]:
        """Returns one row per way, one column per measure; NaN where a program has no number."""
        asked = [self._asked(way, one) for way in ways for one in measures]
        table = np.full(len(asked), math.nan)
        passes: dict[Key, list[int]] = {}
        for place, one in enumerate(asked):
            if one is not None:
                passes.setdefault(one.orders, []).append(place)
        for places in passes.values():
            wanted = [one for place in places if (one := asked[place]) is not None]
            self._evaluate(wanted)
            table[places] = [self._number(one) for one in wanted]
            if self._held > MOST_HELD:
                self._found.clear()
                self._held = 0
        return table.reshape(len(ways), len(measures))

    def has_values(self, way: Way, measure: Measure) -> bool:
        """Returns whether any query has a value of its own, not only what counts instead of one."""
        asked = self._asked(way, measure)
        self._evaluate([asked])
        found = None if asked is None else self._found[asked.orders, asked.form.name]
        return found is not None and not bool(np.isnan(found.values).all())

    def values(self, way: Way, measure: Measure) -> dict[str, float]:
        """Returns each query's value as it counts; a query that is left out is absent."""
        asked = self._asked(way, measure)
        self._evaluate([asked])
        found = None if asked is None else self._found[asked.orders, asked.form.name]
        if asked is None or found is None:
            return {}
        counted = _counted(asked, found)
        return {
            query: float(value)
            for query, value in zip(found.batch.queries, counted, strict=False)
            if not math.isnan(value)
        }

    def _asked(self, way: Way, measure: Measure) -> _Asked | None:
        form = self._form(way, measure)
        if form is None:
            return None
        rules = {**way.fields, **form.own} if form.own else way.fields
        orders = *ORDER_OF(rules), form.after
        missing, decimals = rules["missing"], rules["decimals"]
        if not form.mean:
            # Rounding a query's value does not change its part of a ratio of sums.
            orders = *orders, missing, None if way.average == "pooled" else decimals
        return _Asked(form, orders, missing, decimals, way.average)

    def _form(self, way: Way, measure: Measure) -> _Form | None:
        if measure not in self._readers:
            sources = {
                measure.convention_fields.get(entry.name, entry.name)
                for entry in fields(measure)  # type: ignore[arg-type]
            }
            known = {entry.name for entry in fields(Convention)} - set(SHARED)
            # `unjudged` is read by measures of gain only if it is a grade, which is not tried.
            own = (sources & known) | {"undefined", "measures", "name", "cutoff", "average"}
            self._readers[measure] = itemgetter(*sorted(own))
        key = measure, *self._readers[measure](way.fields)
        if key not in self._forms:
            self._forms[key] = self._make_form(way, measure)
        return self._forms[key]

    def _make_form(self, way: Way, measure: Measure) -> _Form | None:
        rules = way.convention
        own = program_rules(measure, rules)
        if own:
            rules = rules.replace(**own)
        asked = cut(measure, way.cutoff) or measure
        one = asked.resolve(rules, self.scale, self.judgments.table.highest)
        mean = one.combine == "mean" and one.averages[0] == "macro" and way.average != "pooled"
        if way.average == "pooled" and "micro" not in one.averages:
            return None
        if way.average in ("geometric", "run") and not mean:
            return None
        kernel = one.kernel()
        weighs = kernel is None or "undefined" in kernel[1]
        counted = one.counted_as(rules)
        return _Form(one, str(one), counted, mean, own, counted if weighs else "")

    def _evaluate(self, asked: Sequence[_Asked | None]) -> None:
        wanted: dict[Key, dict[str, Measure]] = {}
        for one in asked:
            if one is not None and (one.orders, one.form.name) not in self._found:
                wanted.setdefault(one.orders, {})[one.form.name] = one.form.measure
        for key, measures in wanted.items():
            self._pass(key, measures)

    def _pass(self, key: Key, measures: Mapping[str, Measure]) -> None:
        """Evaluates measures in one pass; None for those that refuse the rules."""
        rules = self._rules(key)
        listed = list(measures.values())
        program = self._program(listed, rules)
        if program is None:
            usable = {name: one for name, one in measures.items() if self._program([one], rules)}
            self._found.update({(key, name): None for name in measures.keys() - usable.keys()})
            if not usable:
                return
            measures, program = usable, self._program(list(usable.values()), rules)
        if program is None:  # each of them can be computed, and so can all
            raise RuntimeError("a plan of usable measures was refused")
        try:
            batch, columns, _ = evaluate_run(self.judgments, program, self.run, self.threads)
        except RelyonError:  # such as too many orders of ties for a measure without a formula
            for name, one in measures.items():
                if len(measures) > 1:
                    self._pass(key, {name: one})
                else:
                    self._found[key, name] = None
            return
        self._held += len(self.judgments.table) * len(measures)
        forms = {str(one): form for one, form in zip(program.asked, program.forms, strict=True)}
        for name in measures:
            self._found[key, name] = _Evaluated(batch, columns[name], forms[name])

    def _rules(self, key: Key) -> Convention:
        named = dict(zip(ORDERS, key, strict=False))
        named["undefined"] = key[len(ORDERS)] or "skip"
        rest = key[len(ORDERS) + 1 :]
        missing, decimals = rest or ("zero", None)
        missing = "zero" if missing == "error" else missing
        negative = "nonrelevant" if named["negative"] == "error" else named["negative"]
        named.update(missing=missing, decimals=decimals, negative=negative)
        return Convention().replace(**named)

    def _program(self, measures: Sequence[Measure], rules: Convention) -> Program | None:
        try:
            return Program.compile(
                measures, rules, self.scale, None, self.judgments.table.highest, spans=False
            )
        except RelyonError:
            return None

    def _number(self, asked: _Asked) -> float:
        form = asked.form
        found = self._found[asked.orders, form.name]
        if found is None:
            return math.nan
        key = (
            asked.orders,
            form.name,
            form.counted,
            asked.missing,
            asked.decimals,
            asked.average,
        )
        if key not in self._numbers:
            self._numbers[key] = self._combined(asked, found)
        return self._numbers[key]

    def _combined(self, asked: _Asked, found: _Evaluated) -> float:
        """Returns the number of all queries."""
        form = asked.form
        if not form.mean:
            rules = self._rules(asked.orders).replace(undefined=form.counted)
            combined = "micro" if asked.average == "pooled" else found.form
            return number(form.measure, combined, found.column.total, rules)
        values = _counted(asked, found)
        values = values[~np.isnan(values)]
        if asked.average == "geometric":
            parts = [geometric_parts(float(value))[0] for value in values]
            return math.exp(math.fsum(parts) / len(parts)) if parts else math.nan
        count = len(values) + (found.batch.unjudged_queries if asked.average == "run" else 0)
        return float(values.sum()) / count if count else math.nan


ORDER_OF = itemgetter(*ORDERS)


def _counted(asked: _Asked, found: _Evaluated) -> NDArray[np.float64]:
    """Returns the values of queries as they count, NaN for those left out."""
    values = found.values
    if asked.form.mean and asked.missing == "skip" and found.batch.missing:
        values = values[: len(values) - found.batch.missing]
    if asked.form.mean and asked.decimals is not None:
        power = 10.0**asked.decimals
        values = np.floor(values * power + 0.5) / power
    instead = COUNTED[asked.form.counted]
    return values if math.isnan(instead) else np.where(np.isnan(values), instead, values)
