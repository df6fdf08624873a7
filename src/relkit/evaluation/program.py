"""Measures resolved against a convention, and the plan of those that have a kernel."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, get_args

from relkit import _native
from relkit.convention import Convention
from relkit.errors import ParameterError
from relkit.measures.base import Measure
from relkit.measures.names import measures as parse_measures
from relkit.parameters import check_choice

if TYPE_CHECKING:
    from relkit.scale import Scale

__all__ = ["Average", "MeasureNames", "Program", "chosen_scale"]

Average = Literal["macro", "micro"]
MeasureNames = str | Measure | Iterable[str | Measure]


def chosen_scale(scale: Scale | str | None) -> Scale | None:
    """Returns the scale that was named, `None` where the judgments' own is taken."""
    if scale is None:
        return None
    from relkit.scale import load_scale

    return load_scale(scale)


@dataclass(frozen=True)
class Program:
    """Measures resolved against a convention, and the plan of those that have a kernel.

    Attributes:
        asked: The measures as the caller named them.
        resolved: The same with every parameter filled in.
        forms: How each one's queries become one number.
        plan: The native plan.
        places: Index in the plan of each measure that has a kernel.
    """

    asked: tuple[Measure, ...]
    resolved: tuple[Measure, ...]
    forms: tuple[str, ...]
    convention: Convention
    plan: _native.Plan
    places: Mapping[str, int]

    @classmethod
    def compile(
        cls,
        measures: MeasureNames,
        convention: Convention,
        scale: Scale | None,
        average: Average | None,
        highest: float = math.nan,
    ) -> Program:
        """Resolves measures and makes the plan.

        Raises:
            ParameterError: If no measure is given, or `average` is neither macro nor micro.
        """
        asked = tuple(parse_measures(measures))
        if not asked:
            raise ParameterError("no measure was given", hint="name one, such as ndcg@10")
        if average is not None:
            check_choice("average", average, get_args(Average))
        resolved = tuple(one.resolve(convention, scale, highest) for one in asked)
        kernels: list[tuple[str, dict[str, Any]]] = []
        places: dict[str, int] = {}
        for name, one in zip(asked, resolved, strict=True):
            kernel = one.kernel()
            if kernel is not None:
                places[str(name)] = len(kernels)
                parameters = {key: value for key, value in kernel[1].items() if value is not None}
                kernels.append((kernel[0], parameters))
        plan = _native.Plan(
            kernels,
            ties=convention.ties,
            unjudged=convention.unjudged,
            negative=convention.negative,
            missing=convention.missing,
            float32=convention.scores == "float32",
        )
        forms = tuple(average if average in one.averages else one.averages[0] for one in resolved)
        return cls(asked, resolved, forms, convention, plan, places)

    @property
    def in_python(self) -> list[tuple[str, Measure]]:
        """The measures without a kernel."""
        return [
            (str(name), one)
            for name, one in zip(self.asked, self.resolved, strict=True)
            if str(name) not in self.places
        ]

    def check_inputs(self, reference: bool) -> None:
        """Refuses measures that need what is not there.

        Raises:
            ParameterError: If a measure needs judgments and a run is given, or the reverse.
        """
        for one in self.asked:
            if reference and one.needs == "judgments":
                raise ParameterError(
                    f"`{one}` needs judgments, and the first argument is a run",
                    hint="two runs can be compared with rbo, overlap@k and tau_ap",
                )
            if not reference and one.needs == "reference":
                raise ParameterError(
                    f"`{one}` compares two runs, and the first argument is judgments",
                    hint="give the other run in place of the judgments",
                )
