"""Fusion methods: the contribution of a run to a document, and the sum of contributions."""

from __future__ import annotations

import dataclasses
import math
from abc import ABC
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import (
    ClassVar,
    Literal,
    Self,
    SupportsFloat,
    SupportsIndex,
    TypeVar,
    get_type_hints,
)

from relyon.core.errors import ParameterError
from relyon.core.parameters import check_type
from relyon.core.registry import Registry
from relyon.core.texts import message

__all__ = ["Kernel", "Method", "Place", "method_of", "methods", "register"]

Reads = Literal["scores", "ranks"]


@dataclass(frozen=True)
class Place:
    """The place of one document of one query in one run.

    Attributes:
        run: The run's number, from 0.
        rank: The document's rank, from 1.
        score: Its score, normalised.
        retrieved: The number of documents that the run returned for the query.
        candidates: The number of documents that all runs returned together.
    """

    run: int
    rank: int
    score: float
    retrieved: int
    candidates: int


@dataclass(frozen=True)
class Kernel:
    """The arguments of the native core for a method.

    Attributes:
        points: The contribution of a run: its `score`, an entry of a `table` by rank, that entry
            times score + 1 (`table_score`), an entry by the list's `segments`, the mean over a
            `window` of the table, or `borda` points.
        tables: One table for all runs, or one per run; `None` computes it from `Method.points`.
        beyond: The value after a table's end.
        window: Ranks on either side.
        absent: The contribution of a run to documents that it did not return: `nothing`, `value`,
            `borda`.
        absent_value: That value.
        combine: `sum`, `mean`, `minimum`, `maximum`, `median`, or `votes` of the majority.
        weigh_sum: Whether the sum is multiplied by the sum of the weights, and not each part by
            its own.
    """

    points: Literal["score", "table", "table_score", "segments", "window", "borda"] = "score"
    tables: Sequence[Sequence[float]] | None = ()
    beyond: float = 0.0
    window: int = 0
    absent: Literal["nothing", "value", "borda"] = "nothing"
    absent_value: float = 0.0
    combine: Literal["sum", "mean", "minimum", "maximum", "median", "votes"] = "sum"
    weigh_sum: bool = False


class Method(ABC):
    """A rule that combines several ranked lists into one.

    Subclasses are frozen dataclasses; their fields are the method's parameters. For each document
    each run that returned it contributes `points`, every other run `absent`, and `combined` returns
    the fused score. These functions are the definition; `kernel` selects native loops that compute
    the same faster.

    Attributes:
        name: The canonical name.
        aliases: Other names, case-insensitive.
        formula: The formula in one line of plain text.
        reads: Whether the method uses `scores`, which must be comparable, or `ranks`.
        weighted: Whether runs can have weights.
        needs_weights: Whether they must have weights.
        trained: The fields that are learnt from judgments; see `relyon.train_fusion`.
        grid: The values that `relyon.optimize_fusion` tries, by parameter.
    """

    name: ClassVar[str]
    aliases: ClassVar[tuple[str, ...]] = ()
    formula: ClassVar[str] = ""
    reads: ClassVar[Reads] = "scores"
    weighted: ClassVar[bool] = True
    needs_weights: ClassVar[bool] = False
    trained: ClassVar[tuple[str, ...]] = ()
    grid: ClassVar[Mapping[str, Sequence[float]]] = {}

    def points(self, place: Place) -> float:
        """Returns the contribution of a run to a document that it returned."""
        return place.score

    def absent(self, run: int, retrieved: int, candidates: int) -> float | None:
        """Returns the contribution of a run to a document that it lacks; `None` for nothing."""
        return None

    def factor(self, count: int) -> float:
        """Returns the factor of the sum of `count` contributions."""
        return 1.0

    def combined(self, given: Sequence[float], weights: Sequence[float]) -> float:
        """Returns a document's fused score.

        The smallest is added first, so the result does not depend on the order of the runs.

        Args:
            given: The contributions, times the weights of their runs.
            weights: The weights of these runs.
        """
        return sum(sorted(given)) * self.factor(len(given))

    def order(
        self, places: Mapping[str, Mapping[int, Place]], weights: Sequence[float]
    ) -> list[str] | None:
        """Returns the order of all documents, for methods that compare them; `None` for others."""
        return None

    def kernel(self) -> Kernel:
        """Returns the arguments of the native core."""
        return Kernel() if self.reads == "scores" else Kernel("table", None)

    def check(self, runs: int) -> None:
        """Rejects parameters that do not fit the number of runs.

        Raises:
            ParameterError: If the method is not trained, or was for another number of runs.
        """
        for name in self.trained:
            learnt = getattr(self, name)
            if learnt is None:
                raise ParameterError(
                    message(
                        "ltr.is-trained-on-judgments",
                        name=self.name,
                    ),
                    hint=message("ltr.give-judgments-of-other"),
                )
            if len(learnt) != runs:
                raise ParameterError(
                    message(
                        "ltr.was-trained-with-runs",
                        name=self.name,
                        count=len(learnt),
                        runs=runs,
                    )
                )

    def __str__(self) -> str:
        shown = [
            f"{field.name}={getattr(self, field.name)}"
            for field in dataclasses.fields(self)  # type: ignore[arg-type]
            if field.name not in self.trained
        ]
        return f"{self.name}({', '.join(shown)})" if shown else self.name

    @classmethod
    def of(cls, **parameters: object) -> Self:
        """Returns the method with these parameters, as numbers or text.

        Raises:
            ParameterError: If the parameter is unknown or the value is of the wrong kind.
        """
        kinds = get_type_hints(cls)
        fields = {field.name for field in dataclasses.fields(cls)}  # type: ignore[arg-type]
        known = sorted(fields - set(cls.trained))
        values: dict[str, object] = {}
        for name, value in parameters.items():
            if name not in fields:
                raise ParameterError(
                    message(
                        "ltr.fusion-method-has-no",
                        name=cls.name,
                        name_2=name,
                    ),
                    hint=(
                        message("ltr.has-known", known=[f"`{key}`" for key in known])
                        if known
                        else message("core.has-no-parameters")
                    ),
                )
            values[name] = _number(name, value, kinds[name]) if name in known else value
        return cls(**values)


