"""Checks of values, weights, strata and clusters of labelled queries, as arrays."""

from __future__ import annotations

import math
from collections.abc import Hashable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

from relyon.core.errors import ParameterError
from relyon.core.texts import message

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import ArrayLike, NDArray

    Floats = NDArray[np.float64]
    Whole = NDArray[np.int64]

__all__ = ["codes", "equal_within", "given_shares", "numbers", "same_length"]


def numbers(name: str, values: ArrayLike) -> Floats:
    """Returns finite numbers.

    Raises:
        ParameterError: If there are none, or one is not finite.
    """
    import numpy as np

    found = np.asarray(values, dtype=np.float64)
    if found.ndim != 1 or not len(found):
        raise ParameterError(message("analysis.powered-no-values", name=name))
    bad = np.flatnonzero(~np.isfinite(found))
    if len(bad):
        raise ParameterError(
            message("analysis.powered-not-finite", name=name, place=int(bad[0]) + 1),
            hint=message("analysis.powered-leave-out"),
        )
    return found


def same_length(first: str, count: int, second: str, other: int) -> None:
    """Checks that two lists are equally long.

    Raises:
        ParameterError: If they are not.
    """
    if count != other:
        raise ParameterError(
            message(
                "analysis.powered-lengths", first=first, count=count, second=second, other=other
            )
        )


def codes(
    name: str, pair: tuple[Iterable[Hashable], Iterable[Hashable]] | None, count: int, total: int
) -> tuple[Whole, Whole, list[Hashable]]:
    """Returns the numbers of the labelled queries' groups and of all queries', and the names.

    Groups with labelled queries come first, in the order of their names.
    """
    import numpy as np

    if pair is None:
        return np.zeros(count, np.int64), np.zeros(total, np.int64), [""]
    ours, every = list(pair[0]), list(pair[1])
    same_length(f"{name}[0]", len(ours), "human", count)
    same_length(f"{name}[1]", len(every), "model_all", total)
    labelled = sorted(set(ours), key=str)
    seen = set(labelled)
    names = [*labelled, *sorted({one for one in every if one not in seen}, key=str)]
    places = {one: place for place, one in enumerate(names)}
    return (
        np.array([places[one] for one in ours], np.int64),
        np.array([places[one] for one in every], np.int64),
        names,
    )


def given_shares(shares: Mapping[Hashable, float], names: Sequence[Hashable]) -> Floats:
    """Returns the share of each stratum of the population, in the order of the names.

    Raises:
        ParameterError: If a stratum has none above 0, or they do not add up to 1.
    """
    import numpy as np

    found = np.array([shares.get(name, math.nan) for name in names], dtype=np.float64)
    if not ((found > 0).all() and abs(float(found.sum()) - 1) < 1e-6):
        raise ParameterError(message("analysis.powered-shares", names=list(map(str, names))[:5]))
    return np.asarray(found / found.sum(), float)


def equal_within(weights: Floats, places: Whole) -> bool:
    """Whether weights are equal within each stratum."""
    import numpy as np

    return all(
        bool(np.ptp(weights[places == place]) <= 1e-12 * weights.max())
        for place in np.unique(places)
    )
