"""Generated rows that show differences between two scorers of the same trees."""

from __future__ import annotations

from typing import TYPE_CHECKING

from relyon.ltr.rankers.exporting.exported import Candidate

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

__all__ = ["probe_rows"]

LEAST, MOST = 2_000, 4_000
#: The share of missing values in each feature.
MISSING = 0.1
#: Bounds of probes: LightGBM treats numbers below 1e-35 as 0, and the largest number as missing.
SMALLEST, LARGEST = 1e-30, 1e30


def probe_rows(candidate: Candidate, features: int, *, missing: bool) -> NDArray[np.float64]:
    """Returns rows with features on the values where scores change, and right beside them.

    Right beside is the next number in the precision of the file's reader. There are also far
    values, zeros and missing values. The rows are the same in every call.

    Args:
        candidate: The file.
        features: The number of features.
        missing: Whether features may be missing.
    """
    import numpy as np

    random = np.random.default_rng(0)
    columns = []
    kind = np.dtype(candidate.precision)
    for place in range(features):
        points = np.unique(np.asarray(candidate.touched.get(place, ()), dtype=kind))
        if place in candidate.whole:
            beside = [points - 1, points + 1]
        else:
            beside = [np.nextafter(points, to, dtype=kind) for to in (-np.inf, np.inf)]
            beside.append(random.normal(size=50).astype(kind))
        far = 2 * np.abs(points, dtype=float).max(initial=0) + 1
        values = np.concatenate([points, *beside, [0, far, -far]])
        sizes = np.abs(values)
        columns.append(values[(sizes == 0) | ((sizes >= SMALLEST) & (sizes <= LARGEST))])
    height = int(np.clip(max(map(len, columns), default=0), LEAST, MOST))
    found = np.empty((height, features))
    for place, values in enumerate(columns):
        found[:, place] = random.permutation(np.resize(random.permutation(values), height))
    if missing:
        found[random.random(found.shape) < MISSING] = np.nan
    return found
