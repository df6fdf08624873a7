"""ranx's normalisations, as functions."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from relyon.compat.ranx.qrels_and_run import Run
from relyon.core.errors import ParameterError, UnknownNameError
from relyon.ltr.fusion import normalization_of, normalized

__all__ = [
    "FLOOR",
    "borda_norm",
    "max_norm",
    "min_max_norm",
    "norm_name",
    "norm_switch",
    "normalize",
    "rank_norm",
    "sum_norm",
    "zmuv_norm",
]

#: The lowest divisor of ranx.
FLOOR = 1e-9


def normalize(run: Run, norm: str = "min-max") -> Run:
    """Returns a run with comparable scores.

    Args:
        run: The run.
        norm: `min-max`, `min-max-inverted`, `max`, `sum`, `zmuv`, `rank`; or `borda`, which takes a
            list of runs and returns one.

    Raises:
        ValueError: If there is no such normalisation.

    Examples:
        >>> normalize(Run({"q": {"a": 4.0, "b": 3.0, "c": 2.0}}), "max")["q"]
        {'a': 1.0, 'b': 0.75, 'c': 0.5}
    """
    found: Run = norm_switch(norm)(run)
    return found


def norm_name(norm: str | None) -> str:
    """Returns relyon's name of a normalisation.

    Raises:
        ParameterError: If it is unknown.
    """
    try:
        return normalization_of(norm)
    except UnknownNameError as error:
        raise ParameterError(error.message, hint=error.hint) from None


def norm_switch(method: str = "min-max") -> Callable[..., Any]:
    """Returns the function of a normalisation's name.

    Raises:
        ValueError: If there is no such normalisation.
    """
    name = norm_name(method)
    if name == "borda":
        return borda_norm
    return lambda run: _scaled(run, name)


def min_max_norm(run: Run, invert: bool = False) -> Run:
    """Returns (s - min) / (max - min), or (max - s) / (max - min)."""
    return _scaled(run, "min-max-inverted" if invert else "min-max")


def max_norm(run: Run) -> Run:
    """Returns s / max."""
    return _scaled(run, "max")


def sum_norm(run: Run) -> Run:
    """Returns (s - min) / sum of (s - min)."""
    return _scaled(run, "sum")


def zmuv_norm(run: Run) -> Run:
    """Returns (s - mean) / standard deviation."""
    return _scaled(run, "zmuv")


def rank_norm(run: Run) -> Run:
    """Returns 1 - (rank - 1) / n."""
    return _scaled(run, "rank")


def borda_norm(runs: Sequence[Run]) -> list[Run]:
    """Returns the runs with Borda points, divided by the candidates, for every candidate."""
    found = []
    for run in runs:
        scaled: dict[str, dict[str, float]] = {}
        for query in runs[0].get_query_ids():
            everything = {document: None for other in runs for document in other[query]}
            count, own = len(everything), run[query]
            points = dict(zip(own, normalized(list(own.values()), "borda", count), strict=True))
            rest = 0.5 - (len(own) - 1) / (2 * count) if count else 0.0
            scaled[query] = {document: points.get(document, rest) for document in everything}
        found.append(Run(scaled, name=run.name))
    return found


def _scaled(run: Run, name: str) -> Run:
    scaled = {}
    for query in run.get_query_ids():
        rows = list(run[query].items())
        scores = normalized([score for _, score in rows], name, floor=FLOOR)
        scaled[query] = {document: score for (document, _), score in zip(rows, scores, strict=True)}
    return Run(scaled, name=run.name)
