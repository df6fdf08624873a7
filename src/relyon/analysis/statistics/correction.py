"""P-values corrected for the number of comparisons."""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import accumulate

from relyon.core.parameters import check_choice

__all__ = ["CORRECTIONS", "adjust"]

CORRECTIONS = ("holm", "bh", "none")


def adjust(p_values: Sequence[float], correction: str) -> list[float]:
    """Returns p-values corrected for their number; NaN stays NaN and does not count.

    With p(1) <= ... <= p(n): Holm's are the largest (n - i + 1) p(i) up to each place, those of
    Benjamini and Hochberg the smallest n p(i) / i from each place on; none is above 1.

    Args:
        p_values: The p-values of one family of comparisons.
        correction: `holm` bounds the chance of any false alarm; `bh` (Benjamini-Hochberg) the
            share of false alarms among the alarms; `none`.

    Raises:
        ParameterError: If the correction is unknown.

    Examples:
        >>> adjust([0.01, 0.04], "holm")
        [0.02, 0.04]

    References:
        Holm (1979), Scandinavian Journal of Statistics 6(2); Benjamini and Hochberg (1995),
        Journal of the Royal Statistical Society B 57(1).
    """
    check_choice("correction", correction, CORRECTIONS)
    found = list(p_values)
    known = [place for place, p in enumerate(found) if not math.isnan(p)]
    if correction == "none" or len(known) < 2:
        return found
    known.sort(key=found.__getitem__)
    steps = _holm if correction == "holm" else _benjamini_hochberg
    for place, p in zip(known, steps([found[place] for place in known]), strict=True):
        found[place] = p
    return found


def _holm(ordered: Sequence[float]) -> list[float]:
    count = len(ordered)
    return list(accumulate((min(p * (count - i), 1.0) for i, p in enumerate(ordered)), max))


def _benjamini_hochberg(ordered: Sequence[float]) -> list[float]:
    count = len(ordered)
    raised = [min(p / (rank / count), 1.0) for rank, p in enumerate(ordered, 1)]
    return list(accumulate(reversed(raised), min))[::-1]