def _number(name: str, value: object, kind: object) -> float:
    """Returns a parameter as a whole number if its type is `int`, else as a float."""
    wanted = "a whole number" if kind is int else "a number"
    number = math.nan
    if isinstance(value, str | SupportsFloat | SupportsIndex):
        with suppress(TypeError, ValueError):
            number = float(value)
    if isinstance(value, bool) or not math.isfinite(number):
        raise ParameterError(
            message(
                "core.parameter-name-must-be-wanted",
                name=name,
                wanted=wanted,
                value=value,
            )
        )
    if kind is int:
        if number != int(number):
            raise ParameterError(
                message(
                    "core.parameter-name-must-be-wanted",
                    name=name,
                    wanted=wanted,
                    value=value,
                )
            )
        return int(number)
    return number


#: Every fusion method by its names.
methods: Registry[type[Method]] = Registry(
    "fusion method",
    modules=[f"relyon.ltr.fusion.{name}" for name in ("ranks", "scores", "trained", "voting")],
)

Kind = TypeVar("Kind", bound=type[Method])


def register(kind: Kind) -> Kind:
    """Registers a fusion method under its names."""
    return methods.register(kind)


def method_of(method: str | Method, parameters: Mapping[str, object]) -> Method:
    """Returns a method from its name and parameters, or with these parameters replaced.

    Raises:
        UnknownNameError: If the method is unknown.
        ParameterError: If a parameter is invalid.
    """
    if isinstance(method, str):
        return methods.get(method).of(**parameters)
    check_type("method", method, Method, "the name of a method, or a Method")
    if parameters:
        return dataclasses.replace(method, **parameters)  # type: ignore[type-var]
    return method


def merge_sorted(documents: Sequence[str], prefer: Callable[[str, str], bool]) -> list[str]:
    """Sorts by a relation that may be cyclic: runs of 1, 2, 4 … documents are merged.

    Args:
        documents: The documents in their initial order.
        prefer: Called with a later and an earlier document; returns whether the later one comes
            first.
    """
    order = list(documents)
    step = 1
    while step < len(order):
        merged: list[str] = []
        for start in range(0, len(order), 2 * step):
            left, right = order[start : start + step], order[start + step : start + 2 * step]
            while left and right:
                merged.append((right if prefer(right[0], left[0]) else left).pop(0))
            merged += left + right
        order = merged
        step *= 2
    return order
