"""Draws pairs one after another with known probabilities, and the weights of the draws."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

__all__ = ["Draw", "draw", "draw_weights", "drawn_probabilities", "fall_after", "fitted_curve"]


@dataclass(frozen=True)
class Draw:
    """Pairs in the order in which they were drawn.

    Attributes:
        places: The index of each pair.
        probabilities: The probability of each among those that were left when it was drawn.
    """

    places: NDArray[np.int64]
    probabilities: NDArray[np.float64]


def draw(sizes: NDArray[np.float64], count: int, seed: tuple[int, int]) -> Draw:
    """Draws pairs without replacement, each time with probabilities in proportion to size.

    The order of e_i / size_i with independent standard exponential e_i is that of such draws, so
    every first part of the order is itself such a draw.

    Args:
        sizes: The size of each pair; one of size 0 is never drawn.
        count: How many to draw; all of them if there are fewer.
        seed: The seed and the number of the batch.

    Examples:
        >>> import numpy as np
        >>> found = draw(np.array([1.0, 0.0, 1.0, 2.0]), 3, (1, 1))
        >>> sorted(found.places.tolist()), round(float(found.probabilities[-1]), 6)
        ([0, 2, 3], 1.0)

    References:
        Efraimidis and Spirakis (2006), Information Processing Letters 97(5).
    """
    import numpy as np

    random = np.random.default_rng(seed)
    times = random.exponential(size=len(sizes))
    positive = np.flatnonzero(sizes > 0)
    keys = times[positive] / sizes[positive]
    order = positive[np.argsort(keys, kind="stable")[:count]]
    return Draw(order, drawn_probabilities(sizes, order))


def drawn_probabilities(
    sizes: NDArray[np.float64], order: NDArray[np.int64]
) -> NDArray[np.float64]:
    """Returns the probability of each pair among those left when it was drawn.

    Args:
        sizes: As for `draw`.
        order: The indices of the pairs, in the order of the draws; each has a size above 0.
    """
    import numpy as np

    positive = sizes[sizes > 0]
    whole = math.fsum(positive.tolist())
    own = sizes[order]
    before = np.concatenate([[0.0], np.cumsum(own)[:-1]]) if len(own) else own
    probabilities: NDArray[np.float64] = own / np.maximum(whole - before, own)
    if len(order) == len(positive) and len(order):
        probabilities[-1] = 1.0
    return probabilities


def fitted_curve(sizes: NDArray[np.float64], count: int) -> float:
    """Returns how fast the total size of what is left shrinks as pairs are drawn.

    The total after m of N draws is modelled as (1 - m/N)^curve of that before the first; 1 for
    equal sizes, more if sizes differ, since large pairs are drawn first. It only sets the weights
    of the draws, which do not depend on a grade.

    Args:
        sizes: The sizes before the first draw, all above 0.
        count: How many draws are planned; the model is exact after so many.
    """
    import numpy as np

    total = len(sizes)
    half = min(max(count, 1), total // 2)
    if total < 2 or half < 1:
        return 1.0
    # Draws at random times, exponential at a rate of the size: by time t, half of them are made.
    low, high = 0.0, 1.0
    scaled = sizes / float(sizes.mean())
    while float((1 - np.exp(-scaled * high)).sum()) < half:
        high *= 2
    for _ in range(60):
        middle = (low + high) / 2
        if float((1 - np.exp(-scaled * middle)).sum()) < half:
            low = middle
        else:
            high = middle
    left = float((scaled * np.exp(-scaled * high)).sum()) / total
    curve = math.log(left) / math.log1p(-half / total)
    return min(max(curve, 1.0), 8.0)


def draw_weights(drawn: int, total: int, curve: float) -> NDArray[np.float64]:
    """Returns the weight of each draw's estimate in the mean of all, which sum to 1.

    The estimate after m - 1 draws has a variance of about ((N - m)(N - m + 1))^curve, and is
    weighted by the inverse; the last possible draw, whose estimate is exact, gets all the weight.
    With ``curve=1`` the weights are those of Farquhar, Gal and Rainforth.

    Args:
        drawn: How many draws were made.
        total: How many pairs there were to draw from.
        curve: What `fitted_curve` returned before the first draw.

    Examples:
        >>> [round(float(weight), 4) for weight in draw_weights(3, 5, 1.0)]
        [0.1667, 0.2778, 0.5556]

    References:
        Farquhar, Gal and Rainforth (2021), ICLR, “On statistical bias in active learning”.
    """
    import numpy as np

    if drawn == total:
        return np.eye(drawn)[-1] if drawn else np.zeros(0)
    logs = _log_information(drawn, total, curve)
    weights = np.exp(logs - logs.max(initial=-math.inf))
    found: NDArray[np.float64] = weights / weights.sum()
    return found


def fall_after(drawn: int, after: int, total: int, curve: float) -> float:
    """Returns the share of the variance of the draws that is left after more of them.

    Args:
        drawn: How many draws were made, at least one.
        after: How many there are then, fewer than `total`.
        total: As for `draw_weights`.
        curve: As for `draw_weights`.

    Examples:
        >>> fall_after(10, 10, 100, 1.0)
        1.0
    """
    import numpy as np

    logs = _log_information(after, total, curve)
    information = np.exp(logs - logs.max())
    return float(information[:drawn].sum() / information.sum())


def _log_information(drawn: int, total: int, curve: float) -> NDArray[np.float64]:
    """Returns the logarithm of the inverse variance of each draw's estimate, but for a constant."""
    import numpy as np

    left = total - np.arange(1, drawn + 1, dtype=float)
    found: NDArray[np.float64] = -curve * (np.log(left) + np.log1p(left))
    return found
