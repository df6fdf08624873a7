"""Measures resolved against a convention, and the plan of those with a kernel."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, get_args

from relyon import _native
from relyon.core.errors import ParameterError
from relyon.core.parameters import check_choice
from relyon.core.texts import message
from relyon.data.convention import Convention
from relyon.data.native_rules import native_rules
from relyon.measures.definition import Kernel, Measure
from relyon.measures.lookup import check_measure_rules
from relyon.measures.parser import measures as parse_measures

if TYPE_CHECKING:
    from relyon.data.scale import Scale

__all__ = ["Average", "MeasureNames", "Program"]

Average = Literal["macro", "micro"]
MeasureNames = str | Measure | Iterable[str | Measure]


@dataclass(frozen=True)
class Program:
    """Measures resolved against a convention, and the plan of those with a kernel.

    Attributes:
        asked: The measures as requested.
        resolved: The same with all parameters filled in.
        forms: How the queries of each measure become one number.
        plan: The native plan.
        places: Index in the plan of each measure with a kernel.
        worst: Measures that count the worst order of tied documents, as ``ties="expected"`` has
            no formula for them.
        scale: The grade scale, if there is one.
        kernels: The native functions of the plan with their parameters.
    """

    asked: tuple[Measure, ...]
    resolved: tuple[Measure, ...]
    forms: tuple[str, ...]
    convention: Convention
    plan: _native.Plan
    places: Mapping[str, int]
    worst: frozenset[str] = frozenset()
    scale: Scale | None = None
    kernels: tuple[tuple[str, dict[str, object]], ...] = ()

    @classmethod
    def compile(
        cls,
        measures: MeasureNames,
        convention: Convention,
        scale: Scale | None,
        average: Average | None,
        highest: float = math.nan,
        *,
        otherwise: Literal["error", "worst"] = "error",
        spans: bool = True,
    ) -> Program:
        """Resolves measures and builds the plan.

        Args:
            measures: One or more measures.
            convention: The rules.
            scale: The grade scale.
            average: `macro`, `micro`, or each measure's default.
            highest: The highest grade.
            otherwise: The tie rule of measures for which ``ties="expected"`` has no formula.
            spans: Whether to evaluate tied documents in the worst and the best order, too.

        Raises:
            ParameterError: If no measure is given, or `average` is neither macro nor micro.
        """
        asked = tuple(parse_measures(measures))
        if not asked:
            raise ParameterError(
                message("evaluation.no-measures-given"), hint=message("evaluation.name-at-least")
            )
        if average is not None:
            check_choice("average", average, get_args(Average))
        if convention.measures:
            check_measure_rules(convention)
        resolved = tuple(one.resolve(convention, scale, highest) for one in asked)
        kernels: list[tuple[str, dict[str, object]]] = []
        places: dict[str, int] = {}
        for name, one in zip(asked, resolved, strict=True):
            kernel = _kernel(one, convention)
            if kernel is not None:
                places[str(name)] = len(kernels)
                parameters = {key: value for key, value in kernel[1].items() if value is not None}
                if "undefined" in kernel[1]:
                    parameters["undefined"] = one.counted_as(convention)
                kernels.append((kernel[0], parameters))
        rules = native_rules(convention, spans=spans)
        plan = _native.Plan(kernels, rules, without_closed_form=otherwise)
        worst = {name for name, place in places.items() if place in set(plan.in_worst_order)}
        if otherwise == "worst" and convention.ties == "expected":
            # In Python the mean over orders enumerates all of them, which may be too many.
            worst |= {
                str(name)
                for name, one in zip(asked, resolved, strict=True)
                if str(name) not in places and type(one).expected is Measure.expected
            }
        forms = tuple(average if average in one.averages else one.averages[0] for one in resolved)
        return cls(
            asked,
            resolved,
            forms,
            convention,
            plan,
            places,
            frozenset(worst),
            scale,
            tuple(kernels),
        )

    def ties(self, name: str) -> str:
        """Returns the tie rule that a measure counts under."""
        return "worst" if name in self.worst else self.convention.ties

    @property
    def default_thresholds(self) -> list[str]:
        """The measures with the default threshold of 1."""
        return [
            str(asked)
            for asked, one in zip(self.asked, self.resolved, strict=True)
            if self.scale is None
            and self.convention.rel is None
            and getattr(asked, "rel", 1.0) is None
            and getattr(one, "rel", None) == 1.0
            and one.asks_relevance
        ]

    @property
    def averaged(self) -> list[tuple[str, Measure, str]]:
        """The measures whose number depends on how a query without a value counts.

        A mean over queries does; a ratio of sums does not, nor do pooled pairs.
        """
        return [
            (str(name), one, form)
            for name, one, form in zip(self.asked, self.resolved, self.forms, strict=True)
            if form in {"macro", "geometric"} and one.combine != "sum"
        ]

    @property
    def pooled(self) -> bool:
        """Whether every measure pools the rows of all queries, such as AUC."""
        pairs = zip(self.resolved, self.forms, strict=True)
        return all(one.combine == "pooled" and form == "micro" for one, form in pairs)

    @property
    def in_python(self) -> list[tuple[str, Measure]]:
        """The measures without a kernel."""
        return [
            (str(name), one)
            for name, one in zip(self.asked, self.resolved, strict=True)
            if str(name) not in self.places
        ]

    def check_inputs(self, reference: bool) -> None:
        """Refuses measures that need other inputs.

        Raises:
            ParameterError: If a measure needs judgments but a run is given, or vice versa.
        """
        for one in self.asked:
            if reference and one.needs == "judgments":
                raise ParameterError(
                    message("evaluation.needs-judgments", one=one),
                    hint=message("evaluation.two-runs-can"),
                )
            if not reference and one.needs == "reference":
                raise ParameterError(
                    message(
                        "evaluation.compares-two-runs",
                        one=one,
                    ),
                    hint=message("evaluation.give-another-run-instead"),
                )


def _kernel(one: Measure, convention: Convention) -> Kernel | None:
    """Returns the kernel of a measure; of one such as `first(ndcg@10)` that of the list's measure.

    Each call is a list of its own, and a query of a run is a task with one call. The best call of
    the mean over all orders is not the mean of the best call.
    """
    of = getattr(one, "of", None)
    if not isinstance(of, Measure):
        return one.kernel()
    if convention.ties == "expected" and getattr(one, "which", "") == "best":
        return None
    return of.kernel()
