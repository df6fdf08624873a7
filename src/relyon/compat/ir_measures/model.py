"""ir_measures' objects: measures, their values, evaluators and pipelines."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Container, Iterable, Iterator
from itertools import product
from typing import Any, ClassVar, Generic, NamedTuple, Protocol, TypeVar

from relyon.core.errors import ParameterError
from relyon.core.texts import message

__all__ = [
    "ABSENT",
    "Absent",
    "BaseMeasure",
    "CalcResults",
    "CwlMetric",
    "Evaluator",
    "MeanAgg",
    "Measure",
    "Metric",
    "ParamInfo",
    "Pipeline",
    "SumAgg",
    "set_pipeline",
]

Aggregated = TypeVar("Aggregated")


class Absent:
    """The type of `ABSENT`."""

    def __repr__(self) -> str:
        return "NOT_PROVIDED"


#: The value of a parameter that was not given and has no default.
ABSENT = Absent()


class Agg(ABC):
    """Aggregates the values of all queries."""

    @abstractmethod
    def add(self, value: float) -> None:
        """Adds a query's value."""

    @abstractmethod
    def result(self) -> float:
        """Returns the aggregate."""


class MeanAgg(Agg):
    """The mean.

    Args:
        default: The mean of no queries.
    """

    def __init__(self, default: float = float("nan")) -> None:
        self.sum = 0.0
        self.count = 0
        self.default = default

    def add(self, value: float) -> None:
        self.sum += value
        self.count += 1

    def result(self) -> float:
        return self.sum / self.count if self.count else self.default


class SumAgg(Agg):
    """The sum."""

    def __init__(self) -> None:
        self.sum: float = 0

    def add(self, value: float) -> None:
        self.sum += value

    def result(self) -> float:
        return self.sum


class ParamInfo:
    """The values of a parameter.

    Args:
        dtype: Its type; whole numbers count as decimal ones, too.
        required: Whether it must be given.
        choices: The possible values; by default all of its type.
        default: The default value.
        desc: The description.
    """

    def __init__(
        self,
        dtype: type | None = None,
        required: bool = False,
        choices: Container[object] | Absent = ABSENT,
        default: object = ABSENT,
        desc: str | None = None,
    ) -> None:
        self.dtype = dtype
        self.required = required
        self.choices = choices
        self.default = default
        self.desc = desc

    def validate(self, value: object) -> bool:
        """Returns whether the parameter can have a value."""
        if value is ABSENT:
            return not self.required
        kinds = (int, float) if self.dtype is float else self.dtype
        if kinds is not None and not isinstance(value, kinds):
            return False
        return isinstance(self.choices, Absent) or value in self.choices


class Measure:
    """A measure with some of its parameters.

    Args:
        params: Parameters by name; they are checked when the measure is used.

    Attributes:
        NAME: Its name.
        AT_PARAM: The parameter that `@` sets.
        SUPPORTED_PARAMS: Its parameters.
        DEFAULT: The value of a query for which nothing was retrieved.

    Examples:
        >>> from relyon.compat.ir_measures import AP, P
        >>> P(rel=2) @ 5, AP @ 10 == AP(cutoff=10)
        (P(rel=2)@5, True)
    """

    NAME: ClassVar[str | None] = None
    AT_PARAM: ClassVar[str] = "cutoff"
    SUPPORTED_PARAMS: ClassVar[dict[str, ParamInfo]] = {}
    PRETTY_NAME: ClassVar[str | None] = None
    SHORT_DESC: ClassVar[str | None] = None
    DEFAULT: ClassVar[float] = 0.0

    def __init__(self, **params: object) -> None:
        self.params = params

    def validate_params(self) -> None:
        """Checks the parameters.

        Raises:
            ParameterError: If one is unknown, missing or invalid.
        """
        known = self.SUPPORTED_PARAMS
        for name, value in self.params.items():
            if name not in known:
                raise ParameterError(
                    message(
                        "compat.measure-has-no-parameter",
                        name=self.NAME,
                        name_2=name,
                    ),
                    hint=(
                        message("compat.takes-known", known=list(known))
                        if known
                        else message("core.has-no-parameters")
                    ),
                )
            if not known[name].validate(value):
                raise ParameterError(
                    message(
                        "compat.parameter-of-cannot",
                        name=name,
                        name_2=self.NAME,
                        value=value,
                    )
                )
        for name, info in known.items():
            if info.required and name not in self.params:
                given = f"{self.NAME}@10" if name == "cutoff" else f"{self.NAME}({name}=…)"
                raise ParameterError(
                    message("compat.lacks-parameter", value=self, name=name),
                    hint=message("compat.write-given", given=given),
                )

    def __call__(self, **params: object) -> Measure:
        return type(self)(**{**self.params, **params})

    def __matmul__(self, value: object) -> Measure:
        return self(**{self.AT_PARAM: value})

    def __getitem__(self, name: str) -> Any:
        return self.params.get(name, self.SUPPORTED_PARAMS[name].default)

    def iter_calc(self, qrels: object, run: object) -> Iterator[Metric]:
        """Yields its value for every query."""
        return _pipelines[-1].iter_calc([self], qrels, run)

    def calc_aggregate(self, qrels: object, run: object) -> float:
        """Returns its mean over queries, or its sum."""
        return _pipelines[-1].calc_aggregate([self], qrels, run)[self]

    def calc(self, qrels: object, run: object) -> CalcResults[float]:
        """Returns both."""
        found = _pipelines[-1].calc([self], qrels, run)
        return CalcResults(found.aggregated[self], found.per_query)

    def evaluator(self, qrels: object) -> Evaluator:
        """Returns an evaluator of this measure for several runs."""
        return _pipelines[-1].evaluator([self], qrels)

    def aggregator(self) -> Agg:
        """Returns an empty aggregate of the values of all queries."""
        return MeanAgg()

    def __str__(self) -> str:
        return repr(self)

    def __repr__(self) -> str:
        inside = ",".join(
            f"{name}={_shown(value)}"
            for name, value in self.params.items()
            if name != self.AT_PARAM
            and (name not in self.SUPPORTED_PARAMS or value != self.SUPPORTED_PARAMS[name].default)
        )
        text = f"{self.NAME}({inside})" if inside else str(self.NAME)
        return f"{text}@{self.params[self.AT_PARAM]}" if self.AT_PARAM in self.params else text

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Measure) and repr(self) == repr(other)

    def __hash__(self) -> int:
        return hash(repr(self))


