"""Random signs, bootstrap samples and batches of units, equal for equal seeds on any machine."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from relyon.analysis.statistics.paired import Resampling
from relyon.analysis.statistics.separation.parts import Part

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]

__all__ = ["EXACT", "MOST_UNITS", "batches", "counts", "signs"]

#: More units than this are added up at random in BATCHES batches: their sums are as good as normal.
MOST_UNITS, BATCHES = 1000, 500
#: Draws that are looked at together, so that memory is bounded.
DRAWS = 256
#: Up to this many units all sign patterns are used.
EXACT = 12


def batches(parts: Sequence[Part], seed: int) -> list[Part]:
    """Returns parts with at most MOST_UNITS units in all: others are added up at random."""
    import numpy as np

    total = sum(one.sums.shape[1] for one in parts)
    if total <= MOST_UNITS:
        return list(parts)
    source = np.random.PCG64(seed)
    found = []
    for one in parts:
        units = one.sums.shape[1]
        count = min(units, max(20, round(BATCHES * units / total)))
        order = np.argsort(source.random_raw(units), kind="stable")
        place = np.empty(units, dtype=np.int64)
        place[order] = np.arange(units) % count
        ends = np.argsort(place, kind="stable")
        starts = np.searchsorted(place[ends], np.arange(count))
        sums = np.add.reduceat(one.sums[:, ends], starts, axis=1)
        found.append(Part(sums, np.add.reduceat(one.sizes[ends], starts), one.weight))
    return found


def signs(units: int, resampling: Resampling) -> Iterator[Floats]:
    """Yields draws x units of 1 and -1: all patterns, if there are few units."""
    import numpy as np

    if units <= EXACT:
        numbers = np.arange(2**units)
        for start in range(0, len(numbers), DRAWS):
            bits = (numbers[start : start + DRAWS, None] >> np.arange(units)) & 1
            yield (1 - 2 * bits).astype(np.float64)
        return
    source = np.random.PCG64([resampling.seed, 1])
    for first in range(0, resampling.resamples, DRAWS):
        count = min(DRAWS, resampling.resamples - first)
        words = source.random_raw(count * math.ceil(units / 64)).astype("<u8")
        coins = np.unpackbits(words.view(np.uint8)).reshape(count, -1)[:, :units]
        yield 1.0 - 2.0 * coins.astype(np.float64)


def counts(parts: Sequence[Part], resampling: Resampling) -> Iterator[list[Floats]]:
    """Yields, by part, draws x units: how often each unit is drawn."""
    import numpy as np

    source = np.random.PCG64([resampling.seed, 2])
    for first in range(0, resampling.resamples, DRAWS):
        count = min(DRAWS, resampling.resamples - first)
        found = []
        for one in parts:
            units = one.sums.shape[1]
            raw = (source.random_raw(units * count) >> np.uint64(11)).astype(np.float64)
            drawn = np.minimum((raw * (units / 2.0**53)).astype(np.int64), units - 1)
            flat = drawn + units * np.repeat(np.arange(count), units)
            times = np.bincount(flat, minlength=units * count).reshape(count, units)
            found.append(times.astype(np.float64))
        yield found
