"""Sessions without a click, in models that stop at the last click: wholly seen, or left out."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from relyon.labels.log import ClickLog
    from relyon.labels.model import Values

__all__ = ["Clickless", "seen"]

#: What a session without a click tells: that everything was seen, or nothing.
Clickless = Literal["seen", "left-out"]


def seen(log: ClickLog, clickless: Clickless) -> Values:
    """Returns how often each pair was seen: impressions at or above the last click.

    In a session without a click all results count (`seen`, as in PyClick), or none (`left-out`, as
    in Grainger, Turnbull, Irwin, AI-Powered Search, 2025).

    Args:
        log: The log.
        clickless: What sessions without a click tell.
    """
    import numpy as np

    above: Values = log.native.counts()["above"].astype(np.float64)
    if clickless == "seen":
        return above
    patterns = log.patterns
    sizes = np.diff(patterns.starts)
    sessions = np.repeat(np.arange(len(sizes)), sizes)
    silent = np.bincount(sessions, patterns.clicked, len(sizes)) == 0
    rows = silent[sessions]
    weights = patterns.counts.astype(np.float64)[sessions[rows]]
    return above - np.bincount(patterns.pairs[rows], weights, len(above))
