"""Several runs: their names, and the evaluation of each."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from relyon.core.errors import ParameterError
from relyon.core.parameters import check_items
from relyon.core.texts import message
from relyon.data.run import run_name
from relyon.evaluation import Average, Evaluator, MeasureNames
from relyon.evaluation.results import Results

__all__ = ["Progress", "check_titles", "evaluate_lists", "evaluate_runs", "run_titles"]

#: Called with the work done, the total, and the next step.
Progress = Callable[[int, int, str], None]

_NO_JUDGMENTS = "analysis.two-runs-without-judgments"


def run_titles(runs: Sequence[object], names: Sequence[str] | None) -> list[str]:
    """Returns the names of two or more runs: as given, their own, or `run 1`, `run 2`.

    Raises:
        ParameterError: If there is only one run, the number of names differs, or two names are
            equal.
    """
    runs = check_items("runs", runs, "a list of runs")
    if names is None:
        titles = [run_name(run) for run in runs]
        titles = [
            f"{title} {place}" if titles.count(title) > 1 else title
            for place, title in enumerate(titles, 1)
        ]
    elif len(names) != len(runs):
        raise ParameterError(
            message("core.there-are-runs", count=len(runs), count_2=len(names)),
            hint=message("analysis.give-one-name-per"),
        )
    else:
        titles = [str(name) for name in names]
    check_titles(titles)
    return titles


def check_titles(titles: Sequence[str]) -> None:
    """Refuses a single run, and equal names.

    Raises:
        ParameterError: If there is only one run, or two names are equal.
    """
    if len(titles) < 2:
        raise ParameterError(
            message("core.two-or-more-runs"), hint=message("analysis.give-another-run")
        )
    twice = next((title for title in titles if list(titles).count(title) > 1), None)
    if twice is not None:
        raise ParameterError(
            message("core.two-runs-have-name", twice=twice),
            hint=message("core.give-different-names"),
        )


def evaluate_lists(
    evaluator: Evaluator,
    runs: Sequence[object],
    titles: Sequence[str],
    lists: Sequence[MeasureNames],
    *,
    average: Average | None = None,
    progress: Progress | None = None,
) -> list[list[Callable[[], Results]]]:
    """Evaluates every run once; see `Evaluator.evaluate_lists`.

    Raises:
        InputError: If the data cannot be used.
        ParameterError: If the judgments are a run.
    """
    if evaluator.reference is not None:
        raise ParameterError(message("analysis.judgments-are-needed"), hint=message(_NO_JUDGMENTS))
    found = []
    for place, (run, title) in enumerate(zip(runs, titles, strict=True)):
        if progress is not None:
            progress(place, len(runs), title)
        found.append(evaluator.evaluate_lists(run, lists, average=average, name=title))
    return found


def evaluate_runs(
    evaluator: Evaluator,
    runs: Sequence[object],
    titles: Sequence[str],
    measures: MeasureNames,
    *,
    average: Average | None = None,
    progress: Progress | None = None,
) -> list[Results]:
    """Evaluates every run.

    Raises:
        InputError: If the data cannot be used.
        ParameterError: If the judgments are a run.
    """
    lists = [measures]
    passes = evaluate_lists(evaluator, runs, titles, lists, average=average, progress=progress)
    return [results() for (results,) in passes]
