"""ir_measures' objects: measures that print and compare, their values, what computes them."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator
from itertools import product
from typing import Any, ClassVar, NamedTuple, Protocol

from relyon.core.errors import ParameterError
from relyon.core.texts import message

__all__ = [
    "ABSENT",
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

#: Stands for a parameter that was not given and has no default.
ABSENT: Any = type("Absent", (), {"__repr__": lambda self: "NOT_PROVIDED"})()


class Agg(ABC):
    """Makes one number of the values of all queries."""

    @abstractmethod
    def add(self, value: float) -> None:
        """Adds a query's value."""

    @abstractmethod
    def result(self) -> float:
        """Returns the number."""


class MeanAgg(Agg):
    """The mean.

    Args:
        default: What no query at all gives.
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
    """What a parameter can be.

    Args:
        dtype: Its type; whole numbers stand for decimal ones too.
        required: Whether it must be given.
        choices: The values that it can have; all of its type where they are absent.
        default: What it is where it is not given.
        desc: What it means.
    """

    def __init__(
        self,
        dtype: type | None = None,
        required: bool = False,
        choices: Any = ABSENT,
        default: Any = ABSENT,
        desc: str | None = None,
    ) -> None:
        self.dtype = dtype
        self.required = required
        self.choices = choices
        self.default = default
        self.desc = desc

    def validate(self, value: Any) -> bool:
        """Returns whether the parameter can have a value."""
        if value is ABSENT:
            return not self.required
        kinds = (int, float) if self.dtype is float else self.dtype
        if kinds is not None and not isinstance(value, kinds):
            return False
        return self.choices is ABSENT or value in self.choices


class Measure:
    """A measure with some of its parameters.

    Args:
        params: Parameters by name; they are checked when the measure is used.

    Attributes:
        NAME: Its name.
        AT_PARAM: The parameter that `@` sets.
        SUPPORTED_PARAMS: What it takes.
        DEFAULT: What a query counts for which nothing was retrieved.

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

    def __init__(self, **params: Any) -> None:
        self.params = params

    def validate_params(self) -> None:
        """Checks the parameters.

        Raises:
            ParameterError: If one is unknown, lacks, or has a value it cannot have.
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

    def __call__(self, **params: Any) -> Measure:
        return type(self)(**{**self.params, **params})

    def __matmul__(self, value: Any) -> Measure:
        return self(**{self.AT_PARAM: value})

    def __getitem__(self, name: str) -> Any:
        return self.params.get(name, self.SUPPORTED_PARAMS[name].default)

    def iter_calc(self, qrels: Any, run: Any) -> Iterator[Metric]:
        """Yields its value for every query."""
        return _pipelines[-1].iter_calc([self], qrels, run)

    def calc_aggregate(self, qrels: Any, run: Any) -> float:
        """Returns its mean over queries, or its sum."""
        return _pipelines[-1].calc_aggregate([self], qrels, run)[self]

    def calc(self, qrels: Any, run: Any) -> CalcResults:
        """Returns both."""
        found = _pipelines[-1].calc([self], qrels, run)
        return CalcResults(found.aggregated[self], found.per_query)

    def evaluator(self, qrels: Any) -> Evaluator:
        """Returns an evaluator of this measure for several runs."""
        return _pipelines[-1].evaluator([self], qrels)

    def aggregator(self) -> Agg:
        """Returns what makes one number of the values of all queries."""
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


def _shown(value: Any) -> str:
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


class CalcResults(NamedTuple):
    """The mean and the values of the queries."""

    aggregated: Any
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

    def iter_calc(self, run: Any) -> Iterator[Metric]:
        """Yields every measure of every judged query; those that the run lacks count 0."""
        left = set(product(self.measures, self.qrel_qids))
        for metric in self._iter_calc(run):
            left.discard((metric.measure, metric.query_id))
            yield metric
        for measure, query in sorted(left, key=lambda pair: (str(pair[0]), pair[1])):
            yield Metric(query, measure, measure.DEFAULT)

    def _iter_calc(self, run: Any) -> Iterator[Metric]:
        raise NotImplementedError

    def calc_aggregate(self, run: Any) -> dict[Measure, float]:
        """Returns one number per measure: the mean over queries, or the sum."""
        means: dict[Measure, float] = self.calc(run).aggregated
        return means

    def calc(self, run: Any) -> CalcResults:
        """Returns one number per measure, and every query's."""
        totals = {measure: measure.aggregator() for measure in self.measures}
        metrics = list(self.iter_calc(run))
        for metric in metrics:
            totals[metric.measure].add(metric.value)
        return CalcResults({measure: total.result() for measure, total in totals.items()}, metrics)


class Pipeline(Protocol):
    """What computes measures."""

    def iter_calc(self, measures: Iterable[Measure], qrels: Any, run: Any) -> Iterator[Metric]:
        """Yields every measure of every judged query."""

    def calc_aggregate(
        self, measures: Iterable[Measure], qrels: Any, run: Any
    ) -> dict[Measure, float]:
        """Returns one number per measure."""

    def calc(self, measures: Iterable[Measure], qrels: Any, run: Any) -> CalcResults:
        """Returns one number per measure, and every query's."""

    def evaluator(self, measures: Iterable[Measure], qrels: Any) -> Evaluator:
        """Returns an evaluator of these measures and judgments."""


_pipelines: list[Pipeline] = []


def set_pipeline(pipeline: Pipeline) -> None:
    """Says what measures ask for their values."""
    _pipelines[:] = [pipeline]
