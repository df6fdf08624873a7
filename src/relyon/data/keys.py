"""Sampling keys: whole numbers that depend only on the seed and on ids.

Engines have no hash function in common, so keys are computed here from the ids that an engine
returns. All arithmetic is on unsigned 64-bit integers, so that every machine gets the same keys.

References:
    Fowler, Noll and Vo: FNV-1a. Steele, Lea and Flood (2014), Fast splittable
    pseudorandom number generators, OOPSLA: the mixing function of SplitMix64.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from relyon import _native

if TYPE_CHECKING:
    import numpy as np
    import polars as pl
    from numpy.typing import NDArray

__all__ = ["GOLDEN", "hashed", "mix", "mix_all", "series"]

WHOLE = (1 << 64) - 1
GOLDEN = 0x9E3779B97F4A7C15
ONE = 0xBF58476D1CE4E5B9
TWO = 0x94D049BB133111EB


def mix(value: int) -> int:
    """Mixes a 64-bit number: every bit of the result depends on every bit of the input.

    Examples:
        >>> hex(mix(0x9E3779B97F4A7C15))
        '0xe220a8397b1dcdaf'
    """
    value &= WHOLE
    value = (value ^ value >> 30) * ONE & WHOLE
    value = (value ^ value >> 27) * TWO & WHOLE
    return value ^ value >> 31


def mix_all(values: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """Returns `mix` of every number of an array."""
    import numpy as np

    mixed = values ^ (values >> np.uint64(30))
    mixed *= np.uint64(ONE)
    mixed ^= mixed >> np.uint64(27)
    mixed *= np.uint64(TWO)
    mixed ^= mixed >> np.uint64(31)
    return mixed


def hashed(ids: pl.Series, salt: int) -> NDArray[np.uint64]:
    """Returns a key for every id; each salt gives different keys."""
    import numpy as np

    return mix_all(_native.hash_ids(ids) ^ np.uint64(mix(salt + GOLDEN)))


def series(key: NDArray[np.uint64], number: NDArray[np.int64]) -> NDArray[np.uint64]:
    """Returns some numbers of the series that begins at each key."""
    import numpy as np

    return mix_all(key + (number.astype(np.uint64) + np.uint64(1)) * np.uint64(GOLDEN))
