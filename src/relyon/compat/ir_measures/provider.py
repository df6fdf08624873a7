"""Providers: their interface, and the two kinds.

Every provider is relyon under the rules of the program that ir_measures calls: its order of
documents with equal scores, its rounding, its treatment of queries without a value.
"""

from __future__ import annotations

import logging
import warnings
from collections.abc import Callable, Container, Iterable, Iterator, Mapping
from contextlib import contextmanager

from relyon.compat.ir_measures.inputs import QrelsConverter, RunConverter
from relyon.compat.ir_measures.model import (
    ABSENT,
    Absent,
    CalcResults,
    Evaluator,
    Measure,
    Metric,
)
from relyon.core.errors import DependencyError, ParameterError
from relyon.core.texts import message

__all__ = [
    "REQUIRED",
    "Allowed",
    "FallbackProvider",
    "Provider",
    "RulesProvider",
    "Values",
    "register",
    "registry",
]

logger = logging.getLogger(__name__)

Values = Mapping[str, Mapping[Measure, float]]


class Required:
    """The type of `REQUIRED`."""

    def __repr__(self) -> str:
        return "REQUIRED"


#: Allows all values of a parameter, but it must be given.
REQUIRED = Required()

#: The values that a provider allows, by parameter.
Allowed = dict[str, Container[object] | Absent | Required]


class Provider:
    """Computes measures.

    Attributes:
        NAME: Its name.
    """

    NAME: str = ""

    def evaluator(self, measures: Iterable[Measure], qrels: object) -> Evaluator:
        """Returns an evaluator of these measures and judgments, for several runs.

        Raises:
            ParameterError: If a measure is not supported.
            InputError: If the judgments cannot be used.
        """
        if not self.is_available():
            raise DependencyError(
                message("compat.provider-is-not-available", name=self.NAME),
                hint=self.install_instructions() or "",
            )
        return self._evaluator(measures, qrels)

    def _evaluator(self, measures: Iterable[Measure], qrels: object) -> Evaluator:
        raise NotImplementedError

    def iter_calc(
        self, measures: Iterable[Measure], qrels: object, run: object
    ) -> Iterator[Metric]:
        """Yields every measure of every judged query."""
        return self.evaluator(measures, qrels).iter_calc(run)

    def calc_aggregate(
        self, measures: Iterable[Measure], qrels: object, run: object
    ) -> dict[Measure, float]:
        """Returns one number per measure: the mean over queries, or the sum."""
        return self.evaluator(measures, qrels).calc_aggregate(run)

    def calc(
        self, measures: Iterable[Measure], qrels: object, run: object
    ) -> CalcResults[dict[Measure, float]]:
        """Returns one number per measure, and every query's."""
        return self.evaluator(measures, qrels).calc(run)

    @contextmanager
    def calc_ctxt(
        self, measures: Iterable[Measure], qrels: object
    ) -> Iterator[Callable[[object], Iterator[Metric]]]:
        """The old name of `evaluator`."""
        warnings.warn("calc_ctxt is now evaluator", DeprecationWarning, stacklevel=3)
        yield self.evaluator(measures, qrels).iter_calc

    def supports(self, measure: Measure) -> bool:
        """Returns whether the provider computes a measure with these parameters.

        Raises:
            ParameterError: If a parameter of the measure is invalid.
        """
        measure.validate_params()
        return False

    def is_available(self) -> bool:
        """Returns whether the provider's dependencies are installed."""
        return True

    def install_instructions(self) -> str | None:
        """Returns how to install the provider's dependencies."""
        return None

    def run_inputs(self, measures: Iterable[Measure]) -> list[str]:
        """Returns the columns of a run that measures need."""
        return ["query_id", "doc_id", "score"]

    def qrel_inputs(self, measures: Iterable[Measure]) -> list[str]:
        """Returns the columns of judgments that measures need."""
        return ["query_id", "doc_id", "relevance"]


class FallbackProvider(Provider):
    """Computes each measure by the first provider that supports it.

    Args:
        providers: In order of preference.
    """

    NAME = "fallback"

    def __init__(self, providers: Iterable[Provider]) -> None:
        self.providers = list(providers)

    def supports(self, measure: Measure) -> bool:
        return any(one.is_available() and one.supports(measure) for one in self.providers)

    def _parts(
        self, measures: Iterable[Measure]
    ) -> tuple[dict[Provider, list[Measure]], list[Measure]]:
        """Returns the measures of each provider, and the unsupported ones."""
        parts: dict[Provider, list[Measure]] = {}
        left = []
        for measure in dict.fromkeys(measures):
            for one in self.providers:
                if one.supports(measure) and one.is_available():
                    parts.setdefault(one, []).append(measure)
                    break
            else:
                left.append(measure)
        return parts, left

    def _evaluator(self, measures: Iterable[Measure], qrels: object) -> Evaluator:
        measures = list(measures)
        parts, left = self._parts(measures)
        if left:
            raise ParameterError(
                message("compat.unsupported-measures", left=list(map(str, left))),
                hint=_hint(left[0]),
            )
        converters = QrelsConverter(qrels, strict=False).tee(len(parts))
        evaluators = [
            one.evaluator(asked, converter.qrels)
            for (one, asked), converter in zip(parts.items(), converters, strict=True)
        ]
        return evaluators[0] if len(evaluators) == 1 else _Chain(measures, evaluators)

    def run_inputs(self, measures: Iterable[Measure]) -> list[str]:
        parts, _ = self._parts(measures)
        return sorted({name for one, asked in parts.items() for name in one.run_inputs(asked)})

    def qrel_inputs(self, measures: Iterable[Measure]) -> list[str]:
        parts, _ = self._parts(measures)
        return sorted({name for one, asked in parts.items() for name in one.qrel_inputs(asked)})


