"""A measure on the judged documents alone: the parameter `judged_only`."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, fields, replace
from functools import cache
from typing import TYPE_CHECKING, cast

from relyon.core.errors import ParameterError
from relyon.core.texts import message
from relyon.data.task_ranking import TaskRanking
from relyon.measures.definition import Kernel, Measure, Step
from relyon.measures.parameters import parameters
from relyon.measures.tasks import TaskMeasure, condense_calls

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from relyon.data.judged_calls import JudgedCalls
    from relyon.data.ranking import Ranking
    from relyon.measures.inversions import Inversion

__all__ = ["condense", "condensed"]


def condense(ranking: Ranking) -> Ranking:
    """Returns a ranking without its unjudged documents.

    Examples:
        >>> from relyon import Ranking
        >>> [(entry.rank, entry.grade) for entry in condense(Ranking.of([None, 1, None, 0]))]
        [(1, 1), (2, 0)]
    """
    if isinstance(ranking, TaskRanking):
        calls = tuple(replace(call, ranking=condense(call.ranking)) for call in ranking.calls)
        shared = replace(ranking, pooled=frozenset(), ignores=False)
        return TaskRanking.of_calls(calls, shared)
    return replace(ranking.window(None), pooled=frozenset())


class Condensed(Measure):
    """The effect of `judged_only=true`: the measure sees the condensed list."""

    def seen(self, ranking: Ranking) -> Ranking:
        return condense(ranking)

    def undefined(self, ranking: Ranking) -> str | None:
        return super().undefined(condense(ranking))

    def steps(self, ranking: Ranking) -> Iterator[Step]:
        return super().steps(condense(ranking))  # type: ignore[safe-super]

    def parts(self, ranking: Ranking) -> tuple[float, float]:
        return super().parts(condense(ranking))

    def expanded_formula(self, ranking: Ranking) -> str:
        return super().expanded_formula(condense(ranking))

    def ideal_steps(self, ranking: Ranking) -> Iterator[Step]:
        return super().ideal_steps(condense(ranking))

    def missing_relevant(self, ranking: Ranking) -> list[str]:
        return super().missing_relevant(condense(ranking))

    def inversions(self, ranking: Ranking, limit: int) -> tuple[list[Inversion], int]:
        return super().inversions(condense(ranking), limit)

    def value(self, ranking: Ranking) -> float:
        return super().value(condense(ranking))

    def kernel(self) -> Kernel | None:
        kernel = super().kernel()
        return None if kernel is None else (kernel[0], {**kernel[1], "judged_only": True})

    def __reduce__(self) -> tuple[object, ...]:
        given = {entry.name: getattr(self, entry.name) for entry in fields(self)}  # type: ignore[arg-type]
        kind = next(one for one in type(self).__mro__[1:] if not issubclass(one, Condensed))
        return _restore, (kind, given)


class CondensedTask(Condensed):
    """The same for measures of tasks: each call is condensed."""

    def values(self, judged: JudgedCalls) -> NDArray[np.float64]:
        found: NDArray[np.float64] = super().values(condense_calls(judged))  # type: ignore[misc]
        return found

    def weights(self, judged: JudgedCalls) -> NDArray[np.float64]:
        found: NDArray[np.float64] = super().weights(condense_calls(judged))  # type: ignore[misc]
        return found


def _restore(kind: type[Measure], given: dict[str, object]) -> Measure:
    return condensed(kind)(**given)


@cache
def condensed(kind: type[Measure]) -> type[Measure]:
    """Returns a variant of a measure class that takes `judged_only` and sees only judged documents.

    Args:
        kind: A measure of one ranking against judgments.

    Raises:
        ParameterError: If the measure has its own rule for unjudged documents.

    Examples:
        >>> import relyon
        >>> relyon.measure("p(judged_only=true)@2").score([None, 1, None, 1])
        1.0
    """
    own = "unjudged" in parameters(kind) and kind.convention_fields.get("unjudged") == ""
    if kind.needs != "judgments" or own:
        raise ParameterError(message("measures.measure-has-no-parameter", kind_name=kind.name))
    tasks = issubclass(kind, TaskMeasure)
    made = type(
        kind.__name__,
        (CondensedTask if tasks else Condensed, kind),
        {
            "__annotations__": {"judged_only": bool},
            "judged_only": False,
            "__doc__": kind.__doc__,
            "__module__": kind.__module__,
        },
    )
    return cast("type[Measure]", dataclass(frozen=True)(made))
