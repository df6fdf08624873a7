"""Normalisation of scores, so that those of different runs are comparable."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Literal

from relyon.core.errors import InputError, UnknownNameError
from relyon.core.registry import suggestion
from relyon.core.texts import message

__all__ = ["NORMALIZATIONS", "Normalization", "normalization_of", "normalized"]

Normalization = Literal[
    "none", "min-max", "min-max-inverted", "max", "sum", "zmuv", "rank", "borda"
]

#: The formula of every normalisation: s a score, r its rank from 1, n the documents that the run
#: returned for the query, c those of all runs together.
NORMALIZATIONS: dict[str, str] = {
    "none": "s",
    "min-max": "(s - min) / (max - min)",
    "min-max-inverted": "(max - s) / (max - min), for distances: the lowest score is best",
    "max": "s / max",
    "sum": "(s - min) / sum of (s - min)",
    "zmuv": "(s - mean) / standard deviation: zero mean, unit variance",
    "rank": "1 - (r - 1) / n",
    "borda": "1 - (r - 1) / c; documents that the run lacks get 1/2 - (n - 1) / 2c",
}


def normalization_of(name: str | None) -> str:
    """Returns the canonical name of a normalisation; `_` may replace `-`.

    Raises:
        UnknownNameError: If it does not exist.

    Examples:
        >>> normalization_of("min_max")
        'min-max'
    """
    key = (name or "none").lower().replace("_", "-")
    if key not in NORMALIZATIONS:
        raise UnknownNameError(
            message("ltr.unknown-normalisation", name=name),
            hint=suggestion(key, list(NORMALIZATIONS)),
        )
    return key


def normalized(
    scores: Sequence[float], name: str, candidates: int = 0, floor: float = 0.0
) -> list[float]:
    """Returns the normalised scores of one list, best first.

    If all scores of a list are equal, those of `min-max`, `sum` and `zmuv` are 0. `max` of zeros
    is 0.

    Args:
        scores: The scores of one run for one query, the best first.
        name: One of `NORMALIZATIONS`.
        candidates: For `borda`: the number of documents of all runs.
        floor: The smallest divisor; with 0, results are 0 where the divisor is 0.

    Raises:
        InputError: If the divisor of `max` is not positive.

    Examples:
        >>> normalized([3.0, 2.0, 1.0], "min-max")
        [1.0, 0.5, 0.0]

    References:
        Montague and Aslam (2001), CIKM. Renda and Straccia (2003), SAC (`rank`, `borda`).
    """
    if not scores:
        return []
    count = len(scores)
    low, high = min(scores), max(scores)
    if name == "rank":
        return [1 - place / count for place in range(count)]
    if name == "borda":
        return [1 - place / candidates for place in range(count)]
    if name == "max" and high <= 0 and low < 0 and not floor:
        raise InputError(
            message(
                "ltr.best-score-of-list",
                high=high,
            ),
            hint=message("ltr.choose-another-one-such-as-min-max"),
        )
    mean = sum(scores) / count
    spread = sum(scores) - low * count
    deviation = math.sqrt(sum((score - mean) ** 2 for score in scores) / count)
    parts: dict[str, tuple[Callable[[float], float], float]] = {
        "none": (lambda score: score, 1.0),
        "min-max": (lambda score: score - low, high - low),
        "min-max-inverted": (lambda score: high - score, high - low),
        "max": (lambda score: score, high),
        "sum": (lambda score: score - low, spread if high > low else 0.0),
        "zmuv": (lambda score: score - mean, deviation if high > low else 0.0),
    }
    part, least = parts[name]
    divisor = max(least, floor)
    return [part(score) / divisor if divisor > 0 else 0.0 for score in scores]