def _hint(measure: Measure) -> str:
    """Returns how to change an unsupported measure."""
    if measure.NAME == "RBP":
        return (
            "RBP(rel=1) is binary; without rel, ir_measures has no provider that is on by default"
        )
    if measure.NAME == "ERR":
        return "it needs a cutoff, such as ERR@20"
    return ""


class _Chain(Evaluator):
    """Several evaluators, one after the other."""

    def __init__(self, measures: Iterable[Measure], evaluators: list[Evaluator]) -> None:
        super().__init__(dict.fromkeys(measures), evaluators[0].qrel_qids if evaluators else ())
        self.evaluators = evaluators

    def iter_calc(self, run: object) -> Iterator[Metric]:
        runs = RunConverter(run, strict=False).tee(len(self.evaluators))
        for one, converter in zip(self.evaluators, runs, strict=True):
            yield from one.iter_calc(converter.run)


class _Queries(Evaluator):
    """An evaluator of measures that one function of the run computes.

    Args:
        measures: The measures as requested, and as computed.
        queries: The judged queries.
        compute: Returns values by query and measure.
        fills: Whether queries missing from the run count 0.
    """

    def __init__(
        self,
        measures: Mapping[Measure, Measure],
        queries: Iterable[str],
        compute: Callable[[object], Values],
        fills: bool,
    ) -> None:
        super().__init__(measures, queries)
        self._own = measures
        self._compute = compute
        self._fills = fills

    def iter_calc(self, run: object) -> Iterator[Metric]:
        return super().iter_calc(run) if self._fills else self._iter_calc(run)

    def _iter_calc(self, run: object) -> Iterator[Metric]:
        for query, values in self._compute(run).items():
            for measure, own in self._own.items():
                if own in values:
                    yield Metric(query, measure, values[own])


class RulesProvider(Provider):
    """relyon under the rules of one program.

    Args:
        name: The program.
        supported: The measures that it has, and the allowed values of their parameters.
        prepare: Returns the judged queries and a function that computes measures of a run, from the
            measures and the judgments.
        assumed: Parameters that override the requested ones, by measure.
        fills: Whether queries missing from the run count 0.
    """

    def __init__(
        self,
        name: str,
        supported: Mapping[str, Allowed],
        prepare: Callable[
            [list[Measure], object], tuple[Iterable[str], Callable[[object], Values]]
        ],
        assumed: Mapping[str, Mapping[str, object]],
        fills: bool = True,
    ) -> None:
        self.NAME = name
        self.supported = supported
        self.prepare = prepare
        self.assumed = assumed
        self.fills = fills

    def supports(self, measure: Measure) -> bool:
        measure.validate_params()
        allowed = self.supported.get(str(measure.NAME))
        return allowed is not None and all(
            _allows(choices, measure[name]) for name, choices in allowed.items()
        )

    def _evaluator(self, measures: Iterable[Measure], qrels: object) -> Evaluator:
        asked = {measure: self._own(measure) for measure in measures}
        queries, compute = self.prepare(list(asked.values()), qrels)
        return _Queries(asked, queries, compute, self.fills)

    def _own(self, measure: Measure) -> Measure:
        """Returns a measure as it is computed here, without unknown parameters."""
        known = measure.SUPPORTED_PARAMS
        ignored = [name for name in measure.params if name not in known]
        if ignored:
            logger.warning("%s: %s ignores %s", measure, self.NAME, ", ".join(ignored))
        kept = {name: value for name, value in measure.params.items() if name in known}
        own = type(measure)(**(kept | dict(self.assumed.get(str(measure.NAME), {}))))
        if not self.supports(own):
            raise ParameterError(
                message("compat.unsupported-measure", measure=measure), hint=_hint(measure)
            )
        return own


def _allows(choices: Container[object] | Absent | Required, value: object) -> bool:
    if isinstance(choices, Required):
        return value is not ABSENT
    if isinstance(choices, Absent):
        return value is ABSENT
    return value in choices


#: Providers by name.
registry: dict[str, Provider] = {}


def register(provider: Provider) -> Provider:
    """Registers a provider under its name, and returns it."""
    registry[provider.NAME] = provider
    return provider