def _shown(value: object) -> str:
    if isinstance(value, dict):
        pairs = ",".join(f"{key}:{gain}" for key, gain in sorted(value.items()) if key != gain)
        return "{" + pairs + "}"
    return repr(value)


BaseMeasure = Measure


class Metric(NamedTuple):
    """A measure's value for one query."""

    query_id: str
    measure: Measure
    value: float


class CwlMetric(NamedTuple):
    """A value with the other numbers of the C/W/L framework; relyon returns a `Metric` instead."""

    query_id: str
    measure: Measure
    value: float
    expected_total_utility: float
    expected_cost: float
    expected_total_cost: float
    expected_items: float


class CalcResults(NamedTuple, Generic[Aggregated]):
    """The mean and the values of the queries."""

    aggregated: Aggregated
    per_query: list[Metric]


class Evaluator:
    """Measures and judgments, for one run after the other.

    Args:
        measures: The measures.
        qrel_qids: The judged queries.
    """

    def __init__(self, measures: Iterable[Measure], qrel_qids: Iterable[str]) -> None:
        self.measures = list(measures)
        self.qrel_qids = list(qrel_qids)

    def iter_calc(self, run: object) -> Iterator[Metric]:
        """Yields every measure of every judged query; queries missing from the run count 0."""
        left = set(product(self.measures, self.qrel_qids))
        for metric in self._iter_calc(run):
            left.discard((metric.measure, metric.query_id))
            yield metric
        for measure, query in sorted(left, key=lambda pair: (str(pair[0]), pair[1])):
            yield Metric(query, measure, measure.DEFAULT)

    def _iter_calc(self, run: object) -> Iterator[Metric]:
        raise NotImplementedError

    def calc_aggregate(self, run: object) -> dict[Measure, float]:
        """Returns one number per measure: the mean over queries, or the sum."""
        return self.calc(run).aggregated

    def calc(self, run: object) -> CalcResults[dict[Measure, float]]:
        """Returns one number per measure, and every query's."""
        totals = {measure: measure.aggregator() for measure in self.measures}
        metrics = list(self.iter_calc(run))
        for metric in metrics:
            totals[metric.measure].add(metric.value)
        return CalcResults({measure: total.result() for measure, total in totals.items()}, metrics)


class Pipeline(Protocol):
    """Computes measures."""

    def iter_calc(
        self, measures: Iterable[Measure], qrels: object, run: object
    ) -> Iterator[Metric]:
        """Yields every measure of every judged query."""

    def calc_aggregate(
        self, measures: Iterable[Measure], qrels: object, run: object
    ) -> dict[Measure, float]:
        """Returns one number per measure."""

    def calc(
        self, measures: Iterable[Measure], qrels: object, run: object
    ) -> CalcResults[dict[Measure, float]]:
        """Returns one number per measure, and every query's."""

    def evaluator(self, measures: Iterable[Measure], qrels: object) -> Evaluator:
        """Returns an evaluator of these measures and judgments."""


_pipelines: list[Pipeline] = []


def set_pipeline(pipeline: Pipeline) -> None:
    """Sets the pipeline that computes the values of measures."""
    _pipelines[:] = [pipeline]
