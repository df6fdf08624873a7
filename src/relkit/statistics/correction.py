"""P-values corrected for the number of comparisons."""

from __future__ import annotations

import math
from collections.abc import Sequence

from relkit.errors import ParameterError

__all__ = ["CORRECTIONS", "adjust"]

CORRECTIONS = {"holm": "holm", "bh": "fdr_bh", "none": ""}


def adjust(p_values: Sequence[float], correction: str) -> list[float]:
    """Returns p-values corrected for their number; those that are NaN stay so and do not count.

    Args:
        p_values: Of all comparisons of one family.
        correction: `holm` bounds the chance of any false alarm; `bh` (Benjamini-Hochberg) the
            share of false alarms among the alarms; `none`.

    Raises:
        ParameterError: If there is no such correction.

    Examples:
        >>> adjust([0.01, 0.04], "holm")
        [0.02, 0.04]

    References:
        Holm (1979), Scandinavian Journal of Statistics 6(2); Benjamini and Hochberg (1995),
        Journal of the Royal Statistical Society B 57(1).
    """
    if correction not in CORRECTIONS:
        raise ParameterError(
            "the parameter `correction` must be one of "
            + ", ".join(f"`{name}`" for name in CORRECTIONS)
            + f". Got `{correction}` instead."
        )
    known = [place for place, p in enumerate(p_values) if not math.isnan(p)]
    if correction == "none" or len(known) < 2:
        return list(p_values)
    from statsmodels.stats.multitest import multipletests

    adjusted = multipletests([p_values[place] for place in known], method=CORRECTIONS[correction])[
        1
    ]
    found = list(p_values)
    for place, p in zip(known, adjusted.tolist(), strict=True):
        found[place] = p
    return found
