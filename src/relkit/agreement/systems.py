"""Several runs evaluated on one or two sets of judgments."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from relkit.comparison.inference import Progress
from relkit.errors import ParameterError
from relkit.evaluation import Average, Evaluator, MeasureNames
from relkit.results import Results
from relkit.run import run_name

if TYPE_CHECKING:
    from relkit.convention import Convention
    from relkit.scale import Scale

__all__ = ["evaluate_systems", "system_names"]


def system_names(runs: Sequence[Any], names: Sequence[str] | None) -> list[str]:
    """Returns what the runs are called: the names given, else their own.

    Raises:
        ParameterError: If there are fewer than two runs, or the names do not fit them.
    """
    if len(runs) < 2:
        raise ParameterError(
            "two or more runs are needed to see how they are ordered", hint="give another run"
        )
    if names is None:
        names = [run_name(run) for run in runs]
        names = [
            f"{name} {place}" if names.count(name) > 1 else name
            for place, name in enumerate(names, 1)
        ]
    if len(names) != len(runs):
        raise ParameterError(
            f"there are {len(runs)} runs and {len(names)} names", hint="give one name per run"
        )
    if len(set(names)) < len(names):
        twice = next(name for name in names if list(names).count(name) > 1)
        raise ParameterError(f"two runs are called `{twice}`", hint="give names that differ")
    return list(names)


def evaluate_systems(
    judgments: Any,
    runs: Sequence[Any],
    measures: MeasureNames,
    names: Sequence[str],
    *,
    convention: Convention | str | Mapping[str, Any] | None = None,
    average: Average | None = None,
    scale: Scale | str | None = None,
    threads: int = 0,
    progress: Progress | None = None,
) -> list[Results]:
    """Evaluates every run.

    Raises:
        InputError: If the data cannot be used.
        ParameterError: If the judgments are a run.
    """
    evaluator = Evaluator(judgments, convention=convention, scale=scale, threads=threads)
    if evaluator.reference is not None:
        raise ParameterError("judgments are needed, and the first argument is a run")
    found = []
    for place, (run, name) in enumerate(zip(runs, names, strict=True)):
        if progress is not None:
            progress(place, len(runs), name)
        found.append(evaluator.evaluate(run, measures, average=average, name=name))
    return found
